import type { Contract } from '../contract.js';
import { type Place, placeOf, type RunSoFar } from '../run.js';
import type { Span } from '../span.js';
import { start, stop, tool } from './example.js';
import { type Goal, isClaim, stateOfGoal, takeGoal } from './goal.js';
import { defineRule, unverifiable, WARNING } from './rule.js';
import { clocksOf, newTimeRail, stepTime, type TimeRail } from './time-rail.js';
import { countedTokens, newTokenRail, stepTokens, type TokenRail } from './token-rail.js';
import { closeIteration, newWorktreeRail, stepWorktree, type WorktreeRail } from './worktree-rail.js';

interface Rails {
  readonly time: TimeRail | undefined;
  readonly worktree: WorktreeRail | undefined;
  readonly tokens: TokenRail;
  goal: Goal | undefined;
  hasReceipt: boolean;
  claim: { readonly at: Place; readonly ignored: readonly string[]; readonly unknown: readonly string[] } | undefined;
}

/**
 * How a run stands to one rail: `passed` within what is lawful, `ignored` by going on, `unplaced` where it was passed and
 * the work after it does not say its iteration.
 */
type Standing = 'kept' | 'passed' | 'unplaced' | 'ignored' | 'unknown';

const timeStanding = ({ time }: Rails, { contract }: RunSoFar): Standing => {
  const clocks = clocksOf(time);
  if (clocks === undefined) return 'unknown';
  if (clocks.past !== undefined) return 'ignored';
  if (clocks.elapsed > (contract.maxMs ?? 0)) return clocks.hasUnplacedWork ? 'unplaced' : 'passed';
  return clocks.mayBeReached ? 'unknown' : 'kept';
};

const tokenStanding = ({ tokens }: Rails, span: Span, run: RunSoFar): Standing => {
  const spent = countedTokens(run, run.contract) + countedTokens(span, run.contract);
  if (spent === 0) return 'unknown';
  if (tokens.isIgnored) return 'ignored';
  if (spent <= (run.contract.maxTokens ?? 0)) return 'kept';
  return tokens.hasUnplacedWork ? 'unplaced' : 'passed';
};

const worktreeStanding = ({ worktree }: Rails, run: RunSoFar): Standing => {
  const rail = { ...(worktree ?? newWorktreeRail()) };
  closeIteration(rail, run);
  if (rail.rowWorktree === undefined) return 'unknown';
  if (rail.reached === undefined) return 'kept';
  return rail.isPast ? 'ignored' : 'passed';
};

const budgetStanding = (span: Span, run: RunSoFar): Standing => {
  if (run.firstIter === undefined && span.iter === undefined) return 'unknown';
  return Math.max(run.greatestIter, span.iter ?? 0) > run.contract.budget ? 'ignored' : 'kept';
};

const isOffBudget = (span: Span, run: RunSoFar): boolean =>
  run.contract.sources.budget !== 'default' && budgetStanding(span, run) !== 'kept';

/** Every rail by its wire name: whether somebody declared it, and how the run stands to it at its terminal. */
const RAILS: readonly {
  readonly name: string;
  isDeclared(contract: Contract): boolean;
  standing(rails: Rails, span: Span, run: RunSoFar): Standing;
}[] = [
  {
    name: 'budget',
    isDeclared: ({ sources }) => sources.budget !== 'default',
    standing: (_rails, span, run) => budgetStanding(span, run),
  },
  {
    name: 'max_ms',
    isDeclared: ({ maxMs }) => maxMs !== undefined,
    standing: (rails, _span, run) => timeStanding(rails, run),
  },
  {
    name: 'max_tokens',
    isDeclared: ({ maxTokens }) => maxTokens !== undefined,
    standing: tokenStanding,
  },
  {
    name: 'unchanged_worktrees',
    isDeclared: ({ unchangedWorktrees }) => unchangedWorktrees !== undefined,
    standing: (rails, _span, run) => worktreeStanding(rails, run),
  },
];

const isProven = ({ goal, hasReceipt }: Rails): boolean =>
  hasReceipt || (goal !== undefined && stateOfGoal(goal) === 'satisfied');

const takeClaim = (rails: Rails, span: Span, run: RunSoFar): void => {
  const all = RAILS.filter(({ isDeclared }) => isDeclared(run.contract)).map(({ name, standing }) => ({
    name,
    standing: standing(rails, span, run),
  }));
  const named = (...wanted: readonly Standing[]): readonly string[] =>
    all.filter(({ standing }) => wanted.includes(standing)).map(({ name }) => name);
  const ignored = isProven(rails) ? named('ignored') : named('ignored', 'passed', 'unplaced');
  rails.claim = { at: placeOf(span), ignored, unknown: named('unknown', 'unplaced') };
};

const newRails = ({ maxMs, unchangedWorktrees }: Contract): Rails => ({
  time: maxMs === undefined ? undefined : newTimeRail(),
  worktree: unchangedWorktrees === undefined ? undefined : newWorktreeRail(),
  tokens: newTokenRail(),
  goal: undefined,
  hasReceipt: false,
  claim: undefined,
});

const takeSpan = (rails: Rails, span: Span, run: RunSoFar): void => {
  if (rails.time !== undefined) stepTime(rails.time, span, run);
  if (rails.worktree !== undefined) stepWorktree(rails.worktree, span, run);
  stepTokens(rails.tokens, span, run);
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
    'reason of the terminal against budget, max_ms, max_tokens and unchanged_worktrees, where somebody declared them. ' +
    'Used up exactly is not passed. A satisfied goal_check, or a receipt, by an emitter other than the agent and the ' +
    'model bears out done in the iteration that passed max_ms, max_tokens or unchanged_worktrees; nothing does after a ' +
    'model or tool span in a later iteration, whatever that carries. For budget the last lawful iteration is the budget ' +
    'itself: nothing bears out done above it',
  unjudged:
    'The run says done, and the trace does not show how far a declared rail was used up: no iter for budget, no clock or a ' +
    'wait of unknown length for max_ms, no tokens for max_tokens, no worktree for unchanged_worktrees; or done is borne ' +
    'out, and work after the rail was passed carries no iter.',
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
    if (!isWatched(run.contract) && (span.type !== 'terminal' || !isOffBudget(span, run))) return state;
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
    return unverifiable(`the trace does not record how far ${names(claim.unknown)} was used up`);
  },
});
