import type { RunSoFar } from '../run.js';
import type { Span } from '../span.js';
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
  type Item,
  openBook,
  opensBook,
  shorten,
  spoken,
} from './receipt-book.js';
import { defineRule, WARNING } from './rule.js';

// Stands for the whole verification where the contract declares no components; a component's name is never empty.
const WHOLE = '';

/** What the verifications of one receipt cover, or of several. */
interface Coverage {
  readonly full: ReadonlySet<string>;
  /** Components of verifications that do not say their scope. */
  readonly unsaid: ReadonlySet<string>;
  /** Whether the run carries every verification that is named. */
  readonly isKnown: boolean;
}
const NOTHING: Coverage = { full: new Set(), unsaid: new Set(), isKnown: true };

/** Where a coverage falls short of what is wanted: the first component that is missing, or that has no scope. */
type Gap =
  | { readonly kind: 'missing'; readonly component: string }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'unsaid' }
  | undefined;
type Covered = Coverage & { readonly gap: Gap };

interface Partials {
  readonly verifies: Map<string, { readonly component: Item; readonly scope: string | undefined }>;
  readonly book: Book<Covered>;
}

const wanted = ({ contract }: RunSoFar): readonly string[] =>
  contract.components.length > 0 ? contract.components : [WHOLE];

const gapOf = (components: readonly string[], own: Coverage, whole: Coverage): Gap => {
  let gap: Gap;
  for (const component of components) {
    if (own.full.has(component)) continue;
    if (own.unsaid.has(component) || whole.unsaid.has(component)) gap = { kind: 'unsaid' };
    else return own.isKnown && whole.isKnown ? { kind: 'missing', component } : { kind: 'unknown' };
  }
  return gap;
};

const coverageOf = ({ verifies }: Partials, { details }: Span, run: RunSoFar): Covered => {
  const full = new Set<string>();
  const unsaid = new Set<string>();
  const ids = details?.verifyIds ?? [];
  for (const id of ids) {
    const verified = verifies.get(id);
    const covered = run.contract.components.length > 0 ? verified?.component : WHOLE;
    if (verified === undefined || covered === undefined || verified.scope === 'targeted') continue;
    if (verified.scope === 'full') full.add(covered);
    else unsaid.add(covered);
  }
  const coverage = { full, unsaid, isKnown: ids.length > 0 && ids.every((id) => verifies.has(id)) };
  return { ...coverage, gap: gapOf(wanted(run), coverage, NOTHING) };
};

const merge = (coverages: readonly Coverage[]): Coverage => ({
  full: new Set(coverages.flatMap(({ full }) => [...full])),
  unsaid: new Set(coverages.flatMap(({ unsaid }) => [...unsaid])),
  isKnown: coverages.every(({ isKnown }) => isKnown),
});

/** The gap of each claimed item. Where one receipt is all that it stands on, the gap was measured when that was minted. */
const gapsOf = ({ byItem, forAll }: Claim<Covered>, run: RunSoFar): readonly (readonly [Item, Gap])[] => {
  const whole = merge(forAll.map(({ kept }) => kept));
  const rest = wanted(run).filter((component) => !whole.full.has(component));
  return [...byItem]
    .filter(([, receipts]) => receipts.length + forAll.length > 0)
    .map(([item, receipts]) => {
      const [only, ...others] = receipts;
      if (only !== undefined && others.length + forAll.length === 0) return [item, only.kept.gap];
      return [item, gapOf(rest, merge(receipts.map(({ kept }) => kept)), whole)];
    });
};

const DOUBTS = {
  unknown: 'a receipt names no verify span that the run carries',
  unsaid: 'a verify span carries no scope',
} as const;

const judge = ({ book: { tally } }: Partials, claim: Claim<Covered>, run: RunSoFar): void => {
  doubtBare(tally, claim);
  for (const [item, gap] of gapsOf(claim, run)) {
    if (gap === undefined) continue;
    if (gap.kind !== 'missing') {
      addDoubt(tally, DOUBTS[gap.kind]);
      continue;
    }
    const { component } = gap;
    const what = component === WHOLE ? '' : ` of component ${shorten(component)}`;
    addBreak(tally, claim.at, `${called(item)} is claimed without a full verification${what}`, {
      item: item ?? null,
      component: component === WHOLE ? null : component,
    });
  }
};

export const partialVerify = defineRule<Partials, 'partial-verify'>({
  id: 'partial-verify',
  family: 'receipts',
  severity: WARNING,
  passing: 'The receipts of a claim stand on verifications of full scope, of every declared component.',
  why: 'One green part says nothing of the others: a targeted test that passes is the easiest false proof.',
  evidence:
    'component and scope of the verify spans that the receipts of a claim name; without declared components, one of ' +
    "scope full is enough. Whether it passed is failed-verify's and forged-receipt's matter",
  unjudged:
    'A claim has no receipt that the run minted; or a receipt names no verification, or one that the run does not carry; ' +
    'or a verify span carries no scope.',
  needs: 'receipt span',
  action: 'run the whole verification before the receipt is minted',
  source: 'loop-contract',
  options: ['components'],
  example: {
    breaks: [start(), tool(1, 'a'), verify('v1', { scope: 'targeted' }), receipt('r1', ['v1']), stop(1)],
    keeps: [start(), tool(1, 'a'), verify('v1'), receipt('r1', ['v1']), stop(1)],
  },
  sees: ['verify', 'receipt', 'complete', 'terminal'],
  step(state, span, run) {
    if (state === undefined && !opensBook(span, run)) return undefined;
    const partials: Partials = state ?? { verifies: new Map(), book: openBook(run) };
    const { verifies, book } = partials;
    const { verifyId, component, scope } = span.details ?? {};
    if (span.type === 'verify' && verifyId !== undefined) verifies.set(verifyId, { component, scope });
    enter(book, span, run, () => coverageOf(partials, span, run));
    const claim = claimOf(book, span, run);
    if (claim !== undefined) judge(partials, claim, run);
    return partials;
  },
  end: (state) => spoken(state?.book.tally),
});
