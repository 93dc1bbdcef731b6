import { type Place, placeOf, type RunSoFar, type Spent } from '../run.js';
import type { Span } from '../span.js';
import { isWork } from './activity.js';

/** What one emitter's clock has shown. */
interface Clock {
  first: number;
  latest: number;
  /** The iteration of its latest reading. */
  iter: number | undefined;
  /** Time that no declared wait lies in, and time that holds one of unknown length. */
  counted: number;
  doubtful: number;
  /** A wait of unknown length lies after the latest reading. */
  isDoubtful: boolean;
}

/** The clocks of one kind, by emitter: clocks of two emitters cannot be subtracted. */
export interface Timeline {
  readonly clocks: Map<string | undefined, Clock>;
  /** Some clock was read twice. */
  isUsable: boolean;
  /** The most that a clock has counted. */
  elapsed: number;
  /** With the waits of unknown length the rail would have been reached. */
  mayBeReached: boolean;
  reached: { readonly iter: number | undefined; readonly iterBefore: number | undefined } | undefined;
  /** The first work in an iteration after the one in which the rail was reached. */
  past: { readonly at: Place; readonly iter: number; readonly halt: Spent } | undefined;
  /** Work after the rail was reached that carries no iteration. */
  hasUnplacedWork: boolean;
}

/** How long a run has worked. */
export interface TimeRail {
  readonly mono: Timeline;
  readonly ts: Timeline;
  waits: number;
}

const newTimeline = (): Timeline => ({
  clocks: new Map(),
  isUsable: false,
  elapsed: 0,
  mayBeReached: false,
  reached: undefined,
  past: undefined,
  hasUnplacedWork: false,
});

export const newTimeRail = (): TimeRail => ({ mono: newTimeline(), ts: newTimeline(), waits: 0 });

// Without an offset a time means another instant on each machine.
const INSTANT = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/;
const instantOf = (ts: string | undefined): number | undefined => {
  if (ts === undefined || !INSTANT.test(ts)) return undefined;
  const instant = Date.parse(ts);
  return Number.isNaN(instant) ? undefined : instant;
};

// Calls side by side are written in any order; rounds follow one another, so that a clock that falls was started anew.
const ROUNDS: readonly string[] = ['loop_start', 'model'];

/** Adds what has passed since the clock's latest reading. What a clock counted before it was started anew stands. */
const advance = (clock: Clock, reading: number, span: Span, isWaiting: boolean): void => {
  if (reading < clock.first || (reading < clock.latest && ROUNDS.includes(span.type))) {
    clock.first = reading;
    clock.latest = reading;
    return;
  }
  const passed = Math.max(0, reading - clock.latest);
  clock.latest += passed;
  if (clock.isDoubtful) clock.doubtful += passed;
  else if (!isWaiting) clock.counted += passed;
};

const readClock = (line: Timeline, reading: number, span: Span, run: RunSoFar, isWaiting: boolean): void => {
  const iter = span.iter ?? run.lastIter;
  const clock = line.clocks.get(span.emitter);
  if (clock === undefined) {
    const shown = { first: reading, latest: reading, iter, counted: 0, doubtful: 0, isDoubtful: false };
    line.clocks.set(span.emitter, shown);
    return;
  }
  line.isUsable = true;
  advance(clock, reading, span, isWaiting);
  line.elapsed = Math.max(line.elapsed, clock.counted);
  const limit = run.contract.maxMs ?? Number.POSITIVE_INFINITY;
  if (clock.counted >= limit) line.reached ??= { iter, iterBefore: clock.iter };
  else if (clock.counted + clock.doubtful >= limit) line.mayBeReached = true;
  clock.iter = iter;
  clock.isDoubtful = false;
};

const goOn = (line: Timeline, span: Span, run: RunSoFar): void => {
  if (line.reached === undefined || line.past !== undefined) return;
  if (span.iter === undefined || line.reached.iter === undefined) line.hasUnplacedWork = true;
  else if (span.iter > line.reached.iter) line.past = { at: placeOf(span), iter: span.iter, halt: run.spent() };
};

/** A wait begins, ends or takes place here: only a clock that is read on this span knows how long it was. */
const doubt = (line: Timeline, reader: Clock | undefined): void => {
  for (const clock of line.clocks.values()) clock.isDoubtful ||= clock !== reader;
};

const stepLine = (line: Timeline, reading: number | undefined, span: Span, run: RunSoFar, waits: number): void => {
  const isCall = span.type === 'tool' && span.effect === 'wait' && waits === 0;
  const isEdge = (span.type === 'wait_start' && waits === 0) || (span.type === 'wait_end' && waits === 1);
  if (isWork(span) && span.effect !== 'wait' && waits === 0) goOn(line, span, run);
  if (isCall) doubt(line, undefined);
  if (reading !== undefined) readClock(line, reading, span, run, waits > 0);
  if (isCall) doubt(line, undefined);
  else if (isEdge) doubt(line, reading === undefined ? undefined : line.clocks.get(span.emitter));
};

/** Takes one span of a run whose contract has a max_ms. */
export const stepTime = (rail: TimeRail, span: Span, run: RunSoFar): void => {
  stepLine(rail.mono, span.monoMs, span, run, rail.waits);
  if (!rail.mono.isUsable) stepLine(rail.ts, instantOf(span.ts), span, run, rail.waits);
  if (span.type === 'wait_start') rail.waits += 1;
  else if (span.type === 'wait_end') rail.waits = Math.max(0, rail.waits - 1);
};

/** The clocks that the rail is judged by: the monotonic ones if they can be, else the others. */
export const clocksOf = (rail: TimeRail | undefined): Timeline | undefined =>
  rail && [rail.mono, rail.ts].find(({ isUsable }) => isUsable);
