import { readdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import type { Source } from '../src/input.js';
import { createSpool } from '../src/spool.js';

const bytes = Buffer.from(Array.from({ length: 1000 }, (_, at) => at % 251));

const readAll = async (source: Source, piece: number): Promise<Buffer> => {
  const into = Buffer.alloc(bytes.length + piece);
  let at = 0;
  for (;;) {
    const taken = await source.read(into, at, piece);
    if (taken === 0) return into.subarray(0, at);
    at += taken;
  }
};

const named = (): string[] => readdirSync(tmpdir()).filter((name) => name.startsWith('terminal-contract-'));

test.each([
  { shows: 'all in memory', limit: 1000 },
  { shows: 'all in a file', limit: 0 },
  { shows: 'the beginning in memory', limit: 333 },
])('gives back what was added, from any place on: $shows', async ({ limit }) => {
  const before = named();
  const spool = createSpool(limit);
  for (let at = 0; at < bytes.length; at += 70) spool.add(bytes.subarray(at, at + 70));
  for (const from of [0, 1, 70, 299, 333, 700, 999, 1000]) {
    for (const piece of [1, 64, 5000]) {
      expect((await readAll(spool.again(from), piece)).equals(bytes.subarray(from))).toBe(true);
    }
  }
  // Nothing is left behind even by a process that is killed here.
  expect(named()).toEqual(before);
  spool.close();
});

test('keeps what was added, whatever becomes of the memory that it stood in', async () => {
  const spool = createSpool(10);
  const piece = Buffer.from('abc');
  spool.add(piece);
  piece.fill(0);
  spool.add(Buffer.from('def'));
  expect((await readAll(spool.again(0), 100)).toString()).toBe('abcdef');
  spool.close();
});
