import { type InputError, isWarning, type Report } from '../report.js';
import { escaping, excerpt, printable } from '../text.js';
import type { RunReport } from '../verdict.js';
import { breachesOf } from './breaches.js';
import { counts, emptiness, errorPlace, MESSAGE_LENGTH, placeText, remarks } from './people.js';
import { defineReporter } from './reporter.js';

const NAME_LENGTH = 256;

const ENTITIES: ReadonlyMap<string, string> = new Map([
  ['&', '&amp;'],
  ['<', '&lt;'],
  ['>', '&gt;'],
  ['"', '&quot;'],
  ['\n', '&#10;'],
]);
const entity = (character: string): string => ENTITIES.get(character) ?? '';
// Control characters and halves of characters, which XML does not have either, are escaped before.
const withoutForbidden = escaping('[\\ufffe\\uffff]');
const escaped = (text: string): string => withoutForbidden(text).replace(/[&<>"]/g, entity);
const attribute = (text: string): string => escaped(text).replaceAll('\n', entity);

type Attributes = Readonly<Record<string, string | number | undefined>>;
const tag = (name: string, attributes: Attributes): string => {
  const said = Object.entries(attributes).flatMap(([key, value]) =>
    value === undefined ? [] : [` ${key}="${attribute(String(value))}"`],
  );
  return `<${name}${said.join('')}`;
};

/** What became of a test case. */
type Outcome = 'passed' | 'failures' | 'errors' | 'skipped';
const ELEMENTS = { failures: 'failure', errors: 'error', skipped: 'skipped', passed: 'system-out' } as const;

interface TestCase {
  readonly name: string;
  readonly classname: string;
  /** Seconds. */
  readonly time?: string | undefined;
  readonly outcome: Outcome;
  /** Of a failure or an error: what it is called, and its first line. */
  readonly type?: string;
  readonly message?: string;
  /** All that is said of it. */
  readonly lines: readonly string[];
}

const testCase = ({ name, classname, time, outcome, type, message, lines }: TestCase): string => {
  const opening = `    ${tag('testcase', { name, classname, time })}`;
  if (lines.length === 0) return `${opening}/>\n`;
  const element = ELEMENTS[outcome];
  return `${opening}>\n      ${tag(element, { type, message })}>${escaped(lines.join('\n'))}</${element}>\n    </testcase>\n`;
};

const saidOf = (report: Report, run: RunReport): readonly string[] => [
  ...breachesOf(report, run).map(
    ({ severity, id, at, message, action }) =>
      `${severity} ${id} ${placeText(report.files, at)}: ${excerpt(message, MESSAGE_LENGTH)}; ${printable(action)}`,
  ),
  ...run.unverifiable
    .filter(({ rule }) => !run.required.includes(rule))
    .map(({ rule, because }) => `not judged ${rule}: ${excerpt(because, MESSAGE_LENGTH)}`),
];

const outcomeOf = ({ fails, isInconclusive }: RunReport): Outcome => {
  if (fails) return 'failures';
  return isInconclusive ? 'skipped' : 'passed';
};

const ofRun = (report: Report, run: RunReport): TestCase => {
  const outcome = outcomeOf(run);
  const [first] = breachesOf(report, run);
  return {
    name: excerpt(run.runId, NAME_LENGTH),
    classname: excerpt(report.files[run.first.file] ?? '', NAME_LENGTH),
    time: run.spent.seconds === undefined ? undefined : run.spent.seconds.toFixed(3),
    outcome,
    ...(outcome === 'failures' ? { type: run.verdict, message: excerpt(first?.message ?? '', MESSAGE_LENGTH) } : {}),
    lines: outcome === 'skipped' ? [`inconclusive: ${run.verdict}`, ...saidOf(report, run)] : saidOf(report, run),
  };
};

const ofError = (report: Report, error: InputError): TestCase => {
  const { code, line, file, message } = error;
  const isHarmless = isWarning(error, report);
  return {
    name: line === undefined ? code : `${code} in line ${line}`,
    classname: excerpt(report.files[file] ?? '', NAME_LENGTH),
    outcome: isHarmless ? 'passed' : 'errors',
    ...(isHarmless ? {} : { type: code, message: excerpt(message, MESSAGE_LENGTH) }),
    lines: [`${errorPlace(report.files, error)}: ${code}: ${excerpt(message, MESSAGE_LENGTH)}`],
  };
};

const COMMAND = 'terminal-contract';
const ofEmptiness = (text: string): TestCase => ({
  name: 'the trace holds a span',
  classname: COMMAND,
  outcome: 'errors',
  type: 'no-span',
  message: text.trimEnd(),
  lines: [text.trimEnd()],
});

interface Suite {
  readonly name: string;
  readonly runs: RunReport[];
  readonly errors: InputError[];
}

/** The inputs with the runs that begin in them, and with what could not be read; inputs without either are left out. */
const suitesOf = ({ files, runs, inputErrors }: Report): readonly Suite[] => {
  const suites = files.map((name): Suite => ({ name, runs: [], errors: [] }));
  for (const run of runs) suites[run.first.file]?.runs.push(run);
  for (const error of inputErrors) suites[error.file]?.errors.push(error);
  return suites.filter((suite) => suite.runs.length + suite.errors.length > 0);
};

const countsOf = (report: Report, runs: readonly RunReport[], errors: readonly InputError[], more: number) => {
  const outcomes = runs.map(outcomeOf);
  return {
    tests: runs.length + errors.length + more,
    failures: outcomes.filter((outcome) => outcome === 'failures').length,
    errors: errors.filter((error) => !isWarning(error, report)).length + more,
    skipped: outcomes.filter((outcome) => outcome === 'skipped').length,
  };
};

function* suite(report: Report, { name, runs, errors }: Suite): Iterable<string> {
  const named = { name: excerpt(name, NAME_LENGTH), ...countsOf(report, runs, errors, 0) };
  yield `  ${tag('testsuite', named)}>\n`;
  for (const error of errors) yield testCase(ofError(report, error));
  for (const run of runs) yield testCase(ofRun(report, run));
  yield '  </testsuite>\n';
}

/** What belongs to no input: the counts, and that there was nothing to judge. */
function* overall(report: Report): Iterable<string> {
  const cases = [...emptiness(report)].map(ofEmptiness);
  yield `  ${tag('testsuite', { name: COMMAND, ...countsOf(report, [], [], cases.length) })}>\n`;
  for (const each of cases) yield testCase(each);
  yield `    <system-out>${escaped([...remarks(report), counts(report)].join(''))}</system-out>\n  </testsuite>\n`;
}

export const junit = defineReporter({
  id: 'junit',
  description: 'JUnit XML: a test suite an input, a test case a run',
  *render(report) {
    const { runs, inputErrors } = report;
    const { skipped: _, ...totals } = countsOf(report, runs, inputErrors, [...emptiness(report)].length);
    yield '<?xml version="1.0" encoding="UTF-8"?>\n';
    yield `${tag('testsuites', { name: COMMAND, ...totals })}>\n`;
    for (const each of suitesOf(report)) yield* suite(report, each);
    yield* overall(report);
    yield '</testsuites>\n';
  },
});
