import { type InputError, isWarning, type Report } from '../report.js';
import type { Spent } from '../run.js';
import { printable } from '../text.js';
import type { RunReport } from '../verdict.js';
import { type Breach, breachesOf } from './breaches.js';
import { defineReporter } from './reporter.js';

const SPENT = ['calls', 'iterations', 'tokens_in', 'tokens_cached', 'tokens_out', 'tokens_aux', 'seconds'] as const;
const COLUMNS = [
  ...['kind', 'run_id', 'verdict', 'fails', 'inconclusive', 'action', 'iter', 'spans', 'file', 'line'],
  ...['errors', 'warnings', 'unverifiable', 'message'],
  ...SPENT,
  ...SPENT.map((name) => `${name}_after`),
];

type Cell = string | number | boolean | undefined;

// What a spreadsheet takes for a formula: at the start of a cell, and behind what another one takes for its end.
const FORMULA = /(?<=(?:^|[,;|"])\s*)(?='*[=+\-@\uff0b\uff0d\uff1d\uff20])/g;
const QUOTED = /[",\r\n]|^\s|\s$/;
const cell = (value: Cell): string => {
  if (typeof value !== 'string') return String(value ?? '');
  const text = printable(value).replace(FORMULA, "'");
  return QUOTED.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
};

const row = (cells: readonly Cell[]): string => `${Array.from(COLUMNS, (_, at) => cell(cells[at])).join(',')}\r\n`;

const spentCells = (spent: Spent | undefined): readonly Cell[] =>
  spent === undefined
    ? SPENT.map(() => undefined)
    : [
        spent.calls,
        spent.iterations,
        spent.tokensIn,
        spent.tokensCached,
        spent.tokensOut,
        spent.tokensAux,
        spent.seconds,
      ];

const idsOf = (breaches: readonly Breach[], wanted: Breach['severity']): string =>
  breaches
    .filter(({ severity }) => severity === wanted)
    .map(({ id }) => id)
    .join(' ');

const runRow = (report: Report, run: RunReport): string => {
  const breaches = breachesOf(report, run);
  const [first] = breaches;
  const { file, line } = first?.at ?? run.last;
  return row([
    ...['run', run.runId, run.verdict, run.fails, run.isInconclusive, run.action, run.iter, run.spans],
    ...[report.files[file], line],
    ...[idsOf(breaches, 'error'), idsOf(breaches, 'warn')],
    ...[run.unverifiable.map(({ rule }) => rule).join(' '), first?.message],
    ...spentCells(run.spent),
    ...spentCells(run.spentAfter),
  ]);
};

const errorRow = (report: Report, error: InputError): string => {
  const { file, line, code, message } = error;
  const ids = isWarning(error, report) ? ['', code] : [code, ''];
  return row(['input_error', ...Array(7).fill(''), report.files[file], line, ...ids, '', message]);
};

export const csv = defineReporter({
  id: 'csv',
  description: 'a table for spreadsheets: a row a run, then a row for each input error',
  *render(report) {
    yield row(COLUMNS);
    for (const run of report.runs) yield runRow(report, run);
    for (const error of report.inputErrors) yield errorRow(report, error);
  },
});
