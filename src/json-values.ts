import { isUtf8 } from 'node:buffer';
import { parseExactly } from './json-text.js';
import { BYTE_ORDER_MARK, NEWLINE } from './lines.js';
import { faultColumn } from './scan/json-place.js';
import type { LineFault } from './scan/plain.js';

/** An object of a JSON file, whose keys may be anything. */
export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What is said of a file while it is read. Lines count from 1. */
export interface ValueListener {
  /** An object that stands by itself, or in a list that does; `line` is where it begins. */
  onObject(value: JsonObject, line: number): void;
  /** The text of what was read, before its objects are said. */
  onText?(text: string, value: unknown, line: number): void;
  onFault(fault: LineFault, line: number, hasEnd: boolean): void;
}

/** Bytes that one value may have: transcripts hold images. */
export const VALUE_LIMIT = 64 * 1024 * 1024;
/** A first line that is longer and opens a list is read by its elements. */
const LONG_LINE = 1 << 20;

/** A first line that can only be the beginning of a value: a list, or nothing but brackets. */
const OPENS = /^\s*(?:\[|[{[\s]*$)/;

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const OPEN_LIST = 0x5b;
const CLOSE_LIST = 0x5d;
const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const COMMA = 0x2c;
const isWhite = (byte: number): boolean => byte === 0x20 || byte === 0x09 || byte === 0x0d || byte === NEWLINE;

const TOO_LONG: LineFault = { code: 'line-too-long', column: 1, message: 'a value longer than 64 MiB; it is left out' };
const NO_OBJECT: LineFault = {
  code: 'not-an-object',
  column: 1,
  message: 'JSON, but neither an object nor a list of them',
};
const NO_JSON = 'not JSON from here on';
const invalidJson = (column: number): LineFault => ({ code: 'invalid-json', column, message: NO_JSON });
const INVALID_UTF8: LineFault = { code: 'invalid-utf8', column: 1, message: 'not UTF-8' };
const TOO_DEEP: LineFault = { code: 'invalid-json', column: 1, message: 'nested too deeply to be read' };

/** Bytes that come in pieces, up to a limit; what is above it is counted and left out. */
const gatherer = () => {
  let parts: Buffer[] = [];
  let length = 0;
  return {
    length: (): number => length,
    add(piece: Buffer): void {
      length += piece.length;
      if (length > VALUE_LIMIT) parts = [];
      else if (piece.length > 0) parts.push(Buffer.from(piece));
    },
    take(last: Buffer): Buffer | undefined {
      const isTooLong = length + last.length > VALUE_LIMIT;
      const bytes = parts.length === 0 ? last : Buffer.concat([...parts, last]);
      parts = [];
      length = 0;
      return isTooLong ? undefined : bytes;
    },
  };
};

/** A list that begins with a word on the objects or lists in it. */
const isLabelled = ([label, next]: readonly unknown[]): boolean =>
  typeof label === 'string' && typeof next === 'object' && next !== null;

/** Splits bytes into the values that stand in them side by side, whatever stands between: white space, commas, lists. */
const valueSplitter = (onValue: (bytes: Buffer | undefined, line: number) => void, onNoise: (line: number) => void) => {
  const held = gatherer();
  let depth = 0;
  let isInString = false;
  let isEscaped = false;
  let startLine = 0;
  let noiseLine = 0;
  const take = (bytes: Buffer, start: number, firstLine: number): void => {
    let line = firstLine;
    let from = start;
    for (let at = start; at < bytes.length; at += 1) {
      const byte = bytes[at] ?? 0;
      if (byte === NEWLINE) line += 1;
      if (depth === 0) {
        if (byte === OPEN_OBJECT) {
          depth = 1;
          from = at;
          startLine = line;
        } else if (
          !isWhite(byte) &&
          byte !== COMMA &&
          byte !== OPEN_LIST &&
          byte !== CLOSE_LIST &&
          noiseLine !== line
        ) {
          noiseLine = line;
          onNoise(line);
        }
        continue;
      }
      if (isInString) {
        if (isEscaped) isEscaped = false;
        else if (byte === BACKSLASH) isEscaped = true;
        else if (byte === QUOTE) isInString = false;
        continue;
      }
      if (byte === QUOTE) isInString = true;
      else if (byte === OPEN_OBJECT || byte === OPEN_LIST) depth += 1;
      else if (byte === CLOSE_OBJECT || byte === CLOSE_LIST) {
        depth -= 1;
        if (depth > 0) continue;
        onValue(held.take(bytes.subarray(from, at + 1)), startLine);
        from = at + 1;
      }
    }
    if (depth > 0) held.add(bytes.subarray(from));
  };
  return {
    take,
    /** The line in which a value began that has not ended; undefined where there is none. */
    openSince: (): number | undefined => (depth > 0 ? startLine : undefined),
  };
};

/**
 * Reads a file of JSON objects, however they stand in it: one a line, several a line, printed over several lines, in
 * a list. Feed it the bytes in order.
 */
export const createValueReader = ({ onObject, onText, onFault }: ValueListener) => {
  const held = gatherer();
  let line = 1;
  let isFirst = true;
  let head: Buffer | undefined = Buffer.alloc(0);
  /** Reads what does not keep to lines; undefined as long as lines serve. */
  let splitter: ReturnType<typeof valueSplitter> | undefined;

  const say = (value: unknown, at: number): void => {
    if (isObject(value)) onObject(value, at);
    else if (Array.isArray(value)) for (const item of isLabelled(value) ? value.slice(1) : value) say(item, at);
    else onFault(NO_OBJECT, at, true);
  };
  const takeText = (text: string, at: number, onSyntax: () => void): void => {
    let value: unknown;
    try {
      value = parseExactly(text);
    } catch (error) {
      if (!(error instanceof RangeError)) {
        onSyntax();
        return;
      }
      onFault(TOO_DEEP, at, true);
      return;
    }
    onText?.(text, value, at);
    say(value, at);
  };
  const takeValue = (bytes: Buffer | undefined, at: number): void => {
    if (bytes === undefined) {
      onFault(TOO_LONG, at, true);
      return;
    }
    if (!isUtf8(bytes)) {
      onFault(INVALID_UTF8, at, true);
      return;
    }
    takeText(bytes.toString('utf8'), at, () => onFault(invalidJson(1), at, true));
  };
  const onNoise = (at: number): void => onFault(invalidJson(1), at, true);

  /** Several values in one line: `}{` where a line end was lost. Whether the line is more than one value. */
  const takeSeveral = (bytes: Buffer): boolean => {
    const found: Buffer[] = [];
    let hasNoise = false;
    const several = valueSplitter(
      (value) => void (value !== undefined && found.push(value)),
      () => {
        hasNoise = true;
      },
    );
    several.take(bytes, 0, line);
    if (found.length === 0 || (found.length === 1 && !hasNoise)) return false;
    for (const value of found) takeValue(value, line);
    if (hasNoise || several.openSince() !== undefined) onFault(invalidJson(1), line, true);
    return true;
  };

  const takeLine = (bytes: Buffer | undefined, hasEnd: boolean): void => {
    if (bytes === undefined) {
      onFault(TOO_LONG, line, hasEnd);
      return;
    }
    if (bytes.every(isWhite)) return;
    const wasFirst = isFirst;
    isFirst = false;
    if (!isUtf8(bytes)) {
      onFault(INVALID_UTF8, line, hasEnd);
      return;
    }
    const text = bytes.toString('utf8');
    takeText(text, line, () => {
      if (takeSeveral(bytes)) return;
      // The first line opens what the next ones go on with.
      if (wasFirst && hasEnd && OPENS.test(text)) {
        splitter = valueSplitter(takeValue, onNoise);
        splitter.take(bytes, 0, line);
        return;
      }
      onFault(invalidJson(faultColumn(text)), line, hasEnd);
    });
  };

  const takeChunk = (chunk: Buffer): void => {
    let at = 0;
    while (at < chunk.length) {
      if (splitter !== undefined) {
        splitter.take(chunk, at, line);
        for (let next = chunk.indexOf(NEWLINE, at); next >= 0; next = chunk.indexOf(NEWLINE, next + 1)) line += 1;
        return;
      }
      const end = chunk.indexOf(NEWLINE, at);
      if (end < 0) {
        held.add(chunk.subarray(at));
        if (isFirst && held.length() > LONG_LINE) openList();
        return;
      }
      takeLine(held.take(chunk.subarray(at, end)), true);
      line += 1;
      at = end + 1;
    }
  };
  /** A first line that does not end soon: where it opens a list, its elements are read one by one. */
  const openList = (): void => {
    const bytes = held.take(Buffer.alloc(0));
    if (bytes === undefined) return;
    isFirst = false;
    if (bytes.find((byte) => !isWhite(byte)) !== OPEN_LIST) {
      held.add(bytes);
      return;
    }
    splitter = valueSplitter(takeValue, onNoise);
    splitter.take(bytes, 0, line);
  };

  return {
    push(chunk: Buffer): void {
      if (head === undefined) {
        takeChunk(chunk);
        return;
      }
      head = Buffer.concat([head, chunk]);
      if (head.length < BYTE_ORDER_MARK.length) return;
      const isMarked = head.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);
      const rest = isMarked ? head.subarray(BYTE_ORDER_MARK.length) : head;
      head = undefined;
      takeChunk(rest);
    },
    /** The bytes have ended. */
    end(): void {
      if (head !== undefined) takeChunk(head);
      head = undefined;
      if (splitter === undefined) {
        takeLine(held.take(Buffer.alloc(0)), false);
        return;
      }
      const open = splitter.openSince();
      if (open !== undefined) onFault(invalidJson(1), open, false);
    },
  };
};
