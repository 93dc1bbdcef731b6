import { Readable } from 'node:stream';
import { checkInputs } from './check.js';
import { termsOf } from './commands/terms.js';
import { EMPTY_PART } from './contract.js';
import type { CustomRule } from './custom-rules/index.js';
import { fromStream } from './input.js';
import { readConfig } from './read-config.js';
import type { Report } from './report.js';
import { type Format, REPORTERS } from './reporters/index.js';
import { ownFields } from './verdict.js';

export { type Contract, type Family, PROFILES, type Profile, SEVERITIES, type Severity } from './contract.js';
export { type CustomRule, type CustomSeverity, defineRule, ERROR, type RunFacts } from './custom-rules/index.js';
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
  /** What places call the trace. Default `<trace>`. */
  readonly name?: string;
}

/**
 * Judges a trace of native JSON Lines.
 * @param trace bytes of UTF-8: a stream, or chunks of any size
 * @returns the report; unusable lines and read errors are in it
 * @throws if `settings.config` is no config, or one of `settings.customRules` no rule
 */
export const checkTrace = async (
  trace: Readable | AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  settings: CheckSettings = {},
): Promise<Report> => {
  const config = readConfig(settings.config === undefined ? {} : settings.config, settings.customRules);
  const decisions = {
    profile: undefined,
    limits: undefined,
    part: EMPTY_PART,
    isPartial: settings.partial ?? false,
  };
  const stream = trace instanceof Readable ? trace : Readable.from(trace, { objectMode: false });
  const input = { name: settings.name ?? '<trace>', size: () => undefined, open: () => fromStream(stream) };
  const { customRules } = config;
  const isEmptyAllowed = settings.allowEmpty ?? false;
  const report = await checkInputs([input], { terms: termsOf(decisions, config), customRules, isEmptyAllowed });
  return { ...report, runs: report.runs.map(ownFields) };
};

/**
 * Judges spans that a program holds as objects, each as it would stand in a line of a native trace.
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
export const render = (report: Report, format: Format): string => {
  const reporter = REPORTERS.find(({ id }) => id === format) ?? REPORTERS[0];
  return [...reporter.render(report)].join('');
};
