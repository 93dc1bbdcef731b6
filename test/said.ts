import type { Report, RunReport } from '../src/index.js';
import type { Spent } from '../src/run.js';
import { printable } from '../src/text.js';

const lineOf = (run: RunReport): string =>
  [
    printable(run.runId),
    printable(run.verdict),
    ...(run.fails ? ['fails'] : []),
    ...(run.isInconclusive ? ['inconclusive'] : []),
  ].join(' ');

const costOf = (spent: Spent): string =>
  Object.entries(spent)
    .filter(([, value]) => value !== undefined && value !== 0)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

/** All that the rules say of a run, a line each. */
const linesOf = (run: RunReport): readonly string[] => [
  lineOf(run),
  ...run.findings.map(
    ({ rule, severity, at, message, evidence }) =>
      `  ${rule} ${severity} at line ${at.line}, seq ${at.seq}: ${printable(message)} ${JSON.stringify(evidence)}`,
  ),
  ...run.unverifiable.map(
    ({ rule, because }) => `  ${rule} ${run.required.includes(rule) ? 'required' : 'unverifiable'}: ${because}`,
  ),
  ...(run.spentAfter === undefined ? [] : [`  spent after: ${costOf(run.spentAfter)}`]),
];

/** All that the rules say of a trace: verdicts, findings with their places and evidence, doubts, and what was spent. */
export const said = (report: Report): string => report.runs.flatMap(linesOf).join('\n');
