import { CHECKPOINT_NEEDS, type Executions, foldExecutions, LACKS_HEAD, TELLS_ONCE } from './approvals.js';
import { answer, ask, gated, start, stop } from './example.js';
import { defineRule, WARNING } from './rule.js';

export const approvalMismatch = defineRule<Executions, 'approval-mismatch'>({
  id: 'approval-mismatch',
  family: 'checkpoints',
  severity: WARNING,
  passing: 'What ran is what was approved, to the byte.',
  why: 'An approval is for the command that was shown. Another one that looks like it is another action.',
  evidence:
    'action_hash of tool spans and of the checkpoint spans before them: an approval stands that nothing has used, and ' +
    `the action that ran was not approved and has no open request of its own. ${TELLS_ONCE}`,
  unjudged: LACKS_HEAD,
  needs: CHECKPOINT_NEEDS,
  action: 'show the approver the exact action, and ask anew when it changes',
  source: 'loop-contract',
  options: [],
  example: {
    breaks: [start(), ask(1, 'push'), answer(1, 'push'), gated(1, 'push -f'), stop(1)],
    keeps: [start(), ask(1, 'push'), answer(1, 'push'), gated(1, 'push'), stop(1)],
  },
  ...foldExecutions('approval-mismatch', 'while another was approved'),
});
