import { expect, test } from 'vitest';
import { runsOf } from './runs-of.js';

const header = { sessionId: 's', projectHash: 'p', kind: 'main' };
const user = (id: string, text: string) => ({ id, type: 'user', content: [{ text }] });
const model = (id: string, content: string, toolCalls?: object[]) => ({ id, type: 'gemini', content, toolCalls });
const call = (id: string, status: string) => ({ id, name: 'ls', args: {}, status, result: [] });
const notice = (type: string, content: string) => ({ id: content, type, content });
const of = (...files: object[][]) => runsOf('gemini-cli', files);

test('a session that goes on in another file is one session, and its copy is none', async () => {
  const first = [header, user('u1', 'a'), model('m1', '', [call('c1', 'success')])];
  const second = [header, ...first.slice(1), model('m2', 'b'), user('u2', 'c'), model('m3', 'd')];
  const whole = {
    's#0001': 'loop_start model ls:ok model done/last_message',
    's#0002': 'loop_start model done/last_message',
  };
  expect(await of(first, second)).toEqual(whole);
  expect(await of(first, [header, model('m2', 'b'), user('u2', 'c'), model('m3', 'd')])).toEqual(whole);
  expect(await runsOf('gemini-cli', [first, second], 'session')).toEqual({
    s: 'loop_start model ls:ok model loop_start model done/last_message',
  });
});

test('an unanswered prompt leaves a session open, whatever stopped before', async () => {
  const records = [header, user('u1', 'a'), model('m1', 'b'), user('u2', 'c')];
  expect(await runsOf('gemini-cli', [records], 'session')).toEqual({ s: 'loop_start model loop_start' });
});

test('an empty copy of an answer is no end', async () => {
  expect(await of([header, user('u1', 'a'), model('m1', '')])).toEqual({ 's#0001': 'loop_start model' });
});

test('what comes late of an answer does not undo what ended it', async () => {
  const records = [header, user('u1', 'a'), model('m1', 'b'), notice('error', '[API Error: x]'), model('m1', 'b', [])];
  expect(await of(records)).toEqual({ 's#0001': 'loop_start model blocked/api_error' });
});

test('an error of a command does not end what has ended', async () => {
  const records = [header, user('u1', 'a'), model('m1', 'b'), notice('error', 'no such command')];
  expect(await of(records)).toEqual({ 's#0001': 'loop_start model done/last_message' });
  expect(await of([header, user('u1', 'a'), notice('error', 'fetch failed')])).toEqual({
    's#0001': 'loop_start blocked/error',
  });
});

test('history that is written anew is a copy, unless it is all there is', async () => {
  const history = { $set: { messages: [user('h1', 'a'), model('h2', 'b')] } };
  const alone = { 's#0001': 'loop_start model done/last_message' };
  expect(await of([header, history])).toEqual(alone);
  expect(await of([header, user('u1', 'a'), model('m1', 'b'), history])).toEqual(alone);
});

test('a declined call ends a turn only where no other call was made', async () => {
  const both = [call('c1', 'cancelled'), call('c2', 'success')];
  expect(await of([header, user('u1', 'a'), model('m1', '', both)])).toEqual({
    's#0001': 'loop_start model ls:error ls:ok',
  });
  expect(await of([header, user('u1', 'a'), model('m1', '', both.slice(0, 1))])).toEqual({
    's#0001': 'loop_start model ls:error rejected/cancelled',
  });
});

test('rewinding ends what was open, and leaves the answers that were given', async () => {
  const done = [header, user('u1', 'a'), model('m1', 'b')];
  expect(await of([...done, user('u2', 'c'), { $rewindTo: 'u1' }, user('u3', 'd')])).toEqual({
    's#0001': 'loop_start model done/last_message',
    's#0002': 'loop_start rejected/rewound',
    's#0003': 'loop_start',
  });
});

test('a turn that was rewound to its midst goes on', async () => {
  const records = [header, user('u1', 'a'), model('m1', 'b'), user('u2', 'c'), { $rewindTo: 'm1' }, model('m2', 'd')];
  expect(await of(records)).toEqual({
    's#0001': 'loop_start model model done/last_message',
    's#0002': 'loop_start rejected/rewound',
  });
});

test('history that is written anew after a rewind is a copy all the same', async () => {
  const history = { $set: { messages: [user('h1', 'a'), model('h2', 'b')] } };
  expect(await of([header, user('u1', 'a'), model('m1', 'b'), { $rewindTo: 'u1' }, history])).toEqual({
    's#0001': 'loop_start model done/last_message',
  });
});

test('a call without an id is one, however often its message stands there', async () => {
  const told = (status: string) => model('m1', '', [{ name: 'ls', args: {}, status }]);
  expect(await of([header, user('u1', 'a'), told('executing'), told('success')])).toEqual({
    's#0001': 'loop_start model ls:ok',
  });
});
