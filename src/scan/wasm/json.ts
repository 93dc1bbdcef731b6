// JSON as far as a line without surprises needs it. Every function answers with the place after what it read,
// or with 0: not sure, which is never an error, for the line is then read by JSON.parse.

const QUOTE: u8 = 0x22;
const BACKSLASH: u8 = 0x5c;
const DEEPEST: i32 = 32;

/** Whether what was last skipped by {@link skipString} holds an escape, or a byte above ASCII. */
export let hasEscape: bool = false;
export let hasHigh: bool = false;

// @ts-expect-error: decorator
@inline
export function skipWhite(at: usize): usize {
  return load<u8>(at) > 0x20 ? at : skipSomeWhite(at);
}

function skipSomeWhite(at: usize): usize {
  let next = at;
  let byte = load<u8>(next);
  while (byte === 0x20 || byte === 0x09 || byte === 0x0d) {
    next += 1;
    byte = load<u8>(next);
  }
  return next;
}

/** The first of: quote, backslash, control character, byte above ASCII. There is a line end at the latest. */
// @ts-expect-error: decorator
@inline
function plainEnd(at: usize): usize {
  let next = at;
  while (true) {
    const bytes = v128.load(next);
    // As signed bytes, those above ASCII are below zero, and so below the space.
    const odd = v128.or(
      v128.or(i8x16.eq(bytes, i8x16.splat(QUOTE)), i8x16.eq(bytes, i8x16.splat(BACKSLASH))),
      i8x16.lt_s(bytes, i8x16.splat(0x20)),
    );
    const mask = i8x16.bitmask(odd);
    if (mask !== 0) return next + <usize>ctz(mask);
    next += 16;
  }
}

function isHex(byte: u8): bool {
  const digit: u8 = byte - 0x30;
  const letter: u8 = (byte | 0x20) - 0x61;
  return digit < 10 || letter < 6;
}

function skipEscape(at: usize): usize {
  const kind = load<u8>(at, 1);
  if (kind === 0x75) {
    for (let index: usize = 2; index < 6; index += 1) if (!isHex(load<u8>(at + index))) return 0;
    return at + 6;
  }
  const isShort =
    kind === QUOTE || kind === BACKSLASH || kind === 0x2f || kind === 0x62 || kind === 0x66 || kind === 0x6e;
  return isShort || kind === 0x72 || kind === 0x74 ? at + 2 : 0;
}

// @ts-expect-error: decorator
@inline
function isTail(byte: u8): bool {
  return (byte & 0xc0) === 0x80;
}

/** One character above ASCII, as UTF-8 has it: no long form, no half of a pair, nothing above U+10FFFF. */
function skipHigh(at: usize): usize {
  const lead = load<u8>(at);
  const second = load<u8>(at, 1);
  if (lead < 0xc2 || lead > 0xf4 || !isTail(second)) return 0;
  if (lead < 0xe0) return at + 2;
  if (!isTail(load<u8>(at, 2))) return 0;
  if (lead < 0xf0) {
    if (lead === 0xe0 && second < 0xa0) return 0;
    return lead === 0xed && second > 0x9f ? 0 : at + 3;
  }
  if (!isTail(load<u8>(at, 3)) || (lead === 0xf0 && second < 0x90)) return 0;
  return lead === 0xf4 && second > 0x8f ? 0 : at + 4;
}

/** From behind the opening quote to the place of the closing one. */
// @ts-expect-error: decorator
@inline
export function skipString(at: usize): usize {
  hasEscape = false;
  const next = plainEnd(at);
  return load<u8>(next) === QUOTE ? next : skipOdd(next);
}

function skipOdd(at: usize): usize {
  let next = at;
  while (true) {
    const byte = load<u8>(next);
    if (byte === QUOTE) return next;
    if (byte === BACKSLASH) {
      hasEscape = true;
      next = skipEscape(next);
    } else if (byte >= 0x80) {
      hasEscape = true;
      hasHigh = true;
      next = skipHigh(next);
    } else return 0;
    if (next === 0) return 0;
    next = plainEnd(next);
  }
}

/** A line may begin without a character above ASCII. */
export function startLine(): void {
  hasHigh = false;
}

/** What {@link readInteger} and {@link readNumber} read. */
export let integer: i64 = 0;
export let number: f64 = 0;

// @ts-expect-error: decorator
@inline
function isDigit(byte: u8): bool {
  return <u8>(byte - 0x30) < 10;
}

// @ts-expect-error: decorator
@inline
function isFractional(byte: u8): bool {
  return byte === 0x2e || (byte | 0x20) === 0x65;
}

/** An integer of at most fifteen digits, written without fraction, exponent or a sign before zero. */
// @ts-expect-error: decorator
@inline
export function readInteger(at: usize): usize {
  const isNegative = load<u8>(at) === 0x2d;
  const first = isNegative ? at + 1 : at;
  let next = first;
  let value: i64 = 0;
  let byte = load<u8>(next);
  while (isDigit(byte)) {
    value = value * 10 + (byte - 0x30);
    next += 1;
    byte = load<u8>(next);
  }
  const digits = next - first;
  if (digits === 0 || digits > 15 || isFractional(byte)) return 0;
  if (load<u8>(first) === 0x30 && (digits > 1 || isNegative)) return 0;
  integer = isNegative ? -value : value;
  return next;
}

const POWERS = memory.data<f64>([1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15]);

/** A number of at most fifteen digits without exponent: digits over a power of ten are rounded once, so exactly. */
// @ts-expect-error: decorator
@inline
export function readNumber(at: usize): usize {
  const isNegative = load<u8>(at) === 0x2d;
  const first = isNegative ? at + 1 : at;
  let next = first;
  let value: i64 = 0;
  let point: usize = 0;
  while (true) {
    const byte = load<u8>(next);
    if (isDigit(byte)) value = value * 10 + (byte - 0x30);
    else if (byte === 0x2e && point === 0 && next > first) point = next;
    else break;
    next += 1;
    if (next - first > 16) return 0;
  }
  if ((load<u8>(next) | 0x20) === 0x65 || next === first || next - 1 === point) return 0;
  const whole = (point === 0 ? next : point) - first;
  if (next - first > 15 || (load<u8>(first) === 0x30 && (whole > 1 || isNegative))) return 0;
  const places: usize = point === 0 ? 0 : next - point - 1;
  const exact = <f64>value / load<f64>(POWERS + (places << 3));
  number = isNegative ? -exact : exact;
  return next;
}

function skipNumber(at: usize): usize {
  let next = load<u8>(at) === 0x2d ? at + 1 : at;
  if (load<u8>(next) === 0x30) next += 1;
  else {
    if (!isDigit(load<u8>(next))) return 0;
    while (isDigit(load<u8>(next))) next += 1;
  }
  if (load<u8>(next) === 0x2e) {
    next += 1;
    if (!isDigit(load<u8>(next))) return 0;
    while (isDigit(load<u8>(next))) next += 1;
  }
  if ((load<u8>(next) | 0x20) === 0x65) {
    next += 1;
    const sign = load<u8>(next);
    if (sign === 0x2b || sign === 0x2d) next += 1;
    if (!isDigit(load<u8>(next))) return 0;
    while (isDigit(load<u8>(next))) next += 1;
  }
  return next;
}

// @ts-expect-error: decorator
@inline
export function isNull(at: usize): bool {
  return load<u32>(at) === 0x6c6c756e;
}

function skipLiteral(at: usize): usize {
  const word = load<u32>(at);
  if (word === 0x6c6c756e || word === 0x65757274) return at + 4;
  return word === 0x736c6166 && load<u8>(at, 4) === 0x65 ? at + 5 : 0;
}

function skipObject(at: usize, depth: i32): usize {
  let next = skipWhite(at + 1);
  if (load<u8>(next) === 0x7d) return next + 1;
  while (true) {
    if (load<u8>(next) !== QUOTE) return 0;
    next = skipString(next + 1);
    if (next === 0) return 0;
    next = skipWhite(next + 1);
    if (load<u8>(next) !== 0x3a) return 0;
    next = skipValue(skipWhite(next + 1), depth);
    if (next === 0) return 0;
    next = skipWhite(next);
    const byte = load<u8>(next);
    if (byte === 0x7d) return next + 1;
    if (byte !== 0x2c) return 0;
    next = skipWhite(next + 1);
  }
}

function skipArray(at: usize, depth: i32): usize {
  let next = skipWhite(at + 1);
  if (load<u8>(next) === 0x5d) return next + 1;
  while (true) {
    next = skipValue(next, depth);
    if (next === 0) return 0;
    next = skipWhite(next);
    const byte = load<u8>(next);
    if (byte === 0x5d) return next + 1;
    if (byte !== 0x2c) return 0;
    next = skipWhite(next + 1);
  }
}

/** Any value, checked to be JSON. */
export function skipValue(at: usize, depth: i32): usize {
  const byte = load<u8>(at);
  if (byte === QUOTE) {
    const end = skipString(at + 1);
    return end === 0 ? 0 : end + 1;
  }
  if (byte === 0x7b) return depth >= DEEPEST ? 0 : skipObject(at, depth + 1);
  if (byte === 0x5b) return depth >= DEEPEST ? 0 : skipArray(at, depth + 1);
  return byte === 0x2d || isDigit(byte) ? skipNumber(at) : skipLiteral(at);
}

/** The next line end, or `end`. */
// @ts-expect-error: decorator
@inline
export function lineEnd(at: usize, end: usize): usize {
  let next = at;
  while (next < end) {
    const mask = i8x16.bitmask(i8x16.eq(v128.load(next), i8x16.splat(0x0a)));
    if (mask !== 0) return min(next + <usize>ctz(mask), end);
    next += 16;
  }
  return end;
}
