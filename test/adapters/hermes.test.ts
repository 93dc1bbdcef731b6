import { expect, test } from 'vitest';
import { jsonLines, judged } from './judged.js';

const message = (id: number, role: string, more: object = {}) => ({ id, role, timestamp: 1772355600 + id, ...more });
const call = (id: string) => ({ id, function: { name: 'terminal', arguments: '{"command":"ls"}' } });
const session = (id: string, messages: readonly object[], more: object = {}) =>
  jsonLines([{ id, source: 'cli', end_reason: null, model_config: '{"max_iterations":90}', messages, ...more }]);

const FIRST = [
  message(1, 'user', { content: 'list' }),
  message(2, 'assistant', { tool_calls: [call('a')], finish_reason: 'tool_calls' }),
  message(3, 'tool', { tool_call_id: 'a', content: '{"output":"x","exit_code":0}' }),
];
const SECOND = [
  message(4, 'assistant', { content: 'one file', finish_reason: 'stop' }),
  message(5, 'user', { content: 'and now?' }),
];

test('an export that is newer goes on where the older one ended', async () => {
  const { verdicts } = await judged({
    'old.jsonl': session('s', FIRST),
    'new.jsonl': session('s', [...FIRST, ...SECOND]),
  });
  expect(verdicts).toEqual(['s#0001 closed_ok iter=2', 's#0002 open_loop iter=0']);
});

test('as one run, a session that a prompt ends has not stopped', async () => {
  const files = { 'a.jsonl': session('s', [...FIRST, ...SECOND]) };
  expect((await judged(files, '--run', 'session')).verdicts).toEqual(['s open_loop iter=2']);
});

test('as one run, the last answer of a session is its stop', async () => {
  const files = { 'a.jsonl': session('s', [...FIRST, ...SECOND.slice(0, 1)]) };
  expect((await judged(files, '--run', 'session')).verdicts).toEqual(['s closed_ok iter=2']);
});

test('rows without a session are named after their file, and after its folder where two have one name', async () => {
  const rows = jsonLines(
    [...FIRST, ...SECOND].map((row) => ({
      tool_calls: '',
      tool_call_id: '',
      finish_reason: '',
      ...row,
    })),
  );
  const { verdicts } = await judged({ 'one/rows.jsonl': rows, 'two/rows.jsonl': rows });
  expect(verdicts).toEqual([
    'rows#0001 closed_ok iter=2',
    'rows#0002 open_loop iter=0',
    'two/rows#0001 closed_ok iter=2',
    'two/rows#0002 open_loop iter=0',
  ]);
});

test('work after the stop takes it back', async () => {
  const late = [message(6, 'assistant', { tool_calls: [call('b')], finish_reason: 'tool_calls' })];
  const { verdicts } = await judged({ 'a.jsonl': session('s', [...FIRST, ...SECOND.slice(0, 1), ...late]) });
  expect(verdicts).toEqual(['s#0001 open_loop iter=3']);
});

test('an export that is cut is judged on what remains', async () => {
  const text = session('s', FIRST) + session('t', [...FIRST, ...SECOND]);
  const { verdicts, code } = await judged({ 'a.jsonl': text.slice(0, -40) });
  expect(verdicts).toEqual(['s#0001 open_loop iter=1']);
  expect(code).toBe(1);
});

test('a result may stand before its call, and one whose call never comes is counted', async () => {
  const lone = message(9, 'tool', { tool_call_id: 'z', content: '{}' });
  const messages = [...FIRST.slice(0, 1), ...FIRST.slice(2), ...FIRST.slice(1, 2), ...SECOND.slice(0, 1), lone];
  const { verdicts, stderr } = await judged({ 'a.jsonl': session('s', messages) });
  expect(verdicts).toEqual(['s#0001 closed_ok iter=2']);
  expect(stderr).toContain('(a result without its call) 1');
});
