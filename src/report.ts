import type { Contract, Profile } from './contract.js';
import { RULES, type RuleId } from './rules/index.js';
import type { RuleDescription } from './rules/rule.js';
import type { Place } from './run.js';
import type { Timelines } from './timeline.js';
import { type RunReport, severityOf, type Verdict } from './verdict.js';

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
  'rule-failed',
  'leaked-secret',
] as const;
export type FaultCode = (typeof FAULT_CODES)[number];

/** Faults of whole inputs: no line is named. */
export const isInputFault = (code: FaultCode): boolean =>
  code === 'unreadable-input' || code === 'no-match' || code === 'changed-while-read';

/** A fault of a rule that the user brought, not of the trace. */
export const isRuleFault = (code: FaultCode): boolean => code === 'rule-failed';

/** A credential in a line of no run: a header, or a line that is unusable besides. */
export const isSecret = (code: FaultCode): boolean => code === 'leaked-secret';

export const isUnusableLine = (code: FaultCode): boolean =>
  !isInputFault(code) && !isRuleFault(code) && !isSecret(code);

/** An unusable line, an input that could not be read, or a rule that failed: `file` indexes the inputs, line and column count from 1. */
export interface InputError {
  readonly file: number;
  readonly line: number | undefined;
  /** Counted in characters (code points). */
  readonly column: number | undefined;
  readonly code: FaultCode;
  /** What was seen and what to do; quotes nothing of the trace, and is one line of plain text. */
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

/** An input of a foreign format, and what was found in it beside its runs. */
export interface Translated {
  /** Indexes the inputs of the report. */
  readonly file: number;
  readonly format: string;
  /** Objects that were read. */
  readonly records: number;
  /** Runs that begin in it. */
  readonly runs: number;
  /** Whether it goes on with a run: of several files, or of what it said before. */
  readonly isPart: boolean;
  /** Records that the translation does not know, by kind. */
  readonly notUnderstood: ReadonlyMap<string, number>;
}

/** What was judged, what could not be, and under which contract: all that a reporter needs. */
export interface Report {
  /** The inputs by the names that the user gave; places index them. */
  readonly files: readonly string[];
  readonly profile: Profile;
  /** The contract before headers and runs are asked. */
  readonly contract: Contract;
  readonly isEmptyAllowed: boolean;
  /** The user's own rules, in the order of the config, each by what it says of itself. */
  readonly customRules: readonly RuleDescription[];
  /** Ordered by run_id, by code points. */
  readonly runs: readonly RunReport[];
  /** Drawings of runs; undefined where nobody asked for them. */
  readonly timelines: Timelines | undefined;
  readonly inputErrors: readonly InputError[];
  /** The inputs of foreign formats, in the order in which they were read. */
  readonly translated: readonly Translated[];
  /** Files of the folders that were given which are no trace. */
  readonly skippedFiles: number;
  /** Runs that were not alive in the time that is asked about, and are left out; runs that are kept for they say no time. */
  readonly outsideRuns: number;
  readonly timelessRuns: number;
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
  const unusableLines = inputErrors.filter(({ code }) => isUnusableLine(code)).length;
  const passed = runs.length - failed - inconclusive;
  return { runs: runs.length, spans, passed, failed, inconclusive, unusableLines, byVerdict, byRule };
};

const BUILT_IN: ReadonlyMap<string, RuleDescription> = new Map(RULES.map((rule) => [rule.id, rule]));

/** What the rule of a finding says of itself. */
export const ruleOf = (report: Pick<Report, 'customRules'>, id: RuleId): RuleDescription | undefined =>
  BUILT_IN.get(id) ?? report.customRules.find((rule) => rule.id === id);

interface Failure {
  readonly at: Place;
  readonly because: string;
  readonly runs: number;
}

const isBefore = (left: Place, right: Place): boolean =>
  left.file === right.file ? left.line < right.line : left.file < right.file;

const failureError = (rule: string, { at, because, runs }: Failure): InputError => ({
  file: at.file,
  line: at.line,
  column: undefined,
  code: 'rule-failed',
  message:
    `custom rule ${rule}: ${because}; it is not judged in ${runs} run${runs === 1 ? '' : 's'}; ` +
    `mend it, or switch it off with --rule ${rule}=off`,
});

/** Custom rules that failed instead of judging: one error a rule, where it failed first. */
export const ruleErrors = (runs: readonly RunReport[]): readonly InputError[] => {
  const failures = new Map<string, Failure>();
  for (const { unverifiable } of runs) {
    for (const { rule, because, failedAt } of unverifiable) {
      if (failedAt === undefined) continue;
      const { at, because: why, runs: before } = failures.get(rule) ?? { at: failedAt, because, runs: 0 };
      const isFirst = !isBefore(at, failedAt);
      failures.set(rule, { at: isFirst ? failedAt : at, because: isFirst ? because : why, runs: before + 1 });
    }
  }
  return [...failures].map(([rule, failure]) => failureError(rule, failure));
};

/**
 * A torn tail warns: its run is judged on what remains. Only strict holds it against the trace. A credential in a line
 * of no run is as bad as the rule says.
 */
export const isWarning = ({ code }: InputError, { profile, contract }: Pick<Report, 'profile' | 'contract'>): boolean =>
  (code === 'torn-tail' && profile !== 'strict') ||
  (code === 'leaked-secret' && severityOf(contract, 'leaked-secret') !== 'error');

export const EXIT = { kept: 0, broken: 1, unjudged: 2 } as const;

/** 0: every run kept the contract. 1: a run failed. 2: not everything could be judged, whatever else. */
export const exitCodeOf = (report: Report): number => {
  const { inputErrors, profile, summary } = report;
  if (inputErrors.some((error) => !isWarning(error, report))) return EXIT.unjudged;
  if (summary.spans === 0 && !report.isEmptyAllowed && profile !== 'classic') return EXIT.unjudged;
  return summary.failed > 0 ? EXIT.broken : EXIT.kept;
};
