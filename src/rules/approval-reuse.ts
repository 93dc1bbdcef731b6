import { CHECKPOINT_NEEDS, type Executions, foldExecutions, LACKS_HEAD, TELLS_ONCE } from './approvals.js';
import { answer, ask, digest, gated, start, stop } from './example.js';
import { defineRule, WARNING } from './rule.js';

export const approvalReuse = defineRule<Executions, 'approval-reuse'>({
  id: 'approval-reuse',
  family: 'checkpoints',
  severity: WARNING,
  passing: 'An approval for once covers one execution.',
  why: 'Who approves once has seen the state of things once; the second time they may have changed.',
  evidence:
    'action_hash of tool spans and of the approvals before them, and their scope: session covers any number of ' +
    `executions in the run, anything else one. ${TELLS_ONCE}`,
  unjudged: LACKS_HEAD,
  needs: CHECKPOINT_NEEDS,
  action: 'ask again, or ask for the session',
  source: 'loop-contract',
  options: [],
  example: {
    breaks: [
      start(),
      ask(1, 'push'),
      answer(1, 'push'),
      gated(1, 'push'),
      gated(2, 'push', { args_hash: digest('again') }),
      stop(2),
    ],
    keeps: [
      start(),
      ask(1, 'push'),
      answer(1, 'push', { scope: 'session' }),
      gated(1, 'push'),
      gated(2, 'push', { args_hash: digest('again') }),
      stop(2),
    ],
  },
  ...foldExecutions('approval-reuse', 'again on an approval that was used up'),
});
