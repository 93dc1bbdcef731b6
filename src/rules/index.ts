import { activityAfterTerminal } from './activity-after-terminal.js';
import { badClock } from './bad-clock.js';
import { badTerminal } from './bad-terminal.js';
import { contractLoosened } from './contract-loosened.js';
import { doubleStop } from './double-stop.js';
import { droppedItem } from './dropped-item.js';
import { duplicateLine } from './duplicate-line.js';
import { expiredReceipt } from './expired-receipt.js';
import { failedVerify } from './failed-verify.js';
import { falseBudget } from './false-budget.js';
import { forgedReceipt } from './forged-receipt.js';
import { headCut } from './head-cut.js';
import { iterBackwards } from './iter-backwards.js';
import { iterStuck } from './iter-stuck.js';
import { missingGoal } from './missing-goal.js';
import { missingSeq } from './missing-seq.js';
import { noProgress } from './no-progress.js';
import { noReceipt } from './no-receipt.js';
import { openHandoff } from './open-handoff.js';
import { openLoop } from './open-loop.js';
import { overBudget } from './over-budget.js';
import { partialVerify } from './partial-verify.js';
import { receiptReuse } from './receipt-reuse.js';
import { seqConflict } from './seq-conflict.js';
import { seqGap } from './seq-gap.js';
import { shortDigest } from './short-digest.js';
import { staleReceipt } from './stale-receipt.js';
import { terminalStatus } from './terminal-status.js';

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
  noReceipt,
  failedVerify,
  partialVerify,
  staleReceipt,
  expiredReceipt,
  forgedReceipt,
  receiptReuse,
  droppedItem,
] as const;

export type RuleId = (typeof RULES)[number]['id'];
