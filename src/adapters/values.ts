// What a value from outside is, if it is what one hopes for.
import { parseExactly } from '../json-text.js';
import { isObject, type JsonObject } from '../json-values.js';

export type { JsonObject } from '../json-values.js';
export { isObject } from '../json-values.js';

const NOTHING: JsonObject = Object.freeze({});
/** The fields of an object; of anything else, none. */
export const fieldsOf = (value: unknown): JsonObject => (isObject(value) ? value : NOTHING);
/** The items of a list that are objects. */
export const objectsIn = (value: unknown): readonly JsonObject[] =>
  Array.isArray(value) ? value.filter(isObject) : [];
/** A text that is not empty. */
export const textIn = (value: unknown): string | undefined =>
  typeof value === 'string' && value !== '' ? value : undefined;
const LABEL = /^[A-Za-z][\w-]{0,47}$/;
/** A word from a source's lists; free text is none. */
export const labelIn = (value: unknown): string | undefined =>
  typeof value === 'string' && LABEL.test(value) ? value : undefined;
export const numberIn = (value: unknown): number | undefined =>
  typeof value === 'number' && Number.isFinite(value) ? value : undefined;
/** A number, or the digits of one. */
export const digitsIn = (value: unknown): number | undefined =>
  numberIn(typeof value === 'string' && value.trim() !== '' ? Number(value) : value);
/** A count: of anything that is none, 0. */
export const countIn = (value: unknown): number => (Number.isSafeInteger(value) ? Math.max(0, Number(value)) : 0);

/** The value of JSON in a string; of what is no string, itself. */
export const parsedIn = (value: unknown): unknown => {
  if (typeof value !== 'string') return value;
  try {
    return parseExactly(value);
  } catch {
    return undefined;
  }
};

/** The text of a message: a string, or what its blocks say. */
export const proseOf = (content: unknown): string =>
  typeof content === 'string'
    ? content
    : Array.isArray(content)
      ? content.map((block) => (typeof block === 'string' ? block : (textIn(fieldsOf(block)['text']) ?? ''))).join('')
      : '';

const EPOCH_MS = 1e11;
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;
/** A time as RFC 3339: as it is written, or from seconds or milliseconds since 1970. */
export const timeIn = (value: unknown): string | undefined => {
  if (typeof value === 'string') return RFC_3339.test(value) ? value : undefined;
  const number = numberIn(value);
  if (number === undefined || number <= 0) return undefined;
  const date = new Date(number < EPOCH_MS ? number * 1000 : number);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
};
