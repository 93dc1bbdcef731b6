import type { RunSoFar } from '../run.js';
import { receipt, start, stop, tool, verify } from './example.js';
import {
  addBreak,
  addDoubt,
  type Book,
  bareDone,
  type Claim,
  called,
  claimOf,
  enter,
  isRequired,
  keepNothing,
  newBook,
  opensBook,
  spoken,
} from './receipt-book.js';
import { defineRule, WARNING } from './rule.js';

const IS_PARTIAL = 'the input is partial: a receipt may have been minted before it';

/** A book that is opened after the run said done: nothing of receipts stood before the claim. */
const open = (run: RunSoFar): Book<undefined> => {
  const book = newBook<undefined>();
  const done = bareDone(run);
  if (done === undefined) return book;
  const evidence = { item: null, receipt_id: null };
  if (run.contract.isPartial) addDoubt(book.tally, IS_PARTIAL);
  else addBreak(book.tally, done, 'done stands on no receipt for the work: receipts come only after it', evidence);
  return book;
};

const judge = ({ tally }: Book<undefined>, { at, span, lack }: Claim<undefined>, isPartial: boolean): void => {
  if (lack === undefined) return;
  const claim = span.type === 'complete' ? 'complete' : 'done';
  if (isPartial) addDoubt(tally, IS_PARTIAL);
  else if (lack.kind === 'receipt') {
    const evidence = { item: span.details?.item ?? null, receipt_id: lack.id };
    addBreak(tally, at, `${claim} names a receipt that the run did not mint before`, evidence);
  } else {
    const evidence = { item: lack.item ?? null, receipt_id: span.details?.receiptId ?? null };
    addBreak(tally, at, `${claim} stands on no receipt for ${called(lack.item)}`, evidence);
  }
};

export const noReceipt = defineRule<Book<undefined>, 'no-receipt'>({
  id: 'no-receipt',
  family: 'receipts',
  severity: WARNING,
  passing: 'Everything that is claimed to be done or complete has a receipt that the run minted before.',
  why: 'The model that did the work is the one that says it is done; a receipt is what somebody else saw.',
  evidence:
    'item and receipt_id of complete, items and receipt_ids of a terminal whose reason is done, receipt_id and item of ' +
    'receipts; a claim that names no receipt stands on the latest for its item; a done that names no items claims all. ' +
    'A run that carries spans of receipts anywhere, after its terminal too, has to show one for its done',
  unjudged: 'With --partial, where a claim lacks its receipt: it may have been minted before the window.',
  needs: 'complete span, and no terminal',
  action: 'mint a receipt from a verification that passed, then claim',
  source: 'loop-contract',
  options: ['require'],
  example: {
    breaks: [start(), tool(1, 'a'), verify('v1', { item: 'login' }), stop(1, 'done', { items: ['login'] })],
    keeps: [
      start(),
      tool(1, 'a'),
      verify('v1', { item: 'login' }),
      receipt('r1', ['v1'], { item: 'login' }),
      stop(1, 'done', { items: ['login'], receipt_ids: ['r1'] }),
    ],
  },
  sees: ['verify', 'receipt', 'complete', 'terminal'],
  step(state, span, run) {
    if (state === undefined && !opensBook(span, run) && !isRequired(run)) return undefined;
    const book = state ?? open(run);
    enter(book, span, run, keepNothing);
    const claim = claimOf(book, span, run);
    if (claim !== undefined) judge(book, claim, run.contract.isPartial);
    return book;
  },
  end: (state) => spoken(state?.tally),
});
