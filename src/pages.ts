const PAGE_BYTES = 1 << 20;
// Few traces fill a page.
const FIRST_PAGE_BYTES = 1 << 16;
const LENGTH = 8;
const HEADER_BYTES = LENGTH + 4;

export interface ReadPages {
  /** The entries of a list that ends in `last`, newest first. */
  read(last: number): Iterable<Buffer>;
}

/** Entries of bytes in pages, each chained to the one before it: many lists that grow side by side. */
export interface Pages extends ReadPages {
  /** Keeps the parts as one entry; `previous` is the number of the list's entry before it, -1 for none. Returns its number. */
  append(previous: number, ...parts: readonly Buffer[]): number;
  /** The memory of the pages, for another thread to {@link openPages}. */
  buffers(): ArrayBuffer[];
}

const reader = (pages: readonly Buffer[]): ReadPages => ({
  *read(last) {
    for (let number = last; number >= 0; ) {
      const page = pages[Math.floor(number / PAGE_BYTES)];
      if (page === undefined) return;
      const at = number % PAGE_BYTES;
      const start = at + HEADER_BYTES;
      yield page.subarray(start, start + page.readUInt32LE(at + LENGTH));
      number = page.readDoubleLE(at);
    }
  },
});

/** Reads what another thread has written. */
export const openPages = (buffers: readonly ArrayBuffer[]): ReadPages =>
  reader(buffers.map((buffer) => Buffer.from(buffer)));

export const createPages = (): Pages => {
  const pages: Buffer<ArrayBuffer>[] = [];
  let used = PAGE_BYTES;
  const pageFor = (bytes: number): Buffer => {
    const page = pages.at(-1);
    if (page !== undefined && used + bytes <= page.length) return page;
    // Memory of its own: another thread may take it over.
    const fresh = Buffer.from(new ArrayBuffer(Math.max(pages.length === 0 ? FIRST_PAGE_BYTES : PAGE_BYTES, bytes)));
    pages.push(fresh);
    used = 0;
    return fresh;
  };
  return {
    ...reader(pages),
    append(previous, ...parts) {
      const bytes = parts.reduce((sum, part) => sum + part.length, 0);
      const page = pageFor(HEADER_BYTES + bytes);
      const number = (pages.length - 1) * PAGE_BYTES + used;
      page.writeDoubleLE(previous, used);
      page.writeUInt32LE(bytes, used + LENGTH);
      used += HEADER_BYTES;
      for (const part of parts) used += part.copy(page, used);
      return number;
    },
    buffers: () => pages.map(({ buffer }) => buffer),
  };
};
