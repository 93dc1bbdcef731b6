/** Lines of late runs as they stand in the input, in pages of bytes, each chained to its run's line before it. */
export interface KeptLines {
  /** Keeps a line; `previous` is the number of the run's line before it, -1 for none. Returns the line's number. */
  append(previous: number, line: Buffer, place: KeptPlace): number;
  /** The lines of a chain that ends in `last`, newest first. */
  read(last: number): Iterable<{ readonly bytes: Buffer; readonly place: KeptPlace }>;
}

/** Where a line stands, and who is to read it. */
export interface KeptPlace {
  readonly file: number;
  readonly line: number;
  readonly reader: 'scanner' | 'plain';
}

const PAGE_BYTES = 1 << 20;
const PREVIOUS = 0;
const FILE = 8;
const LINE = 12;
const LENGTH = 20;
const SCANNED = 24;
const HEADER_BYTES = 25;

export const keepLines = (): KeptLines => {
  const pages: Buffer[] = [];
  let used = PAGE_BYTES;
  const pageFor = (bytes: number): Buffer => {
    const page = pages.at(-1);
    if (page !== undefined && used + bytes <= page.length) return page;
    const fresh = Buffer.allocUnsafeSlow(Math.max(PAGE_BYTES, bytes));
    pages.push(fresh);
    used = 0;
    return fresh;
  };
  return {
    append(previous, line, place) {
      const page = pageFor(HEADER_BYTES + line.length);
      page.writeDoubleLE(previous, used + PREVIOUS);
      page.writeUInt32LE(place.file, used + FILE);
      page.writeDoubleLE(place.line, used + LINE);
      page.writeUInt32LE(line.length, used + LENGTH);
      page.writeUInt8(Number(place.reader === 'scanner'), used + SCANNED);
      line.copy(page, used + HEADER_BYTES);
      const number = (pages.length - 1) * PAGE_BYTES + used;
      used += HEADER_BYTES + line.length;
      return number;
    },
    *read(last) {
      for (let number = last; number >= 0; ) {
        const page = pages[Math.floor(number / PAGE_BYTES)];
        if (page === undefined) return;
        const at = number % PAGE_BYTES;
        const start = at + HEADER_BYTES;
        const place = {
          file: page.readUInt32LE(at + FILE),
          line: page.readDoubleLE(at + LINE),
          reader: page.readUInt8(at + SCANNED) === 0 ? ('plain' as const) : ('scanner' as const),
        };
        yield { bytes: page.subarray(start, start + page.readUInt32LE(at + LENGTH)), place };
        number = page.readDoubleLE(at + PREVIOUS);
      }
    },
  };
};
