import { expect, test } from 'vitest';
import { jsonLines, judged } from './judged.js';

const state = (status: string, more: object = {}) =>
  JSON.stringify({ id: 'c', agent: {}, max_iterations: 500, execution_status: status, ...more }, null, 2);
const event = (id: string, kind: string, source: string, more: object = {}) => ({ id, kind, source, ...more });
const prompt = event('e0', 'MessageEvent', 'user', { llm_message: { content: 'Fix it.' } });
const action = event('e1', 'ActionEvent', 'agent', {
  tool_name: 'terminal',
  tool_call_id: 't1',
  action: { command: 'ls' },
  llm_response_id: 'r1',
});
const result = event('e2', 'ObservationEvent', 'environment', {
  tool_name: 'terminal',
  tool_call_id: 't1',
  observation: { content: 'a.py', is_error: false },
});

/** A folder of files, as it is kept on disk. */
const folder = (name: string, status: string | undefined, events: readonly object[]) => ({
  ...(status !== undefined && { [`${name}/base_state.json`]: state(status) }),
  ...Object.fromEntries(
    events.map((each, index) => [`${name}/events/event-0000${index}-abc.json`, JSON.stringify(each)]),
  ),
});

test('a folder is a conversation, though its events have the ids of another', async () => {
  const { verdicts, stderr } = await judged({
    ...folder('one', 'finished', [prompt, action, result]),
    ...folder('two', 'running', [prompt, action, result]),
    ...folder('three', undefined, [prompt, action]),
  });
  expect(verdicts).toEqual(['one closed_ok iter=1', 'three open_loop iter=1', 'two open_loop iter=1']);
  expect(stderr).not.toContain('no run begins');
});

test.each([
  ['error', 'closed_blocked'],
  ['stuck', 'closed_blocked'],
  ['paused', 'open_loop'],
  ['waiting_for_confirmation', 'open_loop'],
  ['idle', 'open_loop'],
  ['meditating', 'bad_terminal'],
])('the state %s beside the events is %s', async (status, verdict) => {
  const { verdicts } = await judged(folder('c', status, [prompt, action, result]));
  expect(verdicts).toEqual([`c ${verdict} iter=1`]);
});

test.each([
  [{ kind: 'ConversationErrorEvent', code: 'MaxIterationsReached', detail: 'x' }, 'closed_cap'],
  [{ kind: 'ConversationErrorEvent', code: 'LLMBadRequestError', detail: 'x' }, 'closed_blocked'],
  [{ kind: 'InterruptEvent' }, 'closed_rejected'],
  [{ kind: 'PauseEvent' }, 'open_loop'],
  [{ kind: 'UserRejectObservation', tool_call_id: 't1', rejection_reason: 'no' }, 'closed_rejected'],
])('%o ends it as %s, whatever the state is called', async (last, verdict) => {
  const events = [prompt, action, { id: 'e9', source: 'environment', ...last }];
  const status = verdict === 'closed_cap' || verdict === 'closed_blocked' ? 'error' : 'running';
  expect((await judged(folder('c', status, events))).verdicts).toEqual([`c ${verdict} iter=1`]);
});

test('an interrupt that pauses is an interrupt', async () => {
  const interrupt = event('e9', 'InterruptEvent', 'user');
  const { verdicts } = await judged(folder('c', 'paused', [prompt, action, interrupt]));
  expect(verdicts).toEqual(['c closed_rejected iter=1']);
});

test('calls of another agent are told more than once, and are one each', async () => {
  const told = (id: string, call: string, status: string, more: object = {}) =>
    event(id, 'ACPToolCallEvent', 'agent', { tool_call_id: call, tool_kind: 'read', status, ...more });
  const events = [prompt, told('a', 'x', 'pending'), told('b', 'x', 'completed'), told('c', 'y', 'failed')];
  expect((await judged({ 'a.jsonl': jsonLines(events) })).verdicts).toEqual(['a open_loop iter=2']);
});

test('a result may stand before its call', async () => {
  const { verdicts, stderr } = await judged({ 'a.jsonl': jsonLines([prompt, result, action]) });
  expect(verdicts).toEqual(['a open_loop iter=1']);
  expect(stderr).not.toContain('not understood');
});

test('events of version 0 in files of their own come in the order of their ids', async () => {
  const steps = Array.from({ length: 10 }, (_, index) => ({
    id: index + 1,
    source: 'agent',
    action: 'run',
    args: { command: `echo ${index}` },
  }));
  const events = [
    { id: 0, source: 'user', action: 'message', args: { content: 'Count.' } },
    ...steps,
    { id: 11, source: 'agent', action: 'finish', args: { task_completed: 'true' } },
  ];
  const { verdicts } = await judged(
    Object.fromEntries(
      events
        .map((each) => [`sid/events/${each.id}.json`, JSON.stringify(each)] as const)
        .toSorted(([left], [right]) => (left < right ? -1 : 1)),
    ),
  );
  expect(verdicts).toEqual(['sid closed_ok iter=11']);
});

test('an event that stands twice is one', async () => {
  const { verdicts } = await judged({ 'a.jsonl': jsonLines([prompt, action, result, action, result]) });
  expect(verdicts).toEqual(['a open_loop iter=1']);
});

test('two rows of one instance are two runs', async () => {
  const row = { instance_id: 'i', history: [{ action: 'finish', source: 'agent', args: {} }], error: null };
  const { verdicts } = await judged({ 'output.jsonl': jsonLines([row, { ...row, error: 'RuntimeError: x' }]) });
  expect(verdicts).toEqual(['i closed_ok iter=1', 'i#0002 closed_blocked iter=1']);
});
