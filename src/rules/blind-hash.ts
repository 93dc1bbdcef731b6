import type { Contract } from '../contract.js';
import type { Span } from '../span.js';
import { type Drift, newDrift, stepDrift } from './drift.js';
import { digest, start, stop, tool } from './example.js';
import { ADVISORY, defineRule, type ExampleSpan } from './rule.js';

const LEAST_WINDOW = 3;
const windowOf = ({ repeat }: Contract): number => Math.max(LEAST_WINDOW, repeat.halt);

/** The digest of a result that has one; a normaliser that is named has taken the noise out of it. */
const onlyDigest = ({ resultHash, details }: Span): string | undefined => {
  if (details === undefined) return resultHash;
  if (details.normaliser !== undefined) return undefined;
  if (resultHash !== undefined && details.resultHashRaw !== undefined) return undefined;
  return resultHash ?? details.resultHashRaw;
};

const polls = (results: readonly string[]): readonly ExampleSpan[] =>
  results.map((word, index) => tool(index + 1, 'a', { result_hash: digest(word) }));

export const blindHash = defineRule<Drift, 'blind-hash'>({
  id: 'blind-hash',
  family: 'guardrails',
  severity: ADVISORY,
  passing:
    'Where one same call is made as often as would halt a run, some result comes twice, or both digests are there.',
  why: 'With one digest that always differs, nobody can tell a counter in the result from progress, and no guard can fire.',
  evidence:
    'name, args_hash, result_hash, result_hash_raw and normaliser of tool spans, by round, else by iter; ' +
    'declared waits are no steps',
  action: 'write result_hash after normalising, and result_hash_raw and normaliser beside it',
  source: 'Hermes tool-loop guardrails',
  options: ['repeat'],
  example: {
    breaks: [start(), ...polls(['v', 'w', 'x', 'y', 'z']), tool(6, 'b'), stop(6)],
    keeps: [start(), ...polls(['v', 'w', 'x', 'y', 'w']), tool(6, 'b'), stop(6)],
  },
  sees: ['tool', 'wait_start', 'wait_end'],
  step(state, span, run) {
    const hash = onlyDigest(span);
    if (state === undefined && span.type !== 'wait_start' && hash === undefined) return undefined;
    const drift = state ?? newDrift();
    stepDrift(drift, span, hash, undefined, windowOf(run.contract));
    return drift;
  },
  end(state) {
    if (state?.found === undefined) return undefined;
    const { at, name, argsHash, steps } = state.found;
    return {
      kind: 'broken',
      at,
      message: `${steps} steps make one same call${name === undefined ? '' : ` of ${name}`} with one digest each, all different: noise or progress, nobody can tell`,
      evidence: { name: name ?? null, args_hash: argsHash ?? null, steps },
    };
  },
});
