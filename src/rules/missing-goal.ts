import { type Place, placeOf } from '../run.js';
import { start, stop, tool } from './example.js';
import { defineRule, unverifiable, WARNING } from './rule.js';

type Starts = { readonly kind: 'goal' } | { readonly kind: 'no goal'; readonly at: Place };
const GOAL: Starts = { kind: 'goal' };

export const missingGoal = defineRule<Starts, 'missing-goal'>({
  id: 'missing-goal',
  family: 'termination',
  severity: WARNING,
  passing: 'The run has a loop_start that says its goal.',
  why: 'Done means nothing where nobody wrote down what it would mean.',
  evidence: 'goal of loop_start; an empty one is a missing one',
  unjudged: 'With --partial a run without a loop_start may have begun before the window.',
  action: 'emit loop_start with the goal before the first iteration',
  source: 'terminal-span contract',
  options: [],
  example: {
    breaks: [start({ goal: '' }), tool(1, 'a'), stop(1)],
    keeps: [start(), tool(1, 'a'), stop(1)],
  },
  sees: ['loop_start'],
  step(state, span) {
    if (state?.kind === 'goal' || span.hasGoal) return GOAL;
    return state ?? { kind: 'no goal', at: placeOf(span) };
  },
  end(state, run) {
    if (state?.kind === 'goal') return undefined;
    if (state === undefined && run.contract.isPartial) {
      return unverifiable('the input is partial: the run may have begun before it');
    }
    return {
      kind: 'broken',
      at: state?.at ?? run.first,
      message:
        state === undefined ? 'no loop_start: nothing says what done would mean' : 'the loop_start gives no goal',
      evidence: {},
    };
  },
});
