import { isUtf8 } from 'node:buffer';
import { countCharacters } from './text.js';

/** Bytes that a line may have; a longer one is not kept, only counted. */
export const LINE_LIMIT = 16 * 1024 * 1024;

/** A line of an input: its text without the line end, or what kept it from being text. */
export type Line =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'too-long' }
  | { readonly kind: 'invalid-utf8'; readonly column: number; readonly text: string };

export const NEWLINE = 0x0a;
export const BYTE_ORDER_MARK = Buffer.from([0xef, 0xbb, 0xbf]);

/** The text before the first byte that is not UTF-8, by halving: a cut in the middle of a character is no fault. */
const soundText = (bytes: Buffer): string => {
  const decode = (length: number): string =>
    new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes.subarray(0, length), { stream: true });
  const isSound = (length: number): boolean => {
    try {
      decode(length);
      return true;
    } catch {
      return false;
    }
  };
  let sound = 0;
  let unsound = bytes.length + 1;
  while (unsound - sound > 1) {
    const middle = Math.floor((sound + unsound) / 2);
    if (isSound(middle)) sound = middle;
    else unsound = middle;
  }
  return decode(sound);
};
const invalidColumn = (bytes: Buffer): number => {
  const text = soundText(bytes);
  return countCharacters(text, text.length) + 1;
};

/** A line that is not too long, from its bytes. */
export const lineOfBytes = (bytes: Buffer): Line => {
  const text = bytes.toString('utf8');
  return isUtf8(bytes) ? { kind: 'text', text } : { kind: 'invalid-utf8', column: invalidColumn(bytes), text };
};
