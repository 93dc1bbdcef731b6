import { type Place, placeOf, type RunSoFar, type Spent } from '../run.js';
import { hasFailed, type Span } from '../span.js';
import { check, start, stop, tool } from './example.js';
import { predicateOf } from './goal.js';
import { defineRule, WARNING } from './rule.js';
import { roundOf } from './step.js';

interface Errors {
  /** The run carries spans of an iterated loop, or is required to be one. */
  isLoop: boolean;
  round: string | number | undefined;
  /** Where the round at hand begins, and what was spent before it. */
  at: Place | undefined;
  halt: Spent | undefined;
  /** The seq of calls that failed in this round, and of those of the round before it that were not made again; if there are any. */
  failed: Map<string, number | null> | undefined;
  open: Map<string, number | null> | undefined;
  ignored: { readonly at: Place; readonly failedAt: number | null; readonly halt: Spent; count: number } | undefined;
}

const newErrors = (isLoop: boolean): Errors => ({
  isLoop,
  round: undefined,
  at: undefined,
  halt: undefined,
  failed: undefined,
  open: undefined,
  ignored: undefined,
});

// The length keeps a name from running into the digest.
const callOf = ({ name, argsHash }: Span): string => `${name?.length} ${name} ${argsHash}`;

/** Ends the round at hand: what failed before it should have been made again in it. */
const closeRound = (errors: Errors): void => {
  const { open, at, halt } = errors;
  const [failedAt] = open?.values() ?? [];
  if (open !== undefined && failedAt !== undefined) {
    if (at !== undefined && halt !== undefined) errors.ignored ??= { at, failedAt, halt, count: 0 };
    if (errors.ignored !== undefined) errors.ignored.count += open.size;
  }
  errors.open = errors.failed;
  errors.failed = undefined;
};

const openRound = (errors: Errors, span: Span, run: RunSoFar): void => {
  errors.round = roundOf(span);
  // Only a round that follows a failure can ignore it.
  const isFirst = errors.open !== undefined && errors.ignored === undefined;
  errors.at = isFirst ? placeOf(span) : undefined;
  errors.halt = isFirst ? run.spent() : undefined;
};

const takeCall = (errors: Errors, span: Span, run: RunSoFar): void => {
  const round = roundOf(span);
  if (round === undefined || round !== errors.round) {
    closeRound(errors);
    openRound(errors, span, run);
  }
  if ((span.retry ?? 1) >= 2) errors.open?.delete(callOf(span));
  if (!hasFailed(span)) return;
  errors.failed ??= new Map();
  errors.failed.set(callOf(span), span.seq ?? null);
};

const isOfLoop = (span: Span): boolean =>
  span.type === 'state' || span.type === 'goal_check' || predicateOf(span) !== undefined;

export const errorIgnored = defineRule<Errors, 'error-ignored'>({
  id: 'error-ignored',
  family: 'loop',
  severity: WARNING,
  passing: 'After a failed step the loop stops, or makes the same call again and says that it is a retry.',
  why: 'A step that builds on a failed one works from a state that nobody checked.',
  evidence:
    'status, exit_code, retry, name and args_hash of tool spans, by round, else by iter: calls side by side do not follow ' +
    'one another; judged in runs that carry state or goal_check spans or a predicate_id, and in every run with tool ' +
    'spans where the family is required',
  needs: 'tool span',
  action: 'stop, declare the retry, or allow going on with retry: true in the contract',
  source: 'iterated loop',
  options: ['retry'],
  example: {
    breaks: [start(), tool(1, 'a', { status: 'error' }), tool(2, 'b'), check(2, true), stop(2)],
    keeps: [start(), tool(1, 'a', { status: 'error' }), tool(2, 'a', { retry: 2 }), check(2, true), stop(2)],
  },
  sees: ['loop_start', 'state', 'goal_check', 'tool'],
  step(state, span, run) {
    if (span.type !== 'tool') {
      if (!isOfLoop(span)) return state;
      const errors = state ?? newErrors(true);
      errors.isLoop = true;
      return errors;
    }
    const isRequired = run.contract.require.includes('loop');
    if (state === undefined && !isRequired && !hasFailed(span)) return undefined;
    const errors = state ?? newErrors(isRequired);
    if (run.terminals === 0) takeCall(errors, span, run);
    return errors;
  },
  end(state, run) {
    if (state === undefined || !state.isLoop || run.contract.retry) return undefined;
    const errors = { ...state, ignored: state.ignored && { ...state.ignored } };
    closeRound(errors);
    if (errors.ignored === undefined) return undefined;
    const { at, failedAt, halt, count } = errors.ignored;
    return {
      kind: 'broken',
      at,
      message: `the loop goes on after ${count} failed ${count === 1 ? 'step' : 'steps'} without a declared retry`,
      evidence: { count, failed_at_seq: failedAt },
      halt,
    };
  },
});
