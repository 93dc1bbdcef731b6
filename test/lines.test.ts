import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { LINE_LIMIT, type Line } from '../src/lines.js';
import { readLines } from '../src/read-lines.js';

interface Numbered {
  readonly line: Line;
  readonly number: number;
  readonly hasEnd: boolean;
}

const read = async (bytes: Uint8Array, chunk = bytes.length): Promise<Numbered[]> => {
  const pieces: Uint8Array[] = [];
  for (let at = 0; at < bytes.length; at += chunk) pieces.push(bytes.subarray(at, at + chunk));
  const lines: Numbered[] = [];
  await readLines(Readable.from(pieces, { objectMode: false }), (line, number, hasEnd) => {
    lines.push({ line, number, hasEnd });
  });
  return lines;
};
const texts = (lines: readonly Numbered[]): unknown[] =>
  lines.map(({ line }) => (line.kind === 'text' ? line.text : line));

describe('lines', () => {
  test.each([
    ['nothing', '', []],
    ['one line', 'a\n', ['a']],
    ['a last line without an end', 'a\nb', ['a', 'b']],
    ['blank lines', '\n\na\n', ['', '', 'a']],
    ['CRLF is for the reader of the line', 'a\r\nb\r\n', ['a\r', 'b\r']],
    ['no other line end counts', 'a\rb\u2028c\u2029d\u0085e\n', ['a\rb\u2028c\u2029d\u0085e']],
    ['a byte order mark', '\ufeffa\n', ['a']],
    ['a byte order mark alone', '\ufeff', []],
    ['a byte order mark inside', 'a\ufeff\n', ['a\ufeff']],
    ['characters of every length', 'aé漢😀\n', ['aé漢😀']],
    ['characters that mark lines inside', '\u0100\u0101\n\u0101', ['\u0100\u0101', '\u0101']],
  ])('%s', async (_name, text, expected) => {
    expect(texts(await read(Buffer.from(text)))).toEqual(expected);
  });

  test('only the last line may have no end', async () => {
    expect((await read(Buffer.from('a\nb'))).map(({ hasEnd }) => hasEnd)).toEqual([true, false]);
    expect((await read(Buffer.from('a\nb\n'))).map(({ hasEnd }) => hasEnd)).toEqual([true, true]);
  });

  test('any chunks of the same bytes give the same lines', async () => {
    const piece = fc.constantFrom('a', '\n', '\r\n', 'é', '漢', '😀', '\ufeff', '\u0000');
    await fc.assert(
      fc.asyncProperty(fc.array(piece, { maxLength: 40 }), fc.integer({ min: 1, max: 9 }), async (pieces, chunk) => {
        const bytes = Buffer.from(pieces.join(''));
        expect(await read(bytes, chunk)).toEqual(await read(bytes));
      }),
      { numRuns: 500 },
    );
  });

  test('any bytes are read, in any chunks', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 60 }), fc.integer({ min: 1, max: 9 }), async (bytes, chunk) => {
        expect(await read(bytes, chunk)).toEqual(await read(bytes));
      }),
      { numRuns: 500 },
    );
  });
});

describe('bytes that are not UTF-8', () => {
  test.each([
    ['a lone continuation byte', [0x61, 0x80], 2],
    ['a character that is cut', [0x61, 0xe6, 0xbc], 2],
    ['a half of a surrogate pair', [0xed, 0xa0, 0x80], 1],
    ['an overlong slash', [0x61, 0x62, 0xc0, 0xaf], 3],
    ['after a real replacement character', [0xef, 0xbf, 0xbd, 0xff], 2],
    ['after an astral character', [0xf0, 0x9f, 0x98, 0x80, 0xff], 2],
    ['UTF-16', [0xff, 0xfe, 0x7b, 0x00], 1],
  ])('%s', async (_name, bytes, column) => {
    const lines = await read(Buffer.from([...bytes, 0x0a, 0x61, 0x0a]));
    expect(texts(lines)).toEqual([{ kind: 'invalid-utf8', column, text: Buffer.from(bytes).toString() }, 'a']);
  });
});

describe('long lines', () => {
  const long = (length: number): Buffer => Buffer.alloc(length, 0x61);

  test.each([
    ['at the limit', LINE_LIMIT, 'text'],
    ['one byte above', LINE_LIMIT + 1, 'too-long'],
    ['far above', LINE_LIMIT + 3_000_000, 'too-long'],
  ])('%s', async (_name, length, kind) => {
    const bytes = Buffer.concat([Buffer.from('a\n'), long(length), Buffer.from('\nb\n')]);
    for (const chunk of [65_536, bytes.length]) {
      const lines = await read(bytes, chunk);
      expect(lines.map(({ line, number }) => [line.kind, number])).toEqual([
        ['text', 1],
        [kind, 2],
        ['text', 3],
      ]);
    }
  });

  test('a long last line has no end', async () => {
    const lines = await read(long(LINE_LIMIT + 10), 65_536);
    expect(lines.map(({ line, hasEnd }) => [line.kind, hasEnd])).toEqual([['too-long', false]]);
  });
});

test('what a source fails with comes through', async () => {
  const source = new Readable({
    read() {
      this.destroy(new Error('the device failed'));
    },
  });
  await expect(readLines(source, () => {})).rejects.toMatchObject({ cause: new Error('the device failed') });
});
