import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { codexRollout } from '../../src/adapters/codex-rollout.js';
import { digestOf } from '../../src/adapters/digest.js';
import type { WireSpan } from '../../src/span.js';
import { bytesOf, translated } from './translated.js';

const fixture = (name: string): Buffer => readFileSync(`fixtures/formats/codex-rollout/${name}.jsonl`);
const toolsOf = (spans: readonly WireSpan[]) => spans.filter(({ type }) => type === 'tool');
const endsOf = (spans: readonly WireSpan[]) =>
  spans.filter(({ type }) => type === 'terminal').map(({ run_id: id, reason, detail }) => [id, reason, detail]);
const runsOf = (spans: readonly WireSpan[]) => [...new Set(spans.map(({ run_id: id }) => id))].toSorted();

/** The id of a turn or a session that began at a time. */
const at = (time: number): string => `019e0000-${String(time).padStart(4, '0')}-7000-8000-000000000000`;
const meta = (id: string, more: object = {}) => ({ type: 'session_meta', payload: { id, ...more } });
const turn = (id: string, prompt: string, isEnded = true) => [
  { type: 'event_msg', payload: { type: 'task_started', turn_id: id } },
  { type: 'event_msg', payload: { type: 'user_message', message: prompt } },
  { type: 'response_item', payload: { type: 'message', role: 'assistant', content: [] } },
  ...(isEnded ? [{ type: 'event_msg', payload: { type: 'task_complete', turn_id: id } }] : []),
];

test('whether a call failed is what its exit code says, and only else its words', async () => {
  const { spans } = await translated(codexRollout, 'turn', [fixture('paginated')]);
  expect(toolsOf(spans).map(({ call_id: id, status, exit_code: code }) => [id, status, code])).toEqual([
    ['a1', 'ok', 0],
    ['a2', 'ok', 0],
    ['a3', 'error', undefined],
    ['a4', 'ok', undefined],
    ['a5', 'ok', undefined],
  ]);
});

test('a prompt may stand in an item, a turn may have none, and a result may come in a later turn', async () => {
  const { spans } = await translated(codexRollout, 'turn', [fixture('paginated')]);
  expect(spans.filter(({ type }) => type === 'loop_start').map(({ goal }) => goal)).toEqual([
    'user prompt (8 characters)',
    'turn without a prompt',
    'user prompt (8 characters)',
    'user prompt (4 characters)',
  ]);
  expect(toolsOf(spans).at(-1)).toMatchObject({
    name: 'spawn_agent',
    effect: 'spawn',
    result_hash: digestOf({ agent_id: 'x' }),
  });
});

test('a turn that was going on when a person undid it has stopped by that', async () => {
  const { spans } = await translated(codexRollout, 'turn', [fixture('rolled-back')]);
  expect(endsOf(spans).map(([, ...end]) => end)).toEqual([
    ['done', 'task_complete'],
    ['done', 'task_complete'],
    ['rejected', 'rolled_back'],
    ['done', 'task_complete'],
  ]);
});

test('a sub-agent has runs of its own, and what it copied of its parent is left to the parent', async () => {
  const { spans } = await translated(codexRollout, 'turn', [fixture('sub-agent')]);
  expect(runsOf(spans)).toEqual(['019e0000-0009-7000-8000-000000000031#0001']);
});

test('a fork and its parent count what they share once, whichever comes first', async () => {
  const [parent, fork] = [at(1), at(5)];
  const [first, second, third, own] = [at(2), at(3), at(4), at(6)];
  const shared = turn(first, 'one');
  const whole = bytesOf([meta(parent), ...shared, ...turn(second, 'two'), ...turn(third, 'three')]);
  const forked = bytesOf([
    meta(fork, { forked_from_id: parent }),
    meta(parent),
    ...shared,
    ...turn(second, 'two', false),
    ...turn(own, 'two, otherwise'),
  ]);
  const runs = [1, 2, 3].map((nth) => `${parent}#000${nth}`);
  for (const inputs of [
    [whole, forked],
    [forked, whole],
  ]) {
    const { spans, told } = await translated(codexRollout, 'turn', inputs);
    expect(
      endsOf(spans)
        .map(([id]) => id)
        .toSorted(),
    ).toEqual([...runs, `${fork}#0001`]);
    expect(runsOf(spans)).toEqual([...runs, `${fork}#0001`]);
    expect(told.map(({ notUnderstood }) => notUnderstood.size)).toEqual([0, 0]);
  }
  const { spans } = await translated(codexRollout, 'turn', [forked]);
  expect(runsOf(spans)).toEqual([`${parent}#0001`, `${fork}#0001`]);
});

test('of two copies of a rollout the fuller one counts, and turns keep their numbers', async () => {
  const [session, first, second] = [at(1), at(2), at(3)];
  const cut = bytesOf([meta(session), ...turn(first, 'one', false)]);
  const whole = bytesOf([meta(session), ...turn(first, 'one'), ...turn(second, 'two')]);
  for (const inputs of [
    [cut, whole],
    [whole, cut],
    [whole, whole],
  ]) {
    const { spans } = await translated(codexRollout, 'turn', inputs);
    expect(
      endsOf(spans)
        .map(([id, reason]) => [id, reason])
        .toSorted(),
    ).toEqual([
      [`${session}#0001`, 'done'],
      [`${session}#0002`, 'done'],
    ]);
    expect(runsOf(spans)).toHaveLength(2);
  }
});

test('rollouts without turn ids count once, too', async () => {
  const once = await translated(codexRollout, 'turn', [fixture('old')]);
  expect((await translated(codexRollout, 'turn', [fixture('old'), fixture('old')])).spans).toEqual(once.spans);
});

test('a session ends as its last turn does', async () => {
  const session = at(1);
  const open = bytesOf([meta(session), ...turn(at(2), 'one'), ...turn(at(3), 'two', false)]);
  expect(endsOf((await translated(codexRollout, 'session', [open])).spans)).toEqual([]);
  const closed = bytesOf([meta(session), ...turn(at(2), 'one', false), ...turn(at(3), 'two')]);
  expect(endsOf((await translated(codexRollout, 'session', [closed])).spans)).toEqual([
    [session, 'done', 'task_complete'],
  ]);
});
