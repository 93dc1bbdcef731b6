import { type Place, placeOf, type RunSoFar, type Spent } from '../run.js';
import type { Span } from '../span.js';
import { isRest, isWork } from './activity.js';

/** Iterations in a row that leave the worktree as it is, and the iteration at hand. */
export interface WorktreeRail {
  iter: number | undefined;
  /** The fingerprint that the iteration at hand gave last, and whether it gave another one before. */
  worktree: string | undefined;
  hasChanged: boolean;
  at: Place | undefined;
  /** What the iteration at hand holds: anything at all, calls that read or wait, other calls. */
  hasSpans: boolean;
  hasRest: boolean;
  hasCalls: boolean;
  waits: number;
  /** The iterations before it with one fingerprint. */
  row: number;
  rowWorktree: string | undefined;
  reached: { readonly at: Place; readonly iter: number; readonly worktree: string; readonly halt: Spent } | undefined;
  /** Work went on after the rail was reached. */
  isPast: boolean;
}

export const newWorktreeRail = (): WorktreeRail => ({
  iter: undefined,
  worktree: undefined,
  hasChanged: false,
  at: undefined,
  hasSpans: false,
  hasRest: false,
  hasCalls: false,
  waits: 0,
  row: 0,
  rowWorktree: undefined,
  reached: undefined,
  isPast: false,
});

// A run that only begins or ends in an iteration does nothing in it.
const BOUNDS: readonly string[] = ['loop_start', 'terminal', 'trace_end', 'child_end'];

/** Ends the iteration at hand: an iteration without a fingerprint, or one that only reads or waits, says nothing. */
export const closeIteration = (rail: WorktreeRail, run: RunSoFar): void => {
  const { iter, worktree, at, hasChanged } = rail;
  if (iter === undefined || worktree === undefined || at === undefined) return;
  const isStill = rail.hasSpans && (rail.hasCalls || !rail.hasRest);
  if (hasChanged || worktree !== rail.rowWorktree) rail.row = 0;
  rail.rowWorktree = worktree;
  if (hasChanged || !isStill) return;
  rail.row += 1;
  const limit = run.contract.unchangedWorktrees ?? Number.POSITIVE_INFINITY;
  if (rail.row >= limit) rail.reached ??= { at, iter, worktree, halt: run.spent() };
};

const openIteration = (rail: WorktreeRail, iter: number): void => {
  rail.iter = iter;
  rail.worktree = undefined;
  rail.hasChanged = false;
  rail.at = undefined;
  rail.hasSpans = false;
  rail.hasRest = rail.waits > 0;
  rail.hasCalls = false;
};

const takeCall = (rail: WorktreeRail, span: Span, run: RunSoFar): void => {
  if (rail.waits > 0 || isRest(span, run.contract)) rail.hasRest = true;
  else rail.hasCalls = true;
};

const takeFingerprint = (rail: WorktreeRail, span: Span, worktree: string): void => {
  if (rail.iter === undefined) return;
  if (rail.worktree !== undefined && worktree !== rail.worktree) rail.hasChanged = true;
  rail.worktree = worktree;
  rail.at = placeOf(span);
};

const takeWait = (rail: WorktreeRail, span: Span): void => {
  if (span.type === 'wait_end') rail.waits = Math.max(0, rail.waits - 1);
  else if (span.type === 'wait_start') {
    rail.waits += 1;
    rail.hasRest = true;
  }
};

/** Takes one span of a run whose contract has unchanged_worktrees. */
export const stepWorktree = (rail: WorktreeRail, span: Span, run: RunSoFar): void => {
  if (span.iter !== undefined && span.iter !== rail.iter) {
    closeIteration(rail, run);
    openIteration(rail, span.iter);
  }
  takeWait(rail, span);
  if (span.type === 'tool') takeCall(rail, span, run);
  if (!BOUNDS.includes(span.type)) rail.hasSpans = true;
  if (isWork(span)) rail.isPast ||= rail.reached !== undefined;
  const worktree = span.details?.worktree;
  if (worktree !== undefined) takeFingerprint(rail, span, worktree);
};
