import { NEWLINE } from './lines.js';
import type { ScannedLine } from './scan/scanner.js';
import type { Wanted } from './span.js';

/** Bytes of lines that are looked at in one go. */
const STRETCH = 1 << 14;

/**
 * Looks for credentials in lines side by side: a look costs more than the text that it is given, and most find nothing.
 * Where one finds something, or a pattern goes over the end of a line, each line is looked at by itself.
 */
export const lookAhead = (wanted: Wanted) => {
  const { secretsIn } = wanted;
  const wantedOfSilent: Wanted = { ...wanted, secretsIn: undefined };
  let pieceEnd = 0;
  let from = 0;
  let to = 0;
  let isSilent = false;
  return {
    /** Says up to where the memory holds lines; what stood there before is gone. */
    startPiece(end: number): void {
      pieceEnd = end;
      to = 0;
    },
    /** What is wanted of a line: a look at it, unless it is known to hold nothing. */
    wantedOf({ memory, start, end }: ScannedLine): Wanted {
      if (secretsIn === undefined) return wanted;
      if (start < from || end > to) {
        from = start;
        to = Math.max(end, memory.lastIndexOf(NEWLINE, Math.min(start + STRETCH, pieceEnd)));
        isSilent = secretsIn(memory.toString('utf8', from, to), undefined).length === 0;
      }
      return isSilent ? wantedOfSilent : wanted;
    },
  };
};
