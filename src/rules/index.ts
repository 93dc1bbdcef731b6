import { activityAfterTerminal } from './activity-after-terminal.js';
import { badClock } from './bad-clock.js';
import { badTerminal } from './bad-terminal.js';
import { contractLoosened } from './contract-loosened.js';
import { doubleStop } from './double-stop.js';
import { duplicateLine } from './duplicate-line.js';
import { falseBudget } from './false-budget.js';
import { headCut } from './head-cut.js';
import { iterBackwards } from './iter-backwards.js';
import { iterStuck } from './iter-stuck.js';
import { missingGoal } from './missing-goal.js';
import { missingSeq } from './missing-seq.js';
import { noProgress } from './no-progress.js';
import { openHandoff } from './open-handoff.js';
import { openLoop } from './open-loop.js';
import { overBudget } from './over-budget.js';
import { seqConflict } from './seq-conflict.js';
import { seqGap } from './seq-gap.js';
import { shortDigest } from './short-digest.js';
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
] as const;

export type RuleId = (typeof RULES)[number]['id'];
