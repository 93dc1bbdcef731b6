import stringWidth from 'string-width';
import type { Report } from '../report.js';
import { excerpt } from '../text.js';
import type { RunReport } from '../verdict.js';
import { type Breach, breachesOf } from './breaches.js';
import { grouped } from './groups.js';
import { headlineOf, headlineText } from './headline.js';
import {
  counts,
  emptiness,
  inputErrorLines,
  isWorth,
  MESSAGE_LENGTH,
  type Paint,
  painter,
  placeText,
  plural,
  remarks,
  spentText,
  warnings,
} from './people.js';
import { legend, pictureOf } from './picture.js';
import { defineReporter, type Medium, PLAIN } from './reporter.js';

/** Runs of a kind that are shown, and kinds. */
const EXAMPLES = 3;
const MOST_KINDS = 20;
const LONGEST_ID = 40;
const INDENT = '  ';
const LEAST_WIDTH = 40;

/** Runs that fail alike, by the same verdict and the same rules: the most frequent first, then as their first runs stand. */
const kindsOf = ({ runs }: Report): readonly (readonly RunReport[])[] => {
  const failing = runs.filter(({ fails }) => fails);
  const kinds = grouped(failing, ({ verdict, breaks }) => [verdict, ...breaks].join(' '));
  return [...kinds.values()].toSorted((left, right) => right.length - left.length);
};

/** Text in lines of at most so many columns, by words; a word that is longer stands in a line of its own. */
const wrapped = (text: string, width: number): readonly string[] => {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    const longer = line === '' ? word : `${line} ${word}`;
    if (line !== '' && stringWidth(longer) > width) {
      lines.push(line);
      line = word;
    } else line = longer;
  }
  return [...lines, line];
};

function* breachLines(report: Report, breach: Breach, width: number, paint: Paint): Iterable<string> {
  const { severity, id, at, message, action } = breach;
  yield `${INDENT}${paint(severity, severity)} ${id} ${placeText(report.files, at)}\n`;
  const inner = INDENT.repeat(2);
  for (const line of wrapped(excerpt(message, MESSAGE_LENGTH), width - inner.length)) yield `${inner}${line}\n`;
  if (action !== '') for (const line of wrapped(`→ ${action}`, width - inner.length)) yield `${inner}${line}\n`;
}

const runLine = (run: RunReport, place: string, paint: Paint): string => {
  const size = `${plural(run.spans, 'span')}, ${spentText(run.spent)}`;
  return `${INDENT}${paint('strong', excerpt(run.runId, LONGEST_ID))} (${size})${place}\n`;
};

function* picture({ timelines }: Report, { runId }: RunReport, { width }: Medium, paint: Paint): Iterable<string> {
  const timeline = timelines?.drawn.get(runId);
  if (timeline !== undefined) yield `${INDENT}${pictureOf(timeline, width - INDENT.length, paint)}\n`;
}

/** The first of its kind, with all that it breaks. */
function* firstLines(report: Report, run: RunReport, medium: Medium, paint: Paint): Iterable<string> {
  yield runLine(run, '', paint);
  yield* picture(report, run, medium, paint);
  for (const breach of breachesOf(report, run)) yield* breachLines(report, breach, medium.width, paint);
  if (run.spentAfter !== undefined && isWorth(run.spentAfter))
    yield `${INDENT}spent after the contract would have halted it: ${spentText(run.spentAfter)}\n`;
}

/** One that fails as the first does: where. */
function* exampleLines(report: Report, run: RunReport, medium: Medium, paint: Paint): Iterable<string> {
  const [worst] = breachesOf(report, run);
  yield runLine(run, worst === undefined ? '' : ` ${placeText(report.files, worst.at)}`, paint);
  yield* picture(report, run, medium, paint);
}

function* kindLines(report: Report, runs: readonly RunReport[], medium: Medium, paint: Paint): Iterable<string> {
  const [first] = runs;
  if (first === undefined) return;
  const also = first.breaks.filter((rule) => rule.replaceAll('-', '_') !== first.verdict);
  const title = `${paint('error', first.verdict)}${also.length === 0 ? '' : ` with ${also.join(', ')}`}`;
  yield `${title}: ${plural(runs.length, 'run')}\n`;
  yield* firstLines(report, first, medium, paint);
  for (const run of runs.slice(1, EXAMPLES)) yield* exampleLines(report, run, medium, paint);
  const left = runs.length - EXAMPLES;
  if (left > 0) yield `${INDENT}… and ${plural(left, 'more run')} alike\n`;
  yield '\n';
}

function* failing(report: Report, medium: Medium, paint: Paint): Iterable<string> {
  const kinds = kindsOf(report);
  for (const kind of kinds.slice(0, MOST_KINDS)) yield* kindLines(report, kind, medium, paint);
  const left = kinds.slice(MOST_KINDS);
  const runs = left.reduce((sum, kind) => sum + kind.length, 0);
  if (left.length > 0) yield `… and ${plural(runs, 'run')} that fail in ${plural(left.length, 'other way')}\n\n`;
}

export const pretty = defineReporter({
  id: 'pretty',
  description: 'for a terminal: what fails, run by run and alike together, each with a picture of its spans',
  drawsTimelines: true,
  *render(report, medium = PLAIN) {
    const paint = painter(medium.isColoured);
    const wide = { ...medium, width: Math.max(LEAST_WIDTH, medium.width) };
    yield* failing(report, wide, paint);
    if (report.summary.failed > 0 && report.timelines !== undefined) yield `${legend(paint)}\n\n`;
    yield* warnings(report, paint);
    yield* remarks(report);
    yield* inputErrorLines(report);
    yield* emptiness(report);
    yield counts(report);
    yield `${paint('strong', headlineText(headlineOf(report)))}\n`;
  },
});
