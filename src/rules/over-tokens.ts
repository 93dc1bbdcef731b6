import { type Place, placeOf, type Spent } from '../run.js';
import { model, start, stop, tool } from './example.js';
import { defineRule, unverifiable, WARNING } from './rule.js';
import { countedTokens, spendsPastRail } from './token-rail.js';

interface Overspending {
  readonly at: Place;
  readonly halt: Spent;
}
/** Of a run whose terminal came before any tokens; what comes after it does not count. */
const BLANK = Symbol('no tokens');
type Spending = Overspending | typeof BLANK;

export const overTokens = defineRule<Spending, 'over-tokens'>({
  id: 'over-tokens',
  family: 'rails',
  severity: WARNING,
  passing: 'Once max_tokens are used up, no span spends more; the one that used them up is lawful.',
  why: 'What a model round costs is known when it ends, so one round may pass the rail; a second one ignores it.',
  evidence:
    'tokens_in, tokens_cached, tokens_out and tokens_aux of every span up to the terminal, that one too, of the kinds in ' +
    'token_kinds: whether cache reads count decides whether the rail is ever reached. At exactly max_tokens they are ' +
    'used up: the span that gets there is lawful, the next one that carries tokens is not; calls that carry none are no ' +
    'matter of this rule',
  unjudged: 'max_tokens is set, and no span up to the terminal carries tokens of the kinds that count.',
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
    if (maxTokens === undefined || state !== undefined || run.terminals > 0) return state;
    if (spendsPastRail(span, run)) return { at: placeOf(span), halt: run.spent() };
    if (span.type !== 'terminal') return undefined;
    return countedTokens(run, run.contract) + countedTokens(span, run.contract) === 0 ? BLANK : undefined;
  },
  end(state, run) {
    const { maxTokens, tokenKinds } = run.contract;
    if (maxTokens === undefined) return undefined;
    const tokens = countedTokens(run, run.contract);
    if (tokens === 0 || state === BLANK)
      return unverifiable(`no span carries tokens of the kinds ${tokenKinds.join(', ')}`);
    if (state === undefined) return undefined;
    return {
      kind: 'broken',
      at: state.at,
      message: `tokens are spent after max_tokens of ${maxTokens} were used up, ${tokens} in all`,
      evidence: { max_tokens: maxTokens, tokens, token_kinds: tokenKinds.join(',') },
      halt: state.halt,
    };
  },
});
