import { type Key, KeyedHash } from './keyed-hash.js';

const FIRST_SIZE = 1 << 10;
const WORDS = 3;

const hash = new KeyedHash();

/** The key that a kind and an id of it stand for, and what tells one thing with the id from another. */
export const keyOf = (kind: string, id: string, mark?: Key): Key => {
  hash.text(kind);
  hash.text(id);
  if (mark !== undefined) hash.key(mark);
  return hash.take();
};

const keyOfText = (text: string): Key => {
  hash.text(text);
  return hash.take();
};

/** Remembers a whole number, 0 or more, for each of many keys in a few bytes a key, however long it is. */
export const createIds = () => {
  let size = FIRST_SIZE;
  let count = 0;
  /** Three words a place: the two halves of the key, and the number and one. */
  let table = new Uint32Array(WORDS * size);

  /** Where the key is, or would be. */
  const placeOf = (left: number, right: number): number => {
    let place = left & (size - 1);
    while (table[WORDS * place + 2] !== 0 && (table[WORDS * place] !== left || table[WORDS * place + 1] !== right)) {
      place = (place + 1) & (size - 1);
    }
    return WORDS * place;
  };
  const put = (left: number, right: number, stored: number): void => {
    const at = placeOf(left, right);
    if (table[at + 2] === 0) count += 1;
    table[at] = left;
    table[at + 1] = right;
    table[at + 2] = stored;
  };
  const grow = (): void => {
    const old = table;
    size *= 2;
    count = 0;
    table = new Uint32Array(WORDS * size);
    for (let at = 0; at < old.length; at += WORDS) {
      const stored = old[at + 2] ?? 0;
      if (stored > 0) put(old[at] ?? 0, old[at + 1] ?? 0, stored);
    }
  };

  return {
    get(key: string | Key): number | undefined {
      const { left, right } = typeof key === 'string' ? keyOfText(key) : key;
      const stored = table[placeOf(left, right) + 2] ?? 0;
      return stored === 0 ? undefined : stored - 1;
    },
    set(key: string | Key, value: number): void {
      const { left, right } = typeof key === 'string' ? keyOfText(key) : key;
      if (4 * (count + 1) > 3 * size) grow();
      put(left, right, value + 1);
    },
  };
};
