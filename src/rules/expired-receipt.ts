import type { RunSoFar } from '../run.js';
import type { Span } from '../span.js';
import { receipt, start, stop, tool, verify } from './example.js';
import {
  addBreak,
  addDoubt,
  BARE,
  type Book,
  bareDone,
  type Claim,
  called,
  claimOf,
  enter,
  isRequired,
  newBook,
  opensBook,
  receiptsOf,
  spoken,
} from './receipt-book.js';
import { defineRule, unverifiable, WARNING } from './rule.js';

/** A moment by the clocks of one emitter. */
type Moment = Pick<Span, 'emitter' | 'monoMs' | 'ts'>;
type Dated = Moment & { readonly ttlMs: number | undefined };

const dated = ({ emitter, monoMs, ts, details }: Span, { contract }: RunSoFar): Dated => ({
  emitter,
  monoMs,
  ts,
  ttlMs: details?.ttlMs ?? contract.receiptTtlMs,
});

/** Milliseconds from one moment to a later one; undefined where no clock is common to both, or it runs backwards. */
const between = (from: Moment, to: Moment): number | undefined => {
  if (from.emitter !== to.emitter) return undefined;
  const passed =
    from.monoMs !== undefined && to.monoMs !== undefined
      ? to.monoMs - from.monoMs
      : Date.parse(to.ts ?? '') - Date.parse(from.ts ?? '');
  return passed >= 0 ? passed : undefined;
};

interface Validity {
  readonly book: Book<Dated>;
  /** Some receipt of the run expires, or by the contract any would: only then does a missing one leave a doubt. */
  isLimited: boolean;
  /** Some claim stands on no receipt. */
  isBare: boolean;
}

const newValidity = (run: RunSoFar): Validity => ({
  book: newBook(),
  isLimited: run.contract.receiptTtlMs !== undefined,
  isBare: bareDone(run) !== undefined,
});

const judge = ({ tally }: Book<Dated>, claim: Claim<Dated>): void => {
  for (const { item, kept } of receiptsOf(claim)) {
    if (kept.ttlMs === undefined) continue;
    const age = between(kept, claim.span);
    if (age === undefined) {
      addDoubt(tally, 'a receipt expires, but it and the claim carry no mono_ms or ts of one emitter');
    } else if (age > kept.ttlMs) {
      addBreak(tally, claim.at, `the receipt for ${called(item)} is ${age} ms old and holds for ${kept.ttlMs} ms`, {
        item: item ?? null,
        age_ms: age,
        ttl_ms: kept.ttlMs,
      });
    }
  }
};

const clock = (monoMs: number) => ({ emitter: 'harness', mono_ms: monoMs });

export const expiredReceipt = defineRule<Validity, 'expired-receipt'>({
  id: 'expired-receipt',
  family: 'receipts',
  severity: WARNING,
  passing: 'A claim stands on receipts that still hold when it is made.',
  why: 'What surrounds the code changes too: dependencies, services, data. An old proof is a proof of what was.',
  evidence:
    'ttl_ms of the receipt, else receipt_ttl_ms, and mono_ms, else ts, of the receipt and of the claim by one emitter; ' +
    'where nothing expires, the rule asks nothing',
  unjudged:
    'A receipt expires, and it and the claim carry no mono_ms or ts of one emitter, or these run backwards; or a claim ' +
    'has no receipt that the run minted, where receipt_ttl_ms is set or another receipt of the run carries ttl_ms.',
  needs: 'receipt span',
  action: 'verify again, or claim sooner',
  source: 'loop-contract',
  options: ['receiptTtlMs'],
  example: {
    breaks: [
      start(),
      tool(1, 'a'),
      verify('v1'),
      receipt('r1', ['v1'], { ttl_ms: 60_000, ...clock(1000) }),
      stop(1, 'done', clock(61_001)),
    ],
    keeps: [
      start(),
      tool(1, 'a'),
      verify('v1'),
      receipt('r1', ['v1'], { ttl_ms: 60_000, ...clock(1000) }),
      stop(1, 'done', clock(61_000)),
    ],
  },
  sees: ['verify', 'receipt', 'complete', 'terminal'],
  step(state, span, run) {
    if (state === undefined && !opensBook(span, run)) return undefined;
    const validity = state ?? newValidity(run);
    const { book } = validity;
    if (span.type === 'receipt') validity.isLimited ||= span.details?.ttlMs !== undefined;
    enter(book, span, run, () => dated(span, run));
    const claim = claimOf(book, span, run);
    if (claim === undefined) return validity;
    validity.isBare ||= claim.lack !== undefined;
    judge(book, claim);
    return validity;
  },
  end(state, run) {
    if (state === undefined) return undefined;
    const said = spoken(state.book.tally);
    if (said !== undefined || !state.isBare) return said;
    const isMissing = state.isLimited || (isRequired(run) && state.book.latest.size === 0);
    return isMissing ? unverifiable(BARE) : undefined;
  },
});
