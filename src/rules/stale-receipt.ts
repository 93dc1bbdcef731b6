import { FIELDS } from '../contract.js';
import type { RunSoFar } from '../run.js';
import { hasFailed, type Span } from '../span.js';
import { receipt, start, stop, tool, verify } from './example.js';
import {
  addBreak,
  addDoubt,
  type Book,
  type Claim,
  called,
  claimOf,
  doubtBare,
  enter,
  type Minted,
  openBook,
  opensBook,
  receiptsOf,
  spoken,
} from './receipt-book.js';
import { defineRule, WARNING } from './rule.js';
import { isReading } from './step.js';

/** When something was verified, counted in spans of the run, and the worktree that was. */
interface Verified {
  readonly at: number;
  readonly worktree: string | undefined;
}

interface Freshness {
  readonly verifies: Map<string, Verified>;
  readonly book: Book<Verified>;
  /** Of the tool spans so far: the last write, and the last that may have been one. */
  write: number;
  writeSeq: number | undefined;
  maybeWrite: number;
}

const NEVER = -1;
const HARMLESS: ReadonlySet<string | undefined> = new Set(['wait', 'external']);

/** A list that the run itself wrote clears no call by its name: a receipt has to hold against the run. */
const onlyReads = (span: Span, { contract }: RunSoFar): boolean =>
  contract.sources.idempotent === 'run'
    ? isReading(span, { ...contract, idempotent: FIELDS.idempotent.fallback })
    : isReading(span, contract);

const addTool = (state: Freshness, span: Span, run: RunSoFar): void => {
  const at = run.spans;
  if (HARMLESS.has(span.effect) || hasFailed(span) || span.details?.outcome === 'blocked') return;
  if (onlyReads(span, run)) return;
  if (span.effect !== 'write') {
    state.maybeWrite = at;
    return;
  }
  state.write = at;
  state.writeSeq = span.seq;
};

/** The last verification that a receipt stands on, else the receipt itself. */
const verifiedBy = ({ verifies }: Freshness, { details }: Span, run: RunSoFar): Verified => {
  let last: Verified | undefined;
  for (const id of details?.verifyIds ?? []) {
    const verified = verifies.get(id);
    if (verified !== undefined && (last === undefined || verified.at > last.at)) last = verified;
  }
  return { at: last?.at ?? run.spans, worktree: details?.worktree ?? last?.worktree };
};

type Worktree = { readonly worktree: string | undefined; readonly at: number };
const worktreeAt = ({ details }: Span, run: RunSoFar): Worktree =>
  details?.worktree === undefined
    ? { worktree: run.worktree, at: run.worktreeAt }
    : { worktree: details.worktree, at: run.spans };

const judgeReceipt = (
  state: Freshness,
  claim: Claim<Verified>,
  now: Worktree,
  { item, kept }: Minted<Verified>,
): void => {
  const { tally } = state.book;
  const isComparable = kept.worktree !== undefined && now.worktree !== undefined;
  const evidence = { item: item ?? null, receipt_worktree: kept.worktree ?? null, worktree: now.worktree ?? null };
  if (isComparable && kept.worktree !== now.worktree) {
    addBreak(
      tally,
      claim.at,
      `${called(item)} is claimed in another worktree than the one that was verified`,
      evidence,
    );
  } else if (state.write > kept.at) {
    const message = `a write landed after the last verification of ${called(item)}`;
    addBreak(tally, claim.at, message, { ...evidence, write_seq: state.writeSeq ?? null });
  } else if (state.maybeWrite > kept.at && !(isComparable && now.at >= state.maybeWrite)) {
    addDoubt(tally, 'a tool span after the last verify carries no effect, and no worktree stands beside the claim');
  }
};

const judge = (state: Freshness, claim: Claim<Verified>, run: RunSoFar): void => {
  doubtBare(state.book.tally, claim);
  const now = worktreeAt(claim.span, run);
  for (const minted of receiptsOf(claim)) judgeReceipt(state, claim, now, minted);
};

const newFreshness = (run: RunSoFar): Freshness => ({
  verifies: new Map(),
  book: openBook(run),
  write: NEVER,
  writeSeq: undefined,
  maybeWrite: NEVER,
});

export const staleReceipt = defineRule<Freshness, 'stale-receipt'>({
  id: 'stale-receipt',
  family: 'receipts',
  severity: WARNING,
  passing: 'Between the last verification of a receipt and the claim that stands on it, the code stays as it is.',
  why: 'What was verified is not what is claimed once the code has changed, however small the change.',
  evidence:
    "worktree of the claim, or the latest on any span before it, against the receipt's, or else its last verify's; tool " +
    'spans of effect write that did not fail, after the last verify that the receipt names. Calls of effect read, wait ' +
    'or external change no code, nor do calls without effect of a tool that only reads (idempotent; a list in the ' +
    "run's own contract aside), nor failed and blocked ones",
  unjudged:
    'A claim has no receipt that the run minted; or after the last verify stands a call of effect spawn, or one without ' +
    'effect of a tool that may do more than read, unless the receipt (or that verify) shows the worktree, and so does ' +
    'the call itself, the claim or a span between them.',
  needs: 'receipt span',
  action: 'verify again after the last change',
  source: 'loop-contract',
  options: ['idempotent'],
  example: {
    breaks: [start(), verify('v1'), receipt('r1', ['v1']), tool(1, 'a', { effect: 'write' }), stop(1)],
    keeps: [start(), tool(1, 'a', { effect: 'write' }), verify('v1'), receipt('r1', ['v1']), stop(1)],
  },
  sees: ['tool', 'verify', 'receipt', 'complete', 'terminal'],
  step(state, span, run) {
    if (span.type === 'tool') {
      if (state !== undefined) addTool(state, span, run);
      return state;
    }
    if (state === undefined && !opensBook(span, run)) return undefined;
    const kept = state ?? newFreshness(run);
    const { verifyId, worktree } = span.details ?? {};
    if (span.type === 'verify' && verifyId !== undefined) kept.verifies.set(verifyId, { at: run.spans, worktree });
    enter(kept.book, span, run, () => verifiedBy(kept, span, run));
    const claim = claimOf(kept.book, span, run);
    if (claim !== undefined) judge(kept, claim, run);
    return kept;
  },
  end: (state) => spoken(state?.book.tally),
});
