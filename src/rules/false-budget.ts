import type { RunSoFar } from '../run.js';
import { start, stop, tool } from './example.js';
import { defineRule, WARNING } from './rule.js';
import { countedTokens } from './token-rail.js';

/** A cap that someone declared: what it allows, and what the run used of it (undefined: not recorded). */
interface Cap {
  readonly name: string;
  readonly allowed: number;
  readonly used: number | undefined;
}

const MS = 1000;

const tokensOf = (run: RunSoFar): number | undefined => countedTokens(run, run.contract) || undefined;

const declaredCaps = (run: RunSoFar): readonly Cap[] => {
  const { sources, budget, maxMs, maxTokens } = run.contract;
  const { seconds } = run.spent();
  const caps: Cap[] = [];
  if (sources.budget !== 'default') caps.push({ name: 'budget', allowed: budget, used: run.greatestIter });
  if (maxMs !== undefined) {
    caps.push({ name: 'max_ms', allowed: maxMs, used: seconds === undefined ? undefined : seconds * MS });
  }
  if (maxTokens !== undefined) caps.push({ name: 'max_tokens', allowed: maxTokens, used: tokensOf(run) });
  return caps;
};

export const falseBudget = defineRule<never, 'false-budget'>({
  id: 'false-budget',
  family: 'termination',
  severity: WARNING,
  passing: 'A run that stops for its budget has reached a cap that someone declared.',
  why: 'Budget is the excuse that asks for no explanation: a run that gives it early hides why it stopped.',
  evidence:
    'reason of the terminal against iterations, time and tokens; with default numbers alone it cannot be judged',
  action: 'give the reason that holds, or declare the cap that was reached',
  source: 'terminal-span contract',
  options: ['budget', 'maxMs', 'maxTokens', 'tokenKinds'],
  example: {
    breaks: [start({ contract: { budget: 8 } }), tool(1, 'a'), stop(1, 'budget')],
    keeps: [start({ contract: { budget: 2 } }), tool(1, 'a'), tool(2, 'b'), stop(2, 'budget')],
  },
  sees: 'nothing',
  end(_state, run) {
    if (run.terminal?.reason !== 'budget') return undefined;
    const caps = declaredCaps(run);
    if (caps.some((cap) => cap.used !== undefined && cap.used >= cap.allowed)) return undefined;
    if (caps.length === 0) {
      const isDefaultReached = run.greatestIter >= run.contract.budget;
      return isDefaultReached ? undefined : { kind: 'unverifiable', because: 'nobody declared a cap' };
    }
    const unrecorded = caps.find((cap) => cap.used === undefined);
    if (unrecorded !== undefined) {
      return { kind: 'unverifiable', because: `the trace does not record what ${unrecorded.name} caps` };
    }
    return {
      kind: 'broken',
      at: run.terminal.place,
      message: 'the run says that its budget ended, but no declared cap was reached',
      evidence: Object.fromEntries(
        caps.flatMap((cap) => [
          [cap.name, cap.allowed],
          [`${cap.name}_used`, cap.used ?? null],
        ]),
      ),
    };
  },
});
