import { type Place, placeOf, type RunSoFar, type Spent } from '../run.js';
import type { Span } from '../span.js';
import { NumberByText } from '../word-table.js';
import { isRest } from './activity.js';
import { start, state as stateSpan, stop, tool } from './example.js';
import { defineRule, type ExampleSpan, WARNING } from './rule.js';

interface States {
  /** By state, which one of the run's states it was when it last began. */
  readonly ordinals: NumberByText;
  ordinal: number;
  hash: string | undefined;
  /** The iteration in which the state at hand was first seen; whether a call could have changed it since. */
  iter: number | undefined;
  hasActed: boolean;
  waits: number;
  cycle:
    | { readonly at: Place; readonly hash: string; readonly period: number; readonly halt: Spent; count: number }
    | undefined;
}

const hasState = (span: Span): boolean => span.type === 'state' && (span.details?.stateHash ?? '') !== '';

/** How many states ago the state of a span was seen; undefined if it is new, or if it still is the same moment. */
const periodOf = (states: States, span: Span, hash: string): number | undefined => {
  if (hash === states.hash) {
    return states.hasActed && span.iter !== undefined && span.iter !== states.iter ? 1 : undefined;
  }
  const ordinal = states.ordinals.get(hash);
  return ordinal === undefined ? undefined : states.ordinal + 1 - ordinal;
};

const takeState = (states: States, span: Span, run: RunSoFar): void => {
  const hash = span.details?.stateHash ?? '';
  if (hash === '') return;
  const period = periodOf(states, span, hash);
  if (period !== undefined) {
    states.cycle ??= { at: placeOf(span), hash, period, halt: run.spent(span), count: 0 };
    states.cycle.count += 1;
  } else if (hash === states.hash) return;
  states.ordinal += 1;
  states.ordinals.set(hash, states.ordinal);
  states.hash = hash;
  states.iter = span.iter;
  states.hasActed = false;
};

const newStates = (): States => ({
  ordinals: new NumberByText(),
  ordinal: 0,
  hash: undefined,
  iter: undefined,
  hasActed: false,
  waits: 0,
  cycle: undefined,
});

const iterations = (...states: readonly string[]): readonly ExampleSpan[] =>
  states.flatMap((word, index) => [tool(index + 1, `step ${index + 1}`), stateSpan(index + 1, word)]);

export const stateCycle = defineRule<States, 'state-cycle'>({
  id: 'state-cycle',
  family: 'loop',
  severity: WARNING,
  passing: 'No state comes again: neither one that the run had left, nor the same one after an iteration that acted.',
  why: 'A loop that is back where it was will go the same way again, however long the way is.',
  evidence:
    'state_hash of state spans, and the tool spans between them: a state that stands while calls only read or wait, ' +
    'or that is written down twice in one iteration, is no cycle',
  needs: 'state span with state_hash',
  action: 'halt when a state comes again, or change what the next iteration is given',
  source: 'iterated loop',
  options: ['idempotent', 'pollers'],
  example: {
    breaks: [start(), ...iterations('a', 'b', 'a'), stop(3, 'blocked')],
    keeps: [start(), ...iterations('a', 'b', 'c'), stop(3, 'blocked')],
  },
  sees: ['state', 'tool', 'wait_start', 'wait_end'],
  step(state, span, run) {
    if (state === undefined && !hasState(span)) return undefined;
    const states = state ?? newStates();
    if (span.type === 'tool') states.hasActed ||= states.waits === 0 && !isRest(span, run.contract);
    else if (span.type === 'wait_start') states.waits += 1;
    else if (span.type === 'wait_end') states.waits = Math.max(0, states.waits - 1);
    else if (run.terminals === 0) takeState(states, span, run);
    return states;
  },
  end(state) {
    if (state?.cycle === undefined) return undefined;
    const { at, hash, period, halt, count } = state.cycle;
    return {
      kind: 'broken',
      at,
      message:
        period === 1
          ? 'the state is what it was before the last calls'
          : `the state comes again, ${period} states after it was last left`,
      evidence: { state_hash: hash, period, count },
      halt,
    };
  },
});
