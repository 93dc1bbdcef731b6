import { CHECKPOINT_NEEDS, type Executions, foldExecutions, LACKS_HEAD, TELLS_ONCE } from './approvals.js';
import { answer, ask, gated, start, stop } from './example.js';
import { GATED_CLASSES } from './gated-commands.js';
import { defineRule, WARNING } from './rule.js';

export const unapprovedAction = defineRule<Executions, 'unapproved-action'>({
  id: 'unapproved-action',
  family: 'checkpoints',
  severity: WARNING,
  passing: 'Every gated action that ran had been approved, for exactly this action, before it ran.',
  why: 'What cannot be undone waits for a yes: afterwards there is nothing left to decide.',
  evidence:
    'gate, action_hash and outcome of tool spans, or command where it is readable and gate is missing; the checkpoint ' +
    'spans before them; outcome blocked is no execution. An approval by the agent covers its action here, and is told ' +
    `by self-approved. ${TELLS_ONCE}`,
  unjudged:
    'A gated call carries no action_hash, or an approval names no action, while some approval stands that may be meant. ' +
    LACKS_HEAD,
  needs: CHECKPOINT_NEEDS,
  action: 'ask first, and run the action only after the approval',
  source: 'loop-contract',
  options: [],
  example: {
    breaks: [start(), gated(1, 'push'), stop(1)],
    keeps: [start(), ask(1, 'push'), answer(1, 'push'), gated(1, 'push'), stop(1)],
  },
  table: {
    title: 'Gated commands',
    note:
      'What a command does where its span names no gate: the first class that fits. A dry run, a help text and what is ' +
      'only quoted, searched for or written to a file are not gated.',
    columns: ['class', 'what it does', 'gated', 'not gated'],
    get rows() {
      return GATED_CLASSES.map(({ id, description, gated, harmless }) => [id, description, gated, harmless]);
    },
  },
  ...foldExecutions('unapproved-action', 'without an approval'),
});
