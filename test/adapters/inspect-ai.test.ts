import * as zlib from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { judged } from './judged.js';
import { type Member, zipOf } from './zip-of.js';

const log = (status: string, more: object = {}) => ({
  version: 2,
  status,
  eval: { eval_id: 'ev', run_id: 'r', task_id: 't', task: 'solve' },
  plan: {},
  ...more,
});
const model = { event: 'model', output: { choices: [{ stop_reason: 'stop' }] } };
const sample = (id: string, more: object = {}) => ({ id, epoch: 1, input: 'x', target: 'y', events: [model], ...more });
const member = (name: string, value: object, more: Partial<Member> = {}): Member => ({
  name,
  content: JSON.stringify(value, null, 2),
  ...more,
});
const START = member('_journal/start.json', { version: 2, eval: log('').eval, plan: {} });
const HEADER = member('header.json', log('success'));
const ONE = member('samples/1_epoch_1.json', sample('1'));
const TWO = member('samples/2_epoch_1.json', sample('2'), { method: 0 });
const SUMMARIES = member('summaries.json', [{ id: '1', epoch: 1, input: 'x', target: 'y' }]);

const packedZeros = (nth: number): Member => ({
  name: `samples/${nth}_epoch_1.json`,
  content: '{}',
  claimedLength: 2 ** 26,
});

const judgedZip = (members: readonly Member[]) => judged({ 'a.eval': zipOf(members) });

describe('an .eval archive', () => {
  test('is read by its members, wherever its log stands among them', async () => {
    const { verdicts, stderr, code } = await judgedZip([START, ONE, TWO, SUMMARIES, HEADER]);
    expect(verdicts).toEqual(['ev:1:1 closed_ok iter=1', 'ev:2:1 closed_ok iter=1']);
    expect(stderr).toContain('read as inspect-ai: 1 input, 2 runs, 3 records\n');
    expect(code).toBe(0);
  });

  test('whose evaluation was killed tells of each sample what the sample tells', async () => {
    const ended = member('samples/2_epoch_1.json', sample('2', { total_time: 3 }));
    expect((await judgedZip([START, ONE, ended])).verdicts).toEqual([
      'ev:1:1 open_loop iter=1',
      'ev:2:1 closed_ok iter=1',
    ]);
  });

  test('may hold members on single lines', async () => {
    const flat = [HEADER, ONE, TWO].map((each) => ({
      ...each,
      content: JSON.stringify(JSON.parse(`${each.content}`)),
    }));
    expect((await judgedZip(flat)).verdicts).toHaveLength(2);
  });

  test.each([
    ['is damaged', { packed: Buffer.from('no deflate') }, '0 are longer than 64 MiB and 1 damaged'],
    ['is longer than it says', { claimedLength: 10 }, '0 are longer than 64 MiB and 1 damaged'],
    ['is shorter than it says', { claimedLength: 1000 }, '0 are longer than 64 MiB and 1 damaged'],
    ['is too long', { claimedLength: 2 ** 26 + 1 }, '1 are longer than 64 MiB and 0 damaged'],
    ['is packed in a way nobody knows', { method: 77, packed: Buffer.from('x') }, '1 damaged'],
  ])('of which a member %s is judged on the others', async (_, more, message) => {
    const { verdicts, stderr, code } = await judgedZip([HEADER, { ...ONE, ...more }, TWO]);
    expect(verdicts).toEqual(['ev:2:1 closed_ok iter=1']);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  test.each([
    ['cut', zipOf([HEADER, ONE]).subarray(0, -30), 'was cut or is damaged'],
    ['endless', zipOf([HEADER, ...Array.from({ length: 9 }, () => ({ ...HEADER, isShared: true }))]), 'is damaged'],
    [
      'a bomb',
      zipOf([HEADER, ...Array.from({ length: 300 }, (_, nth) => packedZeros(nth))]),
      'more than 16 GiB when unpacked',
    ],
    ['no log', zipOf([member('notes.json', {})]), 'no .eval log; unzip it'],
  ])('that is %s is refused, with what to do', async (_, content, message) => {
    const { verdicts, stderr, code } = await judged({ 'a.eval': content });
    expect(verdicts).toEqual([]);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  test('may hold members in zstd, where Node reads it', async () => {
    const { zstdCompressSync } = zlib as { readonly zstdCompressSync?: (bytes: Buffer) => Buffer };
    const content = Buffer.from(`${ONE.content}`);
    const packed = zstdCompressSync?.(content) ?? content;
    const { verdicts, stderr } = await judgedZip([HEADER, { ...ONE, method: 93, packed }]);
    expect(verdicts).toEqual(zstdCompressSync === undefined ? [] : ['ev:1:1 closed_ok iter=1']);
    expect(stderr.includes('Node reads from 22.15 on')).toBe(zstdCompressSync === undefined);
  });
});

test('a log that retries another one copies its samples: they are no runs of their own', async () => {
  const first = log('error', { samples: [sample('1', { uuid: 'u', total_time: 1 })] });
  const retry = log('success', {
    eval: { eval_id: 'again', run_id: 'r2', task: 'solve' },
    samples: [sample('1', { uuid: 'u', total_time: 1 }), sample('2', { uuid: 'v', total_time: 1 })],
  });
  const { verdicts } = await judged({ '1.json': JSON.stringify(first), '2.json': JSON.stringify(retry) });
  expect(verdicts).toEqual(['again:2:1 closed_ok iter=1', 'ev:1:1 closed_ok iter=1']);
});

test('what Python writes for numbers that JSON has not is read', async () => {
  const text = JSON.stringify(log('success', { samples: [sample('1', { scores: { m: { value: 7 } } })] }));
  expect((await judged({ 'a.json': text.replace('"value":7', '"value":NaN') })).verdicts).toHaveLength(1);
});
