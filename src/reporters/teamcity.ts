import { EXIT, exitCodeOf, type InputError, isWarning, type Report, ruleOf } from '../report.js';
import { cut, excerpt, printable } from '../text.js';
import type { RunReport } from '../verdict.js';
import { type Breach, breachesOf, doubtsOf } from './breaches.js';
import { counts, emptiness, MESSAGE_LENGTH, plural, rankedErrors, remarks } from './people.js';
import { defineReporter } from './reporter.js';

const MARKS: ReadonlyMap<string, string> = new Map([
  ['\n', '|n'],
  ['\r', '|r'],
]);
const escaped = (text: string): string =>
  text.replace(/[|'[\]\r\n]|[\u0080-\uffff]/g, (unit) => {
    const code = unit.charCodeAt(0);
    return MARKS.get(unit) ?? (code > 0x7f ? `|0x${code.toString(16).padStart(4, '0')}` : `|${unit}`);
  });

/** What TeamCity takes of a text or a path. */
const LENGTH = 4000;
const message = (name: string, attributes: Readonly<Record<string, string | number>>): string => {
  const list = Object.entries(attributes).map(([key, value]) => ` ${key}='${escaped(cut(String(value), LENGTH))}'`);
  return `##teamcity[${name}${list.join('')}]\n`;
};

type Severity = 'ERROR' | 'WARNING' | 'INFO';
interface Inspection {
  readonly typeId: string;
  readonly severity: Severity;
  readonly file: string | undefined;
  readonly line: number | undefined;
  readonly text: string;
}

/** Inspections, each type told once before the first of its kind. */
const startInspections = (report: Report) => {
  const told = new Set<string>();
  return function* ({ typeId, severity, file, line, text }: Inspection): Iterable<string> {
    if (!told.has(typeId)) {
      told.add(typeId);
      const rule = ruleOf(report, typeId);
      const category = rule?.family ?? 'input';
      const description = printable(rule?.passing ?? typeId);
      yield message('inspectionType', { id: typeId, name: typeId, category, description });
    }
    const place = { file: printable(file ?? ''), ...(line === undefined ? {} : { line }) };
    yield message('inspection', { typeId, message: text, ...place, SEVERITY: severity });
  };
};

const ofError = (report: Report, error: InputError): Inspection => ({
  typeId: error.code,
  severity: isWarning(error, report) ? 'WARNING' : 'ERROR',
  file: report.files[error.file],
  line: error.line,
  text: excerpt(error.message, MESSAGE_LENGTH),
});

const ofBreach = (report: Report, run: RunReport, { severity, id, at, message: said, action }: Breach): Inspection => ({
  typeId: id,
  severity: severity === 'error' ? 'ERROR' : 'WARNING',
  file: report.files[at.file],
  line: at.line,
  text: `run ${excerpt(run.runId)}: ${excerpt(said, MESSAGE_LENGTH)}; ${printable(action)}`,
});

function* inspections(report: Report): Iterable<Inspection> {
  for (const error of rankedErrors(report.inputErrors)) yield ofError(report, error);
  for (const run of report.runs) {
    for (const breach of breachesOf(report, run)) yield ofBreach(report, run, breach);
  }
  for (const { rule, runs, because, at } of doubtsOf(report)) {
    const text = `not judged in ${plural(runs, 'run')}: ${excerpt(because, MESSAGE_LENGTH)}`;
    yield { typeId: rule, severity: 'INFO', file: report.files[at.file], line: at.line, text };
  }
}

/** The counts: of a trace that is not as it should be, as a problem of the build. */
const outcome = (report: Report): string => {
  const code = exitCodeOf(report);
  const text = [...emptiness(report), counts(report)].map((line) => line.trimEnd()).join('; ');
  if (code === EXIT.kept) return message('message', { text });
  const identity = code === EXIT.broken ? 'terminal-contract-broken' : 'terminal-contract-unjudged';
  return message('buildProblem', { description: text, identity });
};

export const teamcity = defineReporter({
  id: 'teamcity',
  description:
    'service messages of TeamCity: an inspection for each finding, a build problem where the exit code is not 0',
  *render(report) {
    const inspect = startInspections(report);
    for (const inspection of inspections(report)) yield* inspect(inspection);
    for (const text of remarks(report)) yield message('message', { text: text.trimEnd() });
    yield outcome(report);
    const { runs, failed, unusableLines } = report.summary;
    for (const [key, value] of Object.entries({ runs, failed, unusableLines }))
      yield message('buildStatisticValue', { key: `terminal-contract.${key}`, value });
  },
});
