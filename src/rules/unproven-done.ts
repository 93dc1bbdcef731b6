import type { Terminal } from '../run.js';
import { check, start, stop, tool } from './example.js';
import { type Goal, stateOfGoal, takeGoal } from './goal.js';
import { defineRule, type Outcome, WARNING } from './rule.js';

const broken = ({ place }: Terminal, goal: Goal, message: string): Outcome => ({
  kind: 'broken',
  at: place,
  message,
  evidence: { predicate_id: goal.predicate ?? null, goal: stateOfGoal(goal) },
});

const judge = (terminal: Terminal, goal: Goal): Outcome => {
  const state = stateOfGoal(goal);
  if (state === 'satisfied') return undefined;
  if (state === 'unchecked') {
    return broken(terminal, goal, 'the run claims done, and no check but its own found the goal reached');
  }
  return broken(terminal, goal, 'the run claims done, and the last check found the goal not reached');
};

export const unprovenDone = defineRule<Goal, 'unproven-done'>({
  id: 'unproven-done',
  family: 'loop',
  severity: WARNING,
  passing:
    'A run that declares a predicate, by predicate_id on loop_start or by any goal_check span, claims done only after ' +
    'somebody other than its model found it satisfied.',
  why: 'Whether the goal is reached is decided outside of the model, which is the one that wants to stop.',
  evidence:
    'reason of the terminal, predicate_id of loop_start, and satisfied, predicate_id and emitter of goal_check spans: ' +
    'of each predicate, the latest check counts. A check by the agent or the model, by nobody named, or after the terminal proves nothing; ' +
    'one that names no predicate is of the one that loop_start declares, one that names another says nothing of it. ' +
    'An empty predicate_id is a missing one',
  needs: 'goal_check span or predicate_id',
  action: 'let the harness check the goal, and give done only when it is satisfied',
  source: 'iterated loop',
  options: [],
  example: {
    breaks: [start({ predicate_id: 'tests' }), tool(1, 'a'), check(1, true, { emitter: 'agent' }), stop(1)],
    keeps: [start({ predicate_id: 'tests' }), tool(1, 'a'), check(1, true), stop(1)],
  },
  sees: ['loop_start', 'goal_check'],
  step: (state, span, run) => (run.terminals > 0 ? state : takeGoal(state, span)),
  end(state, run) {
    if (state === undefined || run.terminal?.reason !== 'done') return undefined;
    return judge(run.terminal, state);
  },
});
