import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { parseExactly } from '../src/json-text.js';
import { createValueReader } from '../src/json-values.js';

/** What a reader says of bytes that come in pieces of a size. */
const read = (bytes: Buffer, chunk = bytes.length) => {
  const objects: [unknown, number][] = [];
  const faults: [string, number, boolean][] = [];
  const reader = createValueReader({
    onObject: (value, line) => void objects.push([value, line]),
    onFault: ({ code }, line, hasEnd) => void faults.push([code, line, hasEnd]),
  });
  for (let at = 0; at < bytes.length; at += Math.max(1, chunk))
    reader.push(bytes.subarray(at, at + Math.max(1, chunk)));
  reader.end();
  return { objects, faults };
};
const readText = (text: string) => read(Buffer.from(text));

const ONE = { a: 1 };
const TWO = { b: ['}', '{"', '\\'] };
const ONE_TWO = [
  [ONE, 1],
  [TWO, 2],
];

describe('objects are read however they stand in a file', () => {
  test.each([
    ['one a line', `${JSON.stringify(ONE)}\n${JSON.stringify(TWO)}\n`, ONE_TWO],
    ['without a last line end', `${JSON.stringify(ONE)}\n${JSON.stringify(TWO)}`, ONE_TWO],
    ['with CRLF and blank lines', `${JSON.stringify(ONE)}\r\n\r\n`, [[ONE, 1]]],
    ['after a byte order mark', `\ufeff${JSON.stringify(ONE)}\n`, [[ONE, 1]]],
    [
      'several a line',
      `${JSON.stringify(ONE)}${JSON.stringify(TWO)}\n`,
      [
        [ONE, 1],
        [TWO, 1],
      ],
    ],
    [
      'in one list',
      JSON.stringify([ONE, TWO]),
      [
        [ONE, 1],
        [TWO, 1],
      ],
    ],
    [
      'in one list over many lines',
      `[\n${JSON.stringify(ONE)},\n${JSON.stringify(TWO)}\n]\n`,
      [
        [ONE, 2],
        [TWO, 3],
      ],
    ],
    ['in a list a line', `${JSON.stringify([ONE])}\n${JSON.stringify([TWO])}\n`, ONE_TWO],
    ['in labelled lists', `${JSON.stringify(['x', ONE])}\n${JSON.stringify(['y', ['z', TWO]])}\n`, ONE_TWO],
    ['printed over several lines', JSON.stringify(TWO, undefined, 2), [[TWO, 1]]],
    [
      'printed in a row',
      `${JSON.stringify(ONE, undefined, 2)}\n${JSON.stringify(TWO, undefined, 2)}`,
      [
        [ONE, 1],
        [TWO, 4],
      ],
    ],
    [
      'a list printed over several lines',
      JSON.stringify([ONE, TWO], undefined, 2),
      [
        [ONE, 2],
        [TWO, 5],
      ],
    ],
    ['with a line separator in a text', `${JSON.stringify({ a: '\u2028' })}\n`, [[{ a: '\u2028' }, 1]]],
  ])('%s', (_, text, objects) => {
    expect(readText(text)).toEqual({ objects, faults: [] });
    for (const chunk of [1, 2, 3, 7]) expect(read(Buffer.from(text), chunk)).toEqual({ objects, faults: [] });
  });
});

describe('what is no object is said with its line', () => {
  test.each([
    ['noise before the first line', `npm warn\n${JSON.stringify(ONE)}\n`, [[ONE, 2]], [['invalid-json', 1, true]]],
    ['noise in between', `${JSON.stringify(ONE)}\n\u001b[31mred\n`, [[ONE, 1]], [['invalid-json', 2, true]]],
    ['a number', `${JSON.stringify(ONE)}\n7\n`, [[ONE, 1]], [['not-an-object', 2, true]]],
    ['a list of numbers', '[1]\n', [], [['not-an-object', 1, true]]],
    ['a cut last line', `${JSON.stringify(ONE)}\n{"a":`, [[ONE, 1]], [['invalid-json', 2, false]]],
    ['a cut first line', `{"a":"b\n${JSON.stringify(ONE)}\n`, [[ONE, 2]], [['invalid-json', 1, true]]],
    ['a cut document', '{\n"a": [\n', [], [['invalid-json', 1, false]]],
    ['a cut list', `[\n${JSON.stringify(ONE)},\n{"b":`, [[ONE, 2]], [['invalid-json', 3, false]]],
    [
      'half a record before its whole',
      `{"a":{"a":1}\n${JSON.stringify(ONE)}\n`,
      [[ONE, 2]],
      [['invalid-json', 1, true]],
    ],
    ['a NUL run', `${JSON.stringify(ONE)}\n${'\0'.repeat(5)}\n`, [[ONE, 1]], [['invalid-json', 2, true]]],
    ['words beside an object', `x${JSON.stringify(ONE)}\n`, [[ONE, 1]], [['invalid-json', 1, true]]],
  ])('%s', (_, text, objects, faults) => {
    expect(readText(text)).toEqual({ objects, faults });
  });

  test('bytes that are no UTF-8', () => {
    const bytes = Buffer.concat([Buffer.from('{"a":"'), Buffer.from([0xff]), Buffer.from('"}\n{"a":1}\n')]);
    expect(read(bytes)).toEqual({ objects: [[ONE, 2]], faults: [['invalid-utf8', 1, true]] });
  });

  test('a value that is nested too deeply', () => {
    const deep = `{"a":${'['.repeat(2e5)}${']'.repeat(2e5)}}`;
    const { objects, faults } = readText(`${deep}\n${JSON.stringify(ONE)}\n`);
    expect(objects.at(-1)).toEqual([ONE, 2]);
    expect(objects.length + faults.length).toBe(2);
  });

  test('a value longer than 64 MiB, and what comes after it is read', () => {
    const long = Buffer.concat([Buffer.from('{"a":"'), Buffer.alloc(65 << 20, 0x78), Buffer.from('"}\n{"a":1}\n')]);
    expect(read(long, 1 << 20)).toEqual({ objects: [[ONE, 2]], faults: [['line-too-long', 1, true]] });
  });
});

test('a long list in one line is read by its elements', () => {
  const count = 40_000;
  const { objects, faults } = read(
    Buffer.from(JSON.stringify(Array.from({ length: count }, (_, id) => ({ id, text: 'x'.repeat(20) })))),
    1 << 16,
  );
  expect(faults).toEqual([]);
  expect(objects).toHaveLength(count);
});

test('any objects, written in any of the ways, in pieces of any size, are read as they are', () => {
  const objects = fc.array(fc.dictionary(fc.string(), fc.jsonValue()), { minLength: 1, maxLength: 5 });
  const ways = fc.constantFrom<(values: readonly unknown[]) => string>(
    (values) => values.map((value) => `${JSON.stringify(value)}\n`).join(''),
    (values) => values.map((value) => JSON.stringify(value)).join(''),
    (values) => JSON.stringify(values),
    (values) => JSON.stringify(values, undefined, 1),
  );
  fc.assert(
    fc.property(objects, ways, fc.integer({ min: 1, max: 64 }), (values, write, chunk) => {
      const said = values.map((value) => parseExactly(JSON.stringify(value)));
      const { objects: found, faults } = read(Buffer.from(write(values)), chunk);
      expect(faults).toEqual([]);
      expect(found.map(([value]) => value)).toEqual(said);
    }),
  );
});

describe('numbers are read exactly', () => {
  test.each([
    ['{"a":9007199254740993}', { a: '\u0000#9007199254740993' }],
    ['{"a":[-12345678901234567890,1]}', { a: ['\u0000#-12345678901234567890', 1] }],
    ['{"a":9007199254740991}', { a: 9007199254740991 }],
    ['{"a":"9007199254740993"}', { a: '9007199254740993' }],
    ['{"a":"x\\":9007199254740993,"}', { a: 'x":9007199254740993,' }],
    ['{"a":1234567890123456.5}', { a: 1234567890123456.5 }],
    ['{"a":NaN,"b":[-Infinity,Infinity]}', { a: '\u0000#NaN', b: ['\u0000#-Infinity', '\u0000#Infinity'] }],
    ['{"a":"NaN"}', { a: 'NaN' }],
  ])('%s', (text, value) => {
    expect(parseExactly(text)).toEqual(value);
  });

  test('a number is found wherever it stands', () => {
    for (let before = 0; before < 40; before += 1) {
      for (const digits of ['9007199254740993', '12345678901234567890', '-9007199254740993']) {
        const pad = 'x'.repeat(before);
        const text = `{"pad":"${pad}","n":${digits}}`;
        expect(parseExactly(text)).toEqual({ pad, n: `\u0000#${digits}` });
        expect(parseExactly(`["${pad}" , ${digits}]`)).toEqual([pad, `\u0000#${digits}`]);
      }
    }
  });

  test('any JSON is what JSON.parse makes of it, as long as no number is too large', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = JSON.stringify(value);
        if (/\d{16}/.test(text)) return;
        expect(parseExactly(text)).toEqual(JSON.parse(text));
      }),
    );
  });
});
