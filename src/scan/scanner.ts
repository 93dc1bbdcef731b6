import type { Contract } from '../contract.js';
import { RULES } from '../rules/index.js';
import { type CommonKey, type LinePlace, type RareKey, REASONS, type Span, scannedSpan, type Wanted } from '../span.js';
import type { RulesInForce } from '../verdict.js';
import { type Kernel, type RecordField, SCAN, STATE, startKernel, TABLE, TOOL } from './kernel.js';
import { KEY_CODES } from './keys.js';
import type { RunRecords } from './records.js';
import { rowSpans } from './row-span.js';

// Of all other keys it knows what they are to a run that is quiet: of no matter, or what makes it loud; and whether
// another value than a text makes the line unusable.
const ANY = 22;
const ANY_TEXT = 23;
const LOUD = 24;
const LOUD_TEXT = 25;
const UNSCANNED = 31;
type Read = keyof typeof KEY_CODES;
const OTHER_KEYS = {
  contract: UNSCANNED,
  parent_id: ANY,
  retry: ANY,
  round: ANY,
  turn: ANY,
  worktree: ANY_TEXT,
  result_hash_raw: ANY_TEXT,
  normaliser: ANY,
  call_id: ANY,
  stop_reason: ANY,
  summary: ANY,
  gate: LOUD,
  action_hash: LOUD_TEXT,
  outcome: LOUD,
  command: LOUD,
  action: LOUD,
  code: LOUD,
  child_run: LOUD,
  on: LOUD,
  successor_run: LOUD,
  detail: LOUD,
  guard_code: LOUD,
  receipt_ids: LOUD,
  items: LOUD,
  claim: LOUD,
  inferred: LOUD,
  last_seq: LOUD,
  count: LOUD,
  verify_id: LOUD,
  item: LOUD,
  component: LOUD,
  command_hash: LOUD_TEXT,
  scope: LOUD,
  receipt_id: LOUD,
  verify_ids: LOUD,
  ttl_ms: LOUD,
  signature: LOUD,
  request_id: LOUD,
  decision: LOUD,
  actor: LOUD,
  satisfied: LOUD,
  predicate_id: LOUD,
} as const satisfies Record<Exclude<CommonKey | RareKey, Read>, number>;

// And the types, statuses and reasons by their place in these lists, from 1 on.
const TYPES = ['loop_start', 'model', 'tool', 'terminal'];
const SPECIAL = TYPES.length + 1;
const STATE_TYPE = SPECIAL + 1;
export const STATUSES = ['ok', 'error'];

const SPECIAL_TYPES = new Set(RULES.flatMap(({ sees }) => (typeof sees === 'object' ? sees : [])));
for (const type of [...TYPES, 'state']) SPECIAL_TYPES.delete(type);
// Others make a run loud.
const EFFECTS = ['read', 'write', 'external'];
export const EMITTERS = ['agent', 'harness', 'verifier', 'human', 'collector'];

const SCRATCH_BYTES = 1 << 10;
const LARGEST_NUMBER = 0x3fffffff;

/** Bytes that stand for an id; one with half a character, which UTF-8 cannot hold, is marked by a byte that it never has. */
const NO_UTF8 = 0xff;
const HALF = /\p{Surrogate}/u;
const idBytes = (id: string): Buffer =>
  !HALF.test(id) ? Buffer.from(id) : Buffer.concat([Buffer.of(NO_UTF8), Buffer.from(id, 'utf16le')]);
const idText = (bytes: Buffer, start: number, end: number): string =>
  bytes[start] === NO_UTF8 ? bytes.toString('utf16le', start + 1, end) : bytes.toString('utf8', start, end);

/** The last calls of a run that becomes loud which the rules then see. */
const CALLS_KEPT = 4;

/** Failures of one tool that are told. */
const failuresOf = ({ failures }: Contract): number => Math.min(LARGEST_NUMBER, ...failures.tool);

/** Whether a run under the contract may be judged by what the kernel keeps of it, as long as nothing stands out. */
const mayBeQuiet = (contract: Contract, { hasCustomRules, readsText, window }: RulesInForce): boolean =>
  !hasCustomRules &&
  !readsText &&
  window === undefined &&
  contract.profile !== 'classic' &&
  contract.noProgressWindow > 1 &&
  contract.require.length === 0 &&
  contract.seqScope === undefined &&
  contract.maxMs === undefined &&
  contract.maxTokens === undefined &&
  contract.unchangedWorktrees === undefined &&
  // All calls of a quiet run differ, so that only failures of a tool can make a row.
  Math.min(...contract.failures.call) > 1 &&
  failuresOf(contract) > 1;

/** A line that the kernel leaves to the plain reader. */
export interface UnsureLine {
  readonly at: number;
  readonly bytes: Buffer;
  readonly number: number;
  readonly hasEnd: boolean;
  /** Whether no line before it in its input was more than white space. */
  readonly isFirst: boolean;
}

/** A line that the kernel has read: where it stands in its memory. */
export interface ScannedLine {
  readonly memory: Buffer;
  readonly start: number;
  readonly end: number;
  readonly isAscii: boolean;
  /** It has a key that most lines do not have. */
  readonly hasRare: boolean;
}

/** Who listens to a scan. */
export interface Listener {
  /** A span of a loud run, in input order; in the second look, one of a wanted run. */
  onSpan(run: number, line: ScannedLine, place: Omit<LinePlace, 'position'>): void;
  /** Between the first span of a run that has become loud and its next one, there are others that no rule needs. */
  onGap(run: number): void;
  /** All lines that such a run held have been said: what its record tells holds up to here. */
  onCaughtUp(run: number, heldLines: number): void;
  onUnsure(line: UnsureLine): void;
}

/** A scanned line as a span, with what is wanted of it beside the schema's fields. */
export const spanOfLine = (
  { memory, start, end, isAscii, hasRare }: ScannedLine,
  place: LinePlace,
  wanted: Wanted,
): Span => spanOfText(memory.toString(isAscii ? 'latin1' : 'utf8', start, end), hasRare, place, wanted);

/** The same of the line's text. */
export const spanOfText = (text: string, hasRare: boolean, place: LinePlace, { fields, secretsIn }: Wanted): Span => {
  // The kernel has read the line: it is one object, and the keys that decide have their types.
  const line = JSON.parse(text);
  return scannedSpan(line, hasRare, place, fields, secretsIn?.(text, line));
};

const randomWord = (): number => Math.floor(Math.random() * 2 ** 32);

export type Scanner = ReturnType<typeof scannerOf>;

/** A scanner with no runs yet, by code that another thread may have compiled; undefined where the machine has no vectors for it. */
export const startScanner = (code?: WebAssembly.Module): Scanner | undefined => {
  const kernel = startKernel(code);
  return kernel && scannerOf(kernel);
};

const ENTRY_BYTES = 16;
const BLOCK_HEADER = 8;
const LINE_HEADER = 16;
const LENGTH_BITS = 0x1fffffff;

const scannerOf = (kernel: Kernel) => {
  const { call, offsets } = kernel;
  const scratch = call.reserve(SCRATCH_BYTES);
  const isLoudMark = call.BECAME_LOUD.value;
  const isAsciiMark = call.IS_ASCII.value;
  const hasRareMark = call.HAS_RARE.value;
  const lineOf = (memory: Buffer, start: number, length: number, flags: number): ScannedLine => ({
    memory,
    start,
    end: start + length,
    isAscii: (flags & isAsciiMark) !== 0,
    hasRare: (flags & hasRareMark) !== 0,
  });

  const learn = (table: number, word: string, code: number): boolean => {
    const bytes = Buffer.from(word);
    if (bytes.length > SCRATCH_BYTES) return false;
    kernel.bytes().set(bytes, scratch);
    return call.learn(table, scratch, bytes.length, code) !== 0;
  };
  for (const [key, code] of Object.entries(KEY_CODES)) {
    learn(TABLE.keys, key, code);
    call.expectKey(scratch, key.length, code);
  }
  for (const [key, code] of Object.entries(OTHER_KEYS)) learn(TABLE.keys, key, code);
  for (const [index, type] of TYPES.entries()) learn(TABLE.types, type, index + 1);
  for (const type of SPECIAL_TYPES) learn(TABLE.types, type, SPECIAL);
  learn(TABLE.types, 'state', STATE_TYPE);
  for (const [index, effect] of EFFECTS.entries()) learn(TABLE.effects, effect, index + 1);
  for (const [index, emitter] of EMITTERS.entries()) learn(TABLE.emitters, emitter, index + 1);
  for (const [index, status] of STATUSES.entries()) learn(TABLE.statuses, status, index + 1);
  for (const [index, reason] of REASONS.entries()) learn(TABLE.reasons, reason, index + 1);
  // Whoever writes a trace cannot know them, so that no ids can be chosen to collide.
  call.setSeed(randomWord(), randomWord());

  // A record never moves, and is mostly asked for several fields in a row.
  let askedRun = -1;
  let askedAt = 0;
  const recordAt = (run: number): number => {
    if (run !== askedRun) {
      askedAt = call.recordAt(run);
      askedRun = run;
    }
    return askedAt;
  };
  const word = (run: number, field: RecordField): number => kernel.word(recordAt(run) + offsets[field]);
  const signed = (run: number, field: RecordField): number => kernel.signed(recordAt(run) + offsets[field]);
  const double = (run: number, field: RecordField, index = 0): number =>
    kernel.double(recordAt(run) + offsets[field] + index * 8);
  const text = (run: number, field: RecordField, length: RecordField): string | undefined => {
    const marked = word(run, length);
    if (marked === 0) return undefined;
    const at = (field === 'spanId' ? recordAt(run) : word(run, 'textsAt')) + offsets[field];
    return kernel.bytes().toString('latin1', at, at + marked - 1);
  };
  const stateOf = (run: number): number => word(run, 'state');

  /** Says the lines that a run held while it was quiet, and lets go of them. */
  const sayHeld = (run: number, listener: Listener): void => {
    const bytes = kernel.bytes();
    const needed = word(run, 'neededFrom');
    let held = 0;
    for (let block = word(run, 'firstBlock'); block !== 0; block = kernel.word(block)) {
      const end = block + BLOCK_HEADER + kernel.word(block + 4);
      for (let at = block + BLOCK_HEADER; at < end; ) {
        const length = kernel.word(at);
        held += 1;
        if (held === 2 && needed > 1) listener.onGap(run);
        if (held > 1 && held <= needed) {
          at += LINE_HEADER + ((length + 15) & ~15);
          continue;
        }
        const place = { line: kernel.word(at + 4), file: kernel.word(at + 8) };
        const start = at + LINE_HEADER;
        const flags = kernel.word(at + 12);
        listener.onSpan(run, lineOf(bytes, start, length, flags), place);
        at = start + ((length + 15) & ~15);
      }
    }
    if (needed > 1) listener.onCaughtUp(run, held);
    call.takeLines(run);
  };

  let file = 0;
  /** Hands on what the kernel has to say. */
  const drain = (listener: Listener): void => {
    const count = call.saidCount.value;
    const first = call.saidAt();
    const bytes = kernel.bytes();
    for (let entry = first; entry < first + count * ENTRY_BYTES; entry += ENTRY_BYTES) {
      const run = kernel.word(entry);
      const flags = kernel.word(entry + 4);
      // What was loud may have become late since.
      const state = stateOf(run);
      if (state !== STATE.loud && state !== STATE.wanted) continue;
      if ((flags & isLoudMark) !== 0) {
        sayHeld(run, listener);
        continue;
      }
      const at = kernel.word(entry + 8);
      const line = lineOf(bytes, at, flags & LENGTH_BITS, flags);
      listener.onSpan(run, line, { file, line: kernel.word(entry + 12) });
    }
    call.forget();
  };

  let contractInForce: Contract | undefined;

  const idOf = (run: number): string => {
    const at = word(run, 'idAt');
    return idText(kernel.bytes(), at, at + word(run, 'idLength'));
  };
  const records: RunRecords = { linesBefore: 0, count: () => call.runCount.value, idOf, word, signed, double, text };

  return {
    kernel,
    records,
    /** A line that the kernel still holds, and that has no rare key, as a span. */
    spanAt: rowSpans(kernel),
    stateOf,
    lineNumber: (): number => call.line.value,
    /** The run of an id that the plain reader has read. */
    runOf(id: string): number {
      const bytes = idBytes(id);
      const at = bytes.length <= SCRATCH_BYTES ? scratch : call.reserve(bytes.length);
      kernel.bytes().set(bytes, at);
      return call.runOf(at, bytes.length);
    },
    startInput(number: number, linesBefore: number, isSecondLook: boolean): void {
      file = number;
      call.startInput(number, linesBefore, Number(isSecondLook));
    },
    /** Says what the runs are held to that begin in the input at hand, or in one after it. */
    setContract(contract: Contract, inForce: RulesInForce): void {
      if (contract === contractInForce) return;
      contractInForce = contract;
      call.forgetTools();
      const isKnown = [
        ...contract.idempotent.tools.map((name) => learn(TABLE.tools, name, TOOL.reads)),
        ...Object.keys(contract.caps).map((name) => learn(TABLE.tools, name, TOOL.capped)),
      ].every(Boolean);
      const cap = Math.min(LARGEST_NUMBER, ...Object.values(contract.caps));
      call.startContract(
        Number(isKnown && mayBeQuiet(contract, inForce)),
        Number(contract.noProgressWindow <= CALLS_KEPT),
        Math.min(LARGEST_NUMBER, contract.budget),
        cap,
        failuresOf(contract),
      );
    },
    /** Makes a run loud, and says what it held. False: it is late. */
    makeLoud(run: number, listener: Listener): boolean {
      if (stateOf(run) === STATE.loud) return true;
      if (call.makeLoud(run) === 0) return false;
      sayHeld(run, listener);
      return true;
    },
    makeLate: (run: number): void => call.makeLate(run),
    want: (run: number, isWanted: boolean): void => call.want(run, Number(isWanted)),
    countLine: (run: number, at: number): void => call.countLine(run, at),

    /**
     * Scans the lines between two places of the memory.
     * @param before bytes of all inputs that stand before place 0
     * @returns the place after the last line that was read
     */
    scan(from: number, to: number, isLast: boolean, before: number, listener: Listener): number {
      call.startPiece(before);
      let at = from;
      for (;;) {
        const ended = call.scan(at, to, Number(isLast));
        drain(listener);
        at = call.consumed.value;
        if (ended === SCAN.done) return at;
        if (ended === SCAN.unsure) {
          const start = call.lineAt.value;
          const end = start + call.lineLength.value;
          listener.onUnsure({
            at: start,
            bytes: kernel.bytes().subarray(start, end),
            number: call.line.value,
            hasEnd: end < to,
            isFirst: call.written.value === 1,
          });
        }
      }
    },
  };
};
