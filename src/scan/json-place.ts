import { countCharacters } from '../text.js';

const WHITE = new Set([' ', '\t', '\r', '\n']);
// All that can begin a number, however it is cut.
const NUMBER_START = /-?(?:(?:0|[1-9]\d*)(?:\.\d*)?(?:(?<=\d)[eE][+-]?\d*)?)?/y;
const NUMBER_END = /\d$/;
const LITERALS = ['true', 'false', 'null'];
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON strings hold none unescaped
const PLAIN = /[^"\\\u0000-\u001f]*/y;
const ESCAPE = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y;

const matchLength = (pattern: RegExp, text: string, at: number): number => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0].length ?? 0;
};

const skipWhite = (text: string, at: number): number => {
  let end = at;
  while (WHITE.has(text.charAt(end))) end += 1;
  return end;
};

/** The end of the string whose opening quote stands at `at`, or the place where it stops being one. */
const skipString = (text: string, at: number): { end: number; isWhole: boolean } => {
  let end = at + 1;
  for (;;) {
    end += matchLength(PLAIN, text, end);
    if (text.charAt(end) === '"') return { end: end + 1, isWhole: true };
    const escaped = text.charAt(end) === '\\' ? matchLength(ESCAPE, text, end) : 0;
    if (escaped === 0) return { end, isWhole: false };
    end += escaped;
  }
};

/** The end of the scalar at `at`, or the place where it stops being one. */
const skipScalar = (text: string, at: number): { end: number; isWhole: boolean } => {
  if (text.charAt(at) === '"') return skipString(text, at);
  for (const literal of LITERALS) {
    if (text.charAt(at) !== literal.charAt(0)) continue;
    let length = 0;
    while (length < literal.length && text.charAt(at + length) === literal.charAt(length)) length += 1;
    return { end: at + length, isWhole: length === literal.length };
  }
  const end = at + matchLength(NUMBER_START, text, at);
  return { end, isWhole: NUMBER_END.test(text.slice(at, end)) };
};

interface Walk {
  /** Where the text stops being JSON; undefined when it is JSON. */
  readonly faultAt: number | undefined;
  /** Where the values of the outermost object stand, by key; of a repeated key, the last. */
  readonly valuesAt: ReadonlyMap<string, number>;
}

type Wanted = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma or end';

/** Walks over a JSON text without recursion: only for lines that are already known to be unusable. */
const walk = (text: string): Walk => {
  const valuesAt = new Map<string, number>();
  const closers: string[] = [];
  let wanted: Wanted = 'value';
  let key = '';
  let at = skipWhite(text, 0);
  const fault = (): Walk => ({ faultAt: at, valuesAt });
  while (wanted !== 'comma or end' || closers.length > 0) {
    const character = text.charAt(at);
    if (wanted === 'colon') {
      if (character !== ':') return fault();
      at += 1;
      wanted = 'value';
    } else if (wanted === 'comma or end') {
      if (character === closers.at(-1)) closers.pop();
      else if (character === ',') wanted = closers.at(-1) === '}' ? 'key' : 'value';
      else return fault();
      at += 1;
    } else if (character === closers.at(-1) && (wanted === 'value or ]' || wanted === 'key or }')) {
      closers.pop();
      at += 1;
      wanted = 'comma or end';
    } else if (wanted === 'key' || wanted === 'key or }') {
      if (character !== '"') return fault();
      const { end, isWhole } = skipString(text, at);
      if (closers.length === 1 && isWhole) key = JSON.parse(text.slice(at, end));
      at = end;
      if (!isWhole) return fault();
      wanted = 'colon';
    } else {
      if (closers.length === 1 && closers[0] === '}') valuesAt.set(key, at);
      if (character === '{' || character === '[') {
        closers.push(character === '{' ? '}' : ']');
        at += 1;
        wanted = character === '{' ? 'key or }' : 'value or ]';
      } else {
        const { end, isWhole } = skipScalar(text, at);
        at = end;
        if (!isWhole) return fault();
        wanted = 'comma or end';
      }
    }
    at = skipWhite(text, at);
  }
  return { faultAt: at < text.length ? at : undefined, valuesAt };
};

const columnOf = (text: string, at: number): number => countCharacters(text, at) + 1;

/** The column, in characters from 1, at which a text stops being JSON; its end where it is only cut short. */
export const faultColumn = (text: string): number => columnOf(text, walk(text).faultAt ?? text.length);

/** The column, in characters from 1, of the value of a key of the outermost object; 1 where it has no such key. */
export const valueColumn = (text: string, key: string): number => columnOf(text, walk(text).valuesAt.get(key) ?? 0);
