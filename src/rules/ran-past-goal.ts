import { type Place, placeOf, type Spent } from '../run.js';
import type { Span } from '../span.js';
import { isWork } from './activity.js';
import { check, start, stop, tool } from './example.js';
import { type Goal, stateOfGoal, takeGoal } from './goal.js';
import { defineRule, unverifiable, WARNING } from './rule.js';

interface Pursuit {
  goal: Goal;
  /** The check that found the goal reached, while nothing says otherwise. */
  reachedAt: Place | undefined;
  past: { readonly at: Place; readonly reachedAt: Place; readonly halt: Spent; count: number } | undefined;
}

const takeCheck = (state: Pursuit | undefined, span: Span): Pursuit | undefined => {
  const goal = takeGoal(state?.goal, span);
  if (goal === undefined) return state;
  const pursuit = state ?? { goal, reachedAt: undefined, past: undefined };
  if (span.type === 'goal_check') {
    if (stateOfGoal(goal) !== 'satisfied') pursuit.reachedAt = undefined;
    else pursuit.reachedAt ??= placeOf(span);
  }
  return pursuit;
};

export const ranPastGoal = defineRule<Pursuit, 'ran-past-goal'>({
  id: 'ran-past-goal',
  family: 'loop',
  severity: WARNING,
  passing: 'No model round and no call comes after the check that finds the goal reached.',
  why: 'Work after the goal is paid for nothing, and may undo what was reached.',
  evidence:
    'satisfied, predicate_id and emitter of goal_check spans, predicate_id of loop_start, model and tool spans. A check ' +
    'by the agent or the model, or by nobody named, or after the terminal, says nothing. Where loop_start declares a ' +
    'predicate, only checks of it count, and those that name none; else the goal is reached when the latest check of ' +
    'each predicate that was checked so far is satisfied',
  unjudged:
    'The run carries a goal_check, or declares a predicate_id on loop_start, but no goal_check that counts says satisfied: ' +
    'true or false.',
  needs: 'goal_check span with satisfied',
  action: 'stop at the first satisfied check',
  source: 'iterated loop',
  options: [],
  example: {
    breaks: [start(), tool(1, 'a'), check(1, true), tool(2, 'b'), stop(2)],
    keeps: [start(), tool(1, 'a'), check(1, false), tool(2, 'b'), check(2, true), stop(2)],
  },
  sees: ['loop_start', 'goal_check', 'model', 'tool'],
  step(state, span, run) {
    if (!isWork(span)) return run.terminals > 0 ? state : takeCheck(state, span);
    if (state?.reachedAt === undefined || run.terminals > 0) return state;
    state.past ??= { at: placeOf(span), reachedAt: state.reachedAt, halt: run.spent(), count: 0 };
    state.past.count += 1;
    return state;
  },
  end(state) {
    if (state === undefined) return undefined;
    if (state.past === undefined) {
      if (stateOfGoal(state.goal) !== 'unchecked') return undefined;
      return unverifiable('no goal_check by anyone but the agent says whether the goal is reached');
    }
    const { at, reachedAt, halt, count } = state.past;
    return {
      kind: 'broken',
      at,
      message: `${count} ${count === 1 ? 'model or tool span comes' : 'model and tool spans come'} after the check that found the goal reached`,
      evidence: { count, reached_at_seq: reachedAt.seq ?? null },
      halt,
    };
  },
});
