// The runs of a trace: found by their whole id, each with a record of what is known of it.
import { BLOCK, BLOCK_HEADER, copy, giveBlocks, giveList, reserve, takeBlock } from './memory';

/** Nothing has been seen that any rule would speak of; the lines are held, as far as there is room. */
export const QUIET: u32 = 0;
/** Its spans are judged outside of the kernel, one by one. */
export const LOUD: u32 = 1;
/** It arrived out of order, or became loud when its lines were gone: it is only counted. */
export const LATE: u32 = 2;
/** A late run whose spans are asked for. */
export const WANTED: u32 = 3;

export const TS_BYTES: u32 = 40;
export const SPAN_ID_BYTES: u32 = 48;
export const REASON_BYTES: u32 = 32;

/** Numbers that the loader reads by the offsets below. */
@unmanaged
export class Run {
  firstSeq: f64;
  lastSeq: f64;
  /** Bytes before the first and the last line, over all inputs. */
  firstOffset: f64;
  lastOffset: f64;
  tokensIn: f64;
  tokensCached: f64;
  tokensOut: f64;
  tokensAux: f64;
  firstMono: f64;
  lastMono: f64;
  idAt: u32;
  idLength: u32;
  state: u32;
  lines: u32;
  calls: u32;
  firstFile: u32;
  firstLine: u32;
  lastFile: u32;
  lastLine: u32;
  /** -1: none. */
  firstIter: i32;
  lastIter: i32;
  greatestIter: i32;
  hasGoal: u32;
  /** Of the terminal: its reason, 0 while there is none, and its status. */
  reason: u32;
  status: u32;
  hasMono: u32;
  /** Who wrote the spans; another one as well. */
  emitter: u32;
  isMixed: u32;
  /** A call of it has failed. */
  hasFailed: u32;
  /** Once the run is loud: the first line that is needed, after its very first one. */
  neededFrom: u32;
  /** Of its texts, one more than they are long; 0: there is none. */
  firstTsLength: u32;
  lastTsLength: u32;
  reasonLength: u32;
  spanIdLength: u32;
  /** Room for the texts that most runs do without; 0: it needs none. */
  textsAt: u32;
  /** The lines that it holds. */
  firstBlock: u32;
  /** What else is known while it is quiet and may go on; 0 before its first line, and when that is over. */
  live: u32;
}

/** What a quiet run needs to stay quiet: gone when it is over. */
@unmanaged
export class Live {
  /** The iteration of the last model or tool span, and how many of each it has. */
  roundIter: i32;
  models: u32;
  tools: u32;
  /** Failed calls since one succeeded that may have changed something. */
  failures: u32;
  capped: u32;
  /** It carries states. */
  isLoop: u32;
  /** Which of the run's lines are needed by a rule that sees the run from here on: the first ... */
  /** ... model or tool span of the iteration at hand, */
  iterFrom: u32;
  /** last call that may have changed something, */
  changeFrom: u32;
  /** first failure that no such call has followed, */
  failureFrom: u32;
  /** and the last four calls. */
  call0: u32;
  call1: u32;
  call2: u32;
  call3: u32;
  /** All lines are needed. */
  needsAll: u32;
  calledAt: u32;
  calledCount: u32;
  calledSize: i32;
  lastBlock: u32;
  heldLines: u32;
}

export const SPAN_ID: usize = (offsetof<Run>() + 15) & ~15;
export const RECORD: usize = (SPAN_ID + SPAN_ID_BYTES + 15) & ~15;

// Texts out of the record, by their places in their room.
export const FIRST_TS: usize = 0;
export const LAST_TS: usize = FIRST_TS + TS_BYTES;
/** A reason that is none of those known. */
export const REASON_TEXT: usize = LAST_TS + TS_BYTES;
export const TEXTS: usize = REASON_TEXT + REASON_BYTES;

/** The room of a run's texts, where it has any. */
export function textsOf(record: Run): usize {
  if (record.textsAt === 0) record.textsAt = <u32>reserve(TEXTS);
  return record.textsAt;
}

const LIVE: usize = offsetof<Live>();
let freeLive: u32 = 0;

// @ts-expect-error: decorator
@inline
export function liveOf(record: Run): Live {
  return changetype<Live>(<usize>record.live);
}

/** Begins to follow a run. */
export function follow(record: Run): void {
  const at: usize = freeLive === 0 ? reserve(LIVE) : <usize>freeLive;
  if (freeLive !== 0) freeLive = load<u32>(at);
  memory.fill(at, 0, LIVE);
  record.live = <u32>at;
  liveOf(record).roundIter = -1;
}

/** A run is known to be over, or no more judged by its record: what it has called goes with the rest. */
export function unfollow(record: Run): void {
  if (record.live === 0) return;
  const live = liveOf(record);
  if (live.calledAt !== 0) giveList(live.calledAt, live.calledSize);
  store<u32>(<usize>record.live, freeLive);
  freeLive = record.live;
  record.live = 0;
}

/** Whether every line of the run is held. */
// @ts-expect-error: decorator
@inline
export function isWhole(record: Run): bool {
  return record.lines === (record.live === 0 ? 0 : liveOf(record).heldLines);
}

// Records stand in segments, so that none is ever moved.
const SEGMENT: u32 = 1024;
let segments: usize = 0;
let segmentCapacity: u32 = 0;
export let runCount: u32 = 0;

export function recordOf(run: u32): Run {
  const segment: usize = load<u32>(segments + (<usize>(run / SEGMENT) << 2));
  return changetype<Run>(segment + <usize>(run % SEGMENT) * RECORD);
}

function moreSegments(): void {
  const capacity: u32 = segmentCapacity === 0 ? 1024 : segmentCapacity * 2;
  const list = reserve(<usize>capacity << 2);
  if (segmentCapacity > 0) memory.copy(list, segments, <usize>segmentCapacity << 2);
  segments = list;
  segmentCapacity = capacity;
}

function newRecord(): Run {
  const index = runCount / SEGMENT;
  if (runCount % SEGMENT === 0) {
    if (index >= segmentCapacity) moreSegments();
    store<u32>(segments + (<usize>index << 2), <u32>reserve(<usize>SEGMENT * RECORD));
  }
  runCount += 1;
  return recordOf(runCount - 1);
}

// Ids lie one after the other.
const IDS: usize = 1 << 16;
let idsAt: usize = 0;
let idsLeft: usize = 0;

function keepId(at: usize, length: u32): usize {
  const bytes = <usize>((length + 15) & ~15);
  if (bytes > idsLeft) {
    idsLeft = max(IDS, bytes);
    idsAt = reserve(idsLeft);
  }
  const kept = idsAt;
  memory.copy(kept, at, length);
  idsAt += bytes;
  idsLeft -= bytes;
  return kept;
}

// The table of ids: the run's number and one, and the id's hash. The seed keeps a trace from choosing where its ids fall.
let table: usize = 0;
let tableMask: u32 = 0;
let seed: u64 = 0;

export function setSeed(low: u32, high: u32): void {
  seed = (<u64>high << 32) | low;
}

// @ts-expect-error: decorator
@inline
function mix(left: u64, right: u64): u64 {
  const product = (left ^ 0x9e3779b97f4a7c15 ^ seed) * (right ^ 0xd6e8feb86659fd93);
  return product ^ (product >> 32);
}

// @ts-expect-error: decorator
@inline
export function hashOf(at: usize, length: u32): u32 {
  let hash = seed + length;
  let rest = length;
  let next = at;
  while (rest > 8) {
    hash = mix(hash, load<u64>(next));
    next += 8;
    rest -= 8;
  }
  const tail = load<u64>(next) & (rest === 8 ? <u64>-1 : ((<u64>1) << (<u64>rest << 3)) - 1);
  hash = mix(mix(hash, tail), seed ^ 0x2545f4914f6cdd1d);
  return <u32>(hash ^ (hash >> 29));
}

function isSame(left: usize, right: usize, length: u32): bool {
  for (let at: u32 = 0; at < length; at += 16) {
    const same = i8x16.bitmask(i8x16.eq(v128.load(left + at), v128.load(right + at)));
    const wanted = length - at < 16 ? (1 << (length - at)) - 1 : 0xffff;
    if ((same & wanted) !== wanted) return false;
  }
  return true;
}

function grow(): void {
  const slots: u32 = table === 0 ? 4096 : (tableMask + 1) * 2;
  const fresh = reserve(<usize>slots << 3);
  const old = table;
  const oldSlots: u32 = table === 0 ? 0 : tableMask + 1;
  table = fresh;
  tableMask = slots - 1;
  for (let index: u32 = 0; index < oldSlots; index += 1) {
    const entry = load<u64>(old + (<usize>index << 3));
    if (entry === 0) continue;
    let slot = <u32>(entry >> 32) & tableMask;
    while (load<u64>(table + (<usize>slot << 3)) !== 0) slot = (slot + 1) & tableMask;
    store<u64>(table + (<usize>slot << 3), entry);
  }
}

/** The number of the run with this id; a new one where it has not been seen. */
export function runOf(at: usize, length: u32): u32 {
  if (runCount * 2 >= tableMask) grow();
  const hash = hashOf(at, length);
  let slot = hash & tableMask;
  while (true) {
    const entry = load<u64>(table + (<usize>slot << 3));
    if (entry === 0) break;
    if (<u32>(entry >> 32) === hash) {
      const run = <u32>entry - 1;
      const record = recordOf(run);
      if (record.idLength === length && isSame(record.idAt, at, length)) return run;
    }
    slot = (slot + 1) & tableMask;
  }
  const run = runCount;
  const record = newRecord();
  record.idAt = <u32>keepId(at, length);
  record.idLength = length;
  record.firstIter = record.lastIter = -1;
  store<u64>(table + (<usize>slot << 3), (<u64>hash << 32) | (run + 1));
  return run;
}

const LINE_HEADER: u32 = 16;
/** The longest line that is held. */
export const LONGEST_HELD: u32 = <u32>(BLOCK - BLOCK_HEADER) - LINE_HEADER - 16;

/** Holds a line of a quiet run: its bytes, and where it stands. */
// @ts-expect-error: decorator
@inline
export function hold(record: Run, at: usize, length: u32, file: u32, line: u32, flags: u32): void {
  const needed = LINE_HEADER + ((length + 15) & ~15);
  const live = liveOf(record);
  let block: usize = live.lastBlock;
  let used: u32 = block === 0 ? 0 : load<u32>(block, 4);
  if (block === 0 || used + needed > <u32>(BLOCK - BLOCK_HEADER)) {
    const fresh = takeBlock();
    if (block === 0) record.firstBlock = <u32>fresh;
    else store<u32>(block, <u32>fresh);
    block = fresh;
    live.lastBlock = <u32>fresh;
    used = 0;
  }
  const place = block + BLOCK_HEADER + used;
  store<u32>(place, length);
  store<u32>(place, line, 4);
  store<u32>(place, file, 8);
  store<u32>(place, flags, 12);
  copy(place + LINE_HEADER, at, length);
  store<u32>(block, used + needed, 4);
  live.heldLines += 1;
}

/** Gives back the lines that a run holds. */
export function releaseLines(record: Run): void {
  giveBlocks(record.firstBlock);
  record.firstBlock = 0;
  if (record.live !== 0) liveOf(record).lastBlock = liveOf(record).heldLines = 0;
}
