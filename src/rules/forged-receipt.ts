import type { KeyObject } from 'node:crypto';
import { placeOf, type RunSoFar } from '../run.js';
import type { Details, Span } from '../span.js';
import { receipt, start, stop, tool, verify } from './example.js';
import {
  addBreak,
  addDoubt,
  type Book,
  claimOf,
  doubtBare,
  enter,
  type Item,
  keepNothing,
  openBook,
  opensBook,
  spoken,
} from './receipt-book.js';
import { isSigned, readKeys } from './receipt-signature.js';
import { defineRule, WARNING } from './rule.js';

interface Verified {
  readonly item: Item;
  readonly worktree: string | undefined;
  readonly emitter: string | undefined;
  readonly exitCode: number | undefined;
}

interface Forgeries {
  readonly verifies: Map<string, Verified>;
  keys: readonly KeyObject[] | undefined;
  readonly book: Book<undefined>;
}

const AGENT = 'agent';

const mayMint = (emitter: string | undefined, { contract }: RunSoFar): boolean =>
  emitter !== undefined && emitter !== AGENT && contract.minters.includes(emitter);

const differs = (one: string | undefined, other: string | undefined): boolean =>
  one !== undefined && other !== undefined && one !== other;

/** What keeps a verification from carrying a receipt, the reason's own name first. */
const FLAWS: readonly (readonly [
  reason: string,
  message: string,
  isFlawed: (verified: Verified, receipt: Details | undefined) => boolean,
])[] = [
  ['agent_verify', 'a verification that the agent itself made', ({ emitter }) => emitter === AGENT],
  ['not_passed', 'a verification without exit code 0', ({ exitCode }) => exitCode !== 0],
  ['other_item', 'a verification of another item', ({ item }, receipt) => differs(item, receipt?.item)],
  [
    'other_worktree',
    'a verification of another worktree',
    ({ worktree }, receipt) => differs(worktree, receipt?.worktree),
  ],
];

type Flaw = readonly [reason: string, message: string];
const MISSING: Flaw = ['unknown_verify', 'the receipt names a verification that the run did not make before'];

const flawOf = ({ verifies }: Forgeries, { details }: Span): Flaw | undefined => {
  const ids = details?.verifyIds ?? [];
  if (ids.length === 0) return ['no_verify', 'the receipt names no verification'];
  for (const id of ids) {
    const verified = verifies.get(id);
    if (verified === undefined) return MISSING;
    const flaw = FLAWS.find(([, , isFlawed]) => isFlawed(verified, details));
    if (flaw !== undefined) return [flaw[0], `the receipt stands on ${flaw[1]}`];
  }
  return undefined;
};

const hasSignature = (state: Forgeries, { details }: Span, { contract }: RunSoFar): boolean => {
  if (contract.receiptKeys === undefined) return true;
  state.keys ??= readKeys(contract.receiptKeys);
  return details?.receipt !== undefined && isSigned(details.receipt, details.signature ?? '', state.keys);
};

const forgery = (state: Forgeries, span: Span, run: RunSoFar): Flaw | undefined => {
  if (!mayMint(span.emitter, run)) return ['minter', 'the receipt was minted by an emitter that may not'];
  if (!hasSignature(state, span, run)) return ['signature', 'no key of the contract signed the receipt as it stands'];
  return flawOf(state, span);
};

const judge = (state: Forgeries, span: Span, run: RunSoFar): void => {
  const flaw = forgery(state, span, run);
  if (flaw === undefined) return;
  if (flaw === MISSING && run.contract.isPartial) {
    addDoubt(state.book.tally, 'the input is partial: a verify span may stand before it');
    return;
  }
  const [reason, message] = flaw;
  const { receiptId } = span.details ?? {};
  addBreak(state.book.tally, placeOf(span), message, {
    reason,
    receipt_id: receiptId ?? null,
    emitter: span.emitter ?? null,
  });
};

export const forgedReceipt = defineRule<Forgeries, 'forged-receipt'>({
  id: 'forged-receipt',
  family: 'receipts',
  severity: WARNING,
  passing:
    'Every receipt was minted by an emitter that may, from verifications that the run made before and that passed.',
  why: 'A receipt that the agent can write for itself is only another way of saying that it is done.',
  evidence:
    'emitter, verify_ids, item, worktree and signature of receipts; exit_code, item, worktree and emitter of the verify ' +
    'spans that they name. A signature is an Ed25519 signature in standard base64, padded, over the canonical JSON ' +
    '(RFC 8785) of the whole span without signature',
  unjudged:
    'A claim has no receipt that the run minted; or, with --partial, a receipt names a verification that may stand before ' +
    'the window.',
  needs: 'receipt span',
  action: 'mint receipts outside of the agent, from verify spans of the same run, and sign them',
  source: 'loop-contract',
  options: ['minters', 'receiptKeys'],
  example: {
    breaks: [start(), tool(1, 'a'), verify('v1'), receipt('r1', ['v1'], { emitter: AGENT }), stop(1)],
    keeps: [start(), tool(1, 'a'), verify('v1'), receipt('r1', ['v1'], { emitter: 'harness' }), stop(1)],
  },
  sees: ['verify', 'receipt', 'complete', 'terminal'],
  step(state, span, run) {
    if (state === undefined && !opensBook(span, run)) return undefined;
    const forgeries: Forgeries = state ?? {
      verifies: new Map(),
      keys: undefined,
      book: openBook(run),
    };
    const { verifyId, item, worktree } = span.details ?? {};
    if (span.type === 'verify' && verifyId !== undefined) {
      forgeries.verifies.set(verifyId, { item, worktree, emitter: span.emitter, exitCode: span.exitCode });
    }
    if (span.type === 'receipt') judge(forgeries, span, run);
    enter(forgeries.book, span, run, keepNothing);
    const claim = claimOf(forgeries.book, span, run);
    if (claim !== undefined) doubtBare(forgeries.book.tally, claim);
    return forgeries;
  },
  end: (state) => spoken(state?.book.tally),
});
