import { type Place, placeOf } from '../run.js';
import { excerpt } from '../text.js';
import { actionHashOf, CHECKPOINT_NEEDS, CHECKPOINTS, decisionOf, isByOthers, isOfCheckpoints } from './approvals.js';
import { answer, ask, gated, start, stop } from './example.js';
import { defineRule, WARNING } from './rule.js';

interface SelfApprovals {
  first: { readonly at: Place; readonly by: string | undefined; readonly actionHash: string | undefined } | undefined;
  count: number;
}

export const selfApproved = defineRule<SelfApprovals, 'self-approved'>({
  id: 'self-approved',
  family: 'checkpoints',
  severity: WARNING,
  passing: 'Every approval comes from a human or a policy.',
  why: 'An agent that approves its own actions has no checkpoint, whatever its trace says.',
  evidence:
    'decision, actor and emitter of checkpoint_resolve: an approval whose actor is missing or neither human nor policy, or that the agent emitted',
  needs: CHECKPOINT_NEEDS,
  action: 'let a human or a policy answer, and let the harness write down who did',
  source: 'loop-contract',
  options: [],
  example: {
    breaks: [start(), ask(1, 'push'), answer(1, 'push', { actor: 'agent' }), gated(1, 'push'), stop(1)],
    keeps: [start(), ask(1, 'push'), answer(1, 'push', { actor: 'policy' }), gated(1, 'push'), stop(1)],
  },
  ...CHECKPOINTS,
  step(state, span) {
    if (!isOfCheckpoints(span)) return state;
    const approvals = state ?? { first: undefined, count: 0 };
    if (span.type !== 'checkpoint_resolve' || decisionOf(span) !== 'approved' || isByOthers(span)) return approvals;
    const by = span.emitter === 'agent' ? 'agent' : span.details?.actor;
    approvals.first ??= { at: placeOf(span), by, actionHash: actionHashOf(span) };
    approvals.count += 1;
    return approvals;
  },
  end(state) {
    if (state?.first === undefined) return undefined;
    const { at, by, actionHash } = state.first;
    const who = by === undefined ? 'names nobody' : `comes from ${excerpt(by)}`;
    return {
      kind: 'broken',
      at,
      message: `the approval ${who}, not from a human or a policy`,
      evidence: { actor: by ?? null, action_hash: actionHash ?? null, count: state.count },
    };
  },
});
