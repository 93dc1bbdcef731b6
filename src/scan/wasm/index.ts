// The scanner of native lines: finds them in a piece of the input, reads those without surprises, and follows the
// runs that are quiet. All else is named to the loader: lines that it is not sure of, and the spans of loud runs.
import { hasHigh, lineEnd, skipWhite } from './json';
import { blocksInUse, reserve, SLACK } from './memory';
import { add, isQuiet, neededFrom, needsAllBefore, setLimits, typeOfSpan } from './quiet';
import {
  FIRST_TS,
  follow,
  hold,
  isWhole,
  LAST_TS,
  LATE,
  LOUD,
  QUIET,
  REASON_TEXT,
  RECORD,
  Run,
  recordOf,
  releaseLines,
  runCount,
  runOf,
  SPAN_ID,
  setSeed,
  TEXTS,
  unfollow,
  WANTED,
} from './runs';
import {
  expectKey,
  HAS_EXIT_CODE,
  HAS_MONO,
  HAS_SEQ,
  hasRare,
  hasSeq,
  KEY_RUN_ID,
  readRow,
  readSpan,
  row,
  seq,
  textAt,
  textLength,
  texts,
} from './span';
import { forgetTools, learn } from './words';

export { expectKey, forgetTools, HAS_EXIT_CODE, HAS_MONO, HAS_SEQ, RECORD, learn, readRow, reserve, row, runCount, runOf, setSeed, TEXTS, texts };

// What a scan ends with.
export const DONE: u32 = 0;
/** A line that the kernel is not sure of: {@link lineAt}, {@link lineLength}. */
export const UNSURE: u32 = 1;
/** No more room for what there is to say. */
export const FULL: u32 = 2;

/** A longer line is too long for any reader. */
const LINE_LIMIT: usize = 16 << 20;

export let consumed: usize = 0;
export let lineAt: usize = 0;
export let lineLength: u32 = 0;
/** Lines of this input so far, and bytes of all inputs before the piece at hand. */
export let line: u32 = 0;
/** Lines of this input that are not blank. */
export let written: u32 = 0;
let file: u32 = 0;
let offset: f64 = 0;
let mayBeQuiet: bool = true;
/** Whether a run that becomes loud needs no more of its lines than the rules of this program ask for. */
let allowsParts: bool = true;
/** The first input under the contract at hand: a run that began before is held to another. */
let contractFrom: u32 = 0;
/** Whether only the spans of wanted runs are asked for. */
let isSecondLook: bool = false;

/** Begins an input, after so many of its lines. */
export function startInput(number: u32, linesBefore: u32, isSecond: bool): void {
  file = number;
  line = linesBefore;
  written = 0;
  isSecondLook = isSecond;
}

/** Says what the runs that begin from this input on are held to. */
export function startContract(
  isQuietAllowed: bool,
  isPartAllowed: bool,
  iterations: i32,
  calls: u32,
  failures: u32,
): void {
  allowsParts = isPartAllowed;
  mayBeQuiet = isQuietAllowed;
  contractFrom = file;
  setLimits(iterations, calls, failures);
}

export function startPiece(before: f64): void {
  offset = before;
}

/** Counts a line that the loader has skipped, for it is too long. */
export function skipLine(): void {
  line += 1;
  written += 1;
}

// What there is to say: runs that became loud, whose lines are held, and spans of loud runs.
const SAID: usize = 1 << 14;
const ENTRY: usize = 16;
export const BECAME_LOUD: u32 = 1 << 31;
export const IS_ASCII: u32 = 1 << 30;
export const HAS_RARE: u32 = 1 << 29;
let said: usize = 0;
export let saidCount: u32 = 0;

export function saidAt(): usize {
  if (said === 0) said = reserve(SAID * ENTRY);
  return said;
}

export function forget(): void {
  saidCount = 0;
}

function say(run: u32, flags: u32, at: usize, length: u32): void {
  const entry = saidAt() + <usize>saidCount * ENTRY;
  store<u32>(entry, run);
  store<u32>(entry, length | flags, 4);
  store<u32>(entry, <u32>at, 8);
  store<u32>(entry, line, 12);
  saidCount += 1;
}

// Runs that have closed hold their lines a little longer: what comes after a terminal comes soon.
const CLOSED: u32 = 128;
const closed = memory.data(<i32>CLOSED * 4, 16);
let closedCount: u32 = 0;

function close(run: u32): void {
  const place = closed + (<usize>(closedCount % CLOSED) << 2);
  if (closedCount >= CLOSED) letGo(load<u32>(place));
  store<u32>(place, run);
  closedCount += 1;
}

function letGo(run: u32): void {
  const record = recordOf(run);
  if (record.state !== QUIET) return;
  releaseLines(record);
  if (record.reason !== 0) unfollow(record);
}

// All lines that are held together take this many blocks at most; the oldest runs let go first.
const BLOCK_LIMIT: i32 = 4096;
let oldest: u32 = 0;

function makeRoom(): void {
  while (blocksInUse > BLOCK_LIMIT && oldest < runCount) {
    letGo(oldest);
    oldest += 1;
  }
}

/** @returns whether its lines are held for it; otherwise it is late */
function becomeLoud(run: u32, record: Run, needed: u32): bool {
  if (!isWhole(record)) {
    makeLate(run);
    return false;
  }
  unfollow(record);
  record.state = LOUD;
  record.neededFrom = needed;
  return true;
}

/**
 * Makes a run loud, for a span that the kernel cannot judge.
 * @returns whether its lines are held for it; otherwise it is late
 */
export function makeLoud(run: u32): bool {
  const record = recordOf(run);
  if (record.state !== QUIET) return record.state === LOUD;
  return becomeLoud(run, record, 0);
}

/** Asks for the spans of a late run in the second look, or no more. */
export function want(run: u32, isWanted: bool): void {
  recordOf(run).state = isWanted ? WANTED : LATE;
}

export function makeLate(run: u32): void {
  const record = recordOf(run);
  releaseLines(record);
  unfollow(record);
  record.state = LATE;
}

/** The loader has read the lines that a run held. */
export function takeLines(run: u32): void {
  releaseLines(recordOf(run));
}

/** Counts a line to its run, and notes where it stands. */
// @ts-expect-error: decorator
@inline
function count(record: Run, at: usize): void {
  const place = offset + <f64>at;
  if (record.lines === 0) {
    record.firstOffset = place;
    record.firstFile = file;
    record.firstLine = line;
    record.firstSeq = seq;
  }
  record.lines += 1;
  record.lastOffset = place;
  record.lastFile = file;
  record.lastLine = line;
}

/** Counts a line that the loader has read. */
export function countLine(run: u32, at: usize): void {
  count(recordOf(run), at);
}

function takeSpan(at: usize, length: u32): void {
  const run = runOf(textAt(KEY_RUN_ID), textLength(KEY_RUN_ID));
  const record = recordOf(run);
  const flags = (hasHigh ? 0 : IS_ASCII) | (hasRare ? HAS_RARE : 0);
  if (isSecondLook) {
    if (record.state === WANTED) say(run, flags, at, length);
    return;
  }
  if (record.state === LATE) {
    count(record, at);
    return;
  }
  if (record.state === LOUD) {
    count(record, at);
    say(run, flags, at, length);
    return;
  }
  takeQuiet(run, record, at, length, flags);
}

// @ts-expect-error: decorator
@inline
function takeQuiet(run: u32, record: Run, at: usize, length: u32, flags: u32): void {
  if (record.lines === 0) follow(record);
  // A seq that falls or comes again needs the whole run at hand; so does a span after the run was taken to be over.
  if (record.live === 0 || (record.lines > 0 && hasSeq && seq <= record.lastSeq)) {
    count(record, at);
    makeLate(run);
    return;
  }
  // Asked before the span at hand counts.
  const type = typeOfSpan();
  const needed = allowsParts && !needsAllBefore(type) ? neededFrom(record) : 0;
  const isSameContract = record.lines === 0 || record.firstFile >= contractFrom;
  if (mayBeQuiet && isSameContract && isQuiet(record, length, type)) {
    holdLine(record, at, length, flags);
    count(record, at);
    add(record, type);
    // Nothing that comes after a terminal is quiet: this was it.
    if (record.reason !== 0) close(run);
    return;
  }
  const isHeld = becomeLoud(run, record, needed);
  const hadLines = record.lines > 0;
  count(record, at);
  if (!isHeld) return;
  if (hadLines) say(run, BECAME_LOUD, 0, 0);
  say(run, flags, at, length);
}

// @ts-expect-error: decorator
@inline
function holdLine(record: Run, at: usize, length: u32, flags: u32): void {
  if (!isWhole(record)) return;
  hold(record, at, length, file, line, flags);
  if (blocksInUse > BLOCK_LIMIT) makeRoom();
}

/**
 * Reads the lines between two places. The last one is read where it has a line end, or nothing comes after it.
 * @returns why it stopped; {@link consumed} is where to go on
 */
export function scan(from: usize, to: usize, isLast: bool): u32 {
  let at = from;
  // A line that is not all there ends here, and nothing is read past it.
  store<u8>(to, 0x0a);
  while (at < to) {
    if (saidCount + 2 > <u32>SAID) {
      consumed = at;
      return FULL;
    }
    let end = readSpan(at);
    const isSpan = end !== 0;
    if (!isSpan) end = lineEnd(at, to);
    if (end === to && !isLast) break;
    line += 1;
    if (isSpan && end - at <= LINE_LIMIT) {
      written += 1;
      takeSpan(at, <u32>(end - at));
    } else if (end - at > LINE_LIMIT || skipWhite(at) !== end) {
      written += 1;
      lineAt = at;
      lineLength = <u32>(end - at);
      consumed = min(end + 1, to);
      return UNSURE;
    }
    at = min(end + 1, to);
  }
  consumed = at;
  return DONE;
}

/** Room for the input: there is {@link SLACK} behind it. */
export function reserveInput(bytes: usize): usize {
  return reserve(bytes + SLACK);
}

export function recordAt(run: u32): usize {
  return changetype<usize>(recordOf(run));
}

// Where the loader finds what a record holds.
export const OFFSETS: StaticArray<u32> = [
  <u32>offsetof<Run>('firstSeq'),
  <u32>offsetof<Run>('lastSeq'),
  <u32>offsetof<Run>('firstOffset'),
  <u32>offsetof<Run>('lastOffset'),
  <u32>offsetof<Run>('tokensIn'),
  <u32>offsetof<Run>('firstMono'),
  <u32>offsetof<Run>('lastMono'),
  <u32>offsetof<Run>('idAt'),
  <u32>offsetof<Run>('idLength'),
  <u32>offsetof<Run>('state'),
  <u32>offsetof<Run>('lines'),
  <u32>offsetof<Run>('calls'),
  <u32>offsetof<Run>('firstFile'),
  <u32>offsetof<Run>('firstLine'),
  <u32>offsetof<Run>('lastFile'),
  <u32>offsetof<Run>('lastLine'),
  <u32>offsetof<Run>('firstIter'),
  <u32>offsetof<Run>('lastIter'),
  <u32>offsetof<Run>('greatestIter'),
  <u32>offsetof<Run>('hasGoal'),
  <u32>offsetof<Run>('reason'),
  <u32>offsetof<Run>('status'),
  <u32>offsetof<Run>('hasMono'),
  <u32>offsetof<Run>('emitter'),
  <u32>offsetof<Run>('hasFailed'),
  <u32>offsetof<Run>('isMixed'),
  <u32>offsetof<Run>('neededFrom'),
  <u32>offsetof<Run>('reasonLength'),
  <u32>offsetof<Run>('firstTsLength'),
  <u32>offsetof<Run>('lastTsLength'),
  <u32>offsetof<Run>('spanIdLength'),
  <u32>offsetof<Run>('textsAt'),
  <u32>offsetof<Run>('firstBlock'),
  <u32>SPAN_ID,
  <u32>FIRST_TS,
  <u32>LAST_TS,
  <u32>REASON_TEXT,
];
