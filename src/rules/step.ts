import type { Contract, Steps } from '../contract.js';
import type { RunSoFar } from '../run.js';
import { argsOf, type Span } from '../span.js';
import { type Outcome, unverifiable } from './rule.js';

/** A model response, by its own id or by the iteration. */
export type Round = string | number | undefined;

/** The model response that a span belongs to, for streaks. */
export const roundOf = (span: Span): Round => span.round ?? span.iter;

/**
 * How a call goes on from the one before it: a declared wait is no step; a copy, or a retry of what failed, belongs to
 * the step at hand; a twin is a copy only where rounds count, for it carries no iter; again is a new step with the same
 * call; other is a new step with another call.
 */
export type Step = 'wait' | 'copy' | 'twin' | 'again' | 'other';

/** What a tool span is to the steps of its run. */
export const stepOf = (span: Span, run: RunSoFar): Step => {
  if (run.waits > 0 || span.effect === 'wait') return 'wait';
  if (argsOf(span) !== run.callArgs || span.name !== run.callName || run.stepCalls === 0) return 'other';
  if (span.iter !== undefined && span.iter === run.callIter) return 'copy';
  if (run.hasCallFailed && (span.retry ?? 1) >= 2) return 'copy';
  const isTwin = span.iter === undefined && span.round !== undefined && span.round === run.callRound;
  return isTwin ? 'twin' : 'again';
};

/** Whether a call of this name repeats because it waits. A pattern's `*` stands for any characters at the start. */
export const isPoller = (name: string | undefined, { pollers }: Contract): boolean =>
  name !== undefined &&
  pollers.some((pattern) => (pattern.startsWith('*') ? name.endsWith(pattern.slice(1)) : name === pattern));

// An effect that outranks the name: such a call does more than read.
const MORE_THAN_READS: readonly (string | undefined)[] = ['write', 'wait', 'spawn'];

/** Whether a call only reads: it says so, or its name does and its effect does not say otherwise. */
export const isReading = ({ name, effect }: Span, { idempotent }: Contract): boolean => {
  if (effect === 'read') return true;
  if (name === undefined || !idempotent.tools.includes(name)) return false;
  return !MORE_THAN_READS.includes(effect);
};

/** What the pages of rules about repetition say of polls. */
export const POLLS =
  'pollers are told only by a result_hash that stays the same, and without one the rule cannot be judged';
/** What these rules say of polls that carry none. */
export const BLIND_POLLS = 'calls that wait carry no result_hash to compare';

/** What a rule that compares calls says where the contract asks for it and no call could be compared. */
export const withoutArgs = ({ hasArgs, contract }: RunSoFar): Outcome =>
  hasArgs || !contract.require.includes('guardrails')
    ? undefined
    : unverifiable('the run carries no tool span with args_hash');

/** Fewer repetitions than two are none, whatever the contract asks. */
export const tellsFrom = ({ notice, halt }: Steps): number => Math.max(2, Math.min(notice, halt));
