import { MARK_KINDS } from '../../mark-kinds.js';
import type { Mark, Timeline, Timelines } from '../../timeline.js';
import type { PageMark, PageTimeline } from './page-data.js';
import type { Texts } from './texts.js';

const LANE_LENGTH = 40;

const pageMark = (files: readonly string[], mark: Mark, texts: Texts): PageMark => [
  mark.iter ?? -1,
  mark.lane,
  MARK_KINDS.indexOf(mark.kind),
  mark.call,
  mark.breaks === undefined ? 0 : mark.breaks === 'error' ? 2 : 1,
  mark.tokens,
  texts.foreign(files[mark.place.file] ?? ''),
  mark.place.line,
  mark.skipped,
];

/** A drawing as the page reads it. */
export const pageTimeline = (files: readonly string[], timeline: Timeline, texts: Texts): PageTimeline => ({
  lanes: timeline.lanes.map((lane) => texts.foreign(lane, LANE_LENGTH)),
  marks: timeline.marks.map((mark) => pageMark(files, mark, texts)),
  haltAt: timeline.haltAt ?? -1,
});

/** What is not drawn, in words. */
export function* undrawn(timelines: Timelines | undefined): Iterable<string> {
  if (timelines === undefined) return;
  const { drawn, tooMany, tooLong, unread } = timelines;
  if (tooMany > 0) yield `drawn are ${drawn.size} runs, the failing ones first; ${tooMany} more have no drawing`;
  if (tooLong > 0) yield `runs too long to be drawn: ${tooLong}; terminal-contract explain shows one span by span`;
  if (unread > 0) yield `runs that could not be read again, and have no drawing: ${unread}`;
}
