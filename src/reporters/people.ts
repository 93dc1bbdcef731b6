import { styleText } from 'node:util';
import {
  EXIT,
  exitCodeOf,
  type InputError,
  isInputFault,
  isRuleFault,
  isSecret,
  isUnusableLine,
  isWarning,
  type Report,
  ruleOf,
  type Translated,
} from '../report.js';
import type { RuleId } from '../rules/index.js';
import type { Place, Spent } from '../run.js';
import { excerpt, printable } from '../text.js';
import { type Finding, type RunReport, type Unverifiable, VERDICTS, type Verdict } from '../verdict.js';

/** How many failing runs and unusable lines are shown; the rest is counted. */
const SHOWN = 20;
/** Characters of a message that are shown. */
export const MESSAGE_LENGTH = 240;

type Style = 'error' | 'warn' | 'strong' | 'faint';
export type Paint = (style: Style, text: string) => string;

const COLOURS = { error: 'red', warn: 'yellow', strong: 'bold', faint: 'dim' } as const satisfies Record<Style, string>;
export const painter =
  (isColoured: boolean): Paint =>
  (style, text) =>
    isColoured ? styleText(COLOURS[style], text, { validateStream: false }) : text;

export const plural = (count: number, word: string): string => `${count} ${word}${count === 1 ? '' : 's'}`;
export const placeText = (files: readonly string[], { file, line }: Pick<Place, 'file' | 'line'>): string =>
  `${printable(files[file] ?? '')}:${line}`;

const findingLine = (report: Report, { rule, severity, at, message }: Finding, paint: Paint): string =>
  `  ${paint(severity, severity)} ${rule} ${placeText(report.files, at)}: ${excerpt(message, MESSAGE_LENGTH)}; ${ruleOf(report, rule)?.action}\n`;

const MINUTE = 60;
const durationText = (seconds: number): string =>
  seconds < 2 * MINUTE ? `${Math.round(seconds)} s` : `${Math.round(seconds / MINUTE)} min`;

export const spentText = (spent: Spent): string => {
  const tokens = spent.tokensIn + spent.tokensCached + spent.tokensOut + spent.tokensAux;
  const parts = [plural(spent.calls, 'call'), plural(spent.iterations, 'iteration')];
  if (tokens > 0) parts.push(plural(tokens, 'token'));
  if (spent.seconds !== undefined && spent.seconds > 0) parts.push(durationText(spent.seconds));
  return parts.join(', ');
};

/** Whether anything was spent that is worth a word. */
export const isWorth = (spent: Spent): boolean => spent.calls > 0 || spent.iterations > 0;

/** A rule that several failing runs were not judged by, for one reason. */
interface Unjudged {
  readonly rule: RuleId;
  readonly because: string;
  readonly runs: RunReport[];
}

const isRequired = (run: RunReport, rule: RuleId): boolean => run.required.includes(rule);
const keyOf = ({ rule, because }: Unverifiable): string => `${rule} ${because}`;

/** What failing runs have in common that they were not judged by: it is said once for all of them. */
const sharedBy = (failing: readonly RunReport[]): ReadonlyMap<string, Unjudged> => {
  const groups = new Map<string, Unjudged>();
  for (const run of failing) {
    for (const each of run.unverifiable.filter(({ rule }) => !isRequired(run, rule))) {
      const { rule, because } = each;
      const group = groups.get(keyOf(each)) ?? { rule, because, runs: [] };
      group.runs.push(run);
      groups.set(keyOf(each), group);
    }
  }
  return new Map([...groups].filter(([, { runs }]) => runs.length > 1));
};

const sharedLine = ({ rule, because, runs }: Unjudged, failing: number): string => {
  const ids = runs.slice(0, SHOWN).map(({ runId }) => excerpt(runId));
  const more = runs.length > SHOWN ? ` and ${runs.length - SHOWN} more` : '';
  const which =
    runs.length === failing
      ? `all ${failing} failing runs`
      : `${runs.length} of ${failing} failing runs (${ids.join(', ')}${more})`;
  return `not judged ${rule} in ${which}: ${excerpt(because, MESSAGE_LENGTH)}\n`;
};

function* failingRun(
  report: Report,
  run: RunReport,
  shared: ReadonlyMap<string, Unjudged>,
  paint: Paint,
): Iterable<string> {
  const counts = `${plural(run.spans, 'span')}, ${spentText(run.spent)}`;
  yield `${paint('strong', excerpt(run.runId))}: ${paint('error', run.verdict)} (${counts})\n`;
  for (const finding of run.findings) yield findingLine(report, finding, paint);
  for (const each of run.unverifiable) {
    const { rule, because } = each;
    if (!isRequired(run, rule) && shared.has(keyOf(each))) continue;
    const severity = isRequired(run, rule) ? paint('error', 'required') : 'not judged';
    yield `  ${severity} ${rule}: ${excerpt(because, MESSAGE_LENGTH)}\n`;
  }
  if (run.spentAfter !== undefined && isWorth(run.spentAfter))
    yield `  spent after the contract would have halted it: ${spentText(run.spentAfter)}\n`;
}

function* failingRuns(report: Report, paint: Paint): Iterable<string> {
  const failing = report.runs.filter(({ fails }) => fails);
  const shared = sharedBy(failing);
  for (const run of failing.slice(0, SHOWN)) yield* failingRun(report, run, shared, paint);
  if (failing.length > SHOWN)
    yield `… and ${plural(failing.length - SHOWN, 'more failing run')}; --format json has them all\n`;
  for (const group of shared.values()) yield sharedLine(group, failing.length);
}

/** The place of an unusable line or unreadable input, as far as it is known. */
export const errorPlace = (
  files: readonly string[],
  { file, line, column }: Pick<InputError, 'file' | 'line' | 'column'>,
): string => [printable(files[file] ?? ''), line, column].filter((part) => part !== undefined).join(':');

/** An unusable line or an unreadable input, with its place. */
export const errorLine = (files: readonly string[], error: InputError): string =>
  `${errorPlace(files, error)}: ${error.code}: ${error.message}\n`;

const NO_RUN_THEN = 'no run was alive in the time asked about: nothing was judged; --allow-empty lets that pass\n';
const NO_SPAN = 'the trace holds no span: nothing was judged; --allow-empty lets an empty trace pass\n';

/** Input errors in the order in which they are told: an unreadable input, a rule that failed and a credential are said whatever else is long. */
export const rankedErrors = (inputErrors: readonly InputError[]): readonly InputError[] => [
  ...inputErrors.filter(({ code }) => !isUnusableLine(code)),
  ...inputErrors.filter(({ code }) => isUnusableLine(code)),
];

/** Unusable lines and unreadable inputs, the first of them each with its place. */
export function* inputErrorLines({ files, inputErrors }: Pick<Report, 'files' | 'inputErrors'>): Iterable<string> {
  const ranked = rankedErrors(inputErrors);
  for (const error of ranked.slice(0, SHOWN)) yield errorLine(files, error);
  const left = ranked.length - SHOWN;
  if (left > 0) yield `… and ${plural(left, 'more unusable line')}; --format json has them all\n`;
}

/** That there was nothing to judge, where that is not allowed: one line. */
export function* emptiness({ summary, isEmptyAllowed, profile, outsideRuns }: Report): Iterable<string> {
  if (summary.spans > 0 || isEmptyAllowed || profile === 'classic') return;
  yield outsideRuns > 0 ? NO_RUN_THEN : NO_SPAN;
}

/** What could not be judged: unusable lines and unreadable inputs; no span. */
export function* unjudged(report: Report): Iterable<string> {
  yield* inputErrorLines(report);
  yield* emptiness(report);
}

/** What warns in runs that pass: a line a rule, with its count and its first place. */
export function* warnings({ files, runs }: Report, paint: Paint): Iterable<string> {
  const groups = new Map<RuleId, { readonly run: RunReport; readonly finding: Finding; count: number }>();
  for (const run of runs) {
    if (run.fails) continue;
    for (const finding of run.findings) {
      const group = groups.get(finding.rule);
      if (group === undefined) groups.set(finding.rule, { run, finding, count: 1 });
      else group.count += 1;
    }
  }
  for (const [rule, { run, finding, count }] of groups) {
    const first = `${excerpt(run.runId)} at ${placeText(files, finding.at)}`;
    yield `${paint('warn', 'warn')} ${rule}: ${plural(count, 'passing run')}, first ${first}: ${excerpt(finding.message, MESSAGE_LENGTH)}\n`;
  }
}

const kindsText = (counts: ReadonlyMap<string, number>): string =>
  [...counts].map(([kind, count]) => `${excerpt(kind)} ${count}`).join(', ');

/** What was read of foreign formats: a line a format, and one for each input that holds no run. */
export function* translations({ files, translated }: Pick<Report, 'files' | 'translated'>): Iterable<string> {
  for (const format of new Set(translated.map((each) => each.format))) {
    const inputs = translated.filter((each) => each.format === format);
    const sum = (of: (each: Translated) => number): number => inputs.reduce((total, each) => total + of(each), 0);
    const unknown = new Map<string, number>();
    for (const { notUnderstood } of inputs) {
      for (const [kind, count] of notUnderstood) unknown.set(kind, (unknown.get(kind) ?? 0) + count);
    }
    const parts = [
      plural(inputs.length, 'input'),
      plural(
        sum(({ runs }) => runs),
        'run',
      ),
      plural(
        sum(({ records }) => records),
        'record',
      ),
    ];
    const left = sum(({ notUnderstood }) => [...notUnderstood.values()].reduce((total, count) => total + count, 0));
    yield `read as ${format}: ${parts.join(', ')}${left === 0 ? '' : `; not understood: ${kindsText(unknown)}`}\n`;
    const silent = inputs.filter(({ runs, isPart }) => runs === 0 && !isPart);
    for (const { file } of silent.slice(0, SHOWN))
      yield `${printable(files[file] ?? '')}: ${format}, but no run begins in it\n`;
    if (silent.length > SHOWN) yield `… and ${plural(silent.length - SHOWN, 'more input')} without a run\n`;
  }
}

const RANKED: readonly string[] = VERDICTS;

/** What was judged and what could not be, as counts. */
export const countsText = (report: Report): string => {
  const { summary, inputErrors } = report;
  const parts = [
    `${plural(summary.runs, 'run')}, ${plural(summary.spans, 'span')}: ${summary.failed} failed`,
    `${summary.passed} passed`,
  ];
  if (summary.inconclusive > 0) parts.push(`${summary.inconclusive} inconclusive`);
  if (summary.unusableLines > 0) parts.push(plural(summary.unusableLines, 'unusable line'));
  const unread = inputErrors.filter(({ code }) => isInputFault(code)).length;
  if (unread > 0) parts.push(plural(unread, 'unreadable input'));
  const failedRules = inputErrors.filter(({ code }) => isRuleFault(code)).length;
  if (failedRules > 0) parts.push(plural(failedRules, 'failed rule'));
  const secrets = inputErrors.filter(({ code }) => isSecret(code)).length;
  if (secrets > 0) parts.push(`${plural(secrets, 'credential')} outside of runs`);
  if (inputErrors.some((error) => !isWarning(error, report))) parts.push('not everything could be judged');
  return parts.join(', ');
};

/** How many runs have each verdict, in the order of the table; a verdict that a contract adds stands after those. */
export const rankedVerdicts = ({ summary }: Report): readonly (readonly [Verdict, number])[] => {
  const rank = (verdict: string): number => RANKED.indexOf(verdict) >>> 0;
  return [...summary.byVerdict].toSorted(([left], [right]) => rank(left) - rank(right));
};

/** The counts of a report and its verdicts, as one line. */
export const counts = (report: Report): string => {
  const verdicts = rankedVerdicts(report).map(([verdict, count]) => `${verdict} ${count}`);
  return `${countsText(report)}${verdicts.length === 0 ? '' : ` (${verdicts.join(', ')})`}\n`;
};

const OUTCOMES: ReadonlyMap<number, string> = new Map([
  [EXIT.kept, 'every run kept the contract'],
  [EXIT.broken, 'not every run kept the contract'],
  [EXIT.unjudged, 'not everything could be judged'],
]);
/** What the exit code says. */
export const outcome = (report: Report): string => OUTCOMES.get(exitCodeOf(report)) ?? '';

/** What was read of foreign formats, and what was left out or kept beside the runs: lines. */
export function* remarks(report: Report): Iterable<string> {
  yield* translations(report);
  if (report.outsideRuns > 0) yield `left out ${plural(report.outsideRuns, 'run')} not alive in the time asked about\n`;
  if (report.timelessRuns > 0) yield `kept ${plural(report.timelessRuns, 'run')} without a time\n`;
  if (report.skippedFiles > 0)
    yield `left out ${plural(report.skippedFiles, 'file')} that ${report.skippedFiles === 1 ? 'is' : 'are'} no trace\n`;
}

/** What people read on stderr: what fails and where, what warns, what could not be read, and one line of counts. */
export function* people(report: Report, isColoured: boolean): Iterable<string> {
  const paint = painter(isColoured);
  yield* failingRuns(report, paint);
  yield* warnings(report, paint);
  yield* remarks(report);
  yield* unjudged(report);
  yield counts(report);
}
