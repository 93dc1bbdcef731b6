import { excerpt, printable } from '../../text.js';
import type { TextNumber } from './page-data.js';

/** Texts by number, each once; number 0 is the empty text. */
export interface Texts {
  /** A text that may come from a trace: it is made printable, and cut where a length is given. */
  foreign(text: string, length?: number): TextNumber;
  /** A text that is printable as it is. */
  own(text: string): TextNumber;
  readonly all: readonly string[];
}

export const createTexts = (): Texts => {
  const numbers = new Map<string, TextNumber>([['', 0]]);
  const all = [''];
  const own = (text: string): TextNumber => {
    const known = numbers.get(text);
    if (known !== undefined) return known;
    numbers.set(text, all.length);
    all.push(text);
    return all.length - 1;
  };
  return {
    foreign: (text, length) => own(length === undefined ? printable(text) : excerpt(text, length)),
    own,
    all,
  };
};
