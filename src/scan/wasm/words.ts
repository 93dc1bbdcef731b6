// Words that the checker knows, compared exactly: keys, types, statuses, reasons and names of tools.
import { reserve } from './memory';

/** Longer words are never known. */
export const LONGEST: u32 = 24;
export const KEYS: u32 = 0;
export const TYPES: u32 = 1;
export const STATUSES: u32 = 2;
export const REASONS: u32 = 3;
export const TOOLS: u32 = 4;
export const EFFECTS: u32 = 5;
export const EMITTERS: u32 = 6;

const SLOTS: u32 = 256;
const SLOT: usize = 32;
const TABLES: u32 = 7;
let tables: usize = 0;

// @ts-expect-error: decorator
@inline
function slotOf(table: u32, low: u64, middle: u64, high: u64, length: u32): usize {
  const mixed = (low ^ (middle * 0x9e3779b97f4a7c15) ^ (high * 0xc2b2ae3d27d4eb4f) ^ length) * 0xff51afd7ed558ccd;
  return tables + <usize>((table * SLOTS + <u32>(mixed >> 56)) * <u32>SLOT);
}

// By a number of bytes from 0 to 8, the bits of so many bytes.
const MASKS = memory.data<u64>([
  0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0xffffffffff, 0xffffffffffff, 0xffffffffffffff, 0xffffffffffffffff,
]);

/** The eight bytes at a place, those past the end of the word zeroed. */
// @ts-expect-error: decorator
@inline
function part(at: usize, length: i32): u64 {
  return load<u64>(at) & load<u64>(MASKS + (<usize>max(0, min(8, length)) << 3));
}

// @ts-expect-error: decorator
@inline
function nextSlot(table: u32, slot: usize): usize {
  const end = tables + <usize>((table + 1) * SLOTS * <u32>SLOT);
  return slot + SLOT < end ? slot + SLOT : end - <usize>(SLOTS * <u32>SLOT);
}

/** What a word stands for in its table; 0 where it is not known. */
// @ts-expect-error: decorator
@inline
export function codeOf(table: u32, at: usize, length: u32): u32 {
  if (length > LONGEST || length === 0) return 0;
  const low = part(at, <i32>length);
  const middle = part(at + 8, <i32>length - 8);
  const high = part(at + 16, <i32>length - 16);
  let slot = slotOf(table, low, middle, high, length);
  while (load<u32>(slot, 28) !== 0) {
    if (load<u64>(slot) === low && load<u64>(slot, 8) === middle && load<u64>(slot, 16) === high) {
      if (load<u32>(slot, 24) === length) return load<u32>(slot, 28);
    }
    slot = nextSlot(table, slot);
  }
  return 0;
}

/** Makes a word known; of a word that is known already, the codes are joined. False where the table is full. */
export function learn(table: u32, at: usize, length: u32, code: u32): bool {
  if (tables === 0) tables = reserve(<usize>(TABLES * SLOTS * <u32>SLOT));
  if (length > LONGEST || length === 0) return false;
  const low = part(at, <i32>length);
  const middle = part(at + 8, <i32>length - 8);
  const high = part(at + 16, <i32>length - 16);
  let slot = slotOf(table, low, middle, high, length);
  for (let tried: u32 = 0; tried < SLOTS / 2; tried += 1) {
    if (load<u32>(slot, 28) === 0) {
      store<u64>(slot, low);
      store<u64>(slot, middle, 8);
      store<u64>(slot, high, 16);
      store<u32>(slot, length, 24);
    } else if (
      load<u64>(slot) !== low ||
      load<u64>(slot, 8) !== middle ||
      load<u64>(slot, 16) !== high ||
      load<u32>(slot, 24) !== length
    ) {
      slot = nextSlot(table, slot);
      continue;
    }
    store<u32>(slot, load<u32>(slot, 28) | code, 28);
    return true;
  }
  return false;
}

/** Forgets the names of tools: another contract holds. */
export function forgetTools(): void {
  if (tables !== 0) memory.fill(tables + <usize>(TOOLS * SLOTS * <u32>SLOT), 0, <usize>(SLOTS * <u32>SLOT));
}
