import { type Drift, newDrift, stepDrift } from './drift.js';
import { digest, start, stop, tool } from './example.js';
import { defineRule, type ExampleSpan, WARNING } from './rule.js';

const WINDOW = 3;

const polls = (normalised: readonly string[]): readonly ExampleSpan[] =>
  normalised.map((word, index) =>
    tool(index + 1, 'a', { result_hash: digest(word), result_hash_raw: digest(`raw ${index}`) }),
  );
const patient = start({ contract: { repeat: { notice: 8, halt: 8 } } });

export const volatileResult = defineRule<Drift, 'volatile-result'>({
  id: 'volatile-result',
  family: 'guardrails',
  severity: WARNING,
  passing: `No ${WINDOW} steps in a row make one same call with raw results that all differ and one normalised result.`,
  why: 'A time or a counter in the result makes each one look new: a guard that compares raw results never fires.',
  evidence:
    'name, args_hash, result_hash and result_hash_raw of tool spans, by round, else by iter; declared waits are no steps',
  needs: 'tool span with result_hash and result_hash_raw',
  action: 'have the guard compare result_hash, not the raw result',
  source: 'Hermes tool-loop guardrails',
  options: [],
  example: {
    breaks: [patient, ...polls(['x', 'x', 'x']), tool(4, 'b'), stop(4)],
    keeps: [patient, ...polls(['x', 'x', 'y']), tool(4, 'b'), stop(4)],
  },
  sees: ['tool', 'wait_start', 'wait_end'],
  step(state, span) {
    const raw = span.details?.resultHashRaw;
    if (state === undefined && span.type !== 'wait_start' && (raw === undefined || span.resultHash === undefined)) {
      return undefined;
    }
    const drift = state ?? newDrift();
    stepDrift(drift, span, span.resultHash === undefined ? undefined : raw, span.resultHash, WINDOW);
    return drift;
  },
  end(state) {
    if (state?.found === undefined) return undefined;
    const { at, name, argsHash, steps } = state.found;
    return {
      kind: 'broken',
      at,
      message: `${steps} steps make one same call${name === undefined ? '' : ` of ${name}`}: their raw results all differ, normalised they are one`,
      evidence: { name: name ?? null, args_hash: argsHash ?? null, steps },
    };
  },
});
