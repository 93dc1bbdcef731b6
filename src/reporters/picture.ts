import type { MarkKind } from '../mark-kinds.js';
import type { Mark, Timeline } from '../timeline.js';
import type { Paint } from './people.js';

/** One column each, in every font that a terminal may have. */
const SIGNS: Readonly<Record<MarkKind, string>> = {
  start: '▷',
  stop: '■',
  model: '○',
  tool: '●',
  failed: '×',
  replay: '~',
  other: '·',
};
const HALT = '┊';

const columnsOf = (skipped: number): number => (skipped === 0 ? 0 : `…${skipped}…`.length);

/** The marks at both ends, and between them those that break a rule, as far as there is room. */
const chosen = ({ marks }: Timeline, room: number): ReadonlySet<number> => {
  const keep = new Set<number>();
  const breaking = marks.flatMap(({ breaks }, index) => (breaks === undefined ? [] : [index]));
  // Each that stands alone costs the count of what is left out beside it.
  for (const index of breaking.slice(0, Math.max(1, Math.floor(room / 16)))) keep.add(index);
  const ends = Math.max(2, Math.floor((room - keep.size * 8 - 8) / 2));
  for (let index = 0; index < marks.length; index += 1)
    if (index < ends || index >= marks.length - ends) keep.add(index);
  return keep;
};

/** The marks that are shown, each with its index. */
const shown = (timeline: Timeline, width: number): readonly (readonly [number, Mark])[] => {
  const { marks } = timeline;
  const whole = marks.reduce((sum, { skipped }) => sum + 1 + columnsOf(skipped), 1);
  const keep = whole <= width ? undefined : chosen(timeline, width);
  return [...marks.entries()].filter(([index]) => keep === undefined || keep.has(index));
};

const painted = ({ kind, breaks }: Mark, isPastHalt: boolean, paint: Paint): string => {
  const sign = SIGNS[kind];
  if (breaks !== undefined) return paint(breaks, sign);
  return isPastHalt ? paint('faint', sign) : sign;
};

/** A run as one line: a sign a span, those that break a rule coloured; `…12…` stands for twelve. At most so many columns. */
export const pictureOf = (timeline: Timeline, width: number, paint: Paint): string => {
  const { haltAt } = timeline;
  let line = '';
  let last = -1;
  let isHalted = false;
  for (const [index, mark] of shown(timeline, width)) {
    let skipped = 0;
    for (let between = last + 1; between <= index; between += 1) {
      skipped += timeline.marks[between]?.skipped ?? 0;
      if (between < index) skipped += 1;
    }
    if (skipped > 0) line += paint('faint', `…${skipped}…`);
    if (haltAt !== undefined && index >= haltAt && !isHalted) {
      line += HALT;
      isHalted = true;
    }
    line += painted(mark, isHalted, paint);
    last = index;
  }
  return line;
};

/** What the signs stand for. */
export const legend = (paint: Paint): string => {
  const { start, model, tool, failed, stop } = SIGNS;
  const words = `${start} start  ${model} model  ${tool} call  ${failed} failed call  ${stop} stop  ${HALT} the contract would have halted it`;
  return paint('faint', words);
};
