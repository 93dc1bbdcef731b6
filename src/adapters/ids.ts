import { hash } from 'node:crypto';

const FIRST_SIZE = 1 << 10;
const HALF_BYTES = 4;

/**
 * Remembers a whole number, 0 or more, for each of many keys in a few bytes a key, however long it is: 64 bits of its
 * SHA-256 stand for it.
 */
export const createIds = () => {
  let size = FIRST_SIZE;
  let count = 0;
  /** Three words a place: the two halves of the key, and the number and one. */
  let table = new Uint32Array(3 * size);

  /** Where the key is, or would be. */
  const placeOf = (left: number, right: number): number => {
    let place = left % size;
    while (table[3 * place + 2] !== 0 && (table[3 * place] !== left || table[3 * place + 1] !== right)) {
      place = (place + 1) % size;
    }
    return 3 * place;
  };
  const put = (left: number, right: number, stored: number): void => {
    const at = placeOf(left, right);
    if (table[at + 2] === 0) count += 1;
    table.set([left, right, stored], at);
  };
  const grow = (): void => {
    const old = table;
    size *= 2;
    count = 0;
    table = new Uint32Array(3 * size);
    for (let at = 0; at < old.length; at += 3) {
      const stored = old[at + 2] ?? 0;
      if (stored > 0) put(old[at] ?? 0, old[at + 1] ?? 0, stored);
    }
  };
  const halves = (key: string): readonly [number, number] => {
    const digest = hash('sha256', key, 'buffer');
    return [digest.readUInt32LE(0), digest.readUInt32LE(HALF_BYTES)];
  };

  return {
    get(key: string): number | undefined {
      const stored = table[placeOf(...halves(key)) + 2] ?? 0;
      return stored === 0 ? undefined : stored - 1;
    },
    set(key: string, value: number): void {
      if (4 * (count + 1) > 3 * size) grow();
      put(...halves(key), value + 1);
    },
  };
};
