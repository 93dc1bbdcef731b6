// JSON as agents write it: numbers that no double holds, and Python's words for numbers that JSON has not.

/** A string of the text, or outside of strings a number or one of Python's words. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|-?\bInfinity\b|\bNaN\b/g;
/** Digits in a row, of which a double may not hold the number. */
const MANY_DIGITS = 16;
/** What such a number follows; in a string that begins so, digits are taken for one as well. */
const BEFORE_NUMBER = /[:,[\s]-?$/;
const PYTHON_WORD = /\b(?:NaN|Infinity)\b/;
const WHOLE = /^-?\d+$/;

/** Marks a text that stands for a number: no string of a file begins with this character unescaped. */
const NUMBER_MARK = '\\u0000#';

const isDigit = (unit: number): boolean => unit >= 0x30 && unit <= 0x39;

/** Whether a number may stand in the text that a double does not hold. So many digits leave no place between two looks. */
const mayHoldLarge = (text: string): boolean => {
  for (let at = MANY_DIGITS - 1; at < text.length; at += MANY_DIGITS) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let start = at;
    while (isDigit(text.charCodeAt(start - 1))) start -= 1;
    while (isDigit(text.charCodeAt(at + 1))) at += 1;
    if (at - start >= MANY_DIGITS - 1 && BEFORE_NUMBER.test(text.slice(Math.max(0, start - 2), start))) return true;
  }
  return false;
};

const exact = (token: string): string => {
  if (token.startsWith('"')) return token;
  if (!/\d$/.test(token)) return `"${NUMBER_MARK}${token}"`;
  return WHOLE.test(token) && !Number.isSafeInteger(Number(token)) ? `"${NUMBER_MARK}${token}"` : token;
};

/**
 * The value of a JSON text. A whole number past 2^53 is kept as its digits, in a string that no other value equals;
 * so are NaN and Infinity, which Python writes.
 * @throws SyntaxError where it is no JSON, RangeError where it is nested too deeply
 */
export const parseExactly = (text: string): unknown => {
  if (mayHoldLarge(text)) return JSON.parse(text.replace(TOKEN, exact));
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!PYTHON_WORD.test(text)) throw error;
    return JSON.parse(text.replace(TOKEN, exact));
  }
};
