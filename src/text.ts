/** Text of a trace as data: its order, its characters, and how it is shown where it must not act. */

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** Ascending by code point; UTF-16 units would put astral characters before U+E000 to U+FFFF. */
export const compareCodePoints = (left: string, right: string): number => {
  const length = Math.min(left.length, right.length);
  let at = 0;
  while (at < length && left.charCodeAt(at) === right.charCodeAt(at)) at += 1;
  if (at === length) return left.length - right.length;
  // A half that both share may be a whole character in only one of them.
  const start = at > 0 && isHighSurrogate(left.charCodeAt(at - 1)) ? at - 1 : at;
  const difference = pointAt(left, start) - pointAt(right, start);
  return difference === 0 ? pointAt(left, at) - pointAt(right, at) : difference;
};
const pointAt = (text: string, at: number): number => text.codePointAt(at) ?? 0;

/** How many characters (code points) stand before the UTF-16 unit `end`. */
export const countCharacters = (text: string, end: number): number => {
  let characters = 0;
  for (let at = 0; at < end; characters += 1) at += pointAt(text, at) > 0xffff ? 2 : 1;
  return characters;
};

// Control characters, line and paragraph separators, marks that turn the reading direction, and halves of characters.
const ACTS =
  '[\\u0000-\\u001f\\u007f-\\u009f\\u061c\\u200e\\u200f\\u2028-\\u202e\\u2066-\\u2069\\ufeff]|\\p{Surrogate}';
// What a CI that reads the log takes for a command: `::error::` in front of a line, `##[error]`, `##vso[` and
// `##teamcity[` anywhere in it.
const COMMANDS = '(?<=#)#|(?<=^\\s*):(?=:)';
const UNSAFE_CHARACTER = `${ACTS}|${COMMANDS}`;
const UNSAFE = new RegExp(UNSAFE_CHARACTER, 'gu');
/** A backslash before what is escaped, or reads as an escape already, would read as a part of it. */
const backslashBefore = (pattern: string): RegExp => new RegExp(`\\\\(?=${pattern})`, 'gu');
const AMBIGUOUS = backslashBefore(`[tnru\\\\]|${UNSAFE_CHARACTER}`);
const SHORT: ReadonlyMap<string, string> = new Map([
  ['\t', '\\t'],
  ['\n', '\\n'],
  ['\r', '\\r'],
]);
const longEscape = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`;

// Most text has nothing to escape.
const PLAIN = /^(?!\s*::)[ -[\]-~]*$/;

/** The text with everything escaped that could forge a line, reach a terminal or command a CI; no two texts look the same. */
export const printable = (text: string): string =>
  PLAIN.test(text) && !text.includes('##')
    ? text
    : text.replace(AMBIGUOUS, '\\\\').replace(UNSAFE, (character) => SHORT.get(character) ?? longEscape(character));

/** Escapes, in printable text, further characters that a medium gives a meaning to: those that the pattern matches. */
export const escaping = (pattern: string): ((text: string) => string) => {
  const wanted = new RegExp(pattern, 'gu');
  const ambiguous = backslashBefore(pattern);
  return (text) => text.replace(ambiguous, '\\\\').replace(wanted, longEscape);
};

/** Printable text in at most `length` UTF-16 units, escapes counted as they are written. */
export const cut = (shown: string, length: number): string =>
  shown.length <= length ? shown : `${shown.slice(0, length - 1).replace(/[\ud800-\udbff]$/, '')}…`;

const ASCII = /^[ -~]*$/;

/** A value as JSON in which nothing but plain text is left unescaped. */
export const safeJson = (value: unknown): string => {
  const json = JSON.stringify(value);
  // No JSON begins with a colon.
  return ASCII.test(json) && !json.includes('##') ? json : json.replace(UNSAFE, longEscape);
};

/** A value of the trace for a line of prose: at most `length` characters of it. */
export const excerpt = (text: string, length = 64): string => {
  // More units than the characters that are asked for are not even looked at.
  const characters = [...text.slice(0, 2 * length + 2)];
  const shown = printable(characters.slice(0, length).join(''));
  return characters.length > length ? `${shown}…` : shown;
};

const isWhite = (unit: number): boolean => unit === 0x20 || unit === 0x09 || unit === 0x0d;

/** The text without the white space around it that a line of JSON may have: spaces, tabs and carriage returns. */
export const withoutOuterWhite = (text: string): string => {
  let start = 0;
  let end = text.length;
  while (start < end && isWhite(text.charCodeAt(start))) start += 1;
  while (end > start && isWhite(text.charCodeAt(end - 1))) end -= 1;
  return text.slice(start, end);
};
