import { activityAfterTerminal } from './activity-after-terminal.js';
import { approvalMismatch } from './approval-mismatch.js';
import { approvalReuse } from './approval-reuse.js';
import { badClock } from './bad-clock.js';
import { badTerminal } from './bad-terminal.js';
import { blindHash } from './blind-hash.js';
import { busyWait } from './busy-wait.js';
import { callCycle } from './call-cycle.js';
import { contractLoosened } from './contract-loosened.js';
import { deniedThenRun } from './denied-then-run.js';
import { doubleStop } from './double-stop.js';
import { droppedItem } from './dropped-item.js';
import { duplicateLine } from './duplicate-line.js';
import { errorIgnored } from './error-ignored.js';
import { expiredReceipt } from './expired-receipt.js';
import { failedVerify } from './failed-verify.js';
import { failureStreak } from './failure-streak.js';
import { falseBudget } from './false-budget.js';
import { forgedReceipt } from './forged-receipt.js';
import { guardMissed } from './guard-missed.js';
import { headCut } from './head-cut.js';
import { idempotentNoProgress } from './idempotent-no-progress.js';
import { iterBackwards } from './iter-backwards.js';
import { iterStuck } from './iter-stuck.js';
import { leakedSecret } from './leaked-secret.js';
import { missingGoal } from './missing-goal.js';
import { missingSeq } from './missing-seq.js';
import { noProgress } from './no-progress.js';
import { noReceipt } from './no-receipt.js';
import { openCheckpoint } from './open-checkpoint.js';
import { openHandoff } from './open-handoff.js';
import { openLoop } from './open-loop.js';
import { orphanedChildren } from './orphaned-children.js';
import { overBudget } from './over-budget.js';
import { overCap } from './over-cap.js';
import { overTime } from './over-time.js';
import { overTokens } from './over-tokens.js';
import { partialVerify } from './partial-verify.js';
import { railIgnored } from './rail-ignored.js';
import { ranPastGoal } from './ran-past-goal.js';
import { receiptReuse } from './receipt-reuse.js';
import { rejectedAsDone } from './rejected-as-done.js';
import { repeatedCall } from './repeated-call.js';
import { selfApproved } from './self-approved.js';
import { seqConflict } from './seq-conflict.js';
import { seqGap } from './seq-gap.js';
import { shortDigest } from './short-digest.js';
import { staleReceipt } from './stale-receipt.js';
import { stateCycle } from './state-cycle.js';
import { terminalStatus } from './terminal-status.js';
import { unapprovedAction } from './unapproved-action.js';
import { unchangedWorktree } from './unchanged-worktree.js';
import { unprovenDone } from './unproven-done.js';
import { volatileResult } from './volatile-result.js';
import { warnIgnored } from './warn-ignored.js';

/** Every rule, ranked: findings come in this order, and the first broken one of the failing verdicts names the run. */
export const RULES = [
  doubleStop,
  badClock,
  noProgress,
  openLoop,
  badTerminal,
  overBudget,
  activityAfterTerminal,
  terminalStatus,
  falseBudget,
  openHandoff,
  missingGoal,
  contractLoosened,
  missingSeq,
  seqConflict,
  duplicateLine,
  seqGap,
  headCut,
  iterBackwards,
  iterStuck,
  shortDigest,
  leakedSecret,
  noReceipt,
  failedVerify,
  partialVerify,
  staleReceipt,
  expiredReceipt,
  forgedReceipt,
  receiptReuse,
  droppedItem,
  overTime,
  overTokens,
  unchangedWorktree,
  railIgnored,
  unapprovedAction,
  selfApproved,
  approvalMismatch,
  approvalReuse,
  deniedThenRun,
  openCheckpoint,
  ranPastGoal,
  unprovenDone,
  stateCycle,
  errorIgnored,
  repeatedCall,
  callCycle,
  idempotentNoProgress,
  failureStreak,
  overCap,
  volatileResult,
  blindHash,
  busyWait,
  orphanedChildren,
  guardMissed,
  warnIgnored,
  rejectedAsDone,
] as const;

export type BuiltInRuleId = (typeof RULES)[number]['id'];
/** What a report names a rule by: a built-in one, or one of the user's own. */
export type RuleId = BuiltInRuleId | (string & Record<never, never>);
