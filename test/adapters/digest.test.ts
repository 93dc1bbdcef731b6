import { hash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createDigests, digestOf, markOf } from '../../src/adapters/digest.js';

const PATTERNS = [
  /<note>[\s\S]*?<\/note>/g,
  /^id: .*$/gm,
  /\b(?:in|after) \d+ ?ms\b/gi,
  /(\d)\1 again/g,
  /^at the very start/g,
  /(?<!un)done/g,
];
const results = PATTERNS.map((pattern) => ({ pattern, because: 'it changes' }));
const digests = createDigests({ args: [], results });
const once = (text: string): string => PATTERNS.reduce((rest, pattern) => rest.replace(pattern, ''), text);
/** What is left may be JSON, and is looked at once more. */
const replaced = (text: string): string => once(once(text));

const PIECES = [
  '<note>',
  '</note>',
  '\n',
  'id: 7',
  'IN 3 ms',
  'after 5ms',
  '77 again',
  'at the very start',
  'done',
  'undone',
  ' x',
];

test('a text is digested without what is volatile, whatever stands beside it and whichever flags patterns have', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 9 }), (pieces) => {
      const text = pieces.join('');
      expect(digests.result(text)).toEqual({ result: digestOf(replaced(text)), raw: digestOf(text) });
      const block = [{ type: 'text', text }, { n: 1 }];
      const told = [{ type: 'text', text: replaced(text) }, { n: 1 }];
      expect(digests.result(block)).toEqual({ result: digestOf(told), raw: digestOf(block) });
    }),
    { numRuns: 2_000 },
  );
});

test('a digest is SHA-256 over canonical JSON', () => {
  const ofText = (text: string): string => hash('sha256', text, 'hex').slice(0, 16);
  expect(digestOf('a "b"\n')).toBe(ofText('"a \\"b\\"\\n"'));
  expect(digestOf({ b: [1, null], a: 1e21 })).toBe(ofText('{"a":1e+21,"b":[1,null]}'));
});

test('a mark is the same for the same value of JSON, and for no other', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (one, other) => {
      // Keys and items in the same order: that is what a copy has.
      const isSame = JSON.stringify(one) === JSON.stringify(other);
      expect(markOf(structuredClone(one))).toBe(markOf(one));
      expect(markOf(one) === markOf(other)).toBe(isSame);
    }),
    { numRuns: 5_000 },
  );
});

test.each([
  ['', 'a', 'ab', 'ab\0', 'ba', 'a'.repeat(400), `${'a'.repeat(400)}b`],
  [[], {}, [[]], [{}], '[]', null, 'null', 0, '0', false, 'false'],
  [['a', 'b'], ['ab'], [['a'], 'b'], ['a', ['b']], { a: 'b' }, { a: { b: 1 } }, [{ a: 1 }, { b: 1 }], { a: 1, b: 1 }],
])('values that are alike have marks of their own', (...values: unknown[]) => {
  expect(new Set(values.map(markOf)).size).toBe(values.length);
});

test('a value of any depth has a mark', () => {
  let deep: unknown = 1;
  for (let depth = 0; depth < 100_000; depth += 1) deep = [deep];
  expect(markOf(deep)).toEqual(markOf(deep));
});
