// What the converters of this folder share: reading JSON Lines, digests, and writing native spans.
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/** @typedef {Record<string, any>} Fields */
/** @typedef {{ in: number, cached: number, out: number }} Tokens */
/** @typedef {{ resultHash: string | undefined, status: 'ok' | 'error' | undefined }} Result */
/** @typedef {Result & { id: string, name: string, argsHash: string }} Call */
/** @typedef {{ calls: Call[], stopReason: string | undefined, tokens: Tokens | undefined }} Round one model response */
/** @typedef {{ reason: string, detail: string | undefined, isInferred: boolean }} Stop */
/** @typedef {{ file: string, session: string, goal: string | undefined, rounds: Round[], stop: Stop | undefined }} Turn */
/** @typedef {(file: string) => (line: Fields) => void} Open gives the function that takes the lines of one file */
/** @typedef {() => { turns: Turn[], leftOut: Record<string, number> }} Finish gives what all files came to */

/** A line that cannot be read; its text never quotes the line. */
class UnusableLine extends Error {}
/** @returns {never} */
export const unusable = (/** @type {string} */ code, /** @type {string} */ text) => {
  throw new UnusableLine(`${code}: ${text}`);
};

/** The fields of a value from outside: of anything but an object, none. @returns {Fields} */
export const fieldsOf = (/** @type {unknown} */ value) => (value !== null && typeof value === 'object' ? value : {});
export const textOf = (/** @type {unknown} */ value) => (typeof value === 'string' && value !== '' ? value : undefined);
export const countOf = (/** @type {unknown} */ value) => (Number.isSafeInteger(value) ? Math.max(0, Number(value)) : 0);
/** A name from the source's lists may be passed on, free text may not. */
export const labelOf = (/** @type {unknown} */ value) =>
  typeof value === 'string' && /^[a-z][a-z0-9_-]{0,39}$/i.test(value) ? value : 'unknown';
/** Says how long a prompt was, and nothing of what it said. */
export const goalOf = (/** @type {string} */ what, /** @type {string} */ text) =>
  `${what} (${[...text].length} characters)`;
/** The text of a message: a string, or the text of its blocks. */
export const proseOf = (/** @type {unknown} */ content) =>
  (Array.isArray(content) ? content.map((block) => fieldsOf(block).text) : [content])
    .map((text) => textOf(text) ?? '')
    .join('');
/** Whether a message is text and nothing else. */
export const isProse = (/** @type {unknown} */ content) =>
  typeof content === 'string' ||
  (Array.isArray(content) && content.every((block) => typeof fieldsOf(block).text === 'string'));
/** @returns {Round} */
export const newRound = () => ({ calls: [], stopReason: undefined, tokens: undefined });

const sortKeys = (/** @type {string} */ _key, /** @type {unknown} */ value) =>
  value === null || typeof value !== 'object' || Array.isArray(value)
    ? value
    : Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
/** SHA-256 over JSON with sorted keys, cut to 16 hex digits. */
export const digest = (/** @type {unknown} */ value) =>
  createHash('sha256')
    .update(JSON.stringify(value ?? null, sortKeys))
    .digest('hex')
    .slice(0, 16);
/** A digest of the arguments without the keys that differ each time although the call is the same. */
export const digestWithout = (/** @type {unknown} */ args, /** @type {readonly string[]} */ keys) =>
  args === null || typeof args !== 'object' || Array.isArray(args)
    ? digest(args)
    : digest(Object.fromEntries(Object.entries(args).filter(([key]) => !keys.includes(key))));

// Split on 0x0A only: JSON strings may hold U+2028, which readline takes for a line end from Node 24 on.
async function* linesOf(/** @type {string} */ file) {
  /** @type {Buffer[]} */
  let parts = [];
  for await (const chunk of createReadStream(file)) {
    let start = 0;
    for (let end = chunk.indexOf(0x0a); end !== -1; end = chunk.indexOf(0x0a, start)) {
      yield { bytes: Buffer.concat([...parts, chunk.subarray(start, end)]), isEnded: true };
      parts = [];
      start = end + 1;
    }
    if (start < chunk.length) parts.push(chunk.subarray(start));
  }
  if (parts.length > 0) yield { bytes: Buffer.concat(parts), isEnded: false };
}

const decoder = new TextDecoder('utf-8', { fatal: true });
/** @template T @param {() => T} read @param {string} code @param {string} text */
const readAs = (read, code, text) => {
  try {
    return read();
  } catch {
    return unusable(code, text);
  }
};
const parse = (/** @type {Buffer} */ bytes) => {
  const text = readAs(() => decoder.decode(bytes), 'invalid-utf8', 'the line is not UTF-8');
  if (text.trim() === '') return undefined;
  const value = readAs(() => JSON.parse(text), 'invalid-json', 'the line is not one JSON value');
  const isObject = value !== null && typeof value === 'object' && !Array.isArray(value);
  return isObject ? value : unusable('not-an-object', 'the line is no JSON object');
};

/** The spans of one turn: seq dense from 1, iter the number of the model round. */
function* spansOf(/** @type {Turn} */ { goal, rounds, stop }, /** @type {string} */ runId) {
  let seq = 0;
  const span = (/** @type {string} */ type, /** @type {number} */ iter, /** @type {object} */ fields) => {
    seq += 1;
    return { run_id: runId, seq, type, iter, ...fields };
  };
  if (goal !== undefined) yield span('loop_start', 0, { goal });
  for (const [index, { calls, stopReason, tokens }] of rounds.entries()) {
    const spent = { tokens_in: tokens?.in, tokens_cached: tokens?.cached, tokens_out: tokens?.out };
    yield span('model', index + 1, { stop_reason: stopReason, ...spent });
    for (const { name, argsHash, resultHash, status } of calls) {
      yield span('tool', index + 1, { name, args_hash: argsHash, result_hash: resultHash, status });
    }
  }
  if (stop === undefined) return;
  const { reason, detail, isInferred } = stop;
  // A recording shows that a turn ended; whether the goal was reached, it does not show.
  const claim = isInferred || reason === 'done' ? 'turn_ended' : undefined;
  yield span('terminal', rounds.length, { reason, detail, claim, inferred: isInferred || undefined });
}

// Results are at hand, so that polling is told from stalling; seq is dense, so that a line lost in the pipe is found.
const HEADER = { type: 'contract', no_progress_key: 'args+result', seq_scope: 'run' };
function* outputOf(/** @type {Turn[]} */ turns) {
  yield `${JSON.stringify(HEADER)}\n`;
  /** @type {Map<string, number>} */
  const ordinals = new Map();
  for (const turn of turns) {
    const ordinal = (ordinals.get(turn.session) ?? 0) + 1;
    ordinals.set(turn.session, ordinal);
    const runId = `${turn.session}#${String(ordinal).padStart(4, '0')}`;
    for (const span of spansOf(turn, runId)) yield `${JSON.stringify(span)}\n`;
  }
}

const say = (/** @type {string} */ text) => process.stderr.write(`${text}\n`);
let unusableLines = 0;
const SHOWN_LINES = 20;

/** What stopped the reading of a line; anything but a fault of the line is one of this script. */
const faultOf = (/** @type {unknown} */ error) => {
  if (error instanceof UnusableLine) return error.message;
  // The engine gives up on very deep nesting.
  if (error instanceof RangeError) return 'too-deep: the line is nested too deeply';
  throw error;
};
const readFile = async (/** @type {string} */ file, /** @type {(line: Fields) => void} */ take) => {
  let number = 0;
  for await (const { bytes, isEnded } of linesOf(file)) {
    number += 1;
    try {
      const line = parse(bytes);
      if (line !== undefined) take(line);
    } catch (error) {
      const fault = faultOf(error);
      unusableLines += 1;
      if (isEnded) process.exitCode = 2;
      const text = isEnded ? fault : 'torn-tail: the last line has no end, its writer was cut off';
      if (unusableLines <= SHOWN_LINES) say(`${file}:${number}: ${text}`);
    }
  }
};

/** Reads the files that the command line names, in their order, and writes their turns to stdout. */
export const convert = async (/** @type {string} */ name, /** @type {Open} */ open, /** @type {Finish} */ finish) => {
  const files = process.argv.slice(2);
  if (files.length === 0) {
    say(`usage: node examples/${name}.mjs FILE... | npx terminal-contract`);
    process.exitCode = 2;
    return;
  }
  const unreadable = new Set();
  for (const file of files) {
    await readFile(file, open(file)).catch((error) => {
      if (error.syscall === undefined) throw error;
      unreadable.add(file);
      say(`${file}: unreadable (${error.code})`);
      process.exitCode = 2;
    });
  }
  const { turns, leftOut } = finish();
  const filesWithRuns = new Set(turns.map(({ file }) => file));
  for (const file of files) if (!filesWithRuns.has(file) && !unreadable.has(file)) say(`${file}: no run begins in it`);
  for (const [what, count] of Object.entries(leftOut)) if (count > 0) say(`left out: ${count} ${what}`);
  say(`${name}: files=${files.length} runs=${turns.length} unusable_lines=${unusableLines}`);
  await pipeline(Readable.from(outputOf(turns)), process.stdout).catch((error) => {
    if (error.code !== 'EPIPE') throw error;
  });
};
