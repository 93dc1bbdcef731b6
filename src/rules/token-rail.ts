import type { Contract } from '../contract.js';
import type { RunSoFar } from '../run.js';
import type { Span } from '../span.js';

type Counts = Pick<Span, 'tokensIn' | 'tokensCached' | 'tokensOut' | 'tokensAux'>;

const COUNTS = { in: 'tokensIn', cached: 'tokensCached', out: 'tokensOut', aux: 'tokensAux' } as const;

/** The tokens of a span or of a run so far, of the kinds that the contract adds up. */
export const countedTokens = (counts: Counts, { tokenKinds }: Contract): number => {
  let sum = 0;
  for (const kind of tokenKinds) sum += counts[COUNTS[kind]];
  return sum;
};

// A sum at the end of the trace says what was spent, not when.
const SUMS: readonly string[] = ['terminal', 'trace_end'];
export const isSum = ({ type }: Span): boolean => SUMS.includes(type);

/** Whether a span spends tokens although max_tokens had been used up before it. */
export const spendsPastRail = (span: Span, run: RunSoFar): boolean =>
  countedTokens(run, run.contract) >= (run.contract.maxTokens ?? Number.POSITIVE_INFINITY) &&
  !isSum(span) &&
  countedTokens(span, run.contract) > 0;
