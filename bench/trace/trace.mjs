import { BYTE_ORDER_MARK, hostileLines, ID_TAILS, TORN } from './hostile.mjs';
import { below, isWithin, randomFrom, shuffle } from './random.mjs';
import { iterOf, kindOf, planRun } from './runs.mjs';
import { CLOCK, shapesFor } from './shapes.mjs';

/**
 * @typedef {object} TraceOptions
 * @property {number} seed same options, same bytes
 * @property {number} [megabytes] about how large the trace is; with `runs` too, the runs are made long enough for it
 * @property {number} [runs] how many runs it has
 * @property {number} spans about how many spans a run has
 * @property {number} open how many runs are written side by side
 * @property {number} lateRuns share of runs whose spans arrive in any order
 * @property {number} lateSpans share of spans that arrive after the next one of their run
 * @property {number} model share of spans that are rounds of the model
 * @property {number} other share of spans of other types
 * @property {number} optional share of tool spans with optional fields
 * @property {number} hostile share of lines that are odd, or stand beside one that cannot be used
 * @property {'unique' | 'repeated'} digests
 */

/** @type {TraceOptions} */
export const DEFAULTS = {
  seed: 1,
  spans: 19.05,
  open: 64,
  lateRuns: 0,
  lateSpans: 0,
  model: 0.15,
  other: 0.03,
  optional: 0.1,
  hostile: 0,
  digests: 'unique',
};

/**
 * Named traces.
 * @type {Readonly<Record<string, Partial<TraceOptions>>>}
 */
export const PRESETS = {
  speed: { runs: 100_000 },
  late: { runs: 100_000, lateRuns: 0.1 },
  hostile: { runs: 100_000, hostile: 0.02, lateRuns: 0.05, lateSpans: 0.01 },
};

const MEGABYTE = 1e6;
const LINE_BYTES = 222;
// Fits into an empty pipe, so that a reader takes one piece while the next is made.
const PIECE_BYTES = 60_000;
// A long line of the hostile kind, and the one that it may stand beside.
const LINE_LIMIT = 1 << 16;
const DAY_MS = 86_400_000;
const SPAN_MS = 20;
// The first digit of a number may not be zero.
const CLOCK_START = 1e9;
const DIGITS = new Uint8Array(Buffer.from('0123456789abcdef'));
const ZERO = 0x30;
const NEWLINE = 0x0a;

/** Writes numbers in place. All of them fit 31 bits, so that no division is one of doubles. */
const digitWriter = (bytes) => {
  const fixed = (value, digits, at) => {
    let rest = value;
    for (let index = at + digits - 1; index >= at; index -= 1) {
      const quotient = (rest / 10) | 0;
      bytes[index] = ZERO + rest - quotient * 10;
      rest = quotient;
    }
    return at + digits;
  };
  const two = (value, at) => {
    const tens = (value / 10) | 0;
    bytes[at] = ZERO + tens;
    bytes[at + 1] = ZERO + value - tens * 10;
  };
  const hex = (value, at) => {
    for (let index = 0; index < 8; index += 1) bytes[at + index] = DIGITS[(value >>> (index * 4)) & 15];
  };
  return {
    fixed,
    hex,
    /** Writes as many digits as the value has; returns where they end. */
    plain(value, at) {
      let digits = 1;
      for (let limit = 10; value >= limit; limit *= 10) digits += 1;
      return fixed(value, digits, at);
    },
    /** Writes `hh:mm:ss`. */
    time(ms, at) {
      const seconds = (ms / 1000) | 0;
      const minutes = (seconds / 60) | 0;
      const hours = (minutes / 60) | 0;
      two(hours % 24, at);
      two(minutes - hours * 60, at + 3);
      two(seconds - minutes * 60, at + 6);
    },
  };
};

const idOf = (number) => {
  // Scattered, so that the order of ids is not the order of runs.
  const mixed = (Math.imul(number, 0x9e3779b1) >>> 16).toString(16).padStart(4, '0');
  return `run-${mixed}-${String(number).padStart(8, '0')}`;
};

/** The order in which a run's spans arrive; undefined where they arrive as they happened. */
const arrivalOf = (spans, { lateRuns, lateSpans }, random) => {
  if (isWithin(lateRuns, random()))
    return shuffle(
      Array.from({ length: spans }, (_, index) => index),
      random,
    );
  if (lateSpans === 0) return undefined;
  const order = Array.from({ length: spans }, (_, index) => index);
  for (let at = 0; at + 1 < spans; at += 1) {
    if (!isWithin(lateSpans, random())) continue;
    [order[at], order[at + 1]] = [order[at + 1], order[at]];
  }
  return order;
};

/** Settles the size of a trace: how many runs, of how many spans, up to how many bytes. */
const sizeOf = ({ megabytes, runs, spans }) => {
  if (megabytes === undefined && runs === undefined) throw new RangeError('a trace needs megabytes, runs or both');
  const bytes = (megabytes ?? Number.POSITIVE_INFINITY) * MEGABYTE;
  if (runs === undefined) return { runs: Number.POSITIVE_INFINITY, bytes, spans };
  const isDerived = megabytes !== undefined;
  return { runs, bytes: Number.POSITIVE_INFINITY, spans: isDerived ? bytes / LINE_BYTES / runs : spans };
};

/** What writes lines one after the other into `bytes`; each function returns where its line ends. */
const lineWriter = (bytes, settings, random) => {
  const shapes = shapesFor(settings, random);
  const write = digitWriter(bytes);
  const isUnique = settings.digests === 'unique';
  const writeDigest = (at) => {
    write.hex(random(), at);
    write.hex(random(), at + 8);
  };
  const writeTail = ({ tail, slots }, isSpun, ms, at) => {
    bytes.set(tail, at);
    write.time(ms, at + slots.time);
    write.fixed(CLOCK_START + ms, CLOCK.length, at + slots.clock);
    write.hex(random(), at + slots.spanId);
    if (isUnique && slots.result >= 0) writeDigest(at + slots.result);
    // The calls of a spinning run keep their one digest.
    if (isUnique && !isSpun && slots.args >= 0) writeDigest(at + slots.args);
    return at + tail.length;
  };
  return {
    /** Writes the next line of a run. */
    next(run, start) {
      const { plan, head, arrival, begin } = run;
      const position = arrival === undefined ? run.next : arrival[run.next];
      run.next += 1;
      const kind = kindOf(plan, position, settings, random());
      const list = shapes[kind];
      const shape = list[kind === 'spun' ? plan.number % list.length : (plan.number + position) % list.length];
      bytes.set(head, start);
      let at = write.plain(position + 1, start + head.length);
      bytes.set(shape.middle, at);
      at = write.plain(iterOf(plan, position), at + shape.middle.length);
      return writeTail(shape, kind === 'spun', begin + position * SPAN_MS, at);
    },
    /** Puts something odd in the place of a line. */
    spoil(start, end) {
      let at = start;
      for (const line of hostileLines(bytes.toString('utf8', start, end - 1), random)) {
        const spoilt = Buffer.from(line);
        bytes.set(spoilt, at);
        bytes[at + spoilt.length] = NEWLINE;
        at += spoilt.length + 1;
      }
      return at;
    },
  };
};

/** Runs as they are begun, and what each of them is to be answered with. */
const runOpener = (settings, size, random) => {
  const tails = settings.hostile > 0 ? ID_TAILS : ID_TAILS.slice(0, 1);
  const begun = [];
  let bytes = 0;
  return {
    begun,
    /** Whether there is room for another one, beside what those before it are going to take. */
    hasMore: () => begun.length < size.runs && bytes < size.bytes,
    open() {
      const plan = planRun(begun.length + 1, size.spans, random);
      const id = idOf(plan.number);
      const [tail, printedTail] = tails[plan.number % tails.length];
      const { verdict, iter, spans } = plan;
      begun.push({ id: id + printedTail, verdict, iter, spans });
      bytes += spans * LINE_BYTES;
      return {
        plan,
        head: Buffer.from(`{"run_id":"${id}${tail}","seq":`),
        arrival: arrivalOf(spans, settings, random),
        begin: below(DAY_MS / 4, random()),
        next: 0,
      };
    },
  };
};

/**
 * A trace that can be written while it is made.
 * @param {Partial<TraceOptions>} options
 * @returns {{ pieces(): Generator<Uint8Array>, answers(): string[] }} `pieces` gives the bytes, each piece until the
 *   next is asked for; `answers` then gives the lines that are to be printed under the classic profile, sorted
 */
export const createTrace = (options) => {
  const settings = { ...DEFAULTS, ...options };
  const isHostile = settings.hostile > 0;
  const size = sizeOf(settings);
  const random = randomFrom(settings.seed);
  const bytes = Buffer.alloc(PIECE_BYTES + LINE_LIMIT);
  const line = lineWriter(bytes, settings, random);
  const runs = runOpener(settings, size, random);
  const open = [];
  let at = isHostile ? bytes.write(BYTE_ORDER_MARK) : 0;

  const openMore = () => {
    while (open.length < settings.open && runs.hasMore()) open.push(runs.open());
  };
  const writeOne = () => {
    const place = below(open.length, random());
    const run = open[place];
    const end = line.next(run, at);
    at = isHostile && isWithin(settings.hostile, random()) ? line.spoil(at, end) : end;
    if (run.next < run.plan.spans) return;
    open[place] = open.at(-1);
    open.pop();
    openMore();
  };
  function* pieces() {
    for (openMore(); open.length > 0; writeOne()) {
      if (at < PIECE_BYTES) continue;
      yield bytes.subarray(0, at);
      at = 0;
    }
    if (isHostile) at += bytes.write(TORN, at);
    yield bytes.subarray(0, at);
  }

  return {
    pieces,
    answers: () =>
      runs.begun.map(({ id, verdict, iter, spans }) => `${id}\t${verdict}\titer=${iter}\tspans=${spans}`).sort(),
  };
};
