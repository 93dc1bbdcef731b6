import type { Contract, Profile } from './contract.js';
import type { RuleId } from './rules/index.js';
import type { RunReport, Verdict } from './verdict.js';

/** What keeps a line, or a whole input, from being judged; in words by {@link FAULTS}. */
export const FAULT_CODES = [
  'invalid-json',
  'not-an-object',
  'missing-run-id',
  'wrong-type',
  'invalid-utf8',
  'line-too-long',
  'torn-tail',
  'unreadable-input',
  'no-match',
  'changed-while-read',
] as const;
export type FaultCode = (typeof FAULT_CODES)[number];

/** Faults of whole inputs: no line is named. */
export const isInputFault = (code: FaultCode): boolean =>
  code === 'unreadable-input' || code === 'no-match' || code === 'changed-while-read';

/** An unusable line, or an input that could not be read: `file` indexes the inputs, line and column count from 1. */
export interface InputError {
  readonly file: number;
  readonly line: number | undefined;
  /** Counted in characters (code points). */
  readonly column: number | undefined;
  readonly code: FaultCode;
  /** What was seen and what to do; quotes nothing of the trace. */
  readonly message: string;
}

export interface Summary {
  readonly runs: number;
  readonly spans: number;
  readonly passed: number;
  readonly failed: number;
  readonly inconclusive: number;
  readonly unusableLines: number;
  readonly byVerdict: ReadonlyMap<Verdict, number>;
  readonly byRule: ReadonlyMap<RuleId, number>;
}

/** What was judged, what could not be, and under which contract: all that a reporter needs. */
export interface Report {
  /** The inputs by the names that the user gave; places index them. */
  readonly files: readonly string[];
  readonly profile: Profile;
  /** The contract before headers and runs are asked. */
  readonly contract: Contract;
  readonly isEmptyAllowed: boolean;
  /** Ordered by run_id, by code points. */
  readonly runs: readonly RunReport[];
  readonly inputErrors: readonly InputError[];
  readonly summary: Summary;
  /** Some input could not be read to its end: the trace judged is not the whole trace. */
  readonly isTruncated: boolean;
}

const increment = <K>(counts: Map<K, number>, key: K): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1);
};

export const summarise = (runs: readonly RunReport[], inputErrors: readonly InputError[]): Summary => {
  const byVerdict = new Map<Verdict, number>();
  const byRule = new Map<RuleId, number>();
  let spans = 0;
  let failed = 0;
  let inconclusive = 0;
  for (const run of runs) {
    increment(byVerdict, run.verdict);
    for (const { rule } of run.findings) increment(byRule, rule);
    spans += run.spans;
    if (run.fails) failed += 1;
    else if (run.isInconclusive) inconclusive += 1;
  }
  const unusableLines = inputErrors.filter(({ code }) => !isInputFault(code)).length;
  const passed = runs.length - failed - inconclusive;
  return { runs: runs.length, spans, passed, failed, inconclusive, unusableLines, byVerdict, byRule };
};

/** A torn tail warns: its run is judged on what remains. Only strict holds it against the trace. */
export const isWarning = ({ code }: InputError, profile: Profile): boolean =>
  code === 'torn-tail' && profile !== 'strict';

export const EXIT = { kept: 0, broken: 1, unjudged: 2 } as const;

/** 0: every run kept the contract. 1: a run failed. 2: not everything could be judged, whatever else. */
export const exitCodeOf = (report: Report): number => {
  const { inputErrors, profile, summary } = report;
  if (inputErrors.some((error) => !isWarning(error, profile))) return EXIT.unjudged;
  if (summary.spans === 0 && !report.isEmptyAllowed && profile !== 'classic') return EXIT.unjudged;
  return summary.failed > 0 ? EXIT.broken : EXIT.kept;
};
