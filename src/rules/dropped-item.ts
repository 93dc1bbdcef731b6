import { placeOf, type RunSoFar } from '../run.js';
import type { Span } from '../span.js';
import { receipt, start, stop, tool, verify } from './example.js';
import { addBreak, called, claimedItems, isClaim, newTally, opensBook, spoken, type Tally } from './receipt-book.js';
import { defineRule, WARNING } from './rule.js';

interface Items {
  /** Items that were verified or got a receipt, and were not claimed since. */
  readonly open: Set<string>;
  readonly tally: Tally;
}

const judge = ({ open, tally }: Items, span: Span, run: RunSoFar): void => {
  const claimed = isClaim(span, run) ? claimedItems(span) : undefined;
  // A done that names no items claims all.
  if (claimed === undefined) return;
  for (const item of claimed) if (item !== undefined) open.delete(item);
  if (span.type === 'complete') return;
  for (const item of open) {
    const message = `done leaves out ${called(item)}, which the run worked on and never claimed`;
    addBreak(tally, placeOf(span), message, { item });
  }
};

const opening = [start(), tool(1, 'a'), verify('v1', { item: 'login' }), receipt('r1', ['v1'], { item: 'login' })];

export const droppedItem = defineRule<Items, 'dropped-item'>({
  id: 'dropped-item',
  family: 'receipts',
  severity: WARNING,
  passing: 'Every item that the run verified is claimed: by a complete of its own, or among the items of done.',
  why: 'The item that could not be made to work is the one that a done leaves unmentioned.',
  evidence: 'item of verify, receipt and complete spans, and the items of a terminal whose reason is done',
  needs: 'verify span, and no receipt span',
  action: 'claim the item, or stop with a reason that says it is not done',
  source: 'loop-contract',
  options: [],
  example: {
    breaks: [...opening, verify('v2', { item: 'logout', exit_code: 1 }), stop(1, 'done', { items: ['login'] })],
    keeps: [
      ...opening,
      verify('v2', { item: 'logout', exit_code: 1 }),
      stop(1, 'handoff', { items: ['login'], successor_run: 'run_next' }),
    ],
  },
  sees: ['verify', 'receipt', 'complete', 'terminal'],
  step(state, span, run) {
    if (state === undefined && !opensBook(span, run)) return undefined;
    const items: Items = state ?? { open: new Set(), tally: newTally() };
    const item = span.details?.item;
    if (item !== undefined && (span.type === 'verify' || span.type === 'receipt')) items.open.add(item);
    judge(items, span, run);
    return items;
  },
  end: (state) => spoken(state?.tally),
});
