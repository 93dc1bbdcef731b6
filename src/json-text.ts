// JSON as agents write it: numbers that no double holds, and Python's words for numbers that JSON has not.

/** A string of the text, or outside of strings a number or one of Python's words. */
const TOKEN = /"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|-?\bInfinity\b|\bNaN\b/g;
/** Where a number may stand that a double does not hold: sixteen digits in a row, and not in a string that begins so. */
const MAY_BE_LARGE = /[:,[\s]-?\d{16}/;
const PYTHON_WORD = /\b(?:NaN|Infinity)\b/;
const WHOLE = /^-?\d+$/;

/** Marks a text that stands for a number: no string of a file begins with this character unescaped. */
const NUMBER_MARK = '\\u0000#';

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
  if (MAY_BE_LARGE.test(text)) return JSON.parse(text.replace(TOKEN, exact));
  try {
    return JSON.parse(text);
  } catch (error) {
    if (!PYTHON_WORD.test(text)) throw error;
    return JSON.parse(text.replace(TOKEN, exact));
  }
};
