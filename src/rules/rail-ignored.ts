import type { Contract } from '../contract.js';
import { type Place, placeOf, type RunSoFar } from '../run.js';
import type { Span } from '../span.js';
import { start, stop, tool } from './example.js';
import { type Goal, isClaim, stateOfGoal, takeGoal } from './goal.js';
import { defineRule, WARNING } from './rule.js';
import { clocksOf, newTimeRail, stepTime, type TimeRail } from './time-rail.js';
import { countedTokens, spendsPastRail } from './token-rail.js';
import { closeIteration, newWorktreeRail, stepWorktree, type WorktreeRail } from './worktree-rail.js';

interface Rails {
  readonly time: TimeRail | undefined;
  readonly worktree: WorktreeRail | undefined;
  hasOverspent: boolean;
  goal: Goal | undefined;
  hasReceipt: boolean;
  claim: { readonly at: Place; readonly ignored: readonly string[]; readonly unknown: readonly string[] } | undefined;
}

/** How a run stands to one rail: `passed` within what is lawful, `ignored` by going on. */
type Standing = 'kept' | 'passed' | 'ignored' | 'unknown';

const timeStanding = ({ time }: Rails, { contract }: RunSoFar): Standing => {
  const clocks = clocksOf(time);
  if (clocks === undefined) return 'unknown';
  if (clocks.past !== undefined) return 'ignored';
  if (clocks.elapsed > (contract.maxMs ?? 0)) return 'passed';
  return clocks.mayBeReached ? 'unknown' : 'kept';
};

const tokenStanding = ({ hasOverspent }: Rails, { contract }: RunSoFar, tokens: number): Standing => {
  if (tokens === 0) return 'unknown';
  if (hasOverspent) return 'ignored';
  return tokens > (contract.maxTokens ?? 0) ? 'passed' : 'kept';
};

const worktreeStanding = ({ worktree }: Rails, run: RunSoFar): Standing => {
  const rail = { ...(worktree ?? newWorktreeRail()) };
  closeIteration(rail, run);
  if (rail.rowWorktree === undefined) return 'unknown';
  if (rail.reached === undefined) return 'kept';
  return rail.isPast ? 'ignored' : 'passed';
};

const isOverBudget = (span: Span, run: RunSoFar): boolean =>
  Math.max(run.greatestIter, span.iter ?? 0) > run.contract.budget;

/** Every rail by its wire name: whether somebody declared it, and how the run stands to it at its terminal. */
const RAILS: readonly {
  readonly name: string;
  isDeclared(contract: Contract): boolean;
  standing(rails: Rails, span: Span, run: RunSoFar): Standing;
}[] = [
  {
    name: 'budget',
    isDeclared: ({ sources }) => sources.budget !== 'default',
    standing: (_rails, span, run) => (isOverBudget(span, run) ? 'ignored' : 'kept'),
  },
  {
    name: 'max_ms',
    isDeclared: ({ maxMs }) => maxMs !== undefined,
    standing: (rails, _span, run) => timeStanding(rails, run),
  },
  {
    name: 'max_tokens',
    isDeclared: ({ maxTokens }) => maxTokens !== undefined,
    standing: (rails, span, run) =>
      tokenStanding(rails, run, countedTokens(run, run.contract) + countedTokens(span, run.contract)),
  },
  {
    name: 'unchanged_worktrees',
    isDeclared: ({ unchangedWorktrees }) => unchangedWorktrees !== undefined,
    standing: (rails, _span, run) => worktreeStanding(rails, run),
  },
];

const isProven = ({ goal, hasReceipt }: Rails): boolean =>
  hasReceipt || (goal !== undefined && stateOfGoal(goal).startsWith('satisfied'));

const takeClaim = (rails: Rails, span: Span, run: RunSoFar): void => {
  const all = RAILS.filter(({ isDeclared }) => isDeclared(run.contract)).map(({ name, standing }) => ({
    name,
    standing: standing(rails, span, run),
  }));
  const named = (...wanted: readonly Standing[]): readonly string[] =>
    all.filter(({ standing }) => wanted.includes(standing)).map(({ name }) => name);
  const ignored = isProven(rails) ? named('ignored') : named('ignored', 'passed');
  rails.claim = { at: placeOf(span), ignored, unknown: named('unknown') };
};

const newRails = ({ maxMs, unchangedWorktrees }: Contract): Rails => ({
  time: maxMs === undefined ? undefined : newTimeRail(),
  worktree: unchangedWorktrees === undefined ? undefined : newWorktreeRail(),
  hasOverspent: false,
  goal: undefined,
  hasReceipt: false,
  claim: undefined,
});

const takeSpan = (rails: Rails, span: Span, run: RunSoFar): void => {
  if (rails.time !== undefined) stepTime(rails.time, span, run);
  if (rails.worktree !== undefined) stepWorktree(rails.worktree, span, run);
  rails.hasOverspent ||= spendsPastRail(span, run);
  if (span.type === 'goal_check' || span.type === 'loop_start') rails.goal = takeGoal(rails.goal, span);
  rails.hasReceipt ||= span.type === 'receipt' && !isClaim(span);
  if (span.type === 'terminal' && span.reason === 'done') takeClaim(rails, span, run);
};

/** Whether a rail other than the budget, which is known without a state, has to be watched. */
const isWatched = ({ maxMs, maxTokens, unchangedWorktrees }: Contract): boolean =>
  maxMs !== undefined || maxTokens !== undefined || unchangedWorktrees !== undefined;

export const railIgnored = defineRule<Rails, 'rail-ignored'>({
  id: 'rail-ignored',
  family: 'rails',
  severity: WARNING,
  passing:
    'A run that has passed a declared rail does not claim done, unless a check outside of the model bears it out.',
  why: 'A rail binds whatever the model reports: done by its own word, past the rail, is how a run talks itself free.',
  evidence:
    'reason of the terminal against budget, max_ms, max_tokens and unchanged_worktrees, where somebody declared them; ' +
    'a satisfied goal_check or a receipt that the agent did not make bears out done in the iteration that passed the rail, ' +
    'never after work in a later one',
  action: 'give reason budget where a rail was passed',
  source: 'loop-contract',
  options: ['budget', 'maxMs', 'maxTokens', 'tokenKinds', 'unchangedWorktrees', 'idempotent', 'pollers'],
  example: {
    breaks: [start({ contract: { max_tokens: 1000 } }), tool(1, 'a', { tokens_in: 1001 }), stop(1)],
    keeps: [start({ contract: { max_tokens: 1000 } }), tool(1, 'a', { tokens_in: 1000 }), stop(1)],
  },
  sees: 'every',
  step(state, span, run) {
    if (run.terminals > 0) return state;
    if (!isWatched(run.contract) && (span.type !== 'terminal' || !isOverBudget(span, run))) return state;
    const rails = state ?? newRails(run.contract);
    takeSpan(rails, span, run);
    return rails;
  },
  end(state) {
    const claim = state?.claim;
    if (claim === undefined) return undefined;
    const names = (rails: readonly string[]): string => rails.join(', ');
    if (claim.ignored.length > 0) {
      return {
        kind: 'broken',
        at: claim.at,
        message: `the run claims done after it passed ${names(claim.ignored)}`,
        evidence: { rails: claim.ignored.join(',') },
      };
    }
    if (claim.unknown.length === 0) return undefined;
    return { kind: 'unverifiable', because: `the trace does not record what ${names(claim.unknown)} caps` };
  },
});
