import type { Span } from '../span.js';

/** The goal of a run, as checks outside of the model see it. */
export interface Goal {
  /** The predicate that the run declares, if it does: checks of other ones say nothing of the goal. */
  predicate: string | undefined;
  /** Whether the latest check of each predicate found it satisfied. */
  readonly latest: Map<string, boolean>;
}

// A model that checks its own work makes a claim, and what names no emitter may be the model's.
const CLAIMANTS: readonly (string | undefined)[] = ['agent', 'model', undefined];
export const isClaim = ({ emitter }: Span): boolean => CLAIMANTS.includes(emitter);

/** The predicate that a span names; an empty name is none. */
export const predicateOf = ({ details }: Span): string | undefined =>
  details?.predicateId === '' ? undefined : details?.predicateId;

const newGoal = (predicate: string | undefined): Goal => ({ predicate, latest: new Map() });

/** Takes a loop_start or goal_check span; a goal that nobody declares or checks is none. */
export const takeGoal = (goal: Goal | undefined, span: Span): Goal | undefined => {
  const predicate = predicateOf(span);
  if (span.type === 'loop_start') {
    if (predicate === undefined) return goal;
    const declared = goal ?? newGoal(predicate);
    declared.predicate ??= predicate;
    return declared;
  }
  const checked = goal ?? newGoal(undefined);
  const isSatisfied = span.details?.satisfied;
  const isOther = checked.predicate !== undefined && predicate !== undefined && predicate !== checked.predicate;
  if (isSatisfied === undefined || isOther || isClaim(span)) return checked;
  // A check that names no predicate is one of the predicate that the run declares.
  checked.latest.set(predicate ?? checked.predicate ?? '', isSatisfied);
  return checked;
};

/** Satisfied: the latest check of every predicate says so. */
export const stateOfGoal = ({ latest }: Goal): 'unchecked' | 'unsatisfied' | 'satisfied' => {
  if (latest.size === 0) return 'unchecked';
  return [...latest.values()].every((isSatisfied) => isSatisfied) ? 'satisfied' : 'unsatisfied';
};
