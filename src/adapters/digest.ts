import { hash } from 'node:crypto';
import { canonicalJson } from '../canonical-json.js';
import { parseExactly } from '../json-text.js';
import { isObject } from '../json-values.js';

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

/** What tells a value from others, as its source wrote it; not to be shown. */
export const markOf = (value: unknown): string => {
  try {
    return hash('sha256', JSON.stringify(value) ?? 'null', 'hex').slice(0, HEX_DIGITS);
  } catch (error) {
    if (error instanceof RangeError) return 'too deep';
    throw error;
  }
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

const DEEPEST = 64;
/** The value with the volatile texts of its strings left out. */
const normalised = (value: unknown, results: readonly VolatileText[], depth = 0): unknown => {
  if (typeof value === 'string') return results.reduce((text, { pattern }) => text.replace(pattern, ''), value);
  if (depth > DEEPEST) return value;
  if (Array.isArray(value)) return value.map((item) => normalised(item, results, depth + 1));
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, normalised(item, results, depth + 1)]));
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
      // A volatile text beside JSON hides that it is JSON.
      return { result: digestOf(normalised(opened(normalised(value, results)), results)), raw };
    },
  };
};
export type Digests = ReturnType<typeof createDigests>;
