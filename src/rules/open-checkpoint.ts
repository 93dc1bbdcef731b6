import {
  addRequest,
  CHECKPOINT_NEEDS,
  CHECKPOINTS,
  answer as close,
  isOfCheckpoints,
  newRequests,
  type Requests,
} from './approvals.js';
import { answer, ask, gated, start, stop, tool } from './example.js';
import { defineRule, unverifiable, WARNING } from './rule.js';

/** Reasons to stop that say that someone else has to go on: a question may stay open with them. */
const HANDS_OVER: ReadonlySet<string | undefined> = new Set(['blocked', 'handoff']);

export const openCheckpoint = defineRule<Requests, 'open-checkpoint'>({
  id: 'open-checkpoint',
  family: 'checkpoints',
  severity: WARNING,
  passing: 'Every request for an approval is answered before the run ends, unless it ends blocked or in a handoff.',
  why: 'A question that nobody answered is either forgotten work or a gate that the run went around.',
  evidence:
    'request_id and action_hash of checkpoint_request and checkpoint_resolve, and the reason of the terminal; any decision answers',
  unjudged: 'With --partial, in a run without a terminal: the answer may stand after the window.',
  needs: CHECKPOINT_NEEDS,
  action: 'answer the request, or end the run as blocked',
  source: 'loop-contract',
  options: [],
  example: {
    breaks: [start(), ask(1, 'push'), tool(1, 'a'), stop(1)],
    keeps: [start(), ask(1, 'push'), answer(1, 'push'), gated(1, 'push'), stop(1)],
  },
  ...CHECKPOINTS,
  step(state, span) {
    if (!isOfCheckpoints(span)) return state;
    const requests = state ?? newRequests();
    if (span.type === 'checkpoint_request') addRequest(requests, span);
    else if (span.type === 'checkpoint_resolve') close(requests, span);
    return requests;
  },
  end(state, run) {
    const first = state?.open.values().next().value;
    if (state === undefined || first === undefined || HANDS_OVER.has(run.terminal?.reason)) return undefined;
    if (run.contract.isPartial && run.terminal === undefined)
      return unverifiable('the end of the run, where the answer may stand, is not in the trace');
    return {
      kind: 'broken',
      at: first.at,
      message: `${state.open.size} of the run's requests for an approval ${state.open.size === 1 ? 'was' : 'were'} never answered`,
      evidence: {
        request_id: first.requestId ?? null,
        action_hash: first.actionHash ?? null,
        open: state.open.size,
      },
    };
  },
});
