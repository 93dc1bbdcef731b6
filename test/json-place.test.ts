import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { faultColumn, valueColumn } from '../src/scan/json-place.js';

const isJson = (text: string): boolean => {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
};

describe('where a line stops being JSON', () => {
  test.each([
    ['{"a":}', 6],
    ['{"a":1,}', 8],
    ['{"a" 1}', 6],
    ['{a:1}', 2],
    ['{"a":01}', 7],
    ['{"a":1.}', 8],
    ['{"a":-.5}', 7],
    ['{"a":1.e5}', 8],
    ['{"a":1.5e+}', 11],
    ['{"a":-}', 7],
    ['{"a":1e}', 8],
    ['{"a":tru}', 9],
    ['{"a":nul', 9],
    ['{"a":"x\\q"}', 8],
    ['{"a":"x\\u12g4"}', 8],
    ['{"a":"x', 8],
    ['{"a":"\u0001"}', 7],
    ['{"a":1}}', 8],
    ['{"a":1}{"b":2}', 8],
    ['[1,2', 5],
    ['[1 2]', 4],
    ['[,1]', 2],
    ['{"a":[1,]}', 9],
    ['{', 2],
    ['', 1],
    ['   ', 4],
    ["{'a':1}", 2],
    ['{"😀":x}', 6],
    ['\u00a0{}', 1],
    ['[}', 2],
    ['NaN', 1],
  ])('%j: column %i', (text, column) => {
    expect(isJson(text)).toBe(false);
    expect(faultColumn(text)).toBe(column);
  });

  const nearJson = fc
    .tuple(
      fc.json({ maxDepth: 3 }),
      fc.nat(),
      fc.constantFrom('', '"', '}', ']', ',', ':', '\\', '0', 'e', '-', '.', ' ', '\u0000', 'u'),
    )
    .map(([text, at, odd]) => text.slice(0, at % (text.length + 1)) + odd + text.slice((at % (text.length + 1)) + 1));

  test('what stands before the fault can still become JSON, and the fault ends that', () => {
    // Some completion of a prefix is JSON exactly as long as the fault has not been reached.
    fc.assert(
      fc.property(nearJson, (text) => {
        fc.pre(!isJson(text));
        const column = faultColumn(text);
        const units = [...text].slice(0, column - 1).join('').length;
        expect(units).toBeLessThanOrEqual(text.length);
        if (units < text.length) expect(faultColumn(text.slice(0, units))).toBe(column);
      }),
      { numRuns: 5000 },
    );
  });

  test('any depth is walked', () => {
    expect(faultColumn('['.repeat(1_000_000))).toBe(1_000_001);
  });
});

describe('where a value stands', () => {
  test.each([
    ['{"seq":"x"}', 'seq', 8],
    ['{"a":{"seq":1},"seq":"x"}', 'seq', 22],
    ['{"seq":1,"seq":"x"}', 'seq', 16],
    ['{ "😀" : 1 , "seq" : "x" }', 'seq', 21],
    ['{"\\u0073eq":"x"}', 'seq', 13],
    ['[{"seq":1}]', 'seq', 1],
    ['{"a":["seq",{"seq":1}],"seq":true}', 'seq', 30],
    ['{"seq":{"deep":[1,{"x":2}]},"b":1}', 'seq', 8],
    ['{}', 'seq', 1],
  ])('%s: %s at column %i', (text, key, column) => {
    expect(valueColumn(text, key)).toBe(column);
  });
});
