import { type Place, placeOf, type Spent } from '../run.js';
import { withoutIter } from './activity.js';
import { start, stop, tool } from './example.js';
import { defineRule, type ExampleSpan, WARNING } from './rule.js';

interface Overrun {
  readonly at: Place;
  readonly halt: Spent;
}

const iterations = (count: number): readonly ExampleSpan[] =>
  Array.from({ length: count }, (_, index) => tool(index + 1, `step ${index + 1}`));

export const overBudget = defineRule<Overrun, 'over-budget'>({
  id: 'over-budget',
  family: 'termination',
  severity: WARNING,
  passing: 'No span carries an iteration above the budget, whatever the run then claims.',
  why: 'A budget that work may pass is no budget; done above it is done late.',
  evidence: 'iter of every span',
  unjudged: 'No span of the run carries iter.',
  action: 'enforce the budget or raise it',
  source: 'terminal-span contract',
  options: ['budget'],
  example: {
    breaks: [start({ contract: { budget: 2 } }), ...iterations(3), stop(3, 'budget')],
    keeps: [start({ contract: { budget: 2 } }), ...iterations(2), stop(2)],
  },
  sees: 'every',
  step(state, span, run) {
    if (state !== undefined || span.iter === undefined || span.iter <= run.contract.budget) return state;
    return { at: placeOf(span), halt: run.spent() };
  },
  end(state, run) {
    if (state === undefined) return withoutIter(run);
    const { budget } = run.contract;
    return {
      kind: 'broken',
      at: state.at,
      message: `the run went on to iteration ${run.greatestIter}, over the budget of ${budget}`,
      evidence: { iter: run.greatestIter, budget },
      halt: state.halt,
    };
  },
});
