import { describe, expect, test } from 'vitest';
import { langfuse } from '../../src/adapters/langfuse.js';
import { langsmith } from '../../src/adapters/langsmith.js';
import type { JsonObject } from '../../src/json-values.js';
import { runsOf } from './runs-of.js';
import { bytesOf, translated } from './translated.js';

const at = (second: number): string => `2026-03-01T10:00:0${second}.000000`;
const ENDED = 'done/the agent span ended';
const TRACE_ENDED = 'done/the trace ended';

const toolsOf = async (adapter: typeof langfuse | typeof langsmith, records: readonly JsonObject[]) =>
  (await translated(adapter, 'turn', [bytesOf(records)])).spans.filter(({ type }) => type === 'tool');

describe('OpenAI Agents SDK', () => {
  const span = (ids: string, type: string, from: number, to: number | null, more: JsonObject = {}, error?: string) => {
    const [id, parent_id = null] = ids.split(' < ');
    return {
      ...{ object: 'trace.span', id, trace_id: 't', parent_id, started_at: at(from) },
      ended_at: to === null ? null : at(to),
      span_data: { type, ...more },
      error: error === undefined ? null : { message: error, data: {} },
    };
  };
  const tripped = { name: 'rail', triggered: true };
  test.each<readonly [string, readonly JsonObject[], Record<string, string>]>([
    [
      'a handoff ends one run, and the agent that took over has its own',
      [
        ...[
          span('a', 'agent', 0, 4),
          span('r < a', 'response', 1, 2),
          span('h < a', 'handoff', 3, 3, { to_agent: 'B' }),
        ],
        ...[span('b', 'agent', 4, 9), span('s < b', 'generation', 5, 6)],
      ],
      { 't:a': 'loop_start model handoff', 't:b': `loop_start model ${ENDED}` },
    ],
    [
      'a handoff to nobody is none',
      [span('a', 'agent', 0, 4), span('h < a', 'handoff', 3, 3, { to_agent: null })],
      { 't:a': `loop_start ${ENDED}` },
    ],
    [
      'a guardrail that tripped is why the agent ended',
      [
        ...[span('a', 'agent', 0, 9, {}, 'Something else'), span('r < a', 'response', 1, 2)],
        span('g < a', 'guardrail', 1, 3, tripped),
      ],
      { 't:a': 'loop_start model rejected/guardrail' },
    ],
    [
      'not if work has followed',
      [span('a', 'agent', 0, 9), span('g < a', 'guardrail', 1, 2, tripped), span('r < a', 'response', 3, 4)],
      { 't:a': `loop_start model ${ENDED}` },
    ],
    [
      'what a part of it failed with is not why the agent ended',
      [
        ...[span('a', 'agent', 0, 9), span('r < a', 'response', 1, 2)],
        span('c < a', 'custom', 3, 4, {}, 'CancelledError: gone'),
      ],
      { 't:a': `loop_start model ${ENDED}` },
    ],
    [
      'an agent that is asked as a tool is a run of its own',
      [
        ...[span('a', 'agent', 0, 9), span('f < a', 'function', 1, 8, { name: 'ask' })],
        ...[span('b < f', 'agent', 2, 7, {}, 'Max turns exceeded'), span('r < b', 'response', 3, 4)],
      ],
      { 't:a': `loop_start ask:ok ${ENDED}`, 't:b': 'loop_start model budget/MaxTurnsExceeded' },
    ],
  ])('%s', async (_, records, runs) => {
    expect(await runsOf('openai-agents', [records])).toEqual(runs);
  });

  test('the group of traces is their session, wherever it is told', async () => {
    const group = { object: 'trace', id: 't', workflow_name: 'w', group_id: 'talk' };
    const spans = [span('a', 'agent', 0, 9), span('r < a', 'response', 1, 2)];
    const none = { ...group, group_id: '' };
    expect(Object.keys(await runsOf('openai-agents', [[none, ...spans]], 'session'))).toEqual(['t:a']);
    for (const records of [
      [group, ...spans],
      [...spans, group],
    ]) {
      expect(Object.keys(await runsOf('openai-agents', [records], 'session'))).toEqual(['talk']);
    }
  });
});

describe('Langfuse', () => {
  const observation = (ids: string, type: string, from: number, to: number | null, more: JsonObject = {}) => {
    const [id, parentObservationId = null] = ids.split(' < ');
    const endTime = to === null ? null : `${at(to)}Z`;
    return { id, traceId: 't', parentObservationId, type, name: type, startTime: `${at(from)}Z`, endTime, ...more };
  };
  const snake = (record: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(record).map(([key, value]) => [
        key.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
        value,
      ]),
    );
  const RUN = [observation('a', 'AGENT', 0, 9), observation('g < a', 'GENERATION', 1, 2)];
  test.each<readonly [string, readonly JsonObject[], Record<string, string>]>([
    ['observations by themselves', RUN, { 't:a': `loop_start model ${ENDED}` }],
    ['observations as they are stored', RUN.map(snake), { 't:a': `loop_start model ${ENDED}` }],
    ['a page of observations', [{ data: RUN, meta: {} }], { 't:a': `loop_start model ${ENDED}` }],
    [
      'a page of traces',
      [{ data: [{ id: 't', sessionId: 's', observations: RUN }] }],
      { 't:a': `loop_start model ${ENDED}` },
    ],
    [
      'a failure, by its class',
      [observation('a', 'AGENT', 0, 9, { level: 'ERROR', statusMessage: 'GraphRecursionError: Recursion limit of 5' })],
      { 't:a': 'loop_start budget/GraphRecursionError' },
    ],
    [
      'a failure, by its text',
      [observation('a', 'AGENT', 0, 9, { level: 'ERROR', statusMessage: 'No more credit' })],
      { 't:a': 'loop_start blocked/error' },
    ],
    [
      'attributes of OpenTelemetry, as text',
      [
        observation('a', 'SPAN', 0, 9, { metadata: '{"attributes":{"gen_ai.operation.name":"invoke_agent"}}' }),
        observation('g < a', 'GENERATION', 1, 2),
      ],
      { 't:a': `loop_start model ${ENDED}` },
    ],
    [
      'a span above all where nobody is an agent',
      [observation('s', 'SPAN', 0, null), observation('g < s', 'GENERATION', 1, 2)],
      { t: 'loop_start model' },
    ],
  ])('%s', async (_, records, runs) => {
    expect(langfuse.recognises(records)).toBe(true);
    expect(await runsOf('langfuse', [records])).toEqual(runs);
  });

  test('a trace that has only the ids of its observations is not understood', async () => {
    const { spans, told } = await translated(langfuse, 'turn', [bytesOf([{ id: 't', observations: ['a', 'b'] }])]);
    expect([spans, told.map(({ notUnderstood }) => [...notUnderstood])]).toEqual([
      [],
      [[['observation by its id', 1]]],
    ]);
  });

  test('a message is a result without its ids, as text and as an object', async () => {
    const message = (id: string) => ({ content: '5', name: 'find', id, tool_call_id: id, status: 'error' });
    const calls = [JSON.stringify(message('x')), message('y')].map((output, index) =>
      observation(`c${index} < a`, 'TOOL', index + 1, index + 2, { output, input: '{"q":1}' }),
    );
    const [first, second] = await toolsOf(langfuse, [...RUN, ...calls]);
    expect([first?.result_hash, first?.args_hash]).toEqual([second?.result_hash, second?.args_hash]);
    expect([first?.status, second?.status]).toEqual(['error', 'error']);
  });
});

describe('LangSmith', () => {
  const run = (ids: string, run_type: string, from: number, to: number | null, more: JsonObject = {}): JsonObject => {
    const [id, parent_run_id = null] = ids.split(' < ');
    const end_time = to === null ? null : at(to);
    return { id, trace_id: 'r', parent_run_id, run_type, name: run_type, start_time: at(from), end_time, ...more };
  };
  const INTERRUPT = {
    status: 'error',
    error: "GraphInterrupt((Interrupt(value='sure?'),))Traceback (most recent call",
  };
  const { trace_id: _, ...bare } = run('m < r', 'llm', 1, 2);
  test.each<readonly [string, readonly JsonObject[], Record<string, string>]>([
    [
      'runs that hold their children',
      [{ ...run('r', 'chain', 0, 9), child_runs: [{ ...bare, parent_run_id: undefined }] }],
      { 'r:r': `loop_start model ${ENDED}` },
    ],
    [
      'a list of runs',
      [{ runs: [run('r', 'chain', 0, 9), run('m < r', 'llm', 1, 2)] }],
      { 'r:r': `loop_start model ${ENDED}` },
    ],
    [
      'an interrupt that only a call tells',
      [
        run('r', 'chain', 0, 9, { status: 'success' }),
        run('m < r', 'llm', 1, 2),
        run('t < r', 'tool', 3, 4, INTERRUPT),
      ],
      { 'r:r': 'loop_start model tool:? wait_start:human' },
    ],
    [
      'an interrupt that is over',
      [run('r', 'chain', 0, 9), run('t < r', 'tool', 1, 2, INTERRUPT), run('m < r', 'llm', 3, 4)],
      { 'r:r': `loop_start tool:? model ${ENDED}` },
    ],
    [
      'a person who interrupts',
      [run('r', 'chain', 0, 9, { error: 'KeyboardInterrupt()Traceback' }), run('m < r', 'llm', 1, 2)],
      { 'r:r': 'loop_start model rejected/user_interrupt' },
    ],
    ['a chain that did nothing is no run', [run('r', 'chain', 0, 9)], {}],
    ['but one that has not ended is', [run('r', 'chain', 0, 9, { status: 'pending' })], { 'r:r': 'loop_start' }],
    [
      'a trace whose root is not there, and whose last call nobody has looked at',
      [run('m < x', 'llm', 1, 2), run('t < x', 'tool', 3, 4)],
      { r: 'loop_start model tool:ok' },
    ],
    [
      'a trace whose root is not there, and whose model had the last word',
      [run('m < x', 'llm', 1, 2), run('t < x', 'tool', 3, 4), run('n < x', 'llm', 5, 6)],
      { r: `loop_start model tool:ok model ${TRACE_ENDED}` },
    ],
    [
      'order as the source has it, for what began at one time',
      [
        run('r', 'chain', 0, 9, { dotted_order: '20260301T100000000000Zr' }),
        run('a < r', 'tool', 1, 1, { name: 'late', dotted_order: '20260301T100000000000Zr.20260301T100001000000Zb' }),
        run('b < r', 'tool', 1, 1, { name: 'early', dotted_order: '20260301T100000000000Zr.20260301T100001000000Za' }),
      ],
      { 'r:r': `loop_start early:ok late:ok ${ENDED}` },
    ],
  ])('%s', async (_name, records, runs) => {
    expect(langsmith.recognises(records)).toBe(true);
    expect(await runsOf('langsmith', [records])).toEqual(runs);
  });

  test('runs without a trace id are of the trace that their order begins with', async () => {
    const trace = '0196a3c4-0000-4000-8000-000000000001';
    const order = `20260301T100000000000Z${trace}`;
    const { trace_id: _root, ...root } = run(trace, 'chain', 0, 9, { dotted_order: order });
    const child = { ...bare, parent_run_id: trace, dotted_order: `${order}.20260301T100001000000Zm` };
    expect(await runsOf('langsmith', [[child, root]])).toEqual({ [`${trace}:${trace}`]: `loop_start model ${ENDED}` });
  });

  test('calls that differ in their ids alone are the same, and so are their results', async () => {
    const call = (id: string, second: number) =>
      run(`${id} < r`, 'tool', second, second, {
        inputs: { input: { type: 'tool_call', name: 'find', id, args: { q: 1 } } },
        outputs: { output: { lc: 1, kwargs: { content: '5', tool_call_id: id, id } } },
      });
    const [first, second] = await toolsOf(langsmith, [run('r', 'chain', 0, 9), call('x', 1), call('y', 2)]);
    expect(first?.args_hash).toMatch(/^[\da-f]{16}$/);
    expect([first?.args_hash, first?.result_hash]).toEqual([second?.args_hash, second?.result_hash]);
  });
});
