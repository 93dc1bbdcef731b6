import { start, stop, tool } from './example.js';
import { type Breaks, defineRule, FAILING, oneMore } from './rule.js';

export const doubleStop = defineRule<Breaks, 'double-stop'>({
  id: 'double-stop',
  family: 'termination',
  severity: FAILING,
  passing: 'The run has at most one terminal span.',
  why: 'A loop that stops twice has two stories about how it ended; whoever reads the first believes the wrong one.',
  evidence: 'the spans of type terminal, identical lines at one seq counted once',
  action: 'fix the emitter',
  source: 'terminal-span contract',
  options: [],
  example: {
    breaks: [start(), tool(1, 'a'), stop(1, 'budget'), stop(1, 'done')],
    keeps: [start(), tool(1, 'a'), stop(1, 'done')],
  },
  sees: ['terminal'],
  step(state, span, run) {
    if (run.terminals === 0) return state;
    return oneMore(state, span);
  },
  end(state, run) {
    if (state === undefined) return undefined;
    return {
      kind: 'broken',
      at: state.at,
      message: `the run stops ${run.terminals} times`,
      evidence: { terminals: run.terminals },
    };
  },
});
