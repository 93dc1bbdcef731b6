import type { Failed, JudgedRun, Outcome, Rule } from '../rules/rule.js';
import type { Place } from '../run.js';
import { printable } from '../text.js';
import type { CustomRule } from './custom-rule.js';
import { readOutcome } from './outcome.js';

/** Where a custom rule comes from: what the config calls its module, and the module's URL if it has one. */
export interface Origin {
  readonly name: string;
  readonly url: string | undefined;
}

/** What a guarded rule keeps of a run. */
interface Guarded {
  state: unknown;
  failure: Failed | undefined;
  /** What `share` gave when the run ended. */
  part: unknown;
}

const KINDS = [TypeError, RangeError, ReferenceError, SyntaxError, URIError, EvalError];
/** The kind of an error that JavaScript itself throws; others may be named after anything. */
const kindOf = (error: unknown): string => KINDS.find((kind) => error instanceof kind)?.name ?? 'error';

/** Where in its own module a rule threw; what the error says may hold parts of the trace, so it is not told. */
const lineIn = (error: unknown, { name, url }: Origin): string => {
  if (url === undefined || !(error instanceof Error) || typeof error.stack !== 'string') return '';
  const at = error.stack.indexOf(`${url}:`);
  const [, line, column] = at < 0 ? [] : (/^:(\d+):(\d+)/.exec(error.stack.slice(at + url.length)) ?? []);
  return line === undefined ? '' : ` at ${printable(name)}:${line}:${column}`;
};

/** What is told of an error that a user's module throws. */
export const throwText = (error: unknown, origin: Origin): string =>
  `throws (${kindOf(error)}${lineIn(error, origin)})`;

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

/** What a piece of a rule's code gave, or why it gave nothing that can be used. */
type Tried = { readonly value: unknown } | { readonly because: string };

const attempt = (part: string, origin: Origin, code: () => unknown): Tried => {
  try {
    const value = code();
    if (!isPromise(value)) return { value };
    // Nobody waits for it, and nobody may stumble over its end.
    value.then(undefined, () => {});
    return { because: `its ${part} is async` };
  } catch (error) {
    return { because: `its ${part} ${throwText(error, origin)}` };
  }
};

const failed = (at: Place, because: string): Failed => ({ kind: 'failed', at, because });

const guardStep =
  (rule: CustomRule, origin: Origin): NonNullable<Rule<Guarded>['step']> =>
  (guarded, span, run) => {
    if (guarded?.failure !== undefined) return guarded;
    const tried = attempt('step', origin, () => rule.step?.(guarded?.state, span, run));
    const state = 'value' in tried ? tried.value : undefined;
    const failure =
      'value' in tried
        ? undefined
        : failed({ file: span.file, line: span.line, seq: span.seq, spanId: span.spanId }, tried.because);
    if (state === undefined && failure === undefined) return undefined;
    if (guarded === undefined) return { state, failure, part: undefined };
    guarded.state = state;
    guarded.failure = failure;
    return guarded;
  };

const guardEnd =
  (rule: CustomRule, origin: Origin): NonNullable<Rule<Guarded>['end']> =>
  (guarded, run) => {
    if (guarded?.failure !== undefined) return guarded.failure;
    const said = attempt('end', origin, () => rule.end?.(guarded?.state, run));
    if ('because' in said) return failed(run.last, said.because);
    const read = readOutcome(said.value);
    if (read === undefined) return failed(run.last, 'its end returns no outcome');
    if (guarded === undefined) return read.outcome;
    // Asked here, where a failure can still be told of the run.
    const shared = attempt('share', origin, () => rule.share?.(guarded.state));
    if ('because' in shared) return failed(run.last, shared.because);
    guarded.part = shared.value;
    return read.outcome;
  };

const readOutcomes = (
  said: unknown,
  runs: ReadonlyMap<string, JudgedRun>,
): ReadonlyMap<string, Outcome> | undefined => {
  if (!(said instanceof Map)) return undefined;
  const outcomes = new Map<string, Outcome>();
  for (const [runId, outcome] of said) {
    const read = readOutcome(outcome);
    // An outcome of a run that is not there would be heard by nobody.
    if (!runs.has(runId) || read === undefined) return undefined;
    outcomes.set(runId, read.outcome);
  }
  return outcomes;
};

const guardAcross =
  (rule: CustomRule, origin: Origin): NonNullable<Rule['across']> =>
  (runs) => {
    const failedIn = (because: string): ReadonlyMap<string, Failed> =>
      new Map([...runs].map(([runId, { last }]) => [runId, failed(last, because)]));
    const said = attempt('across', origin, () => rule.across?.(runs));
    if ('because' in said) return failedIn(said.because);
    return readOutcomes(said.value, runs) ?? failedIn('its across returns no Map of outcomes by run_id');
  };

/** The code of a custom rule, held: it ends no work, says nothing that nobody can read, and does not fail unnoticed. */
export const guarded = (
  rule: CustomRule,
  origin: Origin,
): Pick<Rule<Guarded>, 'step' | 'end' | 'share'> & Pick<Rule, 'across'> => ({
  ...(rule.step === undefined ? {} : { step: guardStep(rule, origin) }),
  end: guardEnd(rule, origin),
  ...(rule.share === undefined ? {} : { share: (kept) => kept?.part }),
  ...(rule.across === undefined ? {} : { across: guardAcross(rule, origin) }),
});
