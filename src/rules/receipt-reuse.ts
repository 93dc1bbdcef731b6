import { type Place, placeOf, type RunSoFar } from '../run.js';
import type { Span } from '../span.js';
import { receipt, start, stop, tool, verify } from './example.js';
import { addBreak, isClaim, isRequired, newTally, spoken, type Tally } from './receipt-book.js';
import { defineRule, type JudgedRun, type Outcome, unverifiable, WARNING } from './rule.js';

interface Uses {
  readonly minted: Set<string>;
  /** The item that each receipt was used for first. */
  readonly usedFor: Map<string, string>;
  /** Receipts that a claim names and the run had not minted, and where the first claim stands. */
  readonly foreign: Map<string, Place>;
  readonly tally: Tally;
}

/** What other runs are asked about this one. */
interface Shared {
  readonly minted: ReadonlySet<string>;
  readonly foreign: ReadonlyMap<string, Place>;
}

const ID = 'receipt-reuse';
const newUses = (): Uses => ({ minted: new Set(), usedFor: new Map(), foreign: new Map(), tally: newTally() });

const mint = ({ minted, tally }: Uses, span: Span): void => {
  const id = span.details?.receiptId;
  if (id === undefined) return;
  if (minted.has(id)) {
    addBreak(tally, placeOf(span), 'the run minted this receipt_id before', { receipt_id: id });
  }
  minted.add(id);
};

const use = ({ minted, usedFor, foreign, tally }: Uses, span: Span, id: string): void => {
  if (!minted.has(id) && !foreign.has(id)) foreign.set(id, placeOf(span));
  const item = span.details?.item;
  if (item === undefined) return;
  const before = usedFor.get(id);
  if (before === undefined) usedFor.set(id, item);
  else if (before !== item) {
    const evidence = { receipt_id: id, item, used_for: before };
    addBreak(tally, placeOf(span), 'the receipt has carried the claim of another item', evidence);
  }
};

const namedIds = ({ type, details }: Span): readonly string[] => {
  if (type === 'terminal') return details?.receiptIds ?? [];
  return type === 'complete' && details?.receiptId !== undefined ? [details.receiptId] : [];
};

const isMaterial = (span: Span, run: RunSoFar): boolean =>
  span.type === 'receipt' ||
  namedIds(span).length > 0 ||
  (span.type === 'terminal' && span.reason !== 'done' && isRequired(run));

const shareOf = ({ minted, foreign, tally }: Uses): Shared | undefined => {
  // A run that is found broken by itself is told once.
  const asked = tally.first === undefined ? [...foreign].filter(([id]) => !minted.has(id)) : [];
  return minted.size + asked.length === 0 ? undefined : { minted, foreign: new Map(asked) };
};

const judgeForeign = (foreign: ReadonlyMap<string, Place>, elsewhere: ReadonlySet<string>): Outcome => {
  const reused = [...foreign].filter(([id]) => elsewhere.has(id));
  const [first] = reused;
  if (first === undefined) return unverifiable('a claim names a receipt that no run of the trace minted');
  const [id, at] = first;
  const evidence = { receipt_id: id, count: reused.length };
  return { kind: 'broken', at, message: 'the claim stands on a receipt that another run minted', evidence };
};

// `share` alone fills a run's part under this id.
const partOf = (run: JudgedRun): Shared | undefined => run.shared.get(ID) as Shared | undefined;

const judgeAcross = (runs: ReadonlyMap<string, JudgedRun>): ReadonlyMap<string, Outcome> => {
  const parts = [...runs.values()].flatMap((run) => {
    const part = partOf(run);
    return part === undefined ? [] : [{ runId: run.runId, ...part }];
  });
  const asking = parts.filter(({ foreign }) => foreign.size > 0);
  const elsewhere = new Set<string>();
  const asked = new Set<string>();
  for (const { foreign } of asking) for (const id of foreign.keys()) asked.add(id);
  // A run's own ids are not among those that it asks for, so that a hit is another run's.
  if (asked.size > 0) for (const { minted } of parts) for (const id of minted) if (asked.has(id)) elsewhere.add(id);
  return new Map(asking.map(({ runId, foreign }) => [runId, judgeForeign(foreign, elsewhere)]));
};

export const receiptReuse = defineRule<Uses, typeof ID>({
  id: ID,
  family: 'receipts',
  severity: WARNING,
  passing: 'Each receipt is minted once, carries the claim of one item, and only in the run that minted it.',
  why: 'A receipt that works twice proves the second time what was seen the first.',
  evidence:
    'receipt_id of receipts and of complete, receipt_ids of a terminal whose reason is done, and the receipts of every ' +
    'other run in the trace',
  unjudged: 'A claim names a receipt that no run of the trace minted.',
  needs: 'receipt span',
  action: 'mint a receipt of its own for each claim',
  source: 'loop-contract',
  options: [],
  example: {
    breaks: [start(), tool(1, 'a'), verify('v1'), receipt('r1', ['v1']), verify('v2'), receipt('r1', ['v2']), stop(1)],
    keeps: [start(), tool(1, 'a'), verify('v1'), receipt('r1', ['v1']), verify('v2'), receipt('r2', ['v2']), stop(1)],
  },
  sees: ['receipt', 'complete', 'terminal'],
  step(state, span, run) {
    if (state === undefined && !isMaterial(span, run)) return undefined;
    const uses = state ?? newUses();
    if (span.type === 'receipt') mint(uses, span);
    else if (isClaim(span, run)) for (const id of namedIds(span)) use(uses, span, id);
    return uses;
  },
  end: (state) => spoken(state?.tally),
  share: (state) => (state === undefined ? undefined : shareOf(state)),
  across: judgeAcross,
});
