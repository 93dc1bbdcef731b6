import { expect, test } from 'vitest';
import { runsOf } from './runs-of.js';

const of = (...records: object[]) => runsOf('atif', [records]);
const trajectory = (steps: object[], more: object = {}) => ({
  schema_version: 'ATIF-v1.6',
  session_id: 's',
  steps: steps.map((step, at) => ({ step_id: at + 1, ...step })),
  ...more,
});
const user = { source: 'user', message: 'a' };
const answer = { source: 'agent', message: 'b' };
const call = (id: string, more: object = {}) => ({
  source: 'agent',
  message: '',
  tool_calls: [{ tool_call_id: id, function_name: 'ls', arguments: {} }],
  ...more,
});

test('a session that goes on in another document is one run', async () => {
  const first = trajectory([user, call('c')], { continued_trajectory_ref: 'more.json' });
  expect(await of(first)).toEqual({ 's#0001': 'loop_start model ls:? handoff/continued' });
  const copied = { ...user, is_copied_context: true };
  expect(await of(first, trajectory([copied, answer]))).toEqual({
    's#0001': 'loop_start model ls:? model done/last_message',
  });
});

test('a document of nothing but history holds no run', async () => {
  expect(await of(trajectory([user, answer].map((step) => ({ ...step, is_copied_context: true }))))).toEqual({});
});

test('a step that the harness answers is no end', async () => {
  const observation = { results: [{ content: 'no JSON' }] };
  expect(await of(trajectory([user, { ...answer, observation }]))).toEqual({ 's#0001': 'loop_start model' });
});

test('a word of the user to an agent at work begins no turn', async () => {
  expect(await of(trajectory([user, call('c'), user, answer, user]))).toEqual({
    's#0001': 'loop_start model ls:? model done/last_message',
    's#0002': 'loop_start',
  });
});

test('a step that no model made is no iteration', async () => {
  expect(await of(trajectory([user, call('c', { llm_call_count: 0 }), answer]))).toEqual({
    's#0001': 'loop_start ls:? model done/last_message',
  });
});

test('a trajectory is found in what is around it, as deep as it may be', async () => {
  const inner = trajectory([user, answer]);
  expect(await of({ trial: { results: [{ agent: inner }] } })).toEqual({
    's#0001': 'loop_start model done/last_message',
  });
  let deep: object = inner;
  for (let depth = 0; depth < 3000; depth += 1) deep = [deep];
  expect(await of({ deep })).toEqual({});
});
