import { withoutIter } from './activity.js';
import { start, stop, tool } from './example.js';
import { type Breaks, defineRule, oneMore, WARNING } from './rule.js';

export const iterBackwards = defineRule<Breaks, 'iter-backwards'>({
  id: 'iter-backwards',
  family: 'order',
  severity: WARNING,
  passing: 'The iteration never falls in seq order.',
  why: 'An iteration that falls is a restarted counter or two loops under one run_id: budgets then count nothing.',
  evidence: 'iter of neighbouring spans in seq order',
  unjudged: 'No span of the run carries iter.',
  action: 'give each loop a run_id of its own, and let iter only rise',
  source: 'terminal-span contract',
  options: [],
  example: {
    breaks: [start(), tool(1, 'a'), tool(2, 'b'), tool(1, 'c'), stop(2)],
    keeps: [start(), tool(1, 'a'), tool(2, 'b'), tool(2, 'c'), stop(2)],
  },
  sees: 'every',
  step(state, span, run) {
    if (span.iter === undefined || run.lastIter === undefined || span.iter >= run.lastIter) return state;
    return oneMore(state, span);
  },
  end(state, run) {
    if (state === undefined) return withoutIter(run);
    return {
      kind: 'broken',
      at: state.at,
      message: 'the iteration falls',
      evidence: { count: state.count },
    };
  },
});
