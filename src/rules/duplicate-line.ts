import { start, stop, tool } from './example.js';
import { type Breaks, defineRule, oneMore, WARNING } from './rule.js';

export const duplicateLine = defineRule<Breaks, 'duplicate-line'>({
  id: 'duplicate-line',
  family: 'order',
  severity: WARNING,
  passing: 'No line of the run stands in the trace twice.',
  why: 'Files that were copied together or sent twice repeat lines; a replay is counted, and judged once.',
  evidence: 'lines with one seq that are the same byte for byte, white space around them aside',
  action: 'give each trace file once',
  source: 'terminal-span contract',
  options: [],
  example: {
    breaks: [start(), tool(1, 'a'), tool(1, 'a', { seq: 2 }), stop(1)],
    keeps: [start(), tool(1, 'a'), tool(1, 'b'), stop(1)],
  },
  sees: 'replays',
  step(state, span) {
    return oneMore(state, span);
  },
  end(state) {
    if (state === undefined) return undefined;
    return {
      kind: 'broken',
      at: state.at,
      message: `${state.count} ${state.count === 1 ? 'line repeats' : 'lines repeat'} an earlier line of the run`,
      evidence: { count: state.count },
    };
  },
});
