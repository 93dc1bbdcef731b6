import { expect, test } from 'vitest';
import { runsOf } from './runs-of.js';

let count = 0;
const event = (type: string, more: object = {}) => {
  count += 1;
  return { id: `sevt_${count}`, processed_at: '2026-03-06T08:00:00Z', type, ...more };
};
const of = (...records: object[]) => runsOf('managed-agents', [[{ type: 'session', id: 's' }, ...records]]);
const user = () => event('user.message', { content: [{ type: 'text', text: 'a' }] });
const call = (id: string) => ({ ...event('agent.tool_use', { name: 'ls', input: {} }), id });
const result = (tool_use_id: string) => event('agent.tool_result', { tool_use_id, content: 'x', is_error: false });
const idle = (type: string) => event('session.status_idle', { stop_reason: { type } });

test('rounds are told from calls and results where requests are not recorded', async () => {
  const calls = [call('c1'), call('c2'), result('c1'), result('c2')];
  expect(await of(user(), event('agent.message'), ...calls, event('agent.message'), idle('end_turn'))).toEqual({
    's#0001': 'loop_start model ls:ok ls:ok model done/end_turn',
  });
});

test('events that were listed and streamed are one', async () => {
  const events = [user(), call('c1'), result('c1'), idle('end_turn')];
  expect(await of(...events, { data: events, has_more: false })).toEqual({
    's#0001': 'loop_start model ls:ok done/end_turn',
  });
});

test('a wait ends with the answer', async () => {
  const asked = [user(), call('c1'), idle('requires_action')];
  expect(await of(...asked)).toEqual({ 's#0001': 'loop_start model ls:? wait_start:human' });
  expect(await of(...asked, event('user.tool_confirmation', { tool_use_id: 'c1', result: 'deny' }))).toEqual({
    's#0001': 'loop_start model ls:?',
  });
  expect(await of(...asked, event('user.interrupt'), idle('end_turn'))).toEqual({
    's#0001': 'loop_start model ls:? rejected/user_interrupt',
  });
});

test('an error that is tried again is no end', async () => {
  const error = (retry: string) =>
    event('session.error', { error: { type: 'overloaded', retry_status: { type: retry } } });
  expect(await of(user(), error('retrying'))).toEqual({ 's#0001': 'loop_start' });
  expect(await of(user(), error('terminal'), idle('end_turn'))).toEqual({ 's#0001': 'loop_start blocked/overloaded' });
});
