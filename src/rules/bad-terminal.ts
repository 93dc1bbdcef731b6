import { type Place, placeOf } from '../run.js';
import { REASONS } from '../span.js';
import { start, stop, tool } from './example.js';
import { defineRule, FAILING } from './rule.js';

interface OddReason {
  readonly at: Place;
  readonly reason: string | undefined;
}

const isReason = (reason: string | undefined): boolean => REASONS.some((known) => known === reason);

export const badTerminal = defineRule<OddReason, 'bad-terminal'>({
  id: 'bad-terminal',
  family: 'termination',
  severity: FAILING,
  passing: `The terminal's reason is one of ${REASONS.join(', ')}.`,
  why: 'A stop without a known reason tells nobody what to do next.',
  evidence: 'reason of the terminal; of several terminals, the first',
  action: 'name one of the five reasons',
  source: 'terminal-span contract',
  options: [],
  example: {
    breaks: [start(), tool(1, 'a'), stop(1, 'finished')],
    keeps: [start(), tool(1, 'a'), stop(1, 'done')],
  },
  sees: ['terminal'],
  step(state, span, run) {
    if (run.terminals > 0 || isReason(span.reason)) return state;
    return { at: placeOf(span), reason: span.reason };
  },
  end(state) {
    if (state === undefined) return undefined;
    return {
      kind: 'broken',
      at: state.at,
      message:
        state.reason === undefined ? 'the terminal gives no reason' : "the terminal's reason is none of the five",
      evidence: { reason: state.reason ?? null },
    };
  },
});
