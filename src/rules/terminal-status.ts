import { type Place, placeOf } from '../run.js';
import { start, stop, tool } from './example.js';
import { defineRule, WARNING } from './rule.js';

interface OddStatus {
  readonly at: Place;
  readonly status: string;
}

const STATUS_LENGTH = 64;

export const terminalStatus = defineRule<OddStatus, 'terminal-status'>({
  id: 'terminal-status',
  family: 'termination',
  severity: WARNING,
  passing: 'A terminal that says done says no status other than ok.',
  why: 'Done with an error is a contradiction: one half of the span is wrong.',
  evidence: 'reason and status of terminals',
  action: 'give the reason that fits the status',
  source: 'terminal-span contract',
  options: [],
  example: {
    breaks: [start(), tool(1, 'a'), stop(1, 'done', { status: 'error' })],
    keeps: [start(), tool(1, 'a'), stop(1, 'blocked', { status: 'error' })],
  },
  sees: ['terminal'],
  step(state, span) {
    if (state !== undefined || span.reason !== 'done' || span.status === undefined || span.status === 'ok')
      return state;
    return { at: placeOf(span), status: span.status.slice(0, STATUS_LENGTH) };
  },
  end(state) {
    if (state === undefined) return undefined;
    return {
      kind: 'broken',
      at: state.at,
      message: 'the terminal says done, with a status other than ok',
      evidence: { status: state.status },
    };
  },
});
