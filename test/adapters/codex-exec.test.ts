import { expect, test } from 'vitest';
import { codexExec } from '../../src/adapters/codex-exec.js';
import type { JsonObject } from '../../src/json-values.js';
import { bytesOf, translated } from './translated.js';

const item = (type: string, fields: JsonObject): JsonObject => ({ type, item: fields });
const toolsOf = async (records: readonly JsonObject[]) =>
  (await translated(codexExec, 'turn', [bytesOf([{ type: 'thread.started', thread_id: 't' }, ...records])])).spans
    .filter(({ type }) => type === 'tool')
    .map(({ iter, name, status, args_hash: args, result_hash: result }) => ({ iter, name, status, args, result }));

test('calls that begin before any of them has ended are one iteration', async () => {
  const command = (id: string, more: JsonObject = {}) => ({ id, type: 'command_execution', command: id, ...more });
  const tools = await toolsOf([
    { type: 'turn.started' },
    item('item.started', command('a')),
    item('item.started', command('b')),
    item('item.completed', command('b', { status: 'failed', exit_code: 1, aggregated_output: 'no' })),
    item('item.completed', command('a', { status: 'completed', exit_code: 0, aggregated_output: 'yes' })),
    item('item.started', command('c')),
  ]);
  expect(tools.map(({ iter, status }) => [iter, status])).toEqual([
    [1, 'ok'],
    [1, 'error'],
    [2, undefined],
  ]);
});

test('changes of one file are no evidence of repetition: what they change is not recorded', async () => {
  const change = (id: string) =>
    item('item.completed', {
      id,
      type: 'file_change',
      changes: [{ path: 'a.ts', kind: 'update' }],
      status: 'completed',
    });
  const tools = await toolsOf([{ type: 'turn.started' }, change('a'), change('b'), change('c')]);
  expect(tools).toEqual([1, 2, 3].map((iter) => ({ iter, name: 'file_change', status: 'ok' })));
});
