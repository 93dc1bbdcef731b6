import type { Contract } from '../contract.js';
import type { RunSoFar } from '../run.js';
import type { Span } from '../span.js';
import { isWork } from './activity.js';

type Counts = Pick<Span, 'tokensIn' | 'tokensCached' | 'tokensOut' | 'tokensAux'>;

const COUNTS = { in: 'tokensIn', cached: 'tokensCached', out: 'tokensOut', aux: 'tokensAux' } as const;

/** The tokens of a span or of a run so far, of the kinds that the contract adds up. */
export const countedTokens = (counts: Counts, { tokenKinds }: Contract): number => {
  let sum = 0;
  for (const kind of tokenKinds) sum += counts[COUNTS[kind]];
  return sum;
};

/** Whether a span spends tokens although max_tokens had been used up before it. */
export const spendsPastRail = (span: Span, run: RunSoFar): boolean =>
  countedTokens(run, run.contract) >= (run.contract.maxTokens ?? Number.POSITIVE_INFINITY) &&
  countedTokens(span, run.contract) > 0;

/** What came after the tokens were passed: more than max_tokens had been spent. */
export interface TokenRail {
  /** The rail was used up and more was spent, or passed and worked on in a later iteration. */
  isIgnored: boolean;
  /** The iteration that passed it. */
  passedIn: number | undefined;
  /** Work after it was passed that carries no iteration. */
  hasUnplacedWork: boolean;
}

export const newTokenRail = (): TokenRail => ({ isIgnored: false, passedIn: undefined, hasUnplacedWork: false });

/** Takes one span of a run, its terminal too. */
export const stepTokens = (rail: TokenRail, span: Span, run: RunSoFar): void => {
  const { contract } = run;
  const limit = contract.maxTokens ?? Number.POSITIVE_INFINITY;
  const before = countedTokens(run, contract);
  if (spendsPastRail(span, run)) rail.isIgnored = true;
  if (before <= limit) {
    if (before + countedTokens(span, contract) > limit) rail.passedIn = span.iter ?? run.lastIter;
  } else if (isWork(span)) {
    if (span.iter === undefined || rail.passedIn === undefined) rail.hasUnplacedWork = true;
    else if (span.iter > rail.passedIn) rail.isIgnored = true;
  }
};
