import { expect, test } from 'vitest';
import { runsOf } from './runs-of.js';

let count = 0;
const event = (type: string, data: object = {}, more: object = {}) => {
  count += 1;
  return { type, data, id: `e${count}`, parentId: null, timestamp: '2026-03-05T08:00:00.000Z', ...more };
};
const of = (...records: object[]) => runsOf('copilot-cli', [[event('session.start', { sessionId: 's' }), ...records]]);
const user = (more: object = {}) => event('user.message', { content: 'a', ...more });
const answer = (content: string, ...ids: string[]) =>
  event('assistant.message', { content, toolRequests: ids.map((toolCallId) => ({ toolCallId, name: 'ls' })) });
const complete = (toolCallId: string, more: object = {}) =>
  event('tool.execution_complete', { toolCallId, success: true, ...more });

test('a word to the agent while it works begins no turn, one after a resume does', async () => {
  expect(await of(user(), answer('', 'c'), user({ delivery: 'immediate' }), complete('c'), answer('b'))).toEqual({
    's#0001': 'loop_start model ls:ok done/last_message',
  });
  expect(await of(user(), answer('', 'c'), event('session.resume', { sessionId: 's' }), user())).toEqual({
    's#0001': 'loop_start model ls:?',
    's#0002': 'loop_start',
  });
});

test('rounds are counted, though their ids begin anew', async () => {
  const round = (content: string) => [
    event('assistant.turn_start', { turnId: '0' }),
    answer(content),
    event('assistant.turn_end', { turnId: '0' }),
  ];
  expect(await of(user(), ...round(''), ...round('b'))).toEqual({
    's#0001': 'loop_start model model done/last_message',
  });
});

test('a sub-agent that does not say that it ended has ended with the call that began it', async () => {
  const inside = { parentToolCallId: 'c' };
  const inner = event('assistant.message', { content: '', toolRequests: [], ...inside });
  expect(await of(user(), answer('', 'c'), inner)).toEqual({
    's#0001': 'loop_start model ls:?',
    's/c': 'loop_start model',
  });
  expect(await of(user(), answer('', 'c'), inner, complete('c', { success: false }))).toEqual({
    's#0001': 'loop_start model ls:error',
    's/c': 'loop_start model blocked/error',
  });
});

test('what a person was asked and has answered is no wait', async () => {
  const asked = [user(), answer('', 'c'), event('permission.requested')];
  expect(await of(...asked)).toEqual({ 's#0001': 'loop_start model ls:? wait_start:human' });
  expect(await of(...asked, event('permission.completed'))).toEqual({ 's#0001': 'loop_start model ls:?' });
});

test('an event that stands twice is one, and an id that is used again is not', async () => {
  const [first, second] = [user(), answer('b')];
  expect(await of(first, second, first, second)).toEqual({ 's#0001': 'loop_start model done/last_message' });
  expect(await of(first, second, { ...user({ content: 'c' }), id: first.id })).toEqual({
    's#0001': 'loop_start model done/last_message',
    's#0002': 'loop_start',
  });
});

test('a session that does not say its name is called as its folder', async () => {
  expect(Object.keys(await runsOf('copilot-cli', [[user()]]))).toEqual(['file-0#0001']);
});
