import { type Place, placeOf } from '../run.js';
import { hasFailed, type Span } from '../span.js';
import { start, stop, tool } from './example.js';
import { defineRule, type ExampleSpan, unverifiable, WARNING } from './rule.js';

/** Tool rounds that one iteration may hold: no harness at hand runs as many calls of one model response side by side. */
const MANY_TOOL_ROUNDS = 32;

interface Iteration {
  /** Undefined until a model or tool span carries one. */
  iter: number | undefined;
  /** Model rounds of this iteration, and the last one's id. */
  models: number;
  modelRound: string | number | undefined;
  /** Tool rounds of this iteration: spans of one round count once, spans without a round one each. */
  tools: number;
  toolRound: string | number | undefined;
  stuck: { readonly at: Place; readonly iter: number; models: number; tools: number } | undefined;
}

const isNewRound = (span: Span, last: string | number | undefined): boolean =>
  span.round === undefined || span.round !== last;

const count = (state: Iteration, span: Span): void => {
  if (span.type === 'tool') {
    if (isNewRound(span, state.toolRound)) state.tools += 1;
    state.toolRound = span.round;
  } else if (!hasFailed(span)) {
    // A model call that failed and was made again is one round.
    if (isNewRound(span, state.modelRound)) state.models += 1;
    state.modelRound = span.round;
  }
};

const enter = (state: Iteration, iter: number): void => {
  state.iter = iter;
  state.models = 0;
  state.modelRound = undefined;
  state.tools = 0;
  state.toolRound = undefined;
};

const many = (length: number): readonly ExampleSpan[] =>
  Array.from({ length }, (_, index) => ({ type: 'model', iter: 1, round: index + 1 }));

export const iterStuck = defineRule<Iteration, 'iter-stuck'>({
  id: 'iter-stuck',
  family: 'order',
  severity: WARNING,
  passing: `An iteration holds at most one model round and ${MANY_TOOL_ROUNDS} tool rounds.`,
  why: 'While iter stands still, no budget is used up and copies of one call count as one step: a spinning loop looks calm.',
  evidence:
    'iter of model and tool spans, and round where they carry it: spans of one round count once, a span without round ' +
    'is a round of its own, and failed model calls are not counted. Without round, calls side by side look like a loop ' +
    `that stands still: no harness at hand runs more than ${MANY_TOOL_ROUNDS} calls of one model response side by side`,
  unjudged: 'The run carries model or tool spans, and none of them carries iter.',
  action: 'raise iter with every model round',
  source: 'terminal-span contract',
  options: [],
  example: {
    breaks: [start(), ...many(2), tool(1, 'a'), stop(1)],
    keeps: [start(), ...many(1), tool(1, 'a'), stop(1)],
  },
  sees: ['model', 'tool'],
  step(previous, span) {
    const state: Iteration = previous ?? {
      iter: undefined,
      models: 0,
      modelRound: undefined,
      tools: 0,
      toolRound: undefined,
      stuck: undefined,
    };
    if (span.iter === undefined) return state;
    if (span.iter !== state.iter) enter(state, span.iter);
    count(state, span);
    if (state.models <= 1 && state.tools <= MANY_TOOL_ROUNDS) return state;
    const { models, tools } = state;
    if (state.stuck === undefined) state.stuck = { at: placeOf(span), iter: span.iter, models, tools };
    else if (state.stuck.iter === span.iter) Object.assign(state.stuck, { models, tools });
    return state;
  },
  end(state) {
    if (state === undefined) return undefined;
    const { iter, stuck } = state;
    if (iter === undefined) return unverifiable('no model or tool span carries iter');
    if (stuck === undefined) return undefined;
    return {
      kind: 'broken',
      at: stuck.at,
      message: `iteration ${stuck.iter} stands still over ${stuck.models} model rounds and ${stuck.tools} tool rounds`,
      evidence: { iter: stuck.iter, model_rounds: stuck.models, tool_rounds: stuck.tools },
    };
  },
});
