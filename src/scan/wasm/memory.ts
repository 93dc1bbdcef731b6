// Memory of the kernel: a bump allocator, and blocks of one size that are given back.

/** Bytes that may be read past the end of anything reserved: whole vectors are loaded. */
export const SLACK: usize = 64;
const PAGE: usize = 1 << 16;
const LEAST_PAGES: i32 = 32;

let top: usize = 0;

/** Reserves bytes for good, aligned for any load; zeroed. The memory ends where no more can be had: that traps. */
export function reserve(bytes: usize): usize {
  if (top === 0) top = (__heap_base + 15) & ~15;
  const at = top;
  top = (at + bytes + SLACK + 15) & ~15;
  const missing = <i32>((<i64>top - (<i64>memory.size() << 16) + <i64>PAGE - 1) >> 16);
  if (missing > 0) more(missing);
  return at;
}

/** Grows by a part of what there is: each growth makes the loader's views anew. */
function more(missing: i32): void {
  const wanted = max(missing, max(LEAST_PAGES, memory.size() >> 2));
  if (memory.grow(wanted) < 0 && memory.grow(missing) < 0) unreachable();
}

/** A block of lines: the next one, how much is used, then the lines. */
export const BLOCK: usize = 4096;
export const BLOCK_HEADER: usize = 8;

let freeBlocks: usize = 0;
export let blocksInUse: i32 = 0;

export function takeBlock(): usize {
  blocksInUse += 1;
  let block = freeBlocks;
  if (block === 0) block = reserve(BLOCK);
  else freeBlocks = load<u32>(block);
  store<u32>(block, 0);
  store<u32>(block, 0, 4);
  return block;
}

/** Gives back a chain of blocks. */
export function giveBlocks(first: usize): void {
  let block = first;
  while (block !== 0) {
    const next: usize = load<u32>(block);
    store<u32>(block, <u32>freeBlocks);
    freeBlocks = block;
    blocksInUse -= 1;
    block = next;
  }
}

// Lists of 32-bit numbers by the power of two of their capacity, from 16 on.
const SIZES: i32 = 12;
const LEAST_CAPACITY: u32 = 16;
const freeLists = memory.data(SIZES * 4);

export function takeList(size: i32): usize {
  const head: usize = freeLists + (<usize>size << 2);
  const list: usize = load<u32>(head);
  if (list === 0) return reserve((LEAST_CAPACITY << size) << 2);
  store<u32>(head, load<u32>(list));
  return list;
}

export function giveList(list: usize, size: i32): void {
  const head: usize = freeLists + (<usize>size << 2);
  store<u32>(list, load<u32>(head));
  store<u32>(head, <u32>list);
}

export function capacityOf(size: i32): u32 {
  return LEAST_CAPACITY << size;
}

/** Copies whole vectors: up to 15 bytes more than asked are written. */
// @ts-expect-error: decorator
@inline
export function copy(to: usize, from: usize, bytes: usize): void {
  for (let at: usize = 0; at < bytes; at += 16) v128.store(to + at, v128.load(from + at));
}
