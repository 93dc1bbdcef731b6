import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { claudeCode } from '../../src/adapters/claude-code.js';
import { digestOf } from '../../src/adapters/digest.js';
import type { JsonObject } from '../../src/json-values.js';
import { bytesOf, translated } from './translated.js';

const fixture = (name: string): Buffer => readFileSync(`fixtures/formats/claude-code/${name}.jsonl`);
const spansOf = async (name: string, run: string) => {
  const { spans } = await translated(claudeCode, 'turn', [fixture(name)]);
  return spans.filter(({ run_id: id }) => id === run);
};
const terminals = async (unit: 'turn' | 'session', inputs: readonly Buffer[]) => {
  const { spans } = await translated(claudeCode, unit, inputs);
  return spans.filter(({ type }) => type === 'terminal').map(({ run_id: id, reason }) => `${id} ${reason}`);
};

test('a response of several lines is one round, and results find their calls in any order', async () => {
  const tools = (await spansOf('copies', 'first#0001')).filter(({ type }) => type === 'tool');
  expect(tools.map(({ call_id: id, iter, result_hash: result }) => [id, iter, result])).toEqual([
    ['d1', 1, digestOf('built')],
    ['d2', 1, digestOf('a')],
  ]);
  const [early] = (await spansOf('copies', 'early#0001')).filter(({ type }) => type === 'tool');
  expect(early).toMatchObject({ call_id: 'd4', status: 'ok', result_hash: digestOf('early') });
  const [failed] = (await spansOf('copies', 'forked#0001')).filter(({ type }) => type === 'tool');
  expect(failed).toMatchObject({ call_id: 'd3', status: 'error', exit_code: 2 });
});

test('the last copy of a message has its tokens and its stop reason', async () => {
  const copy = (uuid: string, reason: string | null, out: number): JsonObject => ({
    type: 'assistant',
    uuid,
    sessionId: 's',
    message: { id: 'm', stop_reason: reason, usage: { output_tokens: out }, content: [{ type: 'text', text: uuid }] },
  });
  const { spans } = await translated(claudeCode, 'turn', [bytesOf([copy('a', null, 1), copy('b', 'end_turn', 9)])]);
  expect(spans).toMatchObject([
    { type: 'model', tokens_out: 9, stop_reason: 'end_turn' },
    { type: 'terminal', reason: 'done', inferred: true, claim: 'turn_ended' },
  ]);
});

test.each([
  ['interrupt', { reason: 'rejected', detail: 'user_interrupt' }],
  ['interrupt-in-tool', { reason: 'rejected', detail: 'user_interrupt' }],
  ['rejected', { reason: 'rejected', detail: 'tool_rejected' }],
  ['refusal', { reason: 'rejected', detail: 'refusal' }],
  ['api-error', { reason: 'blocked', detail: 'overloaded' }],
  ['output-limit', { reason: 'budget', detail: 'max_output_tokens' }],
  ['goal-met', { reason: 'done', claim: 'goal' }],
  ['goal-given-up', { reason: 'blocked', detail: 'goal_failed' }],
  ['new-word', { reason: 'out_of_patience' }],
])('the end of %s', async (session, terminal) => {
  expect((await spansOf('endings', `${session}#0001`)).at(-1)).toMatchObject({ type: 'terminal', ...terminal });
});

test.each([
  ['question', 2],
  ['plan', 1],
  ['leave', 1],
  ['leave-asked', 1],
])('%s waits for a person', async (session, calls) => {
  const spans = await spansOf('open', `${session}#0001`);
  expect(spans.filter(({ type }) => type === 'tool')).toHaveLength(calls);
  expect(spans.at(-1)).toMatchObject({ type: 'wait_start', on: 'human' });
});

test('what is only unanswered waits for nobody that one knows of', async () => {
  for (const session of ['prompt', 'call', 'result', 'no-word', 'retrying', 'news', 'question-answered']) {
    expect((await spansOf('open', `${session}#0001`)).map(({ type }) => type)).not.toContain('wait_start');
  }
});

test('a sub-agent has runs of its own, whether its file comes before or after the one of its parent', async () => {
  const parent = bytesOf([
    { type: 'user', uuid: 'p', sessionId: 'main', message: { content: 'find it' } },
    { type: 'assistant', uuid: 'q', sessionId: 'main', message: { id: 'n', stop_reason: 'end_turn', content: [] } },
  ]);
  const runs = ['main#0001 done', 'main/a1b2#0001 done', 'main/c3d4#0001 done'];
  expect((await terminals('turn', [parent, fixture('sub-agent')])).toSorted()).toEqual(runs);
  expect((await terminals('turn', [fixture('sub-agent'), parent])).toSorted()).toEqual(runs);
  expect((await terminals('session', [fixture('sub-agent'), parent])).toSorted()).toEqual([
    'main done',
    'main/c3d4 done',
  ]);
});

test('a turn goes on in another file, and a file that is given twice counts once', async () => {
  const lines = fixture('two-turns').toString().split('\n');
  const halves = [lines.slice(0, 3), lines.slice(3)].map((half) => Buffer.from(half.join('\n')));
  const whole = await translated(claudeCode, 'turn', [fixture('two-turns')]);
  expect((await translated(claudeCode, 'turn', halves)).spans).toEqual(whole.spans);
  expect((await translated(claudeCode, 'turn', [fixture('two-turns'), fixture('two-turns')])).spans).toEqual(
    whole.spans,
  );
});

test('a session ends as its last turn does', async () => {
  const later = { type: 'user', uuid: 'later', sessionId: '5e55', message: { content: 'and then?' } };
  expect(await terminals('session', [fixture('two-turns')])).toEqual(['5e55 done']);
  expect(await terminals('session', [fixture('two-turns'), bytesOf([later])])).toEqual([]);
});

test('clocks and reminders in results are left out of digests, and what a model words anew of arguments', async () => {
  const call = (id: string, description: string, result: string): JsonObject[] => [
    {
      type: 'assistant',
      uuid: `a${id}`,
      sessionId: 's',
      message: {
        id: `m${id}`,
        stop_reason: 'tool_use',
        content: [{ type: 'tool_use', id, name: 'Bash', input: { command: 'make', description, timeout: Number(id) } }],
      },
    },
    {
      type: 'user',
      uuid: `r${id}`,
      sessionId: 's',
      message: { content: [{ type: 'tool_result', tool_use_id: id, content: [{ type: 'text', text: result }] }] },
    },
  ];
  const { spans } = await translated(claudeCode, 'turn', [
    bytesOf([
      ...call('1', 'Build', 'built (1.2s)<system-reminder>mind\nthe gap</system-reminder>'),
      ...call('2', 'Build again', 'built (37 ms)'),
      ...call('3', 'Build', 'built nothing'),
    ]),
  ]);
  const [one, two, three] = spans.filter(({ type }) => type === 'tool');
  expect([one?.args_hash, one?.result_hash]).toEqual([two?.args_hash, two?.result_hash]);
  expect(one?.result_hash_raw).not.toBe(two?.result_hash_raw);
  expect(three?.result_hash).not.toBe(one?.result_hash);
});

test('lines beside the conversation alone are a transcript without a run', async () => {
  const records = [{ type: 'summary', summary: 'a talk', leafUuid: 'x' }];
  expect(claudeCode.recognises(records)).toBe(true);
  const { spans, told } = await translated(claudeCode, 'turn', [bytesOf(records)]);
  expect(spans).toEqual([]);
  expect(told).toMatchObject([{ records: 1, runs: 0 }]);
});
