import { describe, expect, test } from 'vitest';
import { otlp } from '../../src/adapters/otlp.js';
import type { JsonObject } from '../../src/json-values.js';
import { runsOf } from './runs-of.js';
import { bytesOf, translated } from './translated.js';

const START = { startTimeUnixNano: '1772000000000000000', endTimeUnixNano: '1772000009000000000' };
const attributes = (given: Readonly<Record<string, string | number>>): readonly JsonObject[] =>
  Object.entries(given).map(([key, value]) => ({
    key,
    value: typeof value === 'string' ? { stringValue: value } : { intValue: String(value) },
  }));
/** A span as the collector writes it. */
const span = (
  spanId: string,
  parentSpanId: string,
  name: string,
  given: Readonly<Record<string, string | number>> = {},
  more: JsonObject = {},
): JsonObject => ({ traceId: 'abc1', spanId, parentSpanId, name, ...START, attributes: attributes(given), ...more });
const exported = (...spans: readonly JsonObject[]): JsonObject => ({ resourceSpans: [{ scopeSpans: [{ spans }] }] });

const ENDED = 'done/the agent span ended';
const AGENT = span('a', '', 'invoke_agent x', { 'gen_ai.operation.name': 'invoke_agent' });

describe('spans of any dialect', () => {
  test.each<readonly [string, readonly JsonObject[], string]>([
    [
      'Vercel AI: the finish reason of the root is recorded',
      [
        span('a', '', 'ai.generateText', { 'ai.response.finishReason': 'stop' }),
        span('b', 'a', 'ai.generateText.doGenerate', { 'ai.response.finishReason': 'tool-calls' }),
        span('c', 'a', 'ai.toolCall', { 'ai.toolCall.name': 'find', 'ai.toolCall.args': '{}' }),
      ],
      'loop_start model find:ok done/stop',
    ],
    [
      'Vercel AI: a root that asks for tools came to its cap of steps',
      [
        span('a', '', 'ai.streamText', { 'ai.response.finishReason': 'tool-calls' }),
        span('b', 'a', 'ai.streamText.doStream'),
      ],
      'loop_start model budget/max_iterations',
    ],
    [
      'Google ADK: the finish reason stands in the response',
      [
        span('a', '', 'invocation'),
        span('b', 'a', 'agent_run [x]'),
        span('c', 'b', 'call_llm', { 'gcp.vertex.agent.llm_response': '{"finish_reason":"MAX_TOKENS"}' }),
      ],
      'loop_start model budget/max_tokens',
    ],
    [
      'Pydantic AI: a limit of usage',
      [
        span(
          'a',
          '',
          'agent run',
          {},
          {
            status: { code: 2, message: 'UsageLimitExceeded' },
            events: [
              {
                name: 'exception',
                attributes: attributes({ 'exception.type': 'pydantic_ai.exceptions.UsageLimitExceeded' }),
              },
            ],
          },
        ),
        span('b', 'a', 'chat m', { 'gen_ai.operation.name': 'chat' }),
        span('c', 'a', 'running tool', { 'gen_ai.tool.name': 'find' }),
      ],
      'loop_start model find:ok budget/UsageLimitExceeded',
    ],
    [
      'Logfire: a span is told when it begins, too',
      [
        span('b1', 'a', 'agent run', {
          'logfire.span_type': 'pending_span',
          'logfire.pending_parent_id': '0000000000000000',
        }),
        span('c', 'a', 'chat m', { 'gen_ai.operation.name': 'chat' }),
      ],
      'loop_start model',
    ],
    [
      'OpenLLMetry: a workflow is the run where nothing is an agent',
      [
        span('a', '', 'job.workflow', { 'traceloop.span.kind': 'workflow' }),
        span('b', 'a', 'step.task', { 'traceloop.span.kind': 'task' }),
        span('c', 'b', 'openai.chat', { 'llm.request.type': 'chat', 'gen_ai.completion.0.finish_reason': 'length' }),
      ],
      'loop_start model budget/length',
    ],
    [
      'a span that has what models have, and models below it, is none',
      [
        AGENT,
        span('b', 'a', 'step', { 'gen_ai.request.model': 'm', 'gen_ai.usage.output_tokens': 3 }),
        span('c', 'b', 'chat m', { 'gen_ai.operation.name': 'chat' }),
      ],
      `loop_start model ${ENDED}`,
    ],
  ])('%s', async (_, spans, run) => {
    expect(Object.values(await runsOf('otlp', [[exported(...spans)]]))).toEqual([run]);
  });
});

describe('spans in any shape', () => {
  const iso = { start_time: '2026-03-01T10:00:00Z', end_time: '2026-03-01T10:00:09Z' };
  const id = (span_id: string) => ({ context: { trace_id: '0xabc1', span_id } });
  const does = (operation: string) => ({ 'gen_ai.operation.name': operation });
  const tags = (operation: string) => [{ key: 'gen_ai.operation.name', value: operation }];
  test.each<readonly [string, readonly JsonObject[]]>([
    [
      'names of Python',
      [
        {
          resource_spans: [
            {
              scope_spans: [
                {
                  spans: [
                    {
                      ...{
                        trace_id: 'ABC1',
                        span_id: 'A',
                        name: '',
                        start_time_unix_nano: '5',
                        end_time_unix_nano: '9',
                      },
                      attributes: [{ key: 'gen_ai.operation.name', value: { string_value: 'invoke_agent' } }],
                    },
                    {
                      ...{ trace_id: 'abc1', span_id: 'b', parent_span_id: 'a', name: '', end_time_unix_nano: '7' },
                      start_time_unix_nano: '6',
                      attributes: [{ key: 'gen_ai.operation.name', value: { string_value: 'chat' } }],
                    },
                  ],
                },
              ],
            },
          ],
        },
      ],
    ],
    [
      'spans by themselves, as SDKs print them',
      [
        { name: '', ...id('0xa'), ...iso, attributes: does('invoke_agent'), parent_id: null },
        { name: '', ...id('0xb'), ...iso, attributes: does('chat'), parent_id: '0xa' },
      ],
    ],
    [
      'times as JavaScript counts them, and the parent as a context',
      [
        {
          ...{ name: '', spanContext: { traceId: 'abc1', spanId: 'a' }, attributes: does('invoke_agent') },
          ...{ startTime: [1_772_000_000, 5], endTime: [1_772_000_009, 5] },
        },
        {
          ...{ name: '', spanContext: { traceId: 'abc1', spanId: 'b' }, attributes: does('chat') },
          ...{ startTime: [1_772_000_001, 5], endTime: [1_772_000_002, 5], parentSpanContext: { spanId: 'a' } },
        },
      ],
    ],
    [
      'Zipkin',
      [
        {
          traceId: 'abc1',
          id: 'a',
          name: '',
          timestamp: 1_772_000_000_000_000,
          duration: 9,
          tags: does('invoke_agent'),
        },
        {
          traceId: 'abc1',
          id: 'b',
          parentId: 'a',
          name: '',
          timestamp: 1_772_000_000_000_001,
          duration: 2,
          tags: does('chat'),
        },
      ],
    ],
    [
      'Jaeger, its numbers as texts',
      [
        {
          data: [
            {
              spans: [
                {
                  traceID: 'abc1',
                  spanID: 'a',
                  operationName: '',
                  startTime: '1772000000000000',
                  duration: '9',
                  tags: tags('invoke_agent'),
                },
                {
                  ...{ traceID: 'abc1', spanID: 'b', operationName: '', startTime: 1_772_000_000_000_001, duration: 2 },
                  ...{ tags: tags('chat'), references: [{ refType: 'CHILD_OF', spanID: 'a' }] },
                },
              ],
            },
          ],
        },
      ],
    ],
  ])('%s', async (_, records) => {
    expect(otlp.recognises(records)).toBe(true);
    expect(await runsOf('otlp', [records])).toEqual({ 'abc1:a': `loop_start model ${ENDED}` });
  });
});

describe('arguments', () => {
  const call = (id: string, args: string | undefined): JsonObject =>
    span(id, 'a', 'execute_tool find', {
      'gen_ai.operation.name': 'execute_tool',
      ...(args !== undefined && { 'gen_ai.tool.call.arguments': args }),
    });
  const digestsOf = async (...args: readonly (string | undefined)[]): Promise<number> => {
    const calls = args.map((each, at) => call(`c${at}`, each));
    const { spans } = await translated(otlp, 'turn', [bytesOf([exported(AGENT, ...calls)])]);
    return spans.filter(({ args_hash: digest }) => digest !== undefined).length;
  };
  test.each<readonly [string, number, readonly (string | undefined)[]]>([
    ['that are not recorded have no digest', 0, [undefined, 'null', 'None', '']],
    ['that are empty in all calls are no evidence', 0, ['{}', ' { } ', '{}']],
    ['that are empty in some calls are', 3, ['{}', '{"q":1}', '{}']],
  ])('%s', async (_, count, args) => {
    expect(await digestsOf(...args)).toBe(count);
  });
});

test('tokens that are not said are not said to be none, and those of a cache are not counted twice', async () => {
  const chat = (id: string, given: Readonly<Record<string, number>>) =>
    span(id, 'a', 'chat', { 'gen_ai.operation.name': 'chat', ...given });
  const { spans } = await translated(otlp, 'turn', [
    bytesOf([
      exported(
        AGENT,
        chat('b', {}),
        chat('c', {
          'gen_ai.usage.input_tokens': 10,
          'gen_ai.usage.cache_read.input_tokens': 7,
          'gen_ai.usage.output_tokens': 2,
        }),
      ),
    ]),
  ]);
  expect(
    spans
      .filter(({ type }) => type === 'model')
      .map(({ tokens_in, tokens_cached, tokens_out }) => [tokens_in, tokens_cached, tokens_out]),
  ).toEqual([
    [undefined, undefined, undefined],
    [3, 7, 2],
  ]);
});

test('operations that nobody knows are counted by their word, and never quoted where they are none', async () => {
  const { told } = await translated(otlp, 'turn', [
    bytesOf([
      exported(
        AGENT,
        span('b', 'a', 'x', { 'gen_ai.operation.name': 'divine' }),
        span('c', 'a', 'x', { 'gen_ai.operation.name': 'my password is hunter2' }),
        span('d', 'a', 'x', { 'gen_ai.operation.name': 'embeddings' }),
      ),
    ]),
  ]);
  expect(told.map(({ notUnderstood }) => [...notUnderstood])).toEqual([
    [
      ['operation divine', 1],
      ['operation (no word)', 1],
    ],
  ]);
});
