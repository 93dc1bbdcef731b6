// Whether a span leaves its run quiet: no rule would keep anything of it, or speak of it, that the record does not tell.
// Where this is not sure, the run becomes loud: rules see its spans to come, and what they need of the ones before.
import { capacityOf, copy, giveList, takeList } from './memory';
import {
  FIRST_TS,
  hashOf,
  LAST_TS,
  LONGEST_HELD,
  liveOf,
  REASON_BYTES,
  REASON_TEXT,
  Run,
  SPAN_ID,
  SPAN_ID_BYTES,
  TS_BYTES,
  textsOf,
} from './runs';
import {
  exitCode,
  hasExitCode,
  hasMono,
  hasSeq,
  hasTokens,
  isKept,
  isLoudSpan,
  iter,
  KEY_ARGS_HASH,
  KEY_EFFECT,
  KEY_EMITTER,
  KEY_GOAL,
  KEY_NAME,
  KEY_REASON,
  KEY_RESULT_HASH,
  KEY_SPAN_ID,
  KEY_STATE_HASH,
  KEY_STATUS,
  KEY_TS,
  KEY_TYPE,
  monoMs,
  seq,
  textAt,
  textLength,
  tokensOf,
} from './span';
import { codeOf, EFFECTS, EMITTERS, REASONS, STATUSES, TOOLS, TYPES } from './words';

const TYPE_LOOP_START: u32 = 1;
const TYPE_MODEL: u32 = 2;
const TYPE_TOOL: u32 = 3;
const TYPE_TERMINAL: u32 = 4;
/** A type that some rule looks at by its name. */
const TYPE_SPECIAL: u32 = 5;
/** A state of the loop. */
const TYPE_STATE: u32 = 6;
const STATUS_OK: u32 = 1;
const REASON_DONE: u32 = 1;
/** A reason that the contract does not know. */
const REASON_OTHER: u32 = 255;
const EFFECT_READ: u32 = 1;
/** An effect of which nothing but its being no reading matters; any other makes the run loud. */
const EFFECT_WRITE: u32 = 2;
const EFFECT_EXTERNAL: u32 = 3;
/** What a tool's name says of its calls; the bits may stand together. */
const TOOL_READS: u32 = 1;
const TOOL_CAPPED: u32 = 2;

const LEAST_DIGITS: u32 = 16;
const MANY_TOOL_ROUNDS: u32 = 32;
const LARGEST_LIST: i32 = 5;
const MAX_SAFE: f64 = 9007199254740991;

// What the contract asks, as far as a quiet run can keep it.
let budget: i32 = 0;
let cap: u32 = 0;
let failureLimit: u32 = 0;
export function setLimits(iterations: i32, calls: u32, failures: u32): void {
  budget = iterations;
  cap = calls;
  failureLimit = failures;
}

/** A digest that no rule speaks of: long enough, even where what stands before a colon names an algorithm. */
function isPlainDigest(key: u32): bool {
  const length = textLength(key);
  if (length === 0) return true;
  if (length < LEAST_DIGITS) return false;
  const at = textAt(key);
  let digits = length;
  for (let index: u32 = 0; index < length; index += 1) if (load<u8>(at + index) === 0x3a) digits = length - index - 1;
  return digits >= LEAST_DIGITS;
}

function isKnownIter(record: Run): bool {
  if (iter < 0) return true;
  if (iter > budget) return false;
  return record.lastIter < 0 ? iter <= 1 : iter === record.lastIter || iter === record.lastIter + 1;
}

function hasRoom(): bool {
  return textLength(KEY_TS) <= TS_BYTES && textLength(KEY_SPAN_ID) <= SPAN_ID_BYTES;
}

/** Whether the run has made this call before, as far as its arguments tell. */
function isCalled(record: Run, hash: u32): bool {
  const live = liveOf(record);
  const list: usize = live.calledAt;
  const count = live.calledCount;
  const wanted = i32x4.splat(hash);
  for (let index: u32 = 0; index < count; index += 4) {
    const same = i32x4.bitmask(i32x4.eq(v128.load(list + ((<usize>index) << 2)), wanted));
    if (same !== 0 && index + <u32>ctz(same) < count) return true;
  }
  return false;
}

function addCalled(record: Run, hash: u32): bool {
  const live = liveOf(record);
  if (live.calledAt === 0) {
    live.calledSize = 0;
    live.calledAt = <u32>takeList(0);
  } else if (live.calledCount === capacityOf(live.calledSize)) {
    if (live.calledSize === LARGEST_LIST) return false;
    const larger = takeList(live.calledSize + 1);
    copy(larger, live.calledAt, (<usize>live.calledCount) << 2);
    giveList(live.calledAt, live.calledSize);
    live.calledAt = <u32>larger;
    live.calledSize += 1;
  }
  store<u32>(<usize>live.calledAt + ((<usize>live.calledCount) << 2), hash);
  live.calledCount += 1;
  return true;
}

/** How the span counts in its iteration: one model round, and not many calls. */
function isRoundKept(record: Run, isModel: bool): bool {
  const live = liveOf(record);
  if (iter < 0) return false;
  if (iter !== live.roundIter) {
    live.roundIter = iter;
    live.iterFrom = record.lines;
    live.models = live.tools = 0;
  }
  if (isModel) live.models += 1;
  else live.tools += 1;
  return live.models <= 1 && live.tools <= MANY_TOOL_ROUNDS;
}

/** Whether the call failed; an empty status is no ok. */
function isFailure(): bool {
  if (hasExitCode && exitCode !== 0) return true;
  if (textAt(KEY_STATUS) === 0) return false;
  return codeOf(STATUSES, textAt(KEY_STATUS), textLength(KEY_STATUS)) !== STATUS_OK;
}

/** Whether the call only reads, by its effect, or by its name where the effect does not say otherwise. */
function isReading(tool: u32, effect: u32): bool {
  return effect === EFFECT_READ || ((tool & TOOL_READS) !== 0 && effect !== EFFECT_WRITE);
}

function addFailure(record: Run): bool {
  const live = liveOf(record);
  record.hasFailed = 1;
  if (live.failures === 0) live.failureFrom = record.lines;
  live.failures += 1;
  return live.failures < failureLimit && live.isLoop === 0;
}

/** Whether what a digest stands for is new to the run. */
function isNew(record: Run, key: u32): bool {
  const length = textLength(key);
  if (length === 0) return false;
  const hash = hashOf(textAt(key), length) ^ key;
  return !isCalled(record, hash) && addCalled(record, hash);
}

function addCall(record: Run): void {
  const live = liveOf(record);
  live.call0 = live.call1;
  live.call1 = live.call2;
  live.call2 = live.call3;
  live.call3 = record.lines;
}

/**
 * The first line that is needed beside the very first by rules that see the run from its next span on, as all calls
 * before differ; 0: all lines are.
 */
export function neededFrom(record: Run): u32 {
  const live = liveOf(record);
  if (live.needsAll !== 0 || record.calls < 4) return 0;
  let from = min(live.call0, live.changeFrom);
  if (live.roundIter >= 0) from = min(from, live.iterFrom);
  return live.failures > 0 ? min(from, live.failureFrom) : from;
}

function isQuietCall(record: Run): bool {
  const live = liveOf(record);
  if (textLength(KEY_NAME) === 0 || !isRoundKept(record, false) || !isNew(record, KEY_ARGS_HASH)) return false;
  const effect = codeOf(EFFECTS, textAt(KEY_EFFECT), textLength(KEY_EFFECT));
  if (textAt(KEY_EFFECT) !== 0 && (effect === 0 || effect > EFFECT_EXTERNAL)) return false;
  const tool = codeOf(TOOLS, textAt(KEY_NAME), textLength(KEY_NAME));
  if ((tool & TOOL_CAPPED) !== 0) {
    live.capped += 1;
    live.needsAll = 1;
    if (live.capped > cap) return false;
  }
  addCall(record);
  const reads = isReading(tool, effect);
  if (!reads) live.changeFrom = record.lines;
  if (isFailure()) return addFailure(record);
  if (!reads) live.failures = 0;
  return true;
}

/** A state that is new, in a loop of which no call has failed. */
function isQuietState(record: Run): bool {
  const live = liveOf(record);
  live.isLoop = live.needsAll = 1;
  return record.hasFailed === 0 && isNew(record, KEY_STATE_HASH);
}

function isQuietTerminal(record: Run): bool {
  const reason = codeOf(REASONS, textAt(KEY_REASON), textLength(KEY_REASON));
  const status = codeOf(STATUSES, textAt(KEY_STATUS), textLength(KEY_STATUS));
  if (status === 0 && textAt(KEY_STATUS) !== 0) return false;
  if (reason === REASON_DONE && status > STATUS_OK) return false;
  const length = textLength(KEY_REASON);
  if (reason === 0 && (length === 0 || length > REASON_BYTES)) return false;
  if (reason === 0) memory.copy(textsOf(record) + REASON_TEXT, textAt(KEY_REASON), length);
  record.reasonLength = length + 1;
  record.reason = reason === 0 ? REASON_OTHER : reason;
  record.status = status;
  return true;
}

function isQuietOfType(record: Run, type: u32): bool {
  if (type === TYPE_TOOL) return isQuietCall(record);
  if (type === TYPE_MODEL) return isRoundKept(record, true);
  if (type === TYPE_TERMINAL) return isQuietTerminal(record);
  if (type === TYPE_STATE) return isQuietState(record);
  if (type !== TYPE_LOOP_START) return type !== TYPE_SPECIAL;
  if (record.lines > 0 || textLength(KEY_GOAL) === 0) return false;
  record.hasGoal = 1;
  return true;
}

/** The code of the type of the span at hand; 0: one that no rule knows. */
// @ts-expect-error: decorator
@inline
export function typeOfSpan(): u32 {
  return codeOf(TYPES, textAt(KEY_TYPE), textLength(KEY_TYPE));
}

/** Whether rules may keep something of a span like the one at hand that depends on spans long before it. */
export function needsAllBefore(type: u32): bool {
  return type > TYPE_TERMINAL || isLoudSpan;
}

/** Whether the span keeps its run quiet. Where it does not, the record is of no more use but for its counts. */
export function isQuiet(record: Run, length: u32, type: u32): bool {
  if (!hasSeq || isLoudSpan || record.reason !== 0 || length > LONGEST_HELD || !isKnownIter(record) || !hasRoom()) return false;
  if (!isPlainDigest(KEY_ARGS_HASH) || !isPlainDigest(KEY_RESULT_HASH)) return false;
  if (!isEmitterKnown(record)) return false;
  return isQuietOfType(record, type);
}

function addClock(record: Run): void {
  if (hasMono) {
    if (record.hasMono === 0) record.firstMono = monoMs;
    record.hasMono = 1;
    record.lastMono = monoMs;
    return;
  }
  const length = textLength(KEY_TS);
  if (textAt(KEY_TS) === 0) return;
  const at = textsOf(record);
  // One more than its length, so that an empty one is one.
  if (record.firstTsLength === 0) {
    record.firstTsLength = length + 1;
    memory.copy(at + FIRST_TS, textAt(KEY_TS), length);
  }
  record.lastTsLength = length + 1;
  memory.copy(at + LAST_TS, textAt(KEY_TS), length);
}

/** Notes who wrote the span. False: somebody whose name is not known. */
function isEmitterKnown(record: Run): bool {
  if (textAt(KEY_EMITTER) === 0) return true;
  const emitter = codeOf(EMITTERS, textAt(KEY_EMITTER), textLength(KEY_EMITTER));
  if (emitter === 0) return false;
  if (record.emitter === 0) record.emitter = emitter;
  if (record.emitter !== emitter) record.isMixed = 1;
  return true;
}

function addTokens(record: Run): void {
  record.tokensIn = min(record.tokensIn + tokensOf(0), MAX_SAFE);
  record.tokensCached = min(record.tokensCached + tokensOf(1), MAX_SAFE);
  record.tokensOut = min(record.tokensOut + tokensOf(2), MAX_SAFE);
  record.tokensAux = min(record.tokensAux + tokensOf(3), MAX_SAFE);
}

/** Takes a quiet span into its run's record. */
export function add(record: Run, type: u32): void {
  const live = liveOf(record);
  if (isKept) live.needsAll = 1;
  record.lastSeq = seq;
  if (type === TYPE_TOOL) record.calls += 1;
  if (iter >= 0) {
    if (record.firstIter < 0) record.firstIter = iter;
    record.lastIter = iter;
    record.greatestIter = max(record.greatestIter, iter);
  }
  if (hasTokens) addTokens(record);
  addClock(record);
  const length = textLength(KEY_SPAN_ID);
  record.spanIdLength = textAt(KEY_SPAN_ID) === 0 ? 0 : length + 1;
  copy(changetype<usize>(record) + SPAN_ID, textAt(KEY_SPAN_ID), length);
}
