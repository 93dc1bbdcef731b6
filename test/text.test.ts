import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareCodePoints, countCharacters, excerpt, printable, safeJson } from '../src/text.js';

const anyText = fc
  .string({ unit: 'binary' })
  .chain((text) =>
    fc
      .array(
        fc.constantFrom(
          '\ud800',
          '\udc00',
          '\ue000',
          '\u{10000}',
          '\\',
          't',
          'n',
          'u0009',
          '\t',
          '',
          '#',
          '##',
          '::',
          ' ',
        ),
      )
      .map((odd) => text + odd.join('')),
  );
const points = (text: string): number[] => [...text].map((character) => character.codePointAt(0) ?? 0);

describe('the order of ids', () => {
  test.each([
    ['\ue000', '\u{10000}'],
    ['\uffff', '\u{10000}'],
    ['\ud800', '\ue000'],
    ['a\ud800', 'a\ud800\udc00'],
    ['\ud800x', '\ud800\udc00'],
    ['a', 'aa'],
    ['', 'a'],
    ['Z', 'a'],
  ])('%j stands before %j', (left, right) => {
    expect(Math.sign(compareCodePoints(left, right))).toBe(-1);
    expect(Math.sign(compareCodePoints(right, left))).toBe(1);
  });

  test('is the order of the code points', () => {
    const naive = (left: number[], right: number[]): number => {
      const at = left.findIndex((point, index) => point !== right[index]);
      if (at < 0) return left.length - right.length;
      return at >= right.length ? 1 : (left[at] ?? 0) - (right[at] ?? 0);
    };
    fc.assert(
      fc.property(anyText, anyText, (left, right) => {
        expect(Math.sign(compareCodePoints(left, right))).toBe(Math.sign(naive(points(left), points(right))));
      }),
      { numRuns: 2000 },
    );
  });
});

describe('what is shown', () => {
  test.each([
    ['tab\there', String.raw`tab\there`],
    ['line\r\nend', String.raw`line\r\nend`],
    ['\u001b[31mred', String.raw`\u001b[31mred`],
    ['\u009b31m', String.raw`\u009b31m`],
    ['\u007f', String.raw`\u007f`],
    ['\u202eabc', String.raw`\u202eabc`],
    ['\u2028', String.raw`\u2028`],
    ['\ud800', String.raw`\ud800`],
    ['C:\\data', String.raw`C:\data`],
    ['C:\\temp', String.raw`C:\\temp`],
    ['\\\\', String.raw`\\\ `.trimEnd()],
    ['plain 漢字 😀', 'plain 漢字 😀'],
    ['::error::x', String.raw`\u003a:error::x`],
    ['\u00a0 ::stop-commands::x', `\u00a0 ${String.raw`\u003a:stop-commands::x`}`],
    ['a::b', 'a::b'],
    ['x ##[error]y', String.raw`x #\u0023[error]y`],
    ['###teamcity[', String.raw`#\u0023\u0023teamcity[`],
    ['# 1', '# 1'],
  ])('%j is shown as %s', (text, shown) => {
    expect(printable(text)).toBe(shown);
  });

  test('holds nothing that acts, and no two texts look the same', () => {
    const decode = (shown: string): string =>
      shown.replace(/\\(\\|[tnr]|u[0-9a-f]{4})/g, (_, escaped: string) =>
        escaped === '\\' ? '\\' : JSON.parse(`"\\${escaped}"`),
      );
    fc.assert(
      fc.property(anyText, (text) => {
        const shown = printable(text);
        expect(shown).not.toMatch(/\p{Control}|\p{Surrogate}|\p{Bidi_Control}/u);
        expect(decode(shown)).toBe(text);
        expect(JSON.parse(safeJson(text))).toBe(text);
        expect(safeJson(text)).not.toMatch(/\p{Control}|\p{Surrogate}|\p{Bidi_Control}/u);
        expect(`${shown}\n${safeJson(text)}`).not.toMatch(/^\s*::|##/mu);
      }),
      { numRuns: 2000 },
    );
  });

  test('is cut where it is long', () => {
    expect(excerpt('a'.repeat(100), 10)).toBe(`${'a'.repeat(10)}…`);
    expect(excerpt('a'.repeat(10), 10)).toBe('a'.repeat(10));
    expect(excerpt('😀'.repeat(100), 10)).toBe(`${'😀'.repeat(10)}…`);
  });
});

test('characters are code points', () => {
  expect(countCharacters('a😀b', 4)).toBe(3);
  expect(countCharacters('a😀b', 3)).toBe(2);
  expect(countCharacters('', 0)).toBe(0);
});
