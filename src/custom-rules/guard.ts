import { fileURLToPath } from 'node:url';
import type { Failed, JudgedRun, Outcome, Rule } from '../rules/rule.js';
import { type Place, placeOf } from '../run.js';
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
  // A stack names CommonJS modules by their paths.
  for (const module of [url, fileURLToPath(url)]) {
    const at = error.stack.indexOf(`${module}:`);
    const [, line, column] = at < 0 ? [] : (/^:(\d+):(\d+)/.exec(error.stack.slice(at + module.length)) ?? []);
    if (line !== undefined) return ` at ${printable(name)}:${line}:${column}`;
  }
  return '';
};

/** What is told of an error that a user's module throws. */
export const throwText = (error: unknown, origin: Origin): string =>
  `throws (${kindOf(error)}${lineIn(error, origin)})`;

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function';

/** What a piece of a rule's code gave, or why it gave nothing that can be used. */
type Tried<T> = { readonly value: T } | { readonly because: string };

/** Runs a piece of a rule's code. What it gives is the rule's as well: to read it may throw. */
const attempt = <T>(
  part: string,
  origin: Origin,
  code: () => unknown,
  read: (given: unknown) => Tried<T>,
): Tried<T> => {
  try {
    const given = code();
    if (!isPromise(given)) return read(given);
    // Nobody waits for it, and nobody may stumble over its end.
    given.then(undefined, () => {});
    return { because: `its ${part} is async` };
  } catch (error) {
    return { because: `its ${part} ${throwText(error, origin)}` };
  }
};

const anything = (value: unknown): Tried<unknown> => ({ value });

const failed = (at: Place, because: string): Failed => ({ kind: 'failed', at, because });

const guardStep =
  (rule: CustomRule, origin: Origin): NonNullable<Rule<Guarded>['step']> =>
  (guarded, span, run) => {
    if (guarded?.failure !== undefined) return guarded;
    const tried = attempt('step', origin, () => rule.step?.(guarded?.state, span, run), anything);
    const state = 'value' in tried ? tried.value : undefined;
    const failure = 'value' in tried ? undefined : failed(placeOf(span), tried.because);
    if (state === undefined && failure === undefined) return undefined;
    if (guarded === undefined) return { state, failure, part: undefined };
    guarded.state = state;
    guarded.failure = failure;
    return guarded;
  };

const readEnd = (given: unknown): Tried<Outcome> => {
  const read = readOutcome(given);
  return read === undefined ? { because: 'its end returns no outcome' } : { value: read.outcome };
};

const guardEnd =
  (rule: CustomRule, origin: Origin): NonNullable<Rule<Guarded>['end']> =>
  (guarded, run) => {
    if (guarded?.failure !== undefined) return guarded.failure;
    const said = attempt('end', origin, () => rule.end?.(guarded?.state, run), readEnd);
    if ('because' in said) return failed(run.last, said.because);
    if (guarded === undefined) return said.value;
    // Asked here, where a failure can still be told of the run.
    const shared = attempt('share', origin, () => rule.share?.(guarded.state), anything);
    if ('because' in shared) return failed(run.last, shared.because);
    guarded.part = shared.value;
    return said.value;
  };

type Runs = ReadonlyMap<string, JudgedRun>;
type Outcomes = ReadonlyMap<string, Outcome>;
const NO_OUTCOMES = { because: 'its across returns no Map of outcomes by run_id' };

const readAcross =
  (runs: Runs) =>
  (given: unknown): Tried<Outcomes> => {
    if (!(given instanceof Map)) return NO_OUTCOMES;
    const outcomes = new Map<string, Outcome>();
    for (const [runId, outcome] of given) {
      const read = readOutcome(outcome);
      // An outcome of a run that is not there would be heard by nobody.
      if (!runs.has(runId) || read === undefined) return NO_OUTCOMES;
      outcomes.set(runId, read.outcome);
    }
    return { value: outcomes };
  };

const guardAcross =
  (rule: CustomRule, origin: Origin): NonNullable<Rule['across']> =>
  (runs) => {
    const said = attempt('across', origin, () => rule.across?.(runs), readAcross(runs));
    if ('value' in said) return said.value;
    return new Map([...runs].map(([runId, { last }]) => [runId, failed(last, said.because)]));
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
