import { readdirSync, readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Adapter, RunUnit } from '../../src/adapters/adapter.js';
import { loadAdapters } from '../../src/adapters/index.js';
import { isObject } from '../../src/adapters/values.js';
import { createValueReader, type JsonObject } from '../../src/json-values.js';
import { type WireSpan, wireSpanSchema } from '../../src/span-schema.js';
import { bytesOf, translated } from './translated.js';

const ADAPTERS = await loadAdapters();
const FOLDER = 'fixtures/formats';
const FIXTURES = new Map(
  ADAPTERS.map(({ id }) => [
    id,
    readdirSync(`${FOLDER}/${id}`, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.\w+$/.test(name) && !/\.(?:verdicts\.tsv|report\.txt)$/.test(name))
      .toSorted()
      .map((name) => readFileSync(`${FOLDER}/${id}/${name}`)),
  ]),
);
const fixturesOf = ({ id }: Adapter): readonly Buffer[] => FIXTURES.get(id) ?? [];

const recordsIn = (bytes: Buffer): readonly JsonObject[] => {
  const records: JsonObject[] = [];
  const reader = createValueReader({ onObject: (value) => void records.push(value), onFault() {} });
  reader.push(bytes);
  reader.end();
  return records;
};

/** Fails where spans are not what the schema says, or a run is not written as a run is. */
const expectRuns = (spans: readonly WireSpan[]): void => {
  const runs = new Map<string, WireSpan[]>();
  for (const span of spans) {
    expect(wireSpanSchema.parse(span)).toEqual(span);
    runs.set(span.run_id, [...(runs.get(span.run_id) ?? []), span]);
  }
  for (const run of runs.values()) {
    expect(run.map(({ seq }) => seq)).toEqual(run.map((_, index) => index + 1));
    const iterations = run.map(({ iter }) => iter ?? 0);
    expect(iterations).toEqual(iterations.toSorted((a, b) => a - b));
    expect(run.filter(({ type }) => type === 'terminal').length).toBeLessThanOrEqual(1);
    expect(run.slice(0, -1).some(({ type }) => type === 'terminal')).toBe(false);
  }
};

interface Place {
  readonly holder: Record<string, unknown>;
  readonly key: string;
}
const placesIn = (value: unknown): Place[] =>
  typeof value === 'object' && value !== null
    ? // A list is held by its indexes.
      Object.entries(value).flatMap(([key, item]) => [
        { holder: value as Record<string, unknown>, key },
        ...placesIn(item),
      ])
    : [];

/** All keys of a format's fixtures, and all words that stand in them. */
const vocabularyOf = (adapter: Adapter) => {
  const places = fixturesOf(adapter).flatMap((bytes) => placesIn(recordsIn(bytes)));
  const words = places.map(({ holder, key }) => holder[key]).filter((value) => typeof value === 'string');
  const keys = places.filter(({ holder }) => !Array.isArray(holder)).map(({ key }) => key);
  return { keys: [...new Set(keys)], words: [...new Set(words)] };
};

const SPECIAL: readonly unknown[] = [
  null,
  -1,
  0.5,
  1e300,
  2 ** 53,
  '',
  '\ud800',
  '\u001b[2J',
  [[[]]],
  { toString: 1 },
  { ['__proto__']: { a: 1 } },
];

/** A change of a record: what stands at a place becomes something else, or is left out. */
interface Change {
  readonly at: number;
  readonly to: unknown;
  readonly kind: 'set' | 'remove' | 'double' | 'drop';
}
const changed = (records: readonly JsonObject[], changes: readonly Change[]): JsonObject[] => {
  const copy: unknown[] = structuredClone([...records]);
  for (const { at, to, kind } of changes) {
    const index = at % copy.length;
    const places = placesIn(copy[index]);
    const place = places[at % Math.max(1, places.length)];
    if (kind === 'drop' && copy.length > 1) copy.splice(index, 1);
    if (kind === 'double') copy.splice((at * 7) % copy.length, 0, structuredClone(copy[index]));
    if (place === undefined) continue;
    if (kind === 'set') place.holder[place.key] = structuredClone(to);
    if (kind === 'remove') Reflect.deleteProperty(place.holder, place.key);
  }
  return copy.filter(isObject);
};

const MARK = 'xyzzy';
/** The value with a mark in all of its prose. */
const marked = (value: unknown): unknown => {
  if (typeof value === 'string') return value.split(/\s+/).length > 3 ? `${value} ${MARK}` : value;
  if (Array.isArray(value)) return value.map(marked);
  return isObject(value) ? Object.fromEntries(Object.entries(value).map(([key, item]) => [key, marked(item)])) : value;
};

const RUNS = { seed: 7, numRuns: 200 };
const unit = fc.constantFrom<RunUnit>('turn', 'session');

describe.each(ADAPTERS.map((adapter) => [adapter.id, adapter] as const))('%s', (_, adapter) => {
  const files = fixturesOf(adapter)
    .map(recordsIn)
    .filter(({ length }) => length > 0);
  const { keys, words } = vocabularyOf(adapter);
  const any = fc.oneof(
    fc.constantFrom(...SPECIAL),
    fc.constantFrom(...words),
    fc.jsonValue({ maxDepth: 2 }),
    fc.dictionary(fc.constantFrom(...keys), fc.oneof(fc.constantFrom(...words), fc.jsonValue({ maxDepth: 1 }))),
  );
  const change = fc.record({
    at: fc.nat(10_000),
    to: any,
    kind: fc.constantFrom<Change['kind']>('set', 'set', 'set', 'remove', 'double', 'drop'),
  });

  test('files that are damaged in any way become runs', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.nat(files.length - 1),
        fc.array(change, { minLength: 1, maxLength: 8 }),
        fc.nat(100),
        unit,
        async (file, changes, split, of) => {
          const damaged = changed(files[file] ?? [], changes);
          const at = split % (damaged.length + 1);
          const inputs = [damaged.slice(0, at), damaged.slice(at)].map(bytesOf);
          expectRuns((await translated(adapter, of, inputs)).spans);
        },
      ),
      RUNS,
    );
  });

  test('objects of the same keys that hold anything become runs, and are looked at without a fault', async () => {
    const record = fc.dictionary(fc.constantFrom(...keys), any, { maxKeys: 8 });
    await fc.assert(
      fc.asyncProperty(fc.array(record, { maxLength: 12 }), unit, async (records, of) => {
        const bytes = bytesOf(records);
        adapter.recognises(recordsIn(bytes));
        expectRuns((await translated(adapter, of, [bytes])).spans);
      }),
      RUNS,
    );
  });

  test('a file may end anywhere', async () => {
    for (const bytes of fixturesOf(adapter)) {
      for (let part = 1; part < 12; part += 1) {
        const cut = bytes.subarray(0, Math.floor((bytes.length * part) / 12));
        expectRuns((await translated(adapter, 'turn', [cut])).spans);
      }
    }
  });

  test('no prose comes through', async () => {
    for (const records of files) {
      const { text, faults, told } = await translated(adapter, 'turn', [bytesOf(records.map(marked).filter(isObject))]);
      expect(text).not.toContain(MARK);
      expect(faults.join()).not.toContain(MARK);
      expect(told.flatMap(({ notUnderstood }) => [...notUnderstood.keys()]).join()).not.toContain(MARK);
    }
  });
});
