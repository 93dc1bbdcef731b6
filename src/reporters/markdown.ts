import { isWarning, type Report } from '../report.js';
import { escaping, excerpt } from '../text.js';
import type { RunReport } from '../verdict.js';
import { breachesOf, doubtsOf } from './breaches.js';
import { type Group, groupsOf, inTurn } from './groups.js';
import {
  counts,
  errorPlace,
  MESSAGE_LENGTH,
  outcome,
  placeText,
  plural,
  rankedErrors,
  remarks,
  spentText,
} from './people.js';
import { defineReporter } from './reporter.js';

/** GitHub takes a summary of 1 MiB a step; the rest is for the text between the rows. */
const ROOM = (1 << 20) - (1 << 15);
/** Nobody reads more rows of a table. */
const MOST_ROWS = 500;
const ID_LENGTH = 64;

// In code nothing is markup, a link or a mention; the two ways out of it, and of a cell, are escaped.
const inert = escaping('[`|]');
const outerSpace = (text: string): string => text.replace(/^ | $/g, '\\u0020');
/** Printable text as code. */
const codeOf = (printed: string): string => (printed === '' ? '' : `\`${outerSpace(inert(printed))}\``);
const code = (text: string, length = MESSAGE_LENGTH): string => codeOf(excerpt(text, length));

type Row = readonly string[];
interface Table {
  readonly title: string;
  readonly columns: Row;
  /** How many rows there are, and what they are. */
  readonly total: number;
  readonly what: string;
  readonly rows: Iterable<Row>;
}

const rowText = (cells: Row): string => `| ${cells.join(' | ')} |\n`;

/** Writes tables into what room there is, and counts the rows that have none. */
const startTables = () => {
  let room = ROOM;
  return function* ({ title, columns, total, what, rows }: Table): Iterable<string> {
    if (total === 0) return;
    yield `\n### ${title}\n\n${rowText(columns)}${rowText(columns.map(() => '---'))}`;
    let shown = 0;
    for (const cells of rows) {
      const text = rowText(cells);
      const bytes = Buffer.byteLength(text);
      if (shown === MOST_ROWS || bytes > room) break;
      room -= bytes;
      shown += 1;
      yield text;
    }
    if (shown < total) yield `\n${plural(total - shown, what)} left out; \`--format json=FILE\` has them all.\n`;
  };
};

const groupRow = ({ files }: Report, group: Group): Row => {
  const { run, file, line, column, message } = group.told(0);
  const place = file === undefined ? '' : codeOf(errorPlace(files, { file, line, column }));
  const who = run === undefined ? '' : `${code(run.runId, ID_LENGTH)} at `;
  return [group.severity, code(group.id), String(group.count), `${who}${place}`, code(message), code(group.action)];
};

function* failingRows(report: Report, groups: readonly Group[]): Iterable<Row> {
  const told = new Set<RunReport>();
  for (const { group, nth } of inTurn(groups)) {
    const { run } = group.told(nth);
    if (run === undefined || told.has(run)) continue;
    told.add(run);
    yield runRow(report, run);
  }
}

const runRow = (report: Report, run: RunReport): Row => {
  const breaches = breachesOf(report, run);
  const ids = new Set(breaches.filter(({ severity }) => severity === 'error').map(({ id }) => id));
  const [first] = breaches;
  const after = run.spentAfter === undefined ? '' : spentText(run.spentAfter);
  return [
    code(run.runId, ID_LENGTH),
    code(run.verdict),
    [...ids].map((id) => code(id)).join(' '),
    codeOf(placeText(report.files, first?.at ?? run.last)),
    code(first?.message ?? ''),
    after,
  ];
};

export const markdown = defineReporter({
  id: 'markdown',
  description: 'Markdown for the summary of a job, under 1 MiB',
  *render(report) {
    const groups = groupsOf(report);
    const table = startTables();
    const errors = rankedErrors(report.inputErrors);
    const doubts = doubtsOf(report);
    const said = [...remarks(report)];
    yield `## terminal-contract: ${outcome(report)}\n\n${codeOf(counts(report).trimEnd())}\n`;
    yield* table({
      title: 'What is wrong',
      columns: ['', 'what', 'count', 'first', 'seen', 'what to do'],
      total: groups.length,
      what: 'row',
      rows: groups.map((group) => groupRow(report, group)),
    });
    yield* table({
      title: 'Runs that fail',
      columns: ['run', 'verdict', 'breaks', 'first', 'seen', 'spent after it should have halted'],
      total: report.summary.failed,
      what: 'failing run',
      rows: failingRows(
        report,
        groups.filter(({ severity, isInput }) => severity === 'error' && !isInput),
      ),
    });
    yield* table({
      title: 'Input that could not be judged',
      columns: ['', 'place', 'what', 'seen'],
      total: errors.length,
      what: 'input error',
      rows: errors.map((error) => [
        isWarning(error, report) ? 'warn' : 'error',
        codeOf(errorPlace(report.files, error)),
        code(error.code),
        code(error.message),
      ]),
    });
    yield* table({
      title: 'Rules that could not be judged',
      columns: ['rule', 'runs', 'because', 'first'],
      total: doubts.length,
      what: 'rule',
      rows: doubts.map(({ rule, runs, because, at }) => [
        code(rule),
        String(runs),
        code(because),
        codeOf(placeText(report.files, at)),
      ]),
    });
    yield* table({
      title: 'Remarks',
      columns: ['what was read and left out'],
      total: said.length,
      what: 'remark',
      rows: said.map((text) => [codeOf(text.trimEnd())]),
    });
  },
});
