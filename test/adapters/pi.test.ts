import { expect, test } from 'vitest';
import { runsOf } from './runs-of.js';

const of = (...files: object[][]) => runsOf('pi', files);
const header = (id: string) => ({ type: 'session', version: 3, id, cwd: '/' });
const entry = (id: string, parentId: string | null, message: object) => ({
  type: 'message',
  id,
  parentId,
  timestamp: '2026-03-04T08:00:00.000Z',
  message,
});
const user = (text: string) => ({ role: 'user', content: text });
const answer = (stopReason: string, ...calls: string[]) => ({
  role: 'assistant',
  content: calls.map((id) => ({ type: 'toolCall', id, name: 'ls', arguments: {} })),
  stopReason,
});
const result = (toolCallId: string) => ({ role: 'toolResult', toolCallId, content: 'x', isError: false });

test('a session that was branched into another file holds copies, and goes on from them', async () => {
  const trunk = [entry('1', null, user('a')), entry('2', '1', answer('toolUse', 'c')), entry('3', '2', result('c'))];
  const first = [header('s'), ...trunk, entry('4', '3', answer('stop'))];
  const second = [header('t'), ...trunk, entry('4', '3', answer('stop')), entry('5', '4', user('b'))];
  expect(await of(first, second)).toEqual({
    's#0001': 'loop_start model ls:ok model done/stop',
    't#0001': 'loop_start',
  });
  expect(await runsOf('pi', [second], 'session')).toEqual({ t: 'loop_start model ls:ok model loop_start' });
});

test('an answer belongs to the turn that it goes on from', async () => {
  const records = [entry('1', null, user('a')), entry('2', null, user('b')), entry('3', '1', answer('stop'))];
  expect(await of([header('s'), ...records])).toEqual({
    's#0001': 'loop_start model done/stop',
    's#0002': 'loop_start',
  });
});

test('a prompt after calls that nobody answered is another turn', async () => {
  const records = [entry('1', null, user('a')), entry('2', '1', answer('toolUse', 'c')), entry('3', '2', user('b'))];
  expect(await of([header('s'), ...records])).toEqual({ 's#0001': 'loop_start model ls:?', 's#0002': 'loop_start' });
  expect(await of([header('s'), ...records.slice(0, 2), entry('4', '2', result('c')), records[2] ?? {}])).toEqual({
    's#0001': 'loop_start model ls:ok',
  });
});

test('the end of an agent records what its last message says', async () => {
  const ended = (message: object, more: object = {}) => [
    { type: 'message_end', message: user('a') },
    { type: 'message_end', message },
    { type: 'agent_end', messages: [], ...more },
  ];
  expect(await of([header('s'), ...ended(answer('stop', 'c'))])).toEqual({
    's#0001': 'loop_start model ls:? done/stop',
  });
  expect(await of([header('s'), ...ended(answer('toolUse', 'c'))])).toEqual({
    's#0001': 'loop_start model ls:? toolUse',
  });
  expect(await of([header('s'), ...ended(answer('stop'), { isTerminal: false })])).toEqual({
    's#0001': 'loop_start model',
  });
});
