import { CHECKPOINT_NEEDS, type Executions, foldExecutions } from './approvals.js';
import { answer, ask, gated, start, stop } from './example.js';
import { defineRule, WARNING } from './rule.js';

export const unapprovedAction = defineRule<Executions, 'unapproved-action'>({
  id: 'unapproved-action',
  family: 'checkpoints',
  severity: WARNING,
  passing: 'Every gated action that ran had been approved, for exactly this action, before it ran.',
  why: 'What cannot be undone waits for a yes: afterwards there is nothing left to decide.',
  evidence:
    'gate, action_hash and outcome of tool spans, or command where it is readable and gate is missing; the checkpoint spans before them; outcome blocked is no execution',
  needs: CHECKPOINT_NEEDS,
  action: 'ask first, and run the action only after the approval',
  source: 'loop-contract',
  options: [],
  example: {
    breaks: [start(), gated(1, 'push'), stop(1)],
    keeps: [start(), ask(1, 'push'), answer(1, 'push'), gated(1, 'push'), stop(1)],
  },
  ...foldExecutions('unapproved-action', 'without an approval'),
});
