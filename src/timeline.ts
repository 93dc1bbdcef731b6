import type { MarkKind } from './mark-kinds.js';
import type { Ordered, Place } from './run.js';
import { argsOf, hasFailed, type Span } from './span.js';
import type { RunReport } from './verdict.js';

/** A span in the drawing of its run. */
export interface Mark {
  readonly place: Place;
  readonly iter: number | undefined;
  /** Indexes the lanes of the timeline. */
  readonly lane: number;
  readonly kind: MarkKind;
  /** Which of the calls of its lane it is: equal arguments, equal numbers, from 1; 0 where no digest tells. */
  readonly call: number;
  /** How bad the worst finding is that points at the span. */
  readonly breaks: 'error' | 'warn' | undefined;
  /** Of all kinds together. */
  readonly tokens: number;
  /** Spans before it that are left out of the drawing. */
  readonly skipped: number;
}

/** A run to be drawn: its spans in seq order. */
export interface Timeline {
  readonly runId: string;
  /** Start and stop, model rounds, then tools and other types in the order in which they come up. As the trace says them. */
  readonly lanes: readonly string[];
  readonly marks: readonly Mark[];
  /** Before which mark the contract would have halted the run; undefined: it would not have. */
  readonly haltAt: number | undefined;
}

/** Marks at the beginning and at the end of a run; between them, only what breaks a rule is drawn. */
const MARKS_AT_AN_END = 150;
const MOST_LANES = 14;
const OTHERS = 'all others';

const RUN_LANE = 'run';
const OF_RUN: ReadonlySet<string> = new Set(['loop_start', 'terminal', 'trace_end']);

const laneNameOf = ({ type, name }: Span): string => {
  if (OF_RUN.has(type)) return RUN_LANE;
  if (type === 'tool') return name ?? '(tool without a name)';
  return type === '' ? '(no type)' : type;
};
// A tool that is called as a type is stays apart from it.
const laneKeyOf = (span: Span): string => `${span.type === 'tool' ? 'tool' : 'type'} ${laneNameOf(span)}`;

/** Gives spans their lanes and their calls numbers, in the order in which they come up. */
const createLanes = () => {
  const names = [RUN_LANE];
  const lanes = new Map([[`type ${RUN_LANE}`, 0]]);
  const calls = new Map<number, Map<string, number>>();
  const laneOf = (span: Span): number => {
    const key = laneKeyOf(span);
    const known = lanes.get(key);
    if (known !== undefined) return known;
    if (names.length < MOST_LANES) names.push(laneNameOf(span));
    else names[MOST_LANES] = OTHERS;
    lanes.set(key, names.length - 1);
    return names.length - 1;
  };
  const callOf = (span: Span, lane: number): number => {
    const args = argsOf(span);
    if (span.type !== 'tool' || args === undefined || lane === MOST_LANES) return 0;
    const known = calls.get(lane) ?? new Map<string, number>();
    calls.set(lane, known);
    const number = known.get(args) ?? known.size + 1;
    known.set(args, number);
    return number;
  };
  return { names, laneOf, callOf };
};

const kindOf = ({ span, isReplay }: Ordered): MarkKind => {
  if (isReplay) return 'replay';
  if (span.type === 'loop_start') return 'start';
  if (span.type === 'terminal') return 'stop';
  if (span.type === 'model') return 'model';
  if (span.type !== 'tool') return 'other';
  return hasFailed(span) ? 'failed' : 'tool';
};

const lineOf = ({ file, line }: Pick<Place, 'file' | 'line'>): string => `${file}:${line}`;

/** How bad the findings of a run are, by the lines that they point at. */
const breaksOf = ({ findings }: RunReport): ReadonlyMap<string, 'error' | 'warn'> => {
  const breaks = new Map<string, 'error' | 'warn'>();
  for (const { at, severity } of findings) {
    if (breaks.get(lineOf(at)) !== 'error') breaks.set(lineOf(at), severity);
  }
  return breaks;
};

const markOf = (ordered: Ordered, lane: number, call: number, breaks: Mark['breaks'], skipped: number): Mark => {
  const { span } = ordered;
  const { file, line, seq, spanId } = span;
  return {
    place: { file, line, seq, spanId },
    iter: span.iter,
    lane,
    kind: kindOf(ordered),
    call,
    breaks,
    tokens: span.tokensIn + span.tokensCached + span.tokensOut + span.tokensAux,
    skipped,
  };
};

/** The spans that count, up to the place where the contract would have halted the run. */
const spansToHalt = ({ spent, spentAfter }: RunReport): number =>
  spentAfter === undefined ? Number.POSITIVE_INFINITY : spent.spans - spentAfter.spans;

/** Draws a run. @param spans all of its spans, in seq order */
export const timelineOf = (report: RunReport, spans: readonly Ordered[]): Timeline => {
  const breaks = breaksOf(report);
  const { names, laneOf, callOf } = createLanes();
  const toHalt = spansToHalt(report);
  const marks: Mark[] = [];
  let counted = 0;
  let skipped = 0;
  let haltAt: number | undefined;
  for (const [index, ordered] of spans.entries()) {
    const { span, isReplay } = ordered;
    const lane = laneOf(span);
    const call = callOf(span, lane);
    if (counted >= toHalt) haltAt ??= marks.length;
    if (!isReplay) counted += 1;
    const breaking = breaks.get(lineOf(span));
    const isDrawn = index < MARKS_AT_AN_END || index >= spans.length - MARKS_AT_AN_END || breaking !== undefined;
    if (isDrawn) marks.push(markOf(ordered, lane, call, breaking, skipped));
    skipped = isDrawn ? 0 : skipped + 1;
  }
  return { runId: report.runId, lanes: names, marks, haltAt };
};

/** Drawings of runs, and how many runs have none. */
export interface Timelines {
  /** By run_id, the runs that fail first. */
  readonly drawn: ReadonlyMap<string, Timeline>;
  /** Left out because there are too many runs; because a run is too long; because it could not be read again. */
  readonly tooMany: number;
  readonly tooLong: number;
  readonly unread: number;
}

/** Runs that are drawn, and the spans of the longest of them. */
const MOST_RUNS = 2000;
const MOST_SPANS = 50_000;

const rankOf = ({ fails, findings }: RunReport): number => {
  if (fails) return 0;
  return findings.length > 0 ? 1 : 2;
};

/** The runs that are to be drawn: those that fail, then those with findings, then others, as many as the bounds allow. */
export const runsToDraw = (
  reports: ReadonlyMap<string, RunReport>,
): Pick<Timelines, 'tooMany' | 'tooLong'> & { readonly ids: readonly string[] } => {
  const ranks: string[][] = [[], [], []];
  let all = 0;
  for (const [id, report] of reports) {
    if (report.lies === 'outside') continue;
    all += 1;
    if (report.spans <= MOST_SPANS) ranks[rankOf(report)]?.push(id);
  }
  const drawable = ranks.flat();
  const ids = drawable.slice(0, MOST_RUNS);
  return { ids, tooMany: drawable.length - ids.length, tooLong: all - drawable.length };
};

/** The timelines with their places moved. */
export const movedTimelines = (timelines: Timelines, move: (place: Place) => Place): Timelines => {
  const drawn = [...timelines.drawn].map(([runId, timeline]) => {
    const marks = timeline.marks.map((mark) => ({ ...mark, place: move(mark.place) }));
    return [runId, { ...timeline, marks }] as const;
  });
  return { ...timelines, drawn: new Map(drawn) };
};
