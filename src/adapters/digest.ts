import { hash } from 'node:crypto';
import { canonicalJson } from '../canonical-json.js';
import { parseExactly } from '../json-text.js';
import { isObject } from '../json-values.js';
import { keyedHashOf } from './keyed-hash.js';

/** A key of a tool's arguments that differs from call to call although the call is the same. */
export interface VolatileArgument {
  /** The tool, or `*` for all of a format. */
  readonly tool: string;
  readonly key: string;
  readonly because: string;
}

/** What stands in results and differs although the result is the same. */
export interface VolatileText {
  readonly pattern: RegExp;
  readonly because: string;
}

/** What is left out before digests are made. */
export interface Volatile {
  readonly args: readonly VolatileArgument[];
  readonly results: readonly VolatileText[];
}

const HEX_DIGITS = 16;
const MARK_RADIX = 36;

/** SHA-256 over canonical JSON (RFC 8785), cut to 16 hex digits; undefined where the value is nested too deeply. */
export const digestOf = (value: unknown): string | undefined => {
  try {
    // Most results are texts: of these, JSON is canonical as it is.
    const json = typeof value === 'string' ? JSON.stringify(value) : canonicalJson(value);
    return hash('sha256', json ?? 'null', 'hex').slice(0, HEX_DIGITS);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
};

/** What tells a value of JSON from others in this process; not to be shown. */
export const markOf = (value: unknown): string => {
  const { left, right } = keyedHashOf(value);
  return `${left.toString(MARK_RADIX)} ${right.toString(MARK_RADIX)}`;
};

const HOLDS_JSON = /^\s*[{[]/;
/** A string that holds JSON as its value: some formats write arguments so. */
const opened = (value: unknown): unknown => {
  if (typeof value !== 'string' || !HOLDS_JSON.test(value)) return value;
  try {
    return parseExactly(value);
  } catch {
    return value;
  }
};

/** Whether what stands in it may mean something else beside other patterns: it counts or names its groups. */
const COUNTS_GROUPS = /\\[1-9k]|\(\?</;
const HAS_ENDS = /[$^]/;

/** Finds out whether any of the patterns is in a text, in as few looks as their flags allow. */
const anyOf = (patterns: readonly RegExp[]): ((text: string) => boolean) => {
  const byFlags = new Map<string, string[]>();
  const alone: RegExp[] = [];
  for (const { source, flags } of patterns) {
    const own = flags.replaceAll(/[gy]/g, '');
    // Where no line's end is asked for, lines make no difference.
    const shared = HAS_ENDS.test(source) || own.includes('m') ? own : `${own}m`;
    if (COUNTS_GROUPS.test(source)) alone.push(new RegExp(source, own));
    else byFlags.set(shared, [...(byFlags.get(shared) ?? []), `(?:${source})`]);
  }
  const joined = [...byFlags].map(([flags, sources]) => new RegExp(sources.join('|'), flags));
  const all = [...joined, ...alone];
  return (text) => all.some((pattern) => pattern.test(text));
};

const DEEPEST = 64;
/** Leaves out the volatile texts of a value's strings: where there are none, the same value comes back. */
const createNormaliser = (results: readonly VolatileText[]) => {
  const isVolatile = anyOf(results.map(({ pattern }) => pattern));
  const normalised = (value: unknown, depth = 0): unknown => {
    if (typeof value === 'string') {
      return isVolatile(value) ? results.reduce((text, { pattern }) => text.replace(pattern, ''), value) : value;
    }
    if (depth > DEEPEST) return value;
    if (Array.isArray(value)) {
      const items = value.map((item) => normalised(item, depth + 1));
      return items.every((item, index) => item === value[index]) ? value : items;
    }
    if (!isObject(value)) return value;
    const entries = Object.entries(value).map(([key, item]) => [key, normalised(item, depth + 1)] as const);
    return entries.every(([key, item]) => item === value[key]) ? value : Object.fromEntries(entries);
  };
  return normalised;
};

/** The digests of a result: of what it says, and, where something volatile stands in it, of all of it. */
export interface ResultDigests {
  readonly result: string | undefined;
  readonly raw: string | undefined;
}

/** Digests of arguments and results, by what of them is volatile. */
export const createDigests = ({ args, results }: Volatile) => {
  const byTool = new Map<string, Set<string>>();
  for (const { tool, key } of args) byTool.set(tool, (byTool.get(tool) ?? new Set()).add(key));
  const ofAll = byTool.get('*');
  const isVolatile = (tool: string, key: string): boolean =>
    ofAll?.has(key) === true || byTool.get(tool)?.has(key) === true;
  const normalised = createNormaliser(results);
  return {
    /** Of a call; undefined where the source does not say its arguments. */
    args(tool: string, given: unknown): string | undefined {
      if (given === undefined || given === null) return undefined;
      const value = opened(given);
      if (!isObject(value)) return digestOf(value);
      return digestOf(Object.fromEntries(Object.entries(value).filter(([key]) => !isVolatile(tool, key))));
    },
    result(given: unknown): ResultDigests {
      if (given === undefined || given === null) return { result: undefined, raw: undefined };
      const value = opened(given);
      const raw = digestOf(value);
      if (results.length === 0) return { result: raw, raw };
      const told = normalised(value);
      if (told === value) return { result: raw, raw };
      // A volatile text beside JSON hides that it is JSON.
      return { result: digestOf(normalised(opened(told))), raw };
    },
  };
};
export type Digests = ReturnType<typeof createDigests>;
