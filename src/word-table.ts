/** More texts than this are kept by what stands for them, in words outside of the heap. */
export const MANY = 1 << 12;

// What stands for a text is HalfSipHash-2-4 of its UTF-16 units. Whoever writes a trace cannot know the key, so that no
// texts can be chosen to share their 64 bits; that two of ten million do so by chance is one in three hundred thousand.
const randomWord = (): number => Math.floor(Math.random() * 2 ** 32) | 0;
const KEY_LOW = randomWord();
const KEY_HIGH = randomWord();

let v0 = 0;
let v1 = 0;
let v2 = 0;
let v3 = 0;
const rotate = (word: number, bits: number): number => (word << bits) | (word >>> (32 - bits));
const mix = (rounds: number): void => {
  for (let round = 0; round < rounds; round += 1) {
    v0 = (v0 + v1) | 0;
    v1 = rotate(v1, 5) ^ v0;
    v0 = rotate(v0, 16);
    v2 = (v2 + v3) | 0;
    v3 = rotate(v3, 8) ^ v2;
    v0 = (v0 + v3) | 0;
    v3 = rotate(v3, 7) ^ v0;
    v2 = (v2 + v1) | 0;
    v1 = rotate(v1, 13) ^ v2;
    v2 = rotate(v2, 16);
  }
};
const take = (word: number): void => {
  v3 ^= word;
  mix(2);
  v0 ^= word;
};

// The last text that was asked for.
let low = 0;
let high = 0;
const digest = (text: string): void => {
  v0 = KEY_LOW;
  v1 = KEY_HIGH ^ 0xee;
  v2 = KEY_LOW ^ 0x6c796765;
  v3 = KEY_HIGH ^ 0x74656462;
  const even = text.length & ~1;
  for (let at = 0; at < even; at += 2) take(text.charCodeAt(at) | (text.charCodeAt(at + 1) << 16));
  if (text.length > even) take(text.charCodeAt(even));
  take(text.length);
  v2 ^= 0xee;
  mix(4);
  low = (v1 ^ v3) >>> 0;
  v1 ^= 0xdd;
  mix(4);
  high = (v1 ^ v3) >>> 0;
};

const LEAST_SLOTS = MANY * 2;
const GROWTH = 1.5;
const LOAD = 0.8;

/** A few words by text, for more texts than a Map should hold. */
export class WordTable {
  readonly width: number;
  /** By slot: the two words that stand for the text, none of them while the first is 0, and then those that it has. */
  #slots: Uint32Array;
  #capacity = LEAST_SLOTS;
  #count = 0;

  constructor(width: number) {
    this.width = width;
    this.#slots = new Uint32Array(this.#capacity * (2 + width));
  }

  /** The words, by the places that {@link find} and {@link place} give; others once a text has been added. */
  get words(): Uint32Array {
    return this.#slots;
  }

  /** Where the words of a text stand; -1: it has none. */
  find(text: string): number {
    digest(text);
    const at = this.#slotOf(low === 0 ? 1 : low, high);
    return this.#slots[at] === 0 ? -1 : at + 2;
  }

  /** The same; zeros where it has none yet. */
  place(text: string): number {
    digest(text);
    const first = low === 0 ? 1 : low;
    const second = high;
    let at = this.#slotOf(first, second);
    if (this.#slots[at] === 0) {
      if (this.#count >= this.#capacity * LOAD) {
        this.#grow();
        at = this.#slotOf(first, second);
      }
      this.#slots[at] = first;
      this.#slots[at + 1] = second;
      this.#count += 1;
    }
    return at + 2;
  }

  #slotOf(first: number, second: number): number {
    const slots = this.#slots;
    const stride = 2 + this.width;
    let at = Math.floor((second / 2 ** 32) * this.#capacity) * stride;
    while (slots[at] !== 0 && (slots[at] !== first || slots[at + 1] !== second)) {
      at += stride;
      if (at === slots.length) at = 0;
    }
    return at;
  }

  #grow(): void {
    const old = this.#slots;
    const stride = 2 + this.width;
    this.#capacity = Math.ceil(this.#capacity * GROWTH);
    this.#slots = new Uint32Array(this.#capacity * stride);
    for (let from = 0; from < old.length; from += stride) {
      if (old[from] === 0) continue;
      this.#slots.set(old.subarray(from, from + stride), this.#slotOf(old[from] ?? 0, old[from + 1] ?? 0));
    }
  }
}

/** Whole numbers below 2 ** 32 by text, however many texts. */
export class NumberByText {
  #few: Map<string, number> | undefined = new Map<string, number>();
  #many: WordTable | undefined;

  get(text: string): number | undefined {
    if (this.#many === undefined) return this.#few?.get(text);
    const at = this.#many.find(text);
    return at === -1 ? undefined : this.#many.words[at];
  }

  set(text: string, number: number): void {
    if (this.#few !== undefined && this.#few.size < MANY) {
      this.#few.set(text, number);
      return;
    }
    this.#many ??= new WordTable(1);
    for (const [each, known] of this.#few ?? []) this.#put(this.#many, each, known);
    this.#few = undefined;
    this.#put(this.#many, text, number);
  }

  #put(many: WordTable, text: string, number: number): void {
    const at = many.place(text);
    many.words[at] = number;
  }
}
