import { type Place, placeOf, type RunSoFar } from '../run.js';
import type { Span } from '../span.js';
import { receipt, start, stop, tool, verify } from './example.js';
import {
  addBreak,
  addDoubt,
  bareDone,
  called,
  claimedItems,
  type Item,
  isClaim,
  newTally,
  opensBook,
  spoken,
  type Tally,
} from './receipt-book.js';
import { defineRule, WARNING } from './rule.js';

/** A verification that none that passed has followed. */
interface Open {
  readonly at: Place;
  readonly exitCode: number | undefined;
  readonly isFull: boolean;
}
type ByComponent = Map<Item, Open>;
/** What is open of one item: what failed, and what does not say how it ended. */
interface Standing {
  readonly failed: ByComponent;
  readonly unsaid: ByComponent;
}
interface Verified {
  readonly byItem: Map<Item, Standing>;
  readonly tally: Tally;
}

const pass = (open: ByComponent, { details }: Span, { contract }: RunSoFar): void => {
  const isFull = details?.scope === 'full';
  // Without declared components, a full verification that names none is the whole.
  if (isFull && details?.component === undefined && contract.components.length === 0) open.clear();
  // Part of what failed proves nothing about the rest.
  else if (isFull || open.get(details?.component)?.isFull === false) open.delete(details?.component);
};

const addVerify = ({ byItem }: Verified, span: Span, run: RunSoFar): void => {
  const { item, component, scope } = span.details ?? {};
  const standing: Standing = byItem.get(item) ?? { failed: new Map(), unsaid: new Map() };
  byItem.set(item, standing);
  if (span.exitCode === 0) {
    pass(standing.failed, span, run);
    pass(standing.unsaid, span, run);
    return;
  }
  const open = span.exitCode === undefined ? standing.unsaid : standing.failed;
  const isFull = scope === 'full' || open.get(component)?.isFull === true;
  open.set(component, { at: placeOf(span), exitCode: span.exitCode, isFull });
};

const firstOf = (one: ByComponent | undefined, other: ByComponent | undefined): Open | undefined =>
  one?.values().next().value ?? other?.values().next().value;

const judgeItem = ({ byItem, tally }: Verified, item: Item, at: Place): void => {
  const own = byItem.get(item);
  const whole = byItem.get(undefined);
  if (own === undefined && whole === undefined) addDoubt(tally, UNVERIFIED);
  const failed = firstOf(own?.failed, whole?.failed);
  if (failed !== undefined) {
    addBreak(tally, at, `${called(item)} is claimed, but its last verification failed`, {
      item: item ?? null,
      exit_code: failed.exitCode ?? null,
      verify_line: failed.at.line,
      verify_seq: failed.at.seq ?? null,
    });
  } else if (firstOf(own?.unsaid, whole?.unsaid) !== undefined) {
    addDoubt(tally, 'a verify span carries no exit_code');
  }
};

const judge = (verified: Verified, span: Span): void => {
  const items = claimedItems(span) ?? [...verified.byItem.keys()];
  for (const item of items.length > 0 ? items : [undefined]) judgeItem(verified, item, placeOf(span));
};

const UNVERIFIED = 'a claim stands on no verify span of the run';

const open = (run: RunSoFar): Verified => {
  const verified: Verified = { byItem: new Map(), tally: newTally() };
  if (bareDone(run) !== undefined) addDoubt(verified.tally, UNVERIFIED);
  return verified;
};

export const failedVerify = defineRule<Verified, 'failed-verify'>({
  id: 'failed-verify',
  family: 'receipts',
  severity: WARNING,
  passing: 'The last verification of each component of what is claimed passed.',
  why: 'A claim over a verification that failed is the one that the verification was there to stop.',
  evidence:
    'item, component, scope and exit_code of verify spans before a complete, or before a terminal whose reason is done; ' +
    'a targeted verification that passes does not mend a full one that failed',
  unjudged: 'No verify span of the item stands before the claim, or its last one carries no exit_code.',
  needs: 'verify span',
  action: 'mend what failed and verify again before the claim',
  source: 'loop-contract',
  options: ['components'],
  example: {
    breaks: [start(), tool(1, 'a'), verify('v1'), receipt('r1', ['v1']), verify('v2', { exit_code: 1 }), stop(1)],
    keeps: [start(), tool(1, 'a'), verify('v1', { exit_code: 1 }), verify('v2'), receipt('r1', ['v2']), stop(1)],
  },
  sees: ['verify', 'receipt', 'complete', 'terminal'],
  step(state, span, run) {
    if (state === undefined && !opensBook(span, run)) return undefined;
    const verified = state ?? open(run);
    if (span.type === 'verify') addVerify(verified, span, run);
    else if (isClaim(span, run)) judge(verified, span);
    return verified;
  },
  end: (state) => spoken(state?.tally),
});
