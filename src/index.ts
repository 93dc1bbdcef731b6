import { Readable } from 'node:stream';
import { RUN_UNITS, type RunUnit } from './adapters/adapter.js';
import { type CheckOptions, checkInputs } from './check.js';
import { termsOf } from './commands/terms.js';
import { ConfigFault } from './config-fault.js';
import { EMPTY_PART } from './contract.js';
import type { CustomRule } from './custom-rules/index.js';
import { findInputs, fromStream, type Given, type Stdin } from './input.js';
import { readConfig } from './read-config.js';
import { FROM, type From } from './recognise.js';
import type { Report } from './report.js';
import { type Format, reporterOf } from './reporters/index.js';
import { ownFields } from './verdict.js';

export type { RunUnit } from './adapters/adapter.js';
export type { FormatId } from './adapters/index.js';
export { type Contract, type Family, PROFILES, type Profile, SEVERITIES, type Severity } from './contract.js';
export { type CustomRule, type CustomSeverity, defineRule, ERROR, type RunFacts } from './custom-rules/index.js';
export type { From } from './recognise.js';
export { exitCodeOf, type FaultCode, type InputError, type Report, type Summary } from './report.js';
export type { WireReport, WireRun } from './report-schema.js';
export type { Format } from './reporters/index.js';
export { type BuiltInRuleId, RULES, type RuleId } from './rules/index.js';
export {
  ADVISORY,
  type Evidence,
  type ExampleSpan,
  type JudgedRun,
  type Outcome,
  type RuleDescription,
  WARNING,
} from './rules/rule.js';
export { type Place, placeOf, type Spent, type Terminal } from './run.js';
export { jsonSchema } from './schemas.js';
export {
  type Details,
  type Fields,
  type FieldValue,
  hasFailed,
  REASONS,
  type Reason,
  type Span,
  type WireSpan,
} from './span.js';
export { wireSpanSchema } from './span-schema.js';

export { ACTIONS, type Finding, type RunReport, type Unverifiable, VERDICTS, type Verdict } from './verdict.js';

/** How a trace is to be judged. */
export interface CheckSettings {
  /**
   * What a config file may hold: profile, limits, rules and the contract's fields, in snake_case; `custom_rules` as
   * objects, for here is no folder that a path could begin in.
   */
  readonly config?: unknown;
  /** Rules of your own, ranked after the built-in ones and those of the config. Default none. */
  readonly customRules?: readonly CustomRule[];
  /** The trace is a window over longer runs: an open run is inconclusive. Default false. */
  readonly partial?: boolean;
  /** A trace without a span passes. Default false. */
  readonly allowEmpty?: boolean;
  /** The report is to hold drawings of its runs, which `html` shows; the trace is kept, or read once more. Default false. */
  readonly timelines?: boolean;
  /** What places call the trace; where a foreign format names no session, runs too. Default `<trace>`. */
  readonly name?: string;
  /**
   * What the trace is: `native`, or the id of a foreign format, as `--from` takes it. Default `auto`: it is known by what
   * it holds; under the profile `classic`, `native`.
   */
  readonly from?: From;
  /** What a run of a foreign format is: a turn, from a prompt to the stop after it, or all of a session. Default `turn`. */
  readonly run?: RunUnit;
}

/** A program that is not typed may hand over any word. */
const requireWord = (setting: string, word: string | undefined, known: readonly string[]): void => {
  if (word !== undefined && !known.includes(word))
    throw new ConfigFault(`${setting} must be one of ${known.join(', ')}`);
};

const optionsOf = (settings: CheckSettings): CheckOptions => {
  const { from, run: unit, config, customRules: own, partial, allowEmpty, timelines } = settings;
  requireWord('from', from, FROM);
  requireWord('run', unit, RUN_UNITS);
  const read = readConfig(config === undefined ? {} : config, own);
  const decisions = { profile: undefined, limits: undefined, part: EMPTY_PART, isPartial: partial ?? false };
  const { customRules, wishes } = read;
  const terms = termsOf(decisions, read);
  const drawsTimelines = timelines ?? false;
  return { terms, customRules, wishes, isEmptyAllowed: allowEmpty ?? false, from, unit, drawsTimelines };
};

const judged = async (inputs: readonly Given[], options: CheckOptions): Promise<Report> => {
  const report = await checkInputs(inputs, options);
  return { ...report, runs: report.runs.map(ownFields) };
};

/**
 * Judges a trace: native JSON Lines, or a foreign format.
 * @param trace bytes as a file of it has them, compressed or not: a stream, or chunks of any size
 * @returns the report; unusable lines and read errors are in it
 * @throws if `settings.config` is no config, one of `settings.customRules` no rule, or `settings.from` or `settings.run`
 * none of their words
 */
export const checkTrace = async (
  trace: Readable | AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  settings: CheckSettings = {},
): Promise<Report> => {
  const options = optionsOf(settings);
  const stream = trace instanceof Readable ? trace : Readable.from(trace, { objectMode: false });
  return judged([{ name: settings.name ?? '<trace>', size: () => undefined, open: () => fromStream(stream) }], options);
};

const NO_STDIN: Stdin = { fd: 0, isTTY: false, stream: () => Readable.from([]) };

/**
 * Judges files as one trace, in order, as the command does: a pattern is every file that it matches, a folder every
 * trace below it. `settings.name` is not asked.
 * @param names paths from the working directory
 * @returns the report; files that cannot be read are in it
 * @throws as {@link checkTrace}, and if a name is `-`
 */
export const checkFiles = async (names: readonly string[], settings: CheckSettings = {}): Promise<Report> => {
  const options = optionsOf(settings);
  if (names.includes('-')) throw new ConfigFault('standard input (-) is no file; hand it to checkTrace');
  return judged(await findInputs(names, NO_STDIN, () => ''), options);
};

/**
 * Judges spans that a program holds as objects, each as it would stand in a line of a native trace; or records of a
 * foreign format, as they would stand in a line of its files.
 * @throws if a span cannot be written as JSON, and what the iterable throws
 */
export const checkSpans = async (
  spans: Iterable<object> | AsyncIterable<object>,
  settings: CheckSettings = {},
): Promise<Report> => {
  let thrown: { readonly error: unknown } | undefined;
  const lines = async function* (): AsyncIterable<Uint8Array> {
    try {
      for await (const span of spans) yield Buffer.from(`${JSON.stringify(span)}\n`);
    } catch (error) {
      thrown = { error };
    }
  };
  const report = await checkTrace(lines(), settings);
  if (thrown !== undefined) throw thrown.error;
  return report;
};

/** Writes a report in one of the output formats. */
export const render = (report: Report, format: Format): string => [...reporterOf(format).render(report)].join('');
