import { type Readable, Transform, type TransformCallback, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import split2 from 'split2';
import { ReadFault } from './input.js';
import { BYTE_ORDER_MARK, LINE_LIMIT, type Line, lineOfBytes, NEWLINE } from './lines.js';

export type OnLine = (line: Line, number: number, hasEnd: boolean) => void;

// Lines pass split2 as one character a byte, so that nothing is decoded before it is known to be whole.
// Characters above one byte cannot stand in the input: they mark a line that is cut or has no end.
const ENCODING = 'latin1';
const CUT = '\u0100';
const NO_END = '\u0101';
const PIECE = 1 << 20;

/**
 * Bytes on their way to split2: no byte order mark, no line above the limit, a mark on a last line without an end.
 * An unfinished line is held back, as split2 would split all of it again with each piece.
 */
const prepare = (): Transform => {
  let head: Buffer | undefined = Buffer.alloc(0);
  let held: string[] = [];
  let length = 0;
  const hold = (text: string): void => {
    // What is above the limit is counted, and left out up to the end of its line.
    if (length <= LINE_LIMIT) held.push(text);
    length += text.length;
    if (length > LINE_LIMIT && held.at(-1) !== CUT) held = [CUT];
  };
  const pass = (stream: Transform, piece: Buffer): void => {
    const end = piece.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      const first = piece.indexOf(NEWLINE);
      hold(piece.toString(ENCODING, 0, first));
      stream.push(held.join('') + piece.toString(ENCODING, first, end), 'utf8');
      held = [];
      length = 0;
    }
    if (end < piece.length) hold(piece.toString(ENCODING, end));
  };
  const passAll = (stream: Transform, chunk: Buffer): void => {
    for (let at = 0; at < chunk.length; at += PIECE) pass(stream, chunk.subarray(at, at + PIECE));
  };
  const withoutMark = (bytes: Buffer): Buffer =>
    bytes.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? bytes.subarray(BYTE_ORDER_MARK.length) : bytes;
  return new Transform({
    // Strings pass as strings: a buffer would be decoded as UTF-8.
    readableObjectMode: true,
    transform(chunk: Buffer, _encoding: BufferEncoding, callback: TransformCallback) {
      if (head === undefined) {
        passAll(this, chunk);
      } else {
        head = Buffer.concat([head, chunk]);
        if (head.length >= BYTE_ORDER_MARK.length) {
          passAll(this, withoutMark(head));
          head = undefined;
        }
      }
      callback();
    },
    flush(callback) {
      if (head !== undefined) passAll(this, withoutMark(head));
      if (length > 0) this.push(held.join('') + NO_END, 'utf8');
      callback();
    },
  });
};

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range is all of ASCII
const NOT_ASCII = /[^\u0000-\u007f]/;

const lineOf = (raw: string): Line => {
  if (raw === CUT) return { kind: 'too-long' };
  return NOT_ASCII.test(raw) ? lineOfBytes(Buffer.from(raw, ENCODING)) : { kind: 'text', text: raw };
};

/**
 * Reads a stream of bytes line by line, split at LF alone.
 * @param onLine called for every line with its number from 1, and whether it has a line end
 * @throws {ReadFault} with what the source fails with; and what `onLine` throws, as it is
 */
export const readLines = async (source: Readable, onLine: OnLine): Promise<void> => {
  let number = 0;
  let thrown: { readonly error: unknown } | undefined;
  const sink = new Writable({
    objectMode: true,
    highWaterMark: 1024,
    write(raw: string, _encoding, callback) {
      number += 1;
      const hasEnd = !raw.endsWith(NO_END);
      try {
        onLine(lineOf(hasEnd ? raw : raw.slice(0, -1)), number, hasEnd);
        callback();
      } catch (error) {
        thrown = { error };
        callback(new Error('stopped'));
      }
    },
  });
  const split = split2('\n', (line) => line, { decodeStrings: false });
  try {
    await pipeline(source, prepare(), split, sink);
  } catch (error) {
    if (thrown !== undefined) throw thrown.error;
    throw new ReadFault('the source failed', { cause: error });
  }
};
