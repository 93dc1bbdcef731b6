import { type Place, placeOf, type RunSoFar } from '../run.js';
import { start, stop, tool } from './example.js';
import { defineRule, WARNING } from './rule.js';

type Head =
  | { readonly kind: 'started' }
  | { readonly kind: 'numbered' }
  | { readonly kind: 'cut'; readonly at: Place; readonly iter: number };

const STARTED: Head = { kind: 'started' };
const NUMBERED: Head = { kind: 'numbered' };

const isSeqCut = (run: RunSoFar): boolean => run.contract.seqScope === 'run' && (run.firstSeq ?? 0) > 1;

export const headCut = defineRule<Head, 'head-cut'>({
  id: 'head-cut',
  family: 'order',
  severity: WARNING,
  passing: 'The trace holds the start of the run.',
  why: 'A run without its start hides its goal, its contract and its first iterations.',
  evidence: 'loop_start, the first iter, and the first seq where it is dense; with --partial the rule asks nothing',
  action: 'give the files that hold the start, or say --partial',
  source: 'terminal-span contract',
  options: ['seqScope'],
  example: {
    breaks: [start({ contract: { seq_scope: 'run' }, seq: 5 }), tool(1, 'a', { seq: 6 }), stop(1, 'done', { seq: 7 })],
    keeps: [start(), tool(1, 'a'), tool(2, 'b'), stop(2)],
  },
  sees: 'every',
  step(state, span) {
    if (span.type === 'loop_start') return STARTED;
    if (state !== undefined || span.iter === undefined) return state;
    return span.iter > 1 ? { kind: 'cut', at: placeOf(span), iter: span.iter } : NUMBERED;
  },
  end(state, run) {
    if (run.contract.isPartial) return undefined;
    if (state?.kind === 'cut') {
      return {
        kind: 'broken',
        at: state.at,
        message: `no loop_start, and the first iteration is ${state.iter}: the start of the run is missing`,
        evidence: { iter: state.iter },
      };
    }
    if (!isSeqCut(run)) return undefined;
    return {
      kind: 'broken',
      at: run.first,
      message: `the dense seq starts at ${run.firstSeq}: the start of the run is missing`,
      evidence: { seq: run.firstSeq ?? null },
    };
  },
});
