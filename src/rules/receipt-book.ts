import { type Place, placeOf, type RunSoFar } from '../run.js';
import type { Span } from '../span.js';
import type { Evidence, Outcome } from './rule.js';

/** What is verified and claimed: an item by its name, or undefined for the work of a run as a whole. */
export type Item = string | undefined;

/** A receipt as it was minted, and what the rule at hand keeps of it. */
export interface Minted<Kept> {
  readonly item: Item;
  readonly order: number;
  readonly kept: Kept;
}

/** The receipts of a run so far, and the items that the run has named. */
export interface Book<Kept> {
  readonly byId: Map<string, Minted<Kept>>;
  readonly latest: Map<Item, Minted<Kept>>;
  readonly items: Set<string>;
  readonly tally: Tally;
}

/** What a rule has found, claim by claim: the first break, how many there are, and what could not be judged. */
export interface Tally {
  first: Extract<Outcome, { kind: 'broken' }> | undefined;
  count: number;
  doubt: string | undefined;
}

/** What a claim has no receipt for. */
type Lack = { readonly kind: 'receipt'; readonly id: string } | { readonly kind: 'item'; readonly item: Item };

/** Something is said to be done, and this is what the saying stands on. */
export interface Claim<Kept> {
  readonly at: Place;
  readonly span: Span;
  /** By claimed item, the receipts that are for it alone. */
  readonly byItem: ReadonlyMap<Item, readonly Minted<Kept>[]>;
  /** Receipts without an item: they are for every item of the claim. */
  readonly forAll: readonly Minted<Kept>[];
  readonly lack: Lack | undefined;
}

export const newTally = (): Tally => ({ first: undefined, count: 0, doubt: undefined });
export const newBook = <Kept>(): Book<Kept> => ({
  byId: new Map(),
  latest: new Map(),
  items: new Set(),
  tally: newTally(),
});

export const isRequired = ({ contract }: RunSoFar): boolean => contract.require.includes('receipts');

/**
 * Whether a rule of receipts begins to keep something here. A terminal that says nothing of receipts is no material;
 * where receipts are required, one that does not say done has nothing to prove, and that is worth keeping.
 */
export const opensBook = ({ type, details, reason }: Span, run: RunSoFar): boolean =>
  type !== 'terminal' ||
  details?.items !== undefined ||
  details?.receiptIds !== undefined ||
  (reason !== 'done' && isRequired(run));

/**
 * Where the run said done before it carried anything of receipts: such a terminal is no material then, and a claim that
 * stands on nothing once the material comes. Asked of the span that brings it.
 */
export const bareDone = (run: RunSoFar): Place | undefined =>
  run.terminal?.reason === 'done' ? run.terminal.place : undefined;

/** Whether the span says that something is done. Of several terminals the first counts. */
export const isClaim = (span: Span, run: RunSoFar): boolean =>
  span.type === 'complete' || (span.type === 'terminal' && span.reason === 'done' && run.terminals === 0);

/** The items that a claim names; undefined where it names none. */
export const claimedItems = ({ type, details }: Span): readonly Item[] | undefined => {
  if (type === 'complete') return [details?.item];
  return details?.items !== undefined && details.items.length > 0 ? details.items : undefined;
};

/** For a rule that asks of a receipt only whether it is there. */
export const keepNothing = (): undefined => undefined;

/** Takes what a span of receipts says into the book; `keep` is asked of receipts alone. */
export const enter = <Kept>(book: Book<Kept>, span: Span, run: RunSoFar, keep: () => Kept): void => {
  const item = span.details?.item;
  if (item !== undefined) book.items.add(item);
  if (span.type !== 'receipt') return;
  const minted = { item, order: run.spans, kept: keep() };
  book.latest.set(item, minted);
  if (span.details?.receiptId !== undefined) book.byId.set(span.details.receiptId, minted);
};

const later = <Kept>(one: Minted<Kept> | undefined, other: Minted<Kept> | undefined): readonly Minted<Kept>[] => {
  const chosen = one === undefined || (other !== undefined && other.order > one.order) ? other : one;
  return chosen === undefined ? [] : [chosen];
};

/** The receipt that a claim stands on where it names none: the latest for the item, or for everything. */
const latestFor = <Kept>({ latest }: Book<Kept>, item: Item): readonly Minted<Kept>[] =>
  later(latest.get(item), latest.get(undefined));

const completion = <Kept>(book: Book<Kept>, span: Span): Claim<Kept> => {
  const { item, receiptId } = span.details ?? {};
  const named = receiptId === undefined ? undefined : book.byId.get(receiptId);
  const isFor = item === undefined || named?.item === undefined || named.item === item;
  const receipts = receiptId === undefined ? latestFor(book, item) : named !== undefined && isFor ? [named] : [];
  const lack: Lack | undefined =
    receiptId !== undefined && named === undefined ? { kind: 'receipt', id: receiptId } : { kind: 'item', item };
  return {
    at: placeOf(span),
    span,
    byItem: new Map([[item, receipts]]),
    forAll: [],
    lack: receipts.length === 0 ? lack : undefined,
  };
};

const namesOf = <Kept>(book: Book<Kept>, span: Span): readonly Item[] => {
  const named = claimedItems(span);
  if (named !== undefined) return named;
  return book.items.size > 0 ? [...book.items] : [undefined];
};

/** The receipts that a terminal names, by item, and the first id that no receipt has. */
const namedBy = <Kept>({ byId }: Book<Kept>, ids: Iterable<string>) => {
  const named = new Map<Item, Minted<Kept>[]>();
  let unknown: string | undefined;
  for (const id of ids) {
    const receipt = byId.get(id);
    if (receipt === undefined) unknown ??= id;
    else if (named.get(receipt.item)?.push(receipt) === undefined) named.set(receipt.item, [receipt]);
  }
  return { named, unknown };
};

const conclusion = <Kept>(book: Book<Kept>, span: Span): Claim<Kept> => {
  const { named, unknown } = namedBy(book, new Set(span.details?.receiptIds));
  const forAll = named.get(undefined) ?? [];
  const byItem = new Map<Item, readonly Minted<Kept>[]>();
  let lack: Lack | undefined = unknown === undefined ? undefined : { kind: 'receipt', id: unknown };
  for (const item of namesOf(book, span)) {
    const own = item === undefined ? undefined : named.get(item);
    const receipts = own ?? (forAll.length > 0 ? [] : latestFor(book, item));
    byItem.set(item, receipts);
    if (receipts.length === 0 && forAll.length === 0) lack ??= { kind: 'item', item };
  }
  return { at: placeOf(span), span, byItem, forAll, lack };
};

/** What the span claims, and the receipts so far that it stands on; undefined for a span that claims nothing. */
export const claimOf = <Kept>(book: Book<Kept>, span: Span, run: RunSoFar): Claim<Kept> | undefined => {
  if (!isClaim(span, run)) return undefined;
  return span.type === 'complete' ? completion(book, span) : conclusion(book, span);
};

/** Every receipt that a claim stands on. */
export const receiptsOf = <Kept>({ forAll, byItem }: Claim<Kept>): readonly Minted<Kept>[] => [
  ...forAll,
  ...[...byItem.values()].flat(),
];

export const addBreak = (tally: Tally, at: Place, message: string, evidence: Evidence): void => {
  tally.count += 1;
  tally.first ??= { kind: 'broken', at, message, evidence };
};

export const addDoubt = (tally: Tally, because: string): void => {
  tally.doubt ??= because;
};

export const BARE = 'a claim stands on no receipt of the run';

/** Says of a claim without a receipt that what the receipt would have shown cannot be judged. */
export const doubtBare = (tally: Tally, { lack }: Claim<unknown>): void => {
  if (lack !== undefined) addDoubt(tally, BARE);
};

/** A book that is opened by the span at hand; a done before it stands on no receipt. */
export const openBook = <Kept>(run: RunSoFar): Book<Kept> => {
  const book = newBook<Kept>();
  if (bareDone(run) !== undefined) addDoubt(book.tally, BARE);
  return book;
};

/** What a rule says in the end: its first break and how many there are, else what it could not judge. */
export const spoken = (tally: Tally | undefined): Outcome => {
  if (tally === undefined) return undefined;
  const { first, count, doubt } = tally;
  if (first !== undefined) return { ...first, evidence: { ...first.evidence, count } };
  return doubt === undefined ? undefined : { kind: 'unverifiable', because: doubt };
};

const SHOWN_LENGTH = 64;
/** A name of the trace for a message. */
export const shorten = (name: string): string =>
  name.length > SHOWN_LENGTH ? `${name.slice(0, SHOWN_LENGTH)}…` : name;
export const called = (item: Item): string => (item === undefined ? 'the work' : `item ${shorten(item)}`);
