import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Finding } from '../src/index.js';
import { MANY, NumberByText, WordTable } from '../src/word-table.js';
import { check } from './judge.js';

const texts = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 9 }),
  fc.constantFrom('', 'a', 'a\0', '\0', 'é', '\ud800'),
);

describe('words by text', () => {
  test('are those that were put there last, as in a map', () => {
    const numbers = fc.integer({ min: 1, max: 2 ** 32 - 1 });
    fc.assert(
      fc.property(fc.array(fc.tuple(texts, numbers, numbers), { maxLength: 50 }), (entries) => {
        const table = new WordTable(2);
        const map = new Map<string, readonly number[]>();
        // So many that it grows a few times.
        for (let index = 0; index < 3 * MANY; index += 1) entries.push([`text ${index}`, index + 1, index + 2]);
        for (const [text, ...words] of entries) {
          const at = table.place(text);
          table.words.set(words, at);
          map.set(text, words);
        }
        for (const [text, words] of map) {
          const at = table.find(text);
          expect([...table.words.subarray(at, at + 2)]).toEqual(words);
        }
        expect(table.find('no such text')).toBe(-1);
      }),
      { numRuns: 10 },
    );
  });

  test('one number each, few or many', () => {
    const numbers = new NumberByText();
    for (let index = 0; index < 3 * MANY; index += 1) {
      expect(numbers.get(`text ${index}`)).toBeUndefined();
      numbers.set(`text ${index}`, index);
      numbers.set(`text ${index >> 1}`, index + 1);
    }
    expect(numbers.get(`text ${3 * MANY - 1}`)).toBe(3 * MANY - 1);
    expect(numbers.get('text 7')).toBe(16);
    expect(numbers.get('text')).toBeUndefined();
  });
});

const hex = (number: number): string => number.toString(16).padStart(16, '0');
const RUNS = 24;
/** The same runs each time: how many of them break a rule is counted. */
const SAMPLE = { numRuns: RUNS, seed: 7 };
const FILLED = 'filled';

/** The findings of a rule in runs of spans, and in the same runs with a great many other spans before those. */
const withAndWithout = async (
  rule: string,
  runs: readonly (readonly object[])[],
  fill: (index: number) => object,
  config: object = {},
) => {
  const filling = Array.from({ length: MANY + 2 }, (_, index) => fill(index));
  const lineOf = (run_id: string) => (span: object, index: number) =>
    JSON.stringify({ run_id, seq: index + 1, ...span });
  const lines = runs.flatMap((spans, run) => [
    ...spans.map(lineOf(`${run}`)),
    ...[...filling, ...spans].map(lineOf(`${run} ${FILLED}`)),
  ]);
  const report = await check(lines, { config });
  const foundIn = (id: string): Finding | undefined =>
    report.runs.find(({ runId }) => runId === id)?.findings.find((finding) => finding.rule === rule);
  return runs.map((_, run) => {
    const filled = foundIn(`${run} ${FILLED}`);
    const seq = filled?.at.seq;
    return {
      without: [foundIn(`${run}`)?.at.seq, foundIn(`${run}`)?.evidence],
      filled: [seq === undefined ? undefined : seq - filling.length, filled?.evidence],
    };
  });
};

describe('a run of more digests than a map should hold is judged like any other', () => {
  test('by its reads', async () => {
    const read = fc.record(
      {
        type: fc.constant('tool'),
        iter: fc.constantFrom(1, 2, 3),
        round: fc.constantFrom(1, 2, '1', '2'),
        name: fc.constantFrom('look', 'find'),
        args_hash: fc.constantFrom(hex(1), hex(2)),
        result_hash: fc.constantFrom(hex(7), hex(7), hex(8)),
        status: fc.constantFrom('ok', 'ok', 'ok', 'ok', 'error'),
        effect: fc.constantFrom('read', 'read', 'read', 'read', 'read', 'read', 'read', 'write'),
      },
      { requiredKeys: ['type', 'args_hash', 'result_hash', 'effect'] },
    );
    const runs = fc.sample(fc.array(read, { minLength: 5, maxLength: 14 }), SAMPLE);
    const found = await withAndWithout('idempotent-no-progress', runs, (index) => ({
      type: 'tool',
      name: 'look',
      args_hash: hex(1000 + index),
      result_hash: hex(index),
      effect: 'read',
    }));
    for (const { without, filled } of found) expect(filled).toEqual(without);
    expect(found.filter(({ without: [seq] }) => seq !== undefined).length).toBeGreaterThan(RUNS / 4);
    expect(found.some(({ without: [seq] }) => seq === undefined)).toBe(true);
  });

  test('by its failures', async () => {
    const call = fc.record(
      {
        type: fc.constant('tool'),
        iter: fc.constantFrom(1, 2, 3),
        round: fc.constantFrom(1, 2, '1', '2'),
        name: fc.constantFrom('look', 'make'),
        args_hash: fc.constantFrom(hex(1), hex(2), hex(3)),
        status: fc.constantFrom('error', 'error', 'error', 'error', 'error', 'error', 'ok'),
      },
      { requiredKeys: ['type', 'args_hash', 'status', 'name'] },
    );
    const runs = fc.sample(fc.array(call, { minLength: 2, maxLength: 14 }), SAMPLE);
    const fill = (index: number): object => ({
      type: 'tool',
      name: 'look',
      args_hash: hex(1000 + index),
      status: 'error',
    });
    // What stands before the spans is a streak of the tool.
    const found = await withAndWithout('failure-streak', runs, fill, {
      failures: { call: [2, 3], tool: [9999, 9999] },
    });
    for (const { without, filled } of found) expect(filled).toEqual(without);
    expect(found.filter(({ without: [seq] }) => seq !== undefined).length).toBeGreaterThan(RUNS / 4);
  });

  test('by its states', async () => {
    const state = fc.record({ type: fc.constant('state'), state_hash: fc.integer({ min: 1, max: 12 }).map(hex) });
    const runs = fc.sample(fc.array(state, { minLength: 2, maxLength: 8 }), SAMPLE);
    const found = await withAndWithout('state-cycle', runs, (index) => ({
      type: 'state',
      state_hash: hex(1000 + index),
    }));
    for (const { without, filled } of found) expect(filled).toEqual(without);
    expect(found.filter(({ without: [seq] }) => seq !== undefined).length).toBeGreaterThan(RUNS / 4);
    expect(found.some(({ without: [seq] }) => seq === undefined)).toBe(true);
  });
});
