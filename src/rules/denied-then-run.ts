import { CHECKPOINT_NEEDS, type Executions, foldExecutions, TELLS_ONCE } from './approvals.js';
import { answer, ask, gated, start, stop } from './example.js';
import { defineRule, WARNING } from './rule.js';

export const deniedThenRun = defineRule<Executions, 'denied-then-run'>({
  id: 'denied-then-run',
  family: 'checkpoints',
  severity: WARNING,
  passing: 'What was denied did not run.',
  why: 'A no that changes nothing makes every checkpoint decoration.',
  evidence:
    'action_hash of tool spans and of the checkpoint_resolve before them: the last decision about the action is denied ' +
    `or deny, and only a human or a policy can take it back. ${TELLS_ONCE}`,
  needs: CHECKPOINT_NEEDS,
  action: 'find out how the action got past its checkpoint',
  source: 'loop-contract',
  options: [],
  example: {
    breaks: [start(), ask(1, 'push'), answer(1, 'push', { decision: 'denied' }), gated(1, 'push'), stop(1)],
    keeps: [
      start(),
      ask(1, 'push'),
      answer(1, 'push', { decision: 'denied' }),
      gated(1, 'push', { outcome: 'blocked', status: 'error' }),
      stop(1),
    ],
  },
  ...foldExecutions('denied-then-run', 'after it was denied'),
});
