import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../src/json-values.js';
import { runsOf } from './runs-of.js';

const AT = 1_772_000_000_000;
const nanoseconds = (at: number): string => `${AT + at}000000`;

interface Given {
  readonly [attribute: string]: unknown;
  readonly trace?: string;
  readonly fails?: true;
}
/** A span of a trace: `id < parent`, what it does, and when: from, and to where it has ended. */
const span = (ids: string, does: string, from: number, to?: number, given: Given = {}): JsonObject => {
  const [id = '', parent] = ids.split(' < ');
  const [operation = '', name] = does.split(':');
  const { trace = 'trace', fails, ...attributes } = given;
  return {
    traceId: trace,
    spanId: id,
    ...(parent !== undefined && { parentSpanId: parent }),
    name: does,
    startTimeUnixNano: nanoseconds(from),
    ...(to !== undefined && { endTimeUnixNano: nanoseconds(to) }),
    ...(fails && { status: { code: 2 } }),
    attributes: {
      ...(operation !== '' && { 'gen_ai.operation.name': operation }),
      ...(name !== undefined && { 'gen_ai.tool.name': name }),
      ...attributes,
    },
  };
};
const agent = (ids: string, from: number, to?: number, given?: Given) => span(ids, 'invoke_agent', from, to, given);
const chat = (ids: string, from: number, to?: number, given?: Given) => span(ids, 'chat', from, to, given);
const call = (ids: string, from: number, to?: number, given?: Given) => span(ids, 'execute_tool:find', from, to, given);
/** A span that only holds others. */
const other = (ids: string, from: number, to?: number, given?: Given) => span(ids, '', from, to, given);
const finish = (reason: string): Given => ({ 'gen_ai.response.finish_reasons': [reason] });
const node = (ids: string, from: number, to?: number) =>
  span(ids, '', from, to, { 'openinference.span.kind': 'AGENT' });

const ENDED = 'done/the agent span ended';
const TRACE_ENDED = 'done/the trace ended';

describe('what tells that a run ended, and how', () => {
  test.each<readonly [string, readonly JsonObject[], Record<string, string>]>([
    ['the end of the agent', [agent('a', 0, 9), chat('m < a', 1, 2)], { 'trace:a': `loop_start model ${ENDED}` }],
    [
      'not the end of its children',
      [agent('a', 0), chat('m < a', 1, 2, finish('stop'))],
      { 'trace:a': 'loop_start model' },
    ],
    [
      'the end of the agent, of which a child is open',
      [agent('a', 0, 9), chat('m < a', 1, 2), call('t < a', 3)],
      { 'trace:a': `loop_start model find:? ${ENDED}` },
    ],
    [
      'the end of the agent, whose last child failed',
      [agent('a', 0, 9), chat('m < a', 1, 2), call('t < a', 3, 4, { fails: true })],
      { 'trace:a': `loop_start model find:error ${ENDED}` },
    ],
    [
      'the failure of the agent, of which no child failed',
      [agent('a', 0, 9, { 'error.type': 'acme.errors.ApiError' }), chat('m < a', 1, 2, finish('stop'))],
      { 'trace:a': 'loop_start model blocked/ApiError' },
    ],
    [
      'its failure, of which no more than a sentence is said',
      [agent('a', 0, 9, { 'error.type': 'No more credit for you' }), chat('m < a', 1, 2)],
      { 'trace:a': 'loop_start model blocked/error' },
    ],
    [
      'its failure before the word for a good end',
      [agent('a', 0, 9, { fails: true, 'gen_ai.agent.finish_reason': 'completed' }), chat('m < a', 1, 2)],
      { 'trace:a': 'loop_start model blocked/error' },
    ],
    [
      'the word for another end before its failure',
      [agent('a', 0, 9, { fails: true, 'gen_ai.agent.finish_reason': 'max_iterations' }), chat('m < a', 1, 2)],
      { 'trace:a': 'loop_start model budget/max_iterations' },
    ],
    [
      'an interrupt',
      [agent('a', 0, 9, { fails: true, 'error.type': 'KeyboardInterrupt' }), chat('m < a', 1, 2)],
      { 'trace:a': 'loop_start model rejected/user_interrupt' },
    ],
    [
      'a last response that was cut off',
      [agent('a', 0, 9), chat('m < a', 1, 2, finish('MAX_TOKENS'))],
      { 'trace:a': 'loop_start model budget/max_tokens' },
    ],
    [
      'not a response that began when the agent had ended',
      [agent('a < r', 0, 3), chat('m < a', 1, 2), chat('n < r', 4, 5, finish('length'))],
      { 'trace:a': `loop_start model model ${ENDED}` },
    ],
    [
      'a wait for a person that the agent says',
      [agent('a', 0, 9, { 'gen_ai.agent.finish_reason': 'requires_action' }), chat('m < a', 1, 2)],
      { 'trace:a': 'loop_start model wait_start:human' },
    ],
    [
      'a wait that a last call says',
      [
        agent('a', 0, 9),
        chat('m < a', 1, 2),
        call('t < a', 3, 4, { fails: true, 'error.type': 'langgraph.errors.GraphInterrupt' }),
      ],
      { 'trace:a': 'loop_start model find:? wait_start:human' },
    ],
    [
      'not a wait that is over',
      [
        agent('a', 0, 9),
        call('t < a', 1, 2, { fails: true, 'error.type': 'GraphInterrupt' }),
        call('u < a', 3, 4),
        chat('m < a', 5, 6),
      ],
      { 'trace:a': `loop_start find:? find:ok model ${ENDED}` },
    ],
    [
      'what stands above all work where there is no agent',
      [other('r', 0, 9), chat('m < r', 1, 2), call('t < r', 3, 4)],
      { trace: `loop_start model find:ok ${TRACE_ENDED}` },
    ],
    [
      'its failure',
      [other('r', 0, 9, { fails: true, 'error.type': 'GraphRecursionError' }), chat('m < r', 1, 2)],
      { trace: 'loop_start model budget/GraphRecursionError' },
    ],
    ['not before it has ended', [other('r', 0), chat('m < r', 1, 2)], { trace: 'loop_start model' }],
    [
      'without all of this, that the model had the last word',
      [chat('m < x', 1, 2), call('t < x', 3, 4), chat('n < x', 5, 6, finish('stop'))],
      { trace: `loop_start model find:ok model ${TRACE_ENDED}` },
    ],
    [
      'not a last call whose result nobody has looked at',
      [chat('m < x', 1, 2), call('t < x', 3, 4)],
      { trace: 'loop_start model find:ok' },
    ],
    [
      'not a last response that asks for a call',
      [chat('m < x', 1, 2), call('t < x', 3, 4), chat('n < x', 5, 6, finish('tool_calls'))],
      { trace: 'loop_start model find:ok model' },
    ],
    [
      'nor is what stands above it enough, where something stood above that',
      [other('r < x', 0, 9), chat('m < r', 1, 2, finish('tool_calls')), call('t < r', 3, 4)],
      { trace: 'loop_start model find:ok' },
    ],
  ])('%s', async (_, spans, runs) => {
    expect(await runsOf('otlp', [spans])).toEqual(runs);
    // Spans come in the order of their ends, or in any other, and from several files.
    expect(await runsOf('otlp', [spans.toReversed()])).toEqual(runs);
    expect(await runsOf('otlp', [spans.slice(1), spans.slice(0, 1)])).toEqual(runs);
  });
});

describe('what belongs to a run', () => {
  test.each<readonly [string, readonly JsonObject[], Record<string, string>]>([
    [
      'an agent that works for another is a run of its own, and the call that it serves a spawning one',
      [agent('a', 0, 9), call('t < a', 1, 8), agent('b < t', 2, 7), chat('m < b', 3, 4), call('u < b', 5, 6)],
      { 'trace:a': `loop_start find:ok ${ENDED}`, 'trace:b': `loop_start model find:ok ${ENDED}` },
    ],
    [
      'a call within the same call is one',
      [agent('a', 0, 9), call('t < a', 1, 4), call('u < t', 2, 3), chat('m < a', 5, 8), chat('n < m', 6, 7)],
      { 'trace:a': `loop_start find:ok model ${ENDED}` },
    ],
    [
      'a call within another call is another one',
      [agent('a', 0, 9), call('t < a', 1, 4), span('u < t', 'execute_tool:read', 2, 3)],
      { 'trace:a': `loop_start find:ok read:ok ${ENDED}` },
    ],
    [
      'agents that stand above each other',
      [agent('a < b', 0, 9), agent('b < a', 1), chat('m < a', 2, 3)],
      { 'trace:a': `loop_start model ${ENDED}`, 'trace:b': 'loop_start' },
    ],
    ['an agent above itself', [agent('a < a', 0, 9), chat('m < a', 2, 3)], { 'trace:a': `loop_start model ${ENDED}` }],
    [
      'traces of one file',
      [agent('a', 0, 9), agent('a', 0, undefined, { trace: 'other' })],
      { 'trace:a': `loop_start ${ENDED}`, 'other:a': 'loop_start' },
    ],
    [
      'the end of a span that was told when it began, in any order',
      [agent('a', 0), chat('m < a', 1), chat('m < a', 1, 2), agent('a', 0, 9), agent('a', 0)],
      { 'trace:a': `loop_start model ${ENDED}` },
    ],
    [
      'what asks and what was asked for at one time',
      [agent('a', 0, 9), call('b < a', 1, 1), chat('z < a', 1, 1)],
      { 'trace:a': `loop_start model find:ok ${ENDED}` },
    ],
    ['no lone call of a model', [chat('m', 1, 2)], {}],
    ['no calls that no model made', [call('t < x', 1, 2), call('u < x', 3, 4)], {}],
    ['no workflow that did nothing', [span('w', 'invoke_workflow', 0, 9)], {}],
    ['but one that has not ended', [span('w', 'invoke_workflow', 0)], { 'trace:w': 'loop_start' }],
  ])('%s', async (_, spans, runs) => {
    expect(await runsOf('otlp', [spans])).toEqual(runs);
  });

  test.each<readonly [string, readonly JsonObject[], Record<string, string>]>([
    [
      'are rounds of the graph',
      [other('r', 0, 9), node('n < r', 1, 3), chat('m < n', 2, 3), call('t < r', 4, 5)],
      { trace: `loop_start model find:ok ${TRACE_ENDED}` },
    ],
    [
      'do not end a graph that was killed',
      [node('n < r', 1, 3), chat('m < n', 2, 3), call('t < r', 4, 5)],
      { trace: 'loop_start model find:ok' },
    ],
    [
      'do not hide that the graph failed',
      [
        other('r', 0, 9, { fails: true, 'error.type': 'ValueError' }),
        ...[node('n < r', 1, 3), chat('m < n', 2, 3), call('t < r', 4, 5), node('o < r', 6, 8), chat('l < o', 7, 8)],
      ],
      { trace: 'loop_start model find:ok model blocked/ValueError' },
    ],
    [
      'are agents where a call beside them began in their time',
      [other('r', 0), node('n < r', 1, 8), chat('m < n', 2, 3), call('t < r', 4, 5)],
      { 'trace:n': `loop_start model find:ok ${ENDED}` },
    ],
    [
      'are agents where nobody calls',
      [other('r', 0), node('n < r', 1, 3), chat('m < n', 2, 3), node('o < r', 4, 6), chat('l < o', 5, 6)],
      { 'trace:n': `loop_start model ${ENDED}`, 'trace:o': `loop_start model ${ENDED}` },
    ],
  ])('nodes of a graph %s', async (_, spans, runs) => {
    expect(await runsOf('otlp', [spans])).toEqual(runs);
  });
});

test('a session is its agents one after the other, and what works for one is a run of its own', async () => {
  const of = (trace: string): Given => ({ trace, 'gen_ai.conversation.id': 'talk' });
  const spans = [
    ...[agent('b', 10, 19, of('second')), chat('n < b', 11, 12, of('second'))],
    ...[agent('a', 0, 9, of('first')), chat('m < a', 1, 2, of('first')), agent('i < a', 3, 4, of('first'))],
  ];
  expect(await runsOf('otlp', [spans], 'session')).toEqual({
    talk: `loop_start model model ${ENDED}`,
    'first:i': `loop_start ${ENDED}`,
  });
  const open = spans.map(({ endTimeUnixNano, ...rest }) =>
    rest['spanId'] === 'b' ? rest : { ...rest, endTimeUnixNano },
  );
  expect(await runsOf('otlp', [open], 'session')).toMatchObject({ talk: 'loop_start model model' });
});

test('work belongs to its agent however deep below it', async () => {
  const below = (id: string): readonly JsonObject[] => [
    agent(`${id}0`, 0, 9),
    ...Array.from({ length: 20_000 }, (_, at) => other(`${id}${at + 1} < ${id}${at}`, 1, 8)),
    chat(`${id}m < ${id}20000`, 2, 3),
  ];
  expect(await runsOf('otlp', [[...below('a'), ...below('b')].toReversed()])).toEqual({
    'trace:a0': `loop_start model ${ENDED}`,
    'trace:b0': `loop_start model ${ENDED}`,
  });
});
