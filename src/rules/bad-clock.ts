import { placeOf } from '../run.js';
import { withoutIter } from './activity.js';
import { start, stop, tool } from './example.js';
import { type Breaks, defineRule, FAILING, unverifiable } from './rule.js';

interface Skips extends Breaks {
  readonly left: number;
  readonly right: number;
}

export const badClock = defineRule<Skips, 'bad-clock'>({
  id: 'bad-clock',
  family: 'termination',
  severity: FAILING,
  passing: 'Between two neighbouring spans that carry an iteration, none is skipped.',
  why: 'A skipped iteration is a lost or reordered line: what happened in it can no longer be judged.',
  evidence: 'iter of neighbouring spans in seq order',
  unjudged: 'No span of the run carries iter; or the contract says that the clock is derived.',
  action: 'sort by seq, not time',
  source: 'terminal-span contract',
  options: ['clock'],
  example: {
    breaks: [start(), tool(1, 'a'), tool(3, 'b'), stop(3)],
    keeps: [start(), tool(1, 'a'), tool(2, 'b'), stop(3)],
  },
  sees: 'every',
  step(state, span, run) {
    if (span.iter === undefined || run.lastIter === undefined || run.lastIter + 1 >= span.iter) return state;
    if (state === undefined) return { at: placeOf(span), count: 1, left: run.lastIter, right: span.iter };
    state.count += 1;
    return state;
  },
  end(state, run) {
    if (run.contract.clock === 'derived') {
      return unverifiable('the iterations are counted, not recorded: none can be missing');
    }
    if (state === undefined) return withoutIter(run);
    return {
      kind: 'broken',
      at: state.at,
      message: `iteration ${state.left} is followed by ${state.right}: what is between them is missing`,
      evidence: { left: state.left, right: state.right, count: state.count },
    };
  },
});
