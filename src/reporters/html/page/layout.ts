import type { PageMark, PageTimeline } from '../page-data.js';

/** A mark and where it begins, in pixels. */
export interface Placed {
  readonly mark: PageMark;
  readonly x: number;
}

/** Neighbouring marks of one iteration; -1 where they carry none. */
export interface Column {
  readonly iter: number;
  readonly x: number;
  width: number;
  tokens: number;
}

const PAD = 4;

/** Places marks one after the other: a column an iteration, as often as the run comes to one. A gap shows where spans are left out. */
export const layOut = ({ marks, haltAt }: PageTimeline, slot: number) => {
  const columns: Column[] = [];
  const placed: Placed[] = [];
  let width = 0;
  for (const mark of marks) {
    const [iter, , , , , tokens, , , skipped] = mark;
    const last = columns.at(-1);
    // A span without an iteration stands in the one at hand.
    const isNew = last === undefined || skipped > 0 || (iter >= 0 && iter !== last.iter);
    if (isNew) {
      if (last !== undefined) width += PAD;
      if (skipped > 0) width += 2 * slot;
      columns.push({ iter, x: width, width: PAD, tokens: 0 });
      width += PAD;
    }
    placed.push({ mark, x: width });
    width += slot;
    const column = columns.at(-1);
    if (column === undefined) continue;
    column.tokens += tokens;
    column.width = width + PAD - column.x;
  }
  return { columns, placed, width: width + PAD, haltX: placed[haltAt]?.x };
};
