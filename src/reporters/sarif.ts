import { EXIT, exitCodeOf, isWarning, type Report } from '../report.js';
import { excerpt, printable, safeJson } from '../text.js';
import { VERSION } from '../version.js';
import { doubtsOf } from './breaches.js';
import { startFingerprints } from './fingerprints.js';
import { countOf, type Group, groupsOf, inTurn, type Told } from './groups.js';
import { counts, emptiness, MESSAGE_LENGTH, plural, rankedErrors, remarks } from './people.js';
import { defineReporter } from './reporter.js';
import { type Descriptors, descriptorsOf, LEVELS, literal, plain } from './sarif-rules.js';
import { uriOf } from './uri.js';

const SCHEMA = 'https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json';
/** GitHub code scanning refuses a run with more results, and shows the first of them. */
const MOST_RESULTS = 25_000;
const SHOWN_RESULTS = 5000;
const ID_LENGTH = 256;
const SHOWN_ID_LENGTH = 64;

const locationsOf = ({ files }: Report, { file, line, column }: Pick<Told, 'file' | 'line' | 'column'>) => {
  if (file === undefined) return [];
  const region = { startLine: line, startColumn: column };
  const place = { artifactLocation: { uri: uriOf(files[file] ?? '') }, ...(line === undefined ? {} : { region }) };
  return [{ physicalLocation: place }];
};

const resultOf = (
  report: Report,
  { id, severity, action }: Group,
  told: Told,
  ruleIndex: number,
  fingerprint: string,
) => {
  const { run, message } = told;
  const runId = excerpt(run?.runId ?? '', ID_LENGTH);
  return {
    ruleId: id,
    ruleIndex,
    level: LEVELS[severity],
    message: {
      text: `run ${plain(run?.runId ?? '', SHOWN_ID_LENGTH)}: ${plain(message)}; ${literal(printable(action))}`,
    },
    locations: locationsOf(report, told).map((location) => ({
      ...location,
      logicalLocations: [{ fullyQualifiedName: runId, kind: 'run' }],
    })),
    // The first is ours; GitHub goes by the second.
    partialFingerprints: { 'terminalContract/v1': fingerprint, primaryLocationLineHash: `${fingerprint}:1` },
    properties: { run_id: runId, verdict: run?.verdict },
  };
};

/** Results, errors before warnings, and of neither one kind alone where not all have room. */
function* resultsOf(report: Report, groups: readonly Group[], descriptors: Descriptors): Iterable<string> {
  const indexes = new Map(descriptors.map(({ id }, index) => [id, index]));
  const fingerprints = startFingerprints();
  let results = 0;
  for (const severity of ['error', 'warn'] as const) {
    for (const { group, nth } of inTurn(groups.filter((each) => each.severity === severity))) {
      if (results === MOST_RESULTS) return;
      results += 1;
      const told = group.told(nth);
      const fingerprint = fingerprints(group.id, told.run?.verdict ?? '', report.files[told.file ?? 0] ?? '');
      yield safeJson(resultOf(report, group, told, indexes.get(group.id) ?? -1, fingerprint));
    }
  }
}

type Level = 'error' | 'warning' | 'note';
const notification = (id: string, level: Level, text: string, more: object = {}): string =>
  safeJson({ descriptor: { id }, level, message: { text: literal(text.trimEnd()) }, ...more });

function* notesOf(report: Report, groups: readonly Group[]): Iterable<string> {
  const results = countOf(groups);
  if (results > MOST_RESULTS)
    yield notification(
      'left-out',
      'warning',
      `${plural(results - MOST_RESULTS, 'result')} left out of ${results}; --format json has them all`,
    );
  if (results > SHOWN_RESULTS)
    yield notification(
      'many-results',
      'note',
      `GitHub code scanning shows the first ${SHOWN_RESULTS} of ${results} results`,
    );
  for (const { rule, runs, because, at } of doubtsOf(report)) {
    const text = `${rule} is not judged in ${plural(runs, 'run')}: ${excerpt(because, MESSAGE_LENGTH)}`;
    const locations = locationsOf(report, { ...at, column: undefined });
    yield notification('not-judged', 'note', text, { associatedRule: { id: rule }, locations });
  }
  for (const text of remarks(report)) yield notification('remark', 'note', text);
  yield notification('counts', 'note', counts(report));
}

function* notificationsOf(report: Report, groups: readonly Group[]): Iterable<string> {
  for (const error of rankedErrors(report.inputErrors)) {
    const level = isWarning(error, report) ? 'warning' : 'error';
    yield notification(error.code, level, excerpt(error.message, MESSAGE_LENGTH), {
      locations: locationsOf(report, error),
    });
  }
  for (const text of emptiness(report)) yield notification('no-span', 'error', text);
  yield* notesOf(report, groups);
}

function* list(items: Iterable<string>): Iterable<string> {
  let separator = '[\n';
  for (const item of items) {
    yield separator + item;
    separator = ',\n';
  }
  yield separator === '[\n' ? '[]' : '\n]';
}

export const sarif = defineReporter({
  id: 'sarif',
  description: 'SARIF 2.1.0, for code scanning: rules, results and what could not be judged',
  *render(report) {
    const groups = groupsOf(report).filter(({ isInput }) => !isInput);
    const rules = descriptorsOf(report, groups);
    const driver = { name: 'terminal-contract', semanticVersion: VERSION, rules };
    const exitCode = exitCodeOf(report);
    yield `{"$schema":"${SCHEMA}","version":"2.1.0","runs":[{"tool":${safeJson({ driver })},\n`;
    yield `"columnKind":"unicodeCodePoints","invocations":[{"executionSuccessful":${exitCode !== EXIT.unjudged},`;
    yield `"exitCode":${exitCode},"toolExecutionNotifications":`;
    yield* list(notificationsOf(report, groups));
    yield '}],\n"results":';
    yield* list(resultsOf(report, groups, rules));
    yield '}]}\n';
  },
});
