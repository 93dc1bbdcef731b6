import type { RunSoFar } from '../run.js';
import type { Span } from '../span.js';
import { start, stop, tool } from './example.js';
import { defineRule, unverifiable, WARNING } from './rule.js';
import { clocksOf, newTimeRail, stepTime, type TimeRail } from './time-rail.js';
import { countedTokens } from './token-rail.js';
import { closeIteration, newWorktreeRail, stepWorktree, type WorktreeRail } from './worktree-rail.js';

/** The rails that have to be followed span by span, as the rules about them do. */
interface Rails {
  readonly time: TimeRail | undefined;
  readonly worktree: WorktreeRail | undefined;
}

/** A cap that someone declared: what it allows, what the run used of it, and whether it got there (undefined: not recorded). */
interface Cap {
  readonly name: string;
  readonly allowed: number;
  readonly used: number;
  readonly isReached: boolean | undefined;
}

const newRails = ({ contract }: RunSoFar): Rails => ({
  time: contract.maxMs === undefined ? undefined : newTimeRail(),
  worktree: contract.unchangedWorktrees === undefined ? undefined : newWorktreeRail(),
});

const stepRails = (rails: Rails, span: Span, run: RunSoFar): void => {
  if (rails.time !== undefined) stepTime(rails.time, span, run);
  if (rails.worktree !== undefined) stepWorktree(rails.worktree, span, run);
};

const timeCap = (rail: TimeRail | undefined, allowed: number): Cap => {
  const clocks = clocksOf(rail);
  const isUnknown = clocks === undefined || (clocks.reached === undefined && clocks.mayBeReached);
  const isReached = isUnknown ? undefined : clocks.reached !== undefined;
  return { name: 'max_ms', allowed, used: Math.round(clocks?.elapsed ?? 0), isReached };
};

const worktreeCap = (rail: WorktreeRail | undefined, allowed: number, run: RunSoFar): Cap => {
  const closed = { ...(rail ?? newWorktreeRail()) };
  closeIteration(closed, run);
  const isReached = closed.rowWorktree === undefined ? undefined : closed.reached !== undefined;
  return { name: 'unchanged_worktrees', allowed, used: closed.row, isReached };
};

const counted = (name: string, allowed: number, used: number, isRecorded: boolean): Cap => ({
  name,
  allowed,
  used,
  isReached: isRecorded ? used >= allowed : undefined,
});

const declaredCaps = (rails: Rails | undefined, run: RunSoFar): readonly Cap[] => {
  const { sources, budget, maxMs, maxTokens, unchangedWorktrees } = run.contract;
  const tokens = countedTokens(run, run.contract);
  const caps: Cap[] = [];
  if (sources.budget !== 'default') caps.push(counted('budget', budget, run.greatestIter, run.firstIter !== undefined));
  if (maxMs !== undefined) caps.push(timeCap(rails?.time, maxMs));
  if (maxTokens !== undefined) caps.push(counted('max_tokens', maxTokens, tokens, tokens > 0));
  if (unchangedWorktrees !== undefined) caps.push(worktreeCap(rails?.worktree, unchangedWorktrees, run));
  return caps;
};

export const falseBudget = defineRule<Rails, 'false-budget'>({
  id: 'false-budget',
  family: 'termination',
  severity: WARNING,
  passing: 'A run that stops for its budget has reached a cap that someone declared.',
  why: 'Budget is the excuse that asks for no explanation: a run that gives it early hides why it stopped.',
  evidence:
    'reason of the terminal against iterations, tokens, time as over-time counts it, and iterations as unchanged-worktree ' +
    'counts them; a cap that is used up exactly was reached. With default numbers alone, a default budget that was ' +
    'reached bears the claim out',
  unjudged:
    'Nobody declared a cap, and the default budget was not reached; or no declared cap is seen to be reached, and the ' +
    'trace does not show how far one of them was used up.',
  action: 'give the reason that holds, or declare the cap that was reached',
  source: 'terminal-span contract',
  options: ['budget', 'maxMs', 'maxTokens', 'tokenKinds', 'unchangedWorktrees', 'idempotent', 'pollers'],
  example: {
    breaks: [start({ contract: { budget: 8 } }), tool(1, 'a'), stop(1, 'budget')],
    keeps: [start({ contract: { budget: 2 } }), tool(1, 'a'), tool(2, 'b'), stop(2, 'budget')],
  },
  sees: 'every',
  step(state, span, run) {
    const { maxMs, unchangedWorktrees } = run.contract;
    if ((maxMs === undefined && unchangedWorktrees === undefined) || run.terminals > 0) return state;
    const rails = state ?? newRails(run);
    stepRails(rails, span, run);
    return rails;
  },
  end(state, run) {
    if (run.terminal?.reason !== 'budget') return undefined;
    const caps = declaredCaps(state, run);
    if (caps.some(({ isReached }) => isReached === true)) return undefined;
    if (caps.length === 0) {
      const isDefaultReached = run.greatestIter >= run.contract.budget;
      return isDefaultReached ? undefined : unverifiable('nobody declared a cap');
    }
    const unrecorded = caps.find(({ isReached }) => isReached === undefined);
    if (unrecorded !== undefined) {
      return unverifiable(`the trace does not record how far ${unrecorded.name} was used up`);
    }
    return {
      kind: 'broken',
      at: run.terminal.place,
      message: 'the run says that its budget ended, but no declared cap was reached',
      evidence: Object.fromEntries(
        caps.flatMap(({ name, allowed, used }) => [
          [name, allowed],
          [`${name}_used`, used],
        ]),
      ),
    };
  },
});
