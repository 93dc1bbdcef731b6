import { hash, randomBytes } from 'node:crypto';

const HALF_BYTES = 4;
const LAST_ROUNDS = 3;
const DEEPEST = 1_000;
/** A longer text is taken by its digest. */
const LONG_TEXT = 320;
const HEX_DIGITS = 32;
const KIND = { text: 1, word: 2, list: 3, object: 4, deep: 5 } as const;

/** 64 bits that stand for something. */
export interface Key {
  readonly left: number;
  readonly right: number;
}

const seed = randomBytes(2 * HALF_BYTES);
const FIRST = seed.readInt32LE(0);
const SECOND = seed.readInt32LE(HALF_BYTES);

/**
 * HalfSipHash-1-3 with 64 bits, under a key that nobody else knows: no trace can be written whose ids fall together.
 * Not the same when the program is started again.
 */
export class KeyedHash {
  #a = 0;
  #b = 0;
  #c = 0;
  #d = 0;

  constructor() {
    this.#begin();
  }

  #begin(): void {
    this.#a = FIRST;
    this.#b = SECOND ^ 0xee;
    this.#c = FIRST ^ 0x6c796765;
    this.#d = SECOND ^ 0x74656462;
  }

  word(word: number): void {
    let a = this.#a;
    let b = this.#b;
    let c = this.#c;
    let d = this.#d ^ word;
    a = (a + b) | 0;
    b = ((b << 5) | (b >>> 27)) ^ a;
    a = (a << 16) | (a >>> 16);
    c = (c + d) | 0;
    d = ((d << 8) | (d >>> 24)) ^ c;
    a = (a + d) | 0;
    d = ((d << 7) | (d >>> 25)) ^ a;
    c = (c + b) | 0;
    b = ((b << 13) | (b >>> 19)) ^ c;
    c = (c << 16) | (c >>> 16);
    this.#a = a ^ word;
    this.#b = b;
    this.#c = c;
    this.#d = d;
  }

  /** Its characters, two a round, and its length in one more. */
  text(text: string): void {
    if (text.length > LONG_TEXT) this.#characters(hash('sha256', text, 'hex').slice(0, HEX_DIGITS));
    else this.#characters(text);
    this.word(text.length);
  }

  #characters(text: string): void {
    const { length } = text;
    for (let at = 0; at < length; at += 2) {
      this.word(text.charCodeAt(at) | (at + 1 < length ? text.charCodeAt(at + 1) << 16 : 0));
    }
  }

  key({ left, right }: Key): void {
    this.word(left);
    this.word(right);
  }

  /** A value of JSON. What is nested too deeply is taken by its depth. */
  value(value: unknown, depth = 0): void {
    if (typeof value === 'string') this.#kind(KIND.text).text(value);
    else if (typeof value !== 'object' || value === null) this.#kind(KIND.word).text(String(value));
    else if (depth > DEEPEST) this.#kind(KIND.deep);
    else if (Array.isArray(value)) {
      this.#kind(KIND.list).word(value.length);
      for (const item of value) this.value(item, depth + 1);
    } else {
      const entries = Object.entries(value);
      this.#kind(KIND.object).word(entries.length);
      for (const [key, item] of entries) {
        this.text(key);
        this.value(item, depth + 1);
      }
    }
  }

  #kind(kind: number): this {
    this.word(kind);
    return this;
  }

  /** What was taken since the last time. */
  take(): Key {
    this.#c ^= 0xee;
    for (let round = 0; round < LAST_ROUNDS; round += 1) this.word(0);
    const left = (this.#b ^ this.#d) >>> 0;
    this.#b ^= 0xdd;
    for (let round = 0; round < LAST_ROUNDS; round += 1) this.word(0);
    const right = (this.#b ^ this.#d) >>> 0;
    this.#begin();
    return { left, right };
  }
}

const shared = new KeyedHash();
/** What a value of JSON is told from others by, until the program ends. */
export const keyedHashOf = (value: unknown): Key => {
  shared.value(value);
  return shared.take();
};
