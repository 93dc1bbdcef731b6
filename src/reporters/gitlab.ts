import { type InputError, isWarning, type Report } from '../report.js';
import { excerpt, printable, safeJson } from '../text.js';
import type { RunReport } from '../verdict.js';
import { type Breach, breachesOf, type Doubt, doubtsOf } from './breaches.js';
import { startFingerprints } from './fingerprints.js';
import { emptiness, MESSAGE_LENGTH, plural } from './people.js';
import { defineReporter } from './reporter.js';
import { pathOf } from './uri.js';

interface Violation {
  readonly description: string;
  readonly check_name: string;
  readonly fingerprint: string;
  readonly severity: 'info' | 'minor' | 'major' | 'critical' | 'blocker';
  readonly location: { readonly path: string; readonly lines: { readonly begin: number } };
}

type Fingerprint = ReturnType<typeof startFingerprints>;

// GitLab asks for a path and a line in any case.
const locationOf = (name: string | undefined, line: number | undefined): Violation['location'] => ({
  path: pathOf(name ?? ''),
  lines: { begin: line ?? 1 },
});

const ofError = (report: Report, error: InputError, fingerprint: Fingerprint): Violation => {
  const name = report.files[error.file];
  return {
    description: excerpt(error.message, MESSAGE_LENGTH),
    check_name: error.code,
    fingerprint: fingerprint(error.code, name ?? ''),
    severity: isWarning(error, report) ? 'minor' : 'blocker',
    location: locationOf(name, error.line),
  };
};

const severityOf = (run: RunReport, { severity, by, id }: Breach): Violation['severity'] => {
  if (severity === 'warn') return 'minor';
  const isVerdict = by === 'reason' || id.replaceAll('-', '_') === run.verdict;
  return isVerdict ? 'critical' : 'major';
};

const ofBreach = (report: Report, run: RunReport, breach: Breach, fingerprint: Fingerprint): Violation => {
  const { by, id, at, message, action } = breach;
  const name = report.files[at.file];
  const said = excerpt(message, MESSAGE_LENGTH);
  return {
    description: `run ${excerpt(run.runId)}: ${said}; ${printable(action)}`,
    check_name: id,
    fingerprint: fingerprint(by, id, run.verdict, name ?? ''),
    severity: severityOf(run, breach),
    location: locationOf(name, at.line),
  };
};

const ofDoubt = (report: Report, { rule, runs, because, at }: Doubt, fingerprint: Fingerprint): Violation => ({
  description: `not judged in ${plural(runs, 'run')}: ${excerpt(because, MESSAGE_LENGTH)}`,
  check_name: rule,
  fingerprint: fingerprint('doubt', rule),
  severity: 'info',
  location: locationOf(report.files[at.file], at.line),
});

function* violations(report: Report): Iterable<Violation> {
  const fingerprint = startFingerprints();
  for (const error of report.inputErrors) yield ofError(report, error, fingerprint);
  for (const text of emptiness(report)) {
    const location = locationOf(report.files[0], undefined);
    const description = text.trimEnd();
    yield { description, check_name: 'no-span', fingerprint: fingerprint('no-span'), severity: 'blocker', location };
  }
  for (const run of report.runs) {
    for (const breach of breachesOf(report, run)) yield ofBreach(report, run, breach, fingerprint);
  }
  for (const doubt of doubtsOf(report)) yield ofDoubt(report, doubt, fingerprint);
}

export const gitlab = defineReporter({
  id: 'gitlab',
  description: 'a code quality report of GitLab: each finding with a fingerprint that other ids and lines leave alone',
  *render(report) {
    let separator = '[\n';
    for (const violation of violations(report)) {
      yield separator + safeJson(violation);
      separator = ',\n';
    }
    yield separator === '[\n' ? '[]\n' : '\n]\n';
  },
});
