import { start, stop, tool } from './example.js';
import { defineRule, FAILING, unverifiable } from './rule.js';

/** What shows how far a run got that does not stop. */
export const openEvidence = (spans: number, calls: number) => ({ spans, calls });

export const openLoop = defineRule<never, 'open-loop'>({
  id: 'open-loop',
  family: 'termination',
  severity: FAILING,
  passing: 'The run has a terminal span.',
  why: "A tool's ok is no stop signal: a run without a terminal may still be running, or died without a word.",
  evidence: 'the spans of type terminal',
  unjudged: 'With --partial a run without a terminal may have stopped after the window: it is then inconclusive.',
  action: 'cap the run and page',
  source: 'terminal-span contract',
  options: [],
  example: {
    breaks: [start(), tool(1, 'a'), tool(2, 'b')],
    keeps: [start(), tool(1, 'a'), tool(2, 'b'), stop(2)],
  },
  sees: 'nothing',
  end(_state, run) {
    if (run.terminals > 0) return undefined;
    if (run.contract.isPartial) {
      return unverifiable('the input is partial: the run may have stopped after it');
    }
    return {
      kind: 'broken',
      at: run.last,
      message: 'no terminal span: nothing says that the loop stopped',
      evidence: openEvidence(run.lines, run.calls),
    };
  },
});
