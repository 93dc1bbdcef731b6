import { type Report, ruleOf } from '../report.js';
import type { Place } from '../run.js';
import type { RunReport } from '../verdict.js';

/** One way in which a run breaks its contract, at a place. */
export interface Breach {
  readonly severity: 'error' | 'warn';
  /** What says so: a finding; a rule that the contract requires and that lacks its evidence; a reason that the contract fails. */
  readonly by: 'finding' | 'requirement' | 'reason';
  /** The rule; of a reason, the verdict. */
  readonly id: string;
  readonly at: Place;
  readonly message: string;
  readonly action: string;
}

/** The five failing verdicts are findings; what closed fails by what the contract says of its reason. */
const failsByReason = ({ failsByVerdict, verdict }: RunReport): boolean =>
  failsByVerdict && verdict.startsWith('closed_');

function* errorsOf(report: Report, run: RunReport): Iterable<Breach> {
  if (failsByReason(run)) {
    yield {
      severity: 'error',
      by: 'reason',
      id: run.verdict,
      at: run.terminal?.place ?? run.last,
      message: `the run stopped as ${run.verdict}, which its contract fails`,
      action: run.action,
    };
  }
  yield* findingsOf(report, run, 'error');
  for (const { rule, because, failedAt } of run.unverifiable) {
    if (!run.required.includes(rule)) continue;
    const action = ruleOf(report, rule)?.action ?? '';
    const message = `required, and not judged: ${because}`;
    yield { severity: 'error', by: 'requirement', id: rule, at: failedAt ?? run.last, message, action };
  }
}

function* findingsOf(report: Report, run: RunReport, wanted: Breach['severity']): Iterable<Breach> {
  for (const { rule, severity, at, message } of run.findings) {
    if (severity !== wanted) continue;
    yield { severity, by: 'finding', id: rule, at, message, action: ruleOf(report, rule)?.action ?? '' };
  }
}

/** All that a run breaks: what fails it, then what warns, each ranked. */
export const breachesOf = (report: Report, run: RunReport): readonly Breach[] => [
  ...errorsOf(report, run),
  ...findingsOf(report, run, 'warn'),
];

/** A rule that could not be judged in some runs, and does not fail them for it. */
export interface Doubt {
  readonly rule: string;
  readonly runs: number;
  /** Of the first of those runs. */
  readonly because: string;
  readonly at: Place;
}

/** The rules that could not be judged somewhere: one entry a rule. */
export const doubtsOf = ({ runs }: Report): readonly Doubt[] => {
  const doubts = new Map<string, Doubt>();
  for (const run of runs) {
    for (const { rule, because, failedAt } of run.unverifiable) {
      if (run.required.includes(rule)) continue;
      const known = doubts.get(rule);
      doubts.set(
        rule,
        known === undefined ? { rule, runs: 1, because, at: failedAt ?? run.last } : { ...known, runs: known.runs + 1 },
      );
    }
  }
  return [...doubts.values()];
};
