import { type Place, placeOf, type Spent } from '../run.js';
import { model, start, stop, tool } from './example.js';
import { defineRule, WARNING } from './rule.js';
import { countedTokens, isSum, spendsPastRail } from './token-rail.js';

interface Overspending {
  readonly at: Place | undefined;
  readonly halt: Spent;
}

export const overTokens = defineRule<Overspending, 'over-tokens'>({
  id: 'over-tokens',
  family: 'rails',
  severity: WARNING,
  passing: 'Once max_tokens are used up, no span spends more; the one that used them up is lawful.',
  why: 'What a model round costs is known when it ends, so one round may pass the rail; a second one ignores it.',
  evidence:
    'tokens_in, tokens_cached, tokens_out and tokens_aux of every span, of the kinds in token_kinds: ' +
    'whether cache reads count decides whether the rail is ever reached',
  action: 'stop with reason budget after the model round that uses up max_tokens',
  source: 'loop-contract',
  options: ['maxTokens', 'tokenKinds'],
  example: {
    breaks: [
      start({ contract: { max_tokens: 1000 } }),
      model(1, { tokens_in: 1100 }),
      tool(1, 'a'),
      model(2, { tokens_in: 100 }),
      tool(2, 'b'),
      stop(2, 'budget'),
    ],
    keeps: [
      start({ contract: { max_tokens: 1000 } }),
      model(1, { tokens_in: 900 }),
      tool(1, 'a'),
      model(2, { tokens_in: 200 }),
      tool(2, 'b'),
      stop(2, 'budget'),
    ],
  },
  sees: 'every',
  step(state, span, run) {
    const { maxTokens } = run.contract;
    if (maxTokens === undefined || state?.at !== undefined || run.terminals > 0) return state;
    if (spendsPastRail(span, run)) return { at: placeOf(span), halt: run.spent() };
    const before = countedTokens(run, run.contract);
    const isSummed = isSum(span) && before < maxTokens && before + countedTokens(span, run.contract) > maxTokens;
    return isSummed ? { at: undefined, halt: run.spent() } : state;
  },
  end(state, run) {
    const { maxTokens, tokenKinds } = run.contract;
    if (maxTokens === undefined) return undefined;
    const tokens = countedTokens(run, run.contract);
    if (tokens === 0)
      return { kind: 'unverifiable', because: `no span carries tokens of the kinds ${tokenKinds.join(', ')}` };
    if (state === undefined) return undefined;
    if (state.at === undefined) {
      return {
        kind: 'unverifiable',
        because: 'the last tokens stand as a sum on the terminal, which does not say when they were spent',
      };
    }
    return {
      kind: 'broken',
      at: state.at,
      message: `tokens are spent after max_tokens of ${maxTokens} were used up, ${tokens} in all`,
      evidence: { max_tokens: maxTokens, tokens, token_kinds: tokenKinds.join(',') },
      halt: state.halt,
    };
  },
});
