import { expect, test } from 'vitest';
import { runsOf } from './runs-of.js';

const S = 'ses_1';
const of = (...files: object[][]) => runsOf('opencode', files);
const message = (id: string, role: string, created: number, more: object = {}) => ({
  id,
  sessionID: S,
  role,
  time: { created },
  ...more,
});
const part = (id: string, messageID: string, type: string, more: object = {}) => ({
  id,
  messageID,
  sessionID: S,
  type,
  ...more,
});
const streamed = (type: string, more: object) => ({ type, timestamp: 1, sessionID: S, ...more });
const step = (id: string, type: string, more: object = {}) =>
  streamed(type.replace('-', '_'), { part: part(id, 'msg_1', type, more) });
const tool = (id: string, status: string, more: object = {}) =>
  streamed('tool_use', {
    part: part(id, 'msg_1', 'tool', { callID: id, tool: 'ls', state: { status, input: {}, ...more } }),
  });

test('storage is read in the order of its messages, whatever the order of its files', async () => {
  const files = [
    [{ id: S, projectID: 'p', directory: '/', time: { created: 1 } }],
    [message('msg_1', 'user', 1)],
    [message('msg_2', 'assistant', 2, { time: { created: 2, completed: 3 }, finish: 'stop' })],
    [message('msg_3', 'user', 4)],
    [part('prt_1', 'msg_1', 'text', { text: 'a' })],
    [part('prt_2', 'msg_2', 'text', { text: 'b' })],
    [part('prt_3', 'msg_3', 'text', { text: 'c' })],
  ];
  const runs = { 'ses_1#0001': 'loop_start model done/stop', 'ses_1#0002': 'loop_start' };
  expect(await of(...files)).toEqual(runs);
  expect(await of(...files.toReversed())).toEqual(runs);
  expect(await runsOf('opencode', files, 'session')).toEqual({ ses_1: 'loop_start model loop_start' });
});

test('the last copy of a part and of a message counts', async () => {
  const call = (status: string) =>
    part('prt_2', 'msg_2', 'tool', { callID: 'c', tool: 'ls', state: { status, input: {}, output: 'x' } });
  const begun = [message('msg_1', 'user', 1), message('msg_2', 'assistant', 2), call('running')];
  expect(await of(begun)).toEqual({ 'ses_1#0001': 'loop_start model ls:?' });
  const ended = message('msg_2', 'assistant', 2, { time: { created: 2, completed: 3 }, finish: 'tool-calls' });
  expect(await of([...begun, call('completed'), ended])).toEqual({ 'ses_1#0001': 'loop_start model ls:ok' });
});

test('what only continues a compaction is no prompt', async () => {
  const records = [
    message('msg_1', 'user', 1),
    message('msg_2', 'assistant', 2, { time: { created: 2, completed: 3 }, finish: 'tool-calls' }),
    message('msg_3', 'user', 4),
    part('prt_1', 'msg_3', 'compaction', { auto: true }),
    message('msg_4', 'assistant', 5, { summary: true, time: { created: 5, completed: 6 }, finish: 'stop' }),
    message('msg_5', 'user', 7),
    part('prt_2', 'msg_5', 'text', { text: 'Continue if you have next steps', synthetic: true }),
    message('msg_6', 'assistant', 8, { time: { created: 8, completed: 9 }, finish: 'stop' }),
  ];
  expect(await of(records)).toEqual({ 'ses_1#0001': 'loop_start model model model done/stop' });
});

test('a step that says stop beside a call may go on', async () => {
  const records = [
    step('p1', 'step-start'),
    tool('p2', 'completed'),
    step('p3', 'step-finish', { reason: 'stop' }),
    step('p4', 'step-start'),
    step('p5', 'step-finish', { reason: 'stop' }),
    step('p6', 'step-start'),
  ];
  expect(await of(records.slice(0, 3))).toEqual({ 'ses_1#0001': 'model ls:ok done/stop' });
  expect(await of(records)).toEqual({ 'ses_1#0001': 'model ls:ok model done/stop', 'ses_1#0002': 'model' });
});

test('a part that stands twice is one', async () => {
  const records = [step('p1', 'step-start'), tool('p2', 'completed'), step('p3', 'step-finish', { reason: 'stop' })];
  expect(await of(records, records)).toEqual({ 'ses_1#0001': 'model ls:ok done/stop' });
});

test('a call that was declined with a word to the model does not end a turn that goes on', async () => {
  const error = 'The user rejected permission to use this specific tool call with the following feedback: no';
  const declined = [
    step('p1', 'step-start'),
    tool('p2', 'error', { error }),
    step('p3', 'step-finish', { reason: 'tool-calls' }),
  ];
  expect(await of(declined)).toEqual({ 'ses_1#0001': 'model ls:error rejected/tool_rejected' });
  expect(await of([...declined, step('p4', 'step-start')])).toEqual({ 'ses_1#0001': 'model ls:error model' });
});
