import { MARK_KINDS } from '../../../mark-kinds.js';
import type { PageMark, PageTimeline } from '../page-data.js';
import { shape } from './dom.js';

const WIDTH = 120;
const HEIGHT = 18;
const WIDEST = 8;

/** Where a mark stands and how high: what breaks the contract is as high as the row. */
const boxOf = ([, , kind, , breaks]: PageMark): readonly [y: number, height: number, name: string] => {
  if (breaks > 0) return [0, HEIGHT, breaks === 2 ? 'error' : 'warn'];
  const name = MARK_KINDS[kind] ?? 'other';
  return name === 'tool' || name === 'failed' ? [4, 10, name] : [7, 4, name];
};

/** A run in a line of marks: one path a colour, so that fifty of them cost little. */
export const stripOf = ({ marks }: PageTimeline): SVGElement => {
  const step = Math.min(WIDEST, WIDTH / Math.max(1, marks.length));
  const width = Math.max(0.5, step - 1);
  const paths = new Map<string, string>();
  for (const [index, mark] of marks.entries()) {
    const [y, height, name] = boxOf(mark);
    const path = `M${(index * step).toFixed(2)} ${y}h${width.toFixed(2)}v${height}h-${width.toFixed(2)}z`;
    paths.set(name, (paths.get(name) ?? '') + path);
  }
  // What breaks is drawn last, above its neighbours.
  const drawn = [...paths].sort(([left], [right]) => Number(isBreak(left)) - Number(isBreak(right)));
  return shape(
    'svg',
    { width: WIDTH, height: HEIGHT, viewBox: `0 0 ${WIDTH} ${HEIGHT}`, 'aria-hidden': 'true' },
    ...drawn.map(([name, d]) => shape('path', { class: `mark ${name}`, d })),
  );
};

const isBreak = (name: string): boolean => name === 'error' || name === 'warn';
