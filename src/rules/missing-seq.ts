import { start, stop, tool } from './example.js';
import { type Breaks, defineRule, oneMore, WARNING } from './rule.js';

export const missingSeq = defineRule<Breaks, 'missing-seq'>({
  id: 'missing-seq',
  family: 'order',
  severity: WARNING,
  passing: 'Every span carries a seq.',
  why: 'Without seq the position of the line stands in for the order, and a copied or merged file changes it.',
  evidence:
    'seq of every span; one without it is ordered by the position of its line, counted over all inputs, among the seq of ' +
    'the others',
  action: 'number the spans where they are emitted',
  source: 'terminal-span contract',
  options: [],
  example: {
    breaks: [start(), tool(1, 'a', { seq: null }), stop(1)],
    keeps: [start(), tool(1, 'a'), stop(1)],
  },
  sees: 'every',
  step(state, span) {
    if (span.seq !== undefined) return state;
    return oneMore(state, span);
  },
  end(state) {
    if (state === undefined) return undefined;
    return {
      kind: 'broken',
      at: state.at,
      message: `${state.count} ${state.count === 1 ? 'span has' : 'spans have'} no seq; the position of the line stands in`,
      evidence: { count: state.count },
    };
  },
});
