// One line as a span, as far as the line holds no surprise. What the line says stands in these globals until the next.
import {
  hasEscape,
  integer,
  isNull,
  number,
  readInteger,
  readNumber,
  skipString,
  skipValue,
  skipWhite,
  startLine,
} from './json';
import { codeOf, KEYS } from './words';

// The codes of the keys; the loader gives them out by the same names.
export const KEY_RUN_ID: u32 = 1;
export const KEY_SEQ: u32 = 2;
export const KEY_TYPE: u32 = 3;
export const KEY_ITER: u32 = 4;
export const KEY_NAME: u32 = 5;
export const KEY_ARGS_HASH: u32 = 6;
export const KEY_RESULT_HASH: u32 = 7;
export const KEY_TS: u32 = 8;
export const KEY_MONO_MS: u32 = 9;
export const KEY_SPAN_ID: u32 = 10;
export const KEY_GOAL: u32 = 11;
export const KEY_STATUS: u32 = 12;
export const KEY_REASON: u32 = 13;
export const KEY_TOKENS_IN: u32 = 14;
export const KEY_TOKENS_CACHED: u32 = 15;
export const KEY_TOKENS_OUT: u32 = 16;
export const KEY_TOKENS_AUX: u32 = 17;
export const KEY_EXIT_CODE: u32 = 18;
export const KEY_EFFECT: u32 = 19;
export const KEY_EMITTER: u32 = 20;
export const KEY_STATE_HASH: u32 = 21;
const KEYS_READ: u32 = 22;
/** Of no matter to a quiet run: any value, or a text without which the line is unusable. */
const ANY: u32 = 22;
const ANY_TEXT: u32 = 23;
/** What makes the run loud, likewise. */
const LOUD: u32 = 24;
const LOUD_TEXT: u32 = 25;

// What key came last after each, by code: lines are written alike, and a key that is expected is found by one comparison.
const GUESSES = memory.data(32);
const KEY_TEXTS = memory.data(<i32>KEYS_READ * 16, 16);
const KEY_LENGTHS = memory.data(32);

/** Makes a key that is read known by its text. */
export function expectKey(at: usize, length: u32, code: u32): void {
  if (code >= KEYS_READ || length > 15) return;
  memory.copy(KEY_TEXTS + (<usize>code << 4), at, length);
  store<u8>(KEY_LENGTHS + code, <u8>length);
}

/** The expected key after another one, where it stands at a place; 0 where it does not. */
// @ts-expect-error: decorator
@inline
function guessedKey(at: usize, previous: u32): u32 {
  const code: u32 = load<u8>(GUESSES + previous);
  const length: u32 = load<u8>(KEY_LENGTHS + code);
  const same = i8x16.bitmask(i8x16.eq(v128.load(at), v128.load(KEY_TEXTS + (<usize>code << 4))));
  const wanted = (1 << length) - 1;
  return (same & wanted) === wanted && load<u8>(at + length) === 0x22 ? code : 0;
}

/** Where the text of each key's value begins, and its bytes; of a key that the line does not have, 0 and 0. */
export const texts = memory.data(<i32>KEYS_READ * 8, 16);
export let hasSeq: bool = false;
export let seq: f64 = 0;
/** -1: none. */
export let iter: i32 = -1;
export let hasMono: bool = false;
export let monoMs: f64 = 0;
export let hasTokens: bool = false;
export let hasExitCode: bool = false;
export let exitCode: f64 = 0;
/** Whether the span has a field that most lines do not have, and one that makes its run loud. */
export let hasRare: bool = false;
export let isLoudSpan: bool = false;
/** Whether it has a field that some rule keeps from one span to another. */
export let isKept: bool = false;
const tokens = memory.data(4 * 8, 8);

/** Which numbers a row has. */
export const HAS_SEQ: u32 = 1;
export const HAS_MONO: u32 = 2;
export const HAS_EXIT_CODE: u32 = 4;

// @ts-expect-error: decorator
@inline
export function textAt(key: u32): usize {
  return load<u32>(texts + (<usize>key << 3));
}

// @ts-expect-error: decorator
@inline
export function textLength(key: u32): u32 {
  return load<u32>(texts + (<usize>key << 3), 4);
}

// @ts-expect-error: decorator
@inline
export function tokensOf(kind: u32): f64 {
  return load<f64>(tokens + (<usize>kind << 3));
}

function clear(): void {
  const nothing = i64x2.splat(0);
  for (let at: usize = 0; at < <usize>KEYS_READ * 8; at += 16) v128.store(texts + at, nothing);
  hasSeq = false;
  iter = -1;
  hasMono = false;
  if (hasTokens) memory.fill(tokens, 0, 32);
  hasTokens = hasExitCode = hasRare = isLoudSpan = isKept = false;
  startLine();
}

/** Reads a string that matters: one without escapes, so that its bytes are its text. */
// @ts-expect-error: decorator
@inline
function readText(key: u32, at: usize): usize {
  const end = skipString(at + 1);
  if (end === 0 || hasEscape) return 0;
  const entry = texts + (<usize>key << 3);
  store<u32>(entry, <u32>(at + 1));
  store<u32>(entry, <u32>(end - at - 1), 4);
  return end + 1;
}

/** Reads a string of which only matters whether it is empty. */
function readAnyText(key: u32, at: usize): usize {
  const end = skipString(at + 1);
  if (end === 0) return 0;
  const entry = texts + (<usize>key << 3);
  store<u32>(entry, <u32>(at + 1));
  store<u32>(entry, <u32>(end - at - 1), 4);
  return end + 1;
}

function readCount(key: u32, at: usize): usize {
  const next = readInteger(at);
  if (next === 0) return 0;
  if (key === KEY_SEQ) {
    hasSeq = true;
    seq = <f64>integer;
    return next;
  }
  if (integer < 0) return 0;
  if (key === KEY_ITER) {
    if (integer > 0x3fffffff) return 0;
    iter = <i32>integer;
    return next;
  }
  hasTokens = true;
  store<f64>(tokens + (<usize>(key - KEY_TOKENS_IN) << 3), <f64>integer);
  return next;
}

function readExitCode(at: usize): usize {
  const next = readNumber(at);
  if (next === 0) return 0;
  hasExitCode = true;
  exitCode = number;
  return next;
}

/** A field that only some lines carry, and that no quiet run is judged by. */
function readRare(key: u32, at: usize): usize {
  hasRare = true;
  if (key >= LOUD) isLoudSpan = true;
  if (key === ANY_TEXT) isKept = true;
  const isText = load<u8>(at) === 0x22 || isNull(at);
  return isText || key === ANY || key === LOUD ? skipValue(at, 0) : 0;
}

function readMono(at: usize): usize {
  const next = readNumber(at);
  if (next === 0) return 0;
  hasMono = true;
  monoMs = number;
  return next;
}

// @ts-expect-error: decorator
@inline
function isCount(key: u32): bool {
  return key === KEY_SEQ || key === KEY_ITER || (key >= KEY_TOKENS_IN && key <= KEY_TOKENS_AUX);
}

// @ts-expect-error: decorator
@inline
function readValue(key: u32, at: usize): usize {
  const byte = load<u8>(at);
  if (key >= KEY_EXIT_CODE) {
    if (key >= KEYS_READ) return readRare(key, at);
    if (key === KEY_STATE_HASH) hasRare = true;
    if (key === KEY_EXIT_CODE && byte !== 0x6e) return readExitCode(at);
  }
  if (byte === 0x22) return key === KEY_GOAL ? readAnyText(key, at) : readText(key, at);
  // null is as good as missing.
  if (byte === 0x6e) return isNull(at) ? at + 4 : 0;
  if (key === KEY_MONO_MS) return readMono(at);
  return isCount(key) ? readCount(key, at) : 0;
}

// @ts-expect-error: decorator
@inline
function isNumeric(key: u32): bool {
  return key === KEY_MONO_MS || isCount(key) || key === KEY_EXIT_CODE;
}

/** Reads the line at a place as a span. Returns where the line ends, or 0: not sure. */
export function readSpan(start: usize): usize {
  clear();
  let seen: u32 = 0;
  let previous: u32 = 0;
  let at = skipWhite(start);
  if (load<u8>(at) !== 0x7b) return 0;
  at += 1;
  while (true) {
    at = skipWhite(at);
    if (load<u8>(at) !== 0x22) return 0;
    const key = at + 1;
    let code = guessedKey(key, previous);
    if (code !== 0) at = key + load<u8>(KEY_LENGTHS + code);
    else {
      at = skipString(key);
      if (at === 0 || hasEscape) return 0;
      code = codeOf(KEYS, key, <u32>(at - key));
      if (code < KEYS_READ) store<u8>(GUESSES + previous, <u8>code);
    }
    previous = code < KEYS_READ ? code : 0;
    at = skipWhite(at + 1);
    if (load<u8>(at) !== 0x3a) return 0;
    at = skipWhite(at + 1);
    if (code === 0) at = skipValue(at, 0);
    else {
      // A contract is for the schema. Of a key that comes again the last one counts.
      const bit: u32 = 1 << code;
      if (code > LOUD_TEXT || (code < KEYS_READ && (seen & bit) !== 0)) return 0;
      seen |= bit;
      if (load<u8>(at) === 0x22 && isNumeric(code)) return 0;
      at = readValue(code, at);
    }
    if (at === 0) return 0;
    at = skipWhite(at);
    const byte = load<u8>(at);
    at += 1;
    if (byte === 0x2c) continue;
    if (byte !== 0x7d) return 0;
    at = skipWhite(at);
    return load<u8>(at) === 0x0a && textLength(KEY_RUN_ID) > 0 ? at : 0;
  }
}

/** What {@link readRow} gives of a line beside the texts: its numbers, which of them it has, and its tokens. */
export const row = memory.data(9 * 8, 8);

/** Reads a line once more, which has been read before, and gives what it says to the loader. */
export function readRow(at: usize): void {
  readSpan(at);
  store<f64>(row, seq);
  store<f64>(row, monoMs, 8);
  store<f64>(row, exitCode, 16);
  store<f64>(row, <f64>iter, 24);
  store<u32>(row, (hasSeq ? HAS_SEQ : 0) | (hasMono ? HAS_MONO : 0) | (hasExitCode ? HAS_EXIT_CODE : 0), 32);
  memory.copy(row + 40, tokens, 32);
}
