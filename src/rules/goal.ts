import type { Span } from '../span.js';

/** What the latest check of a predicate said, and whether it named who made it. */
interface Check {
  readonly isSatisfied: boolean;
  readonly isNamed: boolean;
}

/** The goal of a run, as checks outside of the model see it. */
export interface Goal {
  /** The predicate that the run declares, if it does: checks of other ones say nothing of the goal. */
  predicate: string | undefined;
  /** Some goal_check says satisfied or not, whoever made it. */
  isChecked: boolean;
  readonly latest: Map<string, Check>;
}

// A model that checks its own work makes a claim.
const CLAIMANTS: readonly (string | undefined)[] = ['agent', 'model'];
export const isClaim = ({ emitter }: Span): boolean => CLAIMANTS.includes(emitter);

/** Takes a loop_start or goal_check span; a goal that nobody declares or checks is none. */
export const takeGoal = (goal: Goal | undefined, span: Span): Goal | undefined => {
  const predicate = span.details?.predicateId;
  if (span.type === 'loop_start') {
    if (predicate === undefined) return goal;
    const declared = goal ?? { predicate, isChecked: false, latest: new Map() };
    declared.predicate ??= predicate;
    return declared;
  }
  const checked = goal ?? { predicate: undefined, isChecked: false, latest: new Map() };
  const isSatisfied = span.details?.satisfied;
  if (isSatisfied === undefined) return checked;
  checked.isChecked = true;
  const isOther = checked.predicate !== undefined && predicate !== undefined && predicate !== checked.predicate;
  if (isOther || isClaim(span)) return checked;
  checked.latest.set(predicate ?? '', { isSatisfied, isNamed: span.emitter !== undefined });
  return checked;
};

/** Satisfied: the latest check of every predicate says so. */
export const stateOfGoal = ({
  latest,
}: Goal): 'unchecked' | 'unsatisfied' | 'satisfied by nobody named' | 'satisfied' => {
  const checks = [...latest.values()];
  if (checks.length === 0) return 'unchecked';
  if (checks.some(({ isSatisfied }) => !isSatisfied)) return 'unsatisfied';
  return checks.every(({ isNamed }) => isNamed) ? 'satisfied' : 'satisfied by nobody named';
};
