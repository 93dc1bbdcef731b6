import { start, stop, tool } from './example.js';
import { type Breaks, defineRule, oneMore, WARNING } from './rule.js';

export const seqConflict = defineRule<Breaks, 'seq-conflict'>({
  id: 'seq-conflict',
  family: 'order',
  severity: WARNING,
  passing: 'No two different spans of the run carry one seq.',
  why: 'Two spans at one seq have no order: two emitters count, or one restarted.',
  evidence: 'seq of neighbouring spans; lines that are the same byte for byte are replays, not conflicts',
  action: 'let one counter number the spans of a run',
  source: 'terminal-span contract',
  options: [],
  example: {
    breaks: [start(), tool(1, 'a'), tool(1, 'b', { seq: 2 }), stop(1)],
    keeps: [start(), tool(1, 'a'), tool(1, 'b'), stop(1)],
  },
  sees: 'every',
  step(state, span, run) {
    if (span.seq === undefined || span.seq !== run.lastSeq) return state;
    return oneMore(state, span);
  },
  end(state) {
    if (state === undefined) return undefined;
    return {
      kind: 'broken',
      at: state.at,
      message: 'two different spans carry one seq',
      evidence: { count: state.count },
    };
  },
});
