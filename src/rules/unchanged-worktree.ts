import { digest, start, stop, tool } from './example.js';
import { defineRule, type ExampleSpan, unverifiable, WARNING } from './rule.js';
import { closeIteration, newWorktreeRail, stepWorktree, type WorktreeRail } from './worktree-rail.js';

const iterations = (...worktrees: readonly string[]): readonly ExampleSpan[] =>
  worktrees.map((worktree, index) => tool(index + 1, `step ${index + 1}`, { worktree: digest(worktree) }));

export const unchangedWorktree = defineRule<WorktreeRail, 'unchanged-worktree'>({
  id: 'unchanged-worktree',
  family: 'rails',
  severity: WARNING,
  passing: 'Fewer than unchanged_worktrees iterations in a row have one fingerprint of the worktree.',
  why: 'A loop that calls and calls and changes nothing is stuck, even when each call is another one.',
  evidence:
    'worktree of any span, by iter: an iteration counts if it shows no change of its own; one without a fingerprint, ' +
    'or in which calls only read or wait, neither counts nor breaks the row. One that only begins or ends the run, such ' +
    'as iteration 0 with its loop_start, does not count either, though its fingerprint is compared with',
  unjudged: 'unchanged_worktrees is set, and no span carries both worktree and an iteration.',
  action: 'stop, or change the plan, when iterations leave the worktree as it is',
  source: 'loop-contract',
  options: ['unchangedWorktrees', 'idempotent', 'pollers'],
  example: {
    breaks: [start({ contract: { unchanged_worktrees: 3 } }), ...iterations('a', 'a', 'a'), stop(3, 'blocked')],
    keeps: [start({ contract: { unchanged_worktrees: 3 } }), ...iterations('a', 'a', 'b'), stop(3, 'blocked')],
  },
  sees: 'every',
  step(state, span, run) {
    if (run.contract.unchangedWorktrees === undefined || run.terminals > 0) return state;
    const rail = state ?? newWorktreeRail();
    stepWorktree(rail, span, run);
    return rail;
  },
  end(state, run) {
    const limit = run.contract.unchangedWorktrees;
    if (limit === undefined) return undefined;
    const rail = { ...(state ?? newWorktreeRail()) };
    closeIteration(rail, run);
    if (rail.rowWorktree === undefined) return unverifiable('no span carries worktree and iter');
    if (rail.reached === undefined) return undefined;
    const { at, iter, worktree, halt } = rail.reached;
    return {
      kind: 'broken',
      at,
      message: `${limit} iterations in a row, up to iteration ${iter}, leave the worktree as it is`,
      evidence: { unchanged_worktrees: limit, iter, worktree },
      halt,
    };
  },
});
