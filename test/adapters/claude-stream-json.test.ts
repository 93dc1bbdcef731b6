import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { claudeStreamJson } from '../../src/adapters/claude-stream-json.js';
import type { JsonObject } from '../../src/json-values.js';
import { bytesOf, translated } from './translated.js';

const fixture = (name: string): Buffer => readFileSync(`fixtures/formats/claude-stream-json/${name}.jsonl`);
const linesOf = (name: string): JsonObject[] =>
  fixture(name)
    .toString()
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test.each([
  ['asked', 'wait_start'],
  ['leave', 'wait_start'],
  ['control', 'wait_start'],
  ['leave-given', 'terminal'],
  ['only-begun', 'loop_start'],
])('%s ends with %s', async (session, type) => {
  const { spans } = await translated(claudeStreamJson, 'turn', [fixture('waiting')]);
  expect(spans.filter(({ run_id: id }) => id === `${session}#0001`).at(-1)?.type).toBe(type);
});

test('a sub-agent behind the turn goes on in its run, and ends by its own notice', async () => {
  const { spans } = await translated(claudeStreamJson, 'turn', [fixture('background')]);
  const ends = spans.filter(({ type }) => type === 'terminal').map(({ run_id: id, inferred }) => [id, inferred]);
  expect(ends.toSorted()).toEqual([
    ['p#0001', undefined],
    ['p#0002', undefined],
    ['p/s1#0001', undefined],
    ['p/s2#0001', true],
  ]);
});

test('a background sub-agent of a stream that was cut has not stopped', async () => {
  const cut = bytesOf(linesOf('background').slice(0, -4));
  const { spans } = await translated(claudeStreamJson, 'turn', [cut]);
  expect(spans.filter(({ type }) => type === 'terminal').map(({ run_id: id }) => id)).toEqual(['p#0001', 'p/s2#0001']);
});

test('a message that stands twice counts once, and its last copy has its tokens', async () => {
  const once = await translated(claudeStreamJson, 'turn', [fixture('background')]);
  const twice = await translated(claudeStreamJson, 'turn', [fixture('background'), fixture('background')]);
  expect(twice.spans).toEqual(once.spans);
  const copy = (uuid: string, out: number) => ({
    type: 'assistant',
    session_id: 's',
    uuid,
    message: {
      id: 'm',
      content: [{ type: 'tool_use', id: 't', name: 'Bash', input: {} }],
      usage: { output_tokens: out },
    },
  });
  const { spans } = await translated(claudeStreamJson, 'turn', [bytesOf([copy('a', 1), copy('b', 9)])]);
  expect(spans.map(({ type, tokens_out: out }) => [type, out])).toEqual([
    ['loop_start', undefined],
    ['model', 9],
    ['tool', undefined],
  ]);
});

test('a session ends as its last turn does', async () => {
  const records = linesOf('two-results');
  const ends = async (given: readonly JsonObject[]) =>
    (await translated(claudeStreamJson, 'session', [bytesOf(given)])).spans.filter(({ type }) => type === 'terminal');
  expect(await ends(records)).toMatchObject([{ run_id: 'a1', reason: 'done' }]);
  expect(await ends(records.slice(0, -1))).toEqual([]);
});
