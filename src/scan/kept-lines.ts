import { createPages } from '../pages.js';

/** Lines of late runs as they stand in the input, in pages of bytes, each chained to its run's line before it. */
export interface KeptLines {
  /** Keeps a line; `previous` is the number of the run's line before it, -1 for none. Returns the line's number. */
  append(previous: number, line: Buffer, place: KeptPlace): number;
  /** The lines of a chain that ends in `last`, newest first. */
  read(last: number): Iterable<{ readonly bytes: Buffer; readonly place: KeptPlace }>;
}

/** Where a line stands, who is to read it, and what the scanner knows of it. */
export interface KeptPlace {
  readonly file: number;
  readonly line: number;
  readonly reader: 'scanner' | 'plain';
  readonly isAscii: boolean;
  readonly hasRare: boolean;
}

const FILE = 0;
const LINE = 4;
const FLAGS = 12;
const HEADER_BYTES = 13;
const SCANNED = 1;
const ASCII = 2;
const RARE = 4;

const flagsOf = ({ reader, isAscii, hasRare }: KeptPlace): number =>
  (reader === 'scanner' ? SCANNED : 0) | (isAscii ? ASCII : 0) | (hasRare ? RARE : 0);

export const keepLines = (): KeptLines => {
  const pages = createPages();
  const header = Buffer.alloc(HEADER_BYTES);
  return {
    append(previous, line, place) {
      header.writeUInt32LE(place.file, FILE);
      header.writeDoubleLE(place.line, LINE);
      header.writeUInt8(flagsOf(place), FLAGS);
      return pages.append(previous, header, line);
    },
    *read(last) {
      for (const entry of pages.read(last)) {
        const flags = entry.readUInt8(FLAGS);
        const place = {
          file: entry.readUInt32LE(FILE),
          line: entry.readDoubleLE(LINE),
          reader: (flags & SCANNED) === 0 ? ('plain' as const) : ('scanner' as const),
          isAscii: (flags & ASCII) !== 0,
          hasRare: (flags & RARE) !== 0,
        };
        yield { bytes: entry.subarray(HEADER_BYTES), place };
      }
    },
  };
};
