import { MARK_KINDS } from '../../../mark-kinds.js';
import type { PageMark, PageRun, PageTimeline } from '../page-data.js';
import { element, grouped, shape } from './dom.js';
import { type Column, layOut, type Placed } from './layout.js';

const LANE = 24;
const TOP = 22;
const BARS = 40;
const SLOT = 20;
const BOX = 14;

type Texts = readonly string[];

const KIND_WORDS = {
  start: 'start',
  stop: 'stop',
  model: 'model round',
  tool: 'call',
  failed: 'failed call',
  replay: 'repeated line',
  other: 'span',
} as const;

const kindOf = ([, , kind]: PageMark): (typeof MARK_KINDS)[number] => MARK_KINDS[kind] ?? 'other';

/** The rules that are broken at a mark. */
const brokenAt = ({ findings }: PageRun, mark: PageMark, texts: Texts): readonly string[] =>
  findings.filter(({ at }) => at[0] === mark[6] && at[1] === mark[7]).map(({ rule }) => texts[rule] ?? '');

/** A mark in words, a cell each. */
const cellsOf = (run: PageRun, timeline: PageTimeline, mark: PageMark, texts: Texts): readonly string[] => {
  const [iter, lane, , call, , tokens, file, line] = mark;
  return [
    iter < 0 ? '–' : String(iter),
    texts[timeline.lanes[lane] ?? 0] ?? '',
    `${KIND_WORDS[kindOf(mark)]}${call > 0 ? ` ${call}` : ''}`,
    tokens === 0 ? '–' : grouped(tokens),
    `${texts[file] ?? ''}:${line}`,
    brokenAt(run, mark, texts).join(', '),
  ];
};

const titleOf = (cells: readonly string[]): string => {
  const [iter, lane, kind, tokens, place, breaks] = cells;
  const said = [
    `iteration ${iter}`,
    lane,
    kind,
    tokens === '–' ? '' : `${tokens} tokens`,
    place,
    breaks && `breaks ${breaks}`,
  ];
  return said.filter((part) => part !== '' && part !== undefined).join(' · ');
};

const glyphOf = (mark: PageMark): SVGElement => {
  const kind = kindOf(mark);
  const half = BOX / 2;
  if (kind === 'start') return shape('path', { d: `M${-half + 2} ${-half}L${half} 0L${-half + 2} ${half}z` });
  if (kind === 'model') return shape('circle', { r: half - 2 });
  if (kind === 'other') return shape('path', { d: `M0 ${-half}L${half} 0L0 ${half}L${-half} 0z` });
  return shape('rect', { x: -half, y: -half, width: BOX, height: BOX, rx: kind === 'stop' ? 0 : 3 });
};

/** What stands in a mark: which of its tool's calls it is, or that it failed. */
const letterOf = (mark: PageMark): string => {
  const [, , , call] = mark;
  if (call > 0 && call < 100) return String(call);
  return kindOf(mark) === 'failed' ? '×' : '';
};

const BREAK_NAMES = ['', 'warn', 'error'] as const;

const markOf = ({ mark, x }: Placed, title: string): SVGElement => {
  const [, lane, , , breaks] = mark;
  const y = TOP + lane * LANE + LANE / 2;
  const letter = letterOf(mark);
  return shape(
    'g',
    { class: `mark ${kindOf(mark)} ${BREAK_NAMES[breaks]}`, transform: `translate(${x + SLOT / 2} ${y})` },
    shape('title', {}, title),
    glyphOf(mark),
    letter === '' ? undefined : shape('text', { y: 3.5, 'text-anchor': 'middle' }, letter),
  );
};

function* columnShapes({ iter, x, width, tokens }: Column, index: number, lanes: number, most: number) {
  const bottom = TOP + lanes * LANE;
  if (index % 2 === 1) yield shape('rect', { class: 'band', x, y: 0, width, height: bottom });
  yield shape('text', { class: 'tick', x: x + width / 2, y: 15, 'text-anchor': 'middle' }, iter < 0 ? '–' : `${iter}`);
  if (most === 0 || tokens === 0) return;
  const height = Math.max(1, (tokens / most) * (BARS - 6));
  yield shape(
    'rect',
    { class: 'tokens', x: x + 2, y: bottom + BARS - height, width: width - 4, height },
    shape('title', {}, `iteration ${iter < 0 ? '–' : iter}: ${grouped(tokens)} tokens`),
  );
}

function* gapShapes({ mark, x }: Placed, height: number): Iterable<SVGElement> {
  const skipped = mark[8];
  if (skipped === 0) return;
  yield shape('text', { class: 'tick', x: x - SLOT, y: height / 2, 'text-anchor': 'middle' }, '⋯');
  yield shape('title', {}, `${skipped} spans are not drawn here`);
}

const spansTable = (run: PageRun, rows: readonly (readonly string[])[], skipped: number): HTMLElement => {
  const head = ['Iteration', 'Lane', 'What', 'Tokens', 'Place', 'Breaks'];
  const table = element(
    'table',
    {},
    element('caption', { class: 'unseen' }, `Spans of ${run.id}`),
    element('thead', {}, element('tr', {}, ...head.map((title) => element('th', { scope: 'col' }, title)))),
    element(
      'tbody',
      {},
      ...rows.map((cells) =>
        element(
          'tr',
          { class: cells.at(-1) === '' ? undefined : 'error' },
          ...cells.map((cell) => element('td', {}, cell)),
        ),
      ),
    ),
  );
  const left = skipped === 0 ? '' : `; ${grouped(skipped)} more are not in this page`;
  const summary = element('summary', {}, `The ${grouped(rows.length)} spans as a table${left}`);
  return element('details', { class: 'rule' }, summary, element('div', { class: 'wide' }, table));
};

const legendOf = (timeline: PageTimeline): HTMLElement => {
  const seen = new Set(timeline.marks.map(kindOf));
  const marks = MARK_KINDS.filter((kind) => seen.has(kind)).map((kind) => [`mark ${kind}`, KIND_WORDS[kind]] as const);
  const breaks = timeline.marks.some((mark) => mark[4] > 0) ? [['mark error', 'breaks a rule'] as const] : [];
  const halt = timeline.haltAt < 0 ? [] : [['after', 'after it should have been halted'] as const];
  return element(
    'p',
    { class: 'legend' },
    ...[...marks, ...breaks, ...halt].map(([name, text]) =>
      element(
        'span',
        {},
        shape(
          'svg',
          { width: 12, height: 12, 'aria-hidden': 'true' },
          shape('g', { class: name }, shape('rect', { width: 12, height: 12, rx: 2 })),
        ),
        ` ${text}`,
      ),
    ),
    'A number in a mark tells a call from the others of its lane: the same number, the same arguments.',
  );
};

/** A run as a drawing: iterations across, a lane for each tool, tokens under it; and the same as a table. */
export const timelineOf = (run: PageRun, timeline: PageTimeline, texts: Texts): HTMLElement => {
  const { columns, placed, width, haltX } = layOut(timeline, SLOT);
  const lanes = timeline.lanes.length;
  const most = Math.max(0, ...columns.map(({ tokens }) => tokens));
  const height = TOP + lanes * LANE + (most > 0 ? BARS : 0);
  const rows = placed.map(({ mark }) => cellsOf(run, timeline, mark, texts));
  const skipped = timeline.marks.reduce((sum, mark) => sum + mark[8], 0);
  const broken = placed.filter(({ mark }) => mark[4] > 0);
  const words = `${grouped(run.spans)} spans in ${lanes} lanes, ${broken.length} of them where a rule is broken`;
  const svg = shape(
    'svg',
    { class: 'timeline', role: 'img', 'aria-label': words, width, height, viewBox: `0 0 ${width} ${height}` },
    haltX === undefined
      ? undefined
      : shape('rect', { class: 'after', x: haltX, y: 0, width: width - haltX, height: TOP + lanes * LANE }),
    ...columns.flatMap((column, index) => [...columnShapes(column, index, lanes, most)]),
    ...timeline.lanes.map((_, lane) => shape('path', { class: 'lane', d: `M0 ${TOP + (lane + 0.5) * LANE}H${width}` })),
    haltX === undefined ? undefined : shape('path', { class: 'halt', d: `M${haltX} 0V${TOP + lanes * LANE}` }),
    ...broken.map(({ mark, x }) =>
      shape('rect', { class: `broken ${BREAK_NAMES[mark[4]]}`, x, y: TOP, width: SLOT, height: lanes * LANE }),
    ),
    ...placed.flatMap((each) => [...gapShapes(each, TOP + lanes * LANE)]),
    ...placed.map((each, index) => markOf(each, titleOf(rows[index] ?? []))),
  );
  const names = timeline.lanes.map((lane) => element('li', {}, element('code', {}, texts[lane] ?? '')));
  const tokens = most === 0 ? undefined : element('li', { class: 'high' }, `tokens, up to ${grouped(most)}`);
  const scroll = element('div', { class: 'scroll', tabindex: 0, role: 'group', 'aria-label': 'Timeline' }, svg);
  const first = broken[0];
  if (first !== undefined) queueMicrotask(() => (scroll.scrollLeft = first.x - scroll.clientWidth / 2));
  return element(
    'div',
    {},
    element('div', { class: 'drawing' }, element('ul', { class: 'lanes' }, ...names, tokens), scroll),
    legendOf(timeline),
    spansTable(run, rows, skipped),
  );
};
