import { digest, start, stop, tool } from './example.js';
import { type Breaks, defineRule, oneMore, WARNING } from './rule.js';

const LEAST_LENGTH = 16;
const ALGORITHM = /^[A-Za-z0-9_-]+:/;

const isShort = (hash: string | undefined): boolean =>
  hash !== undefined && hash !== '' && lengthOf(hash) < LEAST_LENGTH;
// Asked of every digest, and hardly any names its algorithm.
const lengthOf = (hash: string): number =>
  hash.includes(':') ? hash.length - (ALGORITHM.exec(hash)?.[0].length ?? 0) : hash.length;

export const shortDigest = defineRule<Breaks, 'short-digest'>({
  id: 'short-digest',
  family: 'order',
  severity: WARNING,
  passing: `Every digest has ${LEAST_LENGTH} characters or more, whatever its alphabet.`,
  why: 'Short digests collide: two different calls look the same, or drift hides behind one digest.',
  evidence:
    'args_hash and result_hash, the name of an algorithm before a colon aside; an empty digest is a missing one',
  action: `write ${LEAST_LENGTH} characters or more`,
  source: 'terminal-span contract',
  options: [],
  example: {
    breaks: [start(), tool(1, 'a', { args_hash: digest('a').slice(0, 8) }), stop(1)],
    keeps: [start(), tool(1, 'a'), stop(1)],
  },
  sees: 'every',
  step(state, span) {
    if (!isShort(span.argsHash) && !isShort(span.resultHash)) return state;
    return oneMore(state, span);
  },
  end(state) {
    if (state === undefined) return undefined;
    return {
      kind: 'broken',
      at: state.at,
      message: `${state.count} ${state.count === 1 ? 'span carries' : 'spans carry'} a digest of fewer than ${LEAST_LENGTH} characters`,
      evidence: { count: state.count },
    };
  },
});
