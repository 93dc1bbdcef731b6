import { type Place, placeOf, type RunSoFar } from '../run.js';
import type { Span } from '../span.js';
import { start, stop, tool } from './example.js';
import { defineRule, type Outcome, WARNING } from './rule.js';

interface Gaps {
  at: Place | undefined;
  from: number;
  to: number;
  count: number;
  greatest: number | undefined;
  /** Of several footers, those that promise most. */
  countFooter: Span | undefined;
  seqFooter: Span | undefined;
}

const addHole = (gaps: Gaps, span: Span, run: RunSoFar): void => {
  if (run.contract.seqScope !== 'run' || span.seq === undefined || run.lastSeq === undefined) return;
  if (span.seq <= run.lastSeq + 1) return;
  gaps.count += 1;
  if (gaps.at !== undefined) return;
  gaps.at = placeOf(span);
  gaps.from = run.lastSeq;
  gaps.to = span.seq;
};

const addFooter = (gaps: Gaps, footer: Span): void => {
  if ((footer.count ?? 0) > (gaps.countFooter?.count ?? 0)) gaps.countFooter = footer;
  // A footer may count itself as the last.
  if (footer.lastSeq === undefined || footer.lastSeq === footer.seq) return;
  if (footer.lastSeq > (gaps.seqFooter?.lastSeq ?? Number.NEGATIVE_INFINITY)) gaps.seqFooter = footer;
};

const brokenPromise = ({ countFooter, seqFooter, greatest }: Gaps, run: RunSoFar): Outcome => {
  const promised = countFooter?.count ?? 0;
  if (countFooter !== undefined && run.spans < promised) {
    return {
      kind: 'broken',
      at: placeOf(countFooter),
      message: `trace_end promised ${promised} spans, the trace holds ${run.spans}`,
      evidence: { promised, spans: run.spans },
    };
  }
  const lastSeq = seqFooter?.lastSeq;
  if (seqFooter === undefined || lastSeq === undefined) return undefined;
  if (greatest !== undefined && lastSeq <= greatest) return undefined;
  return {
    kind: 'broken',
    at: placeOf(seqFooter),
    message: `trace_end promised seq ${lastSeq}, the trace does not reach it`,
    evidence: { last_seq: lastSeq, greatest_seq: greatest ?? null },
  };
};

export const seqGap = defineRule<Gaps, 'seq-gap'>({
  id: 'seq-gap',
  family: 'order',
  severity: WARNING,
  passing: 'No span is missing: a dense seq has no hole, and trace_end promised no more than there is.',
  why: 'A lost line may be the one that matters: the failed tool, or the second terminal.',
  evidence:
    'seq under seq_scope run, where a span without seq fills no hole; last_seq and count of trace_end, which counts itself',
  action: 'find where lines are lost: a killed writer, a filter, a sampled exporter',
  source: 'terminal-span contract',
  options: ['seqScope'],
  example: {
    breaks: [
      start({ contract: { seq_scope: 'run' } }),
      tool(1, 'a'),
      tool(2, 'b', { seq: 4 }),
      stop(2, 'done', { seq: 5 }),
    ],
    keeps: [start({ contract: { seq_scope: 'run' } }), tool(1, 'a'), tool(2, 'b'), stop(2)],
  },
  sees: 'every',
  step(state, span, run) {
    // Without a dense seq only a footer promises anything, and only then is the greatest seq asked for.
    if (state === undefined && run.contract.seqScope !== 'run' && span.type !== 'trace_end') return undefined;
    const gaps = state ?? {
      at: undefined,
      from: 0,
      to: 0,
      count: 0,
      greatest: run.lastSeq,
      countFooter: undefined,
      seqFooter: undefined,
    };
    addHole(gaps, span, run);
    if (span.type === 'trace_end') addFooter(gaps, span);
    else gaps.greatest = span.seq ?? gaps.greatest;
    return gaps;
  },
  end(state, run) {
    if (state === undefined) return undefined;
    if (state.at === undefined) return brokenPromise(state, run);
    return {
      kind: 'broken',
      at: state.at,
      message: `the seq goes from ${state.from} to ${state.to}: what is between them is missing`,
      evidence: { from: state.from, to: state.to, count: state.count },
    };
  },
});
