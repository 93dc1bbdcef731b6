import { type Place, placeOf, type RunSoFar } from '../run.js';
import { REASONS } from '../span.js';
import { start, stop, tool } from './example.js';
import { defineRule, FAILING } from './rule.js';

interface OddReason {
  readonly at: Place;
  readonly reason: string | undefined;
}

const isReason = (reason: string | undefined, { contract }: RunSoFar): boolean =>
  REASONS.some((known) => known === reason) ||
  (contract.profile !== 'classic' && reason !== undefined && Object.hasOwn(contract.reasons, reason));

export const badTerminal = defineRule<OddReason, 'bad-terminal'>({
  id: 'bad-terminal',
  family: 'termination',
  severity: FAILING,
  passing: `The terminal's reason is one of ${REASONS.join(', ')}, or one that the contract adds.`,
  why: 'A stop without a known reason tells nobody what to do next.',
  evidence:
    'reason of the terminal; of several terminals, the first. A reason that the contract adds as fail is no finding: it ' +
    'fails the run by its verdict, closed_<reason>',
  action: 'name one of the five reasons',
  source: 'terminal-span contract',
  options: ['reasons'],
  example: {
    breaks: [start(), tool(1, 'a'), stop(1, 'finished')],
    keeps: [start(), tool(1, 'a'), stop(1, 'done')],
  },
  sees: ['terminal'],
  step(state, span, run) {
    if (run.terminals > 0 || isReason(span.reason, run)) return state;
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
