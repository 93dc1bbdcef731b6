import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** What the kernel exports: places are bytes in its memory. */
interface Exports {
  readonly memory: { readonly buffer: ArrayBuffer };
  readonly consumed: Cell;
  readonly lineAt: Cell;
  readonly lineLength: Cell;
  readonly line: Cell;
  readonly written: Cell;
  readonly saidCount: Cell;
  readonly runCount: Cell;
  readonly OFFSETS: Cell;
  /** Bytes of a run's record. */
  readonly RECORD: Cell;
  /** Bytes of the texts that stand out of it. */
  readonly TEXTS: Cell;
  readonly BECAME_LOUD: Cell;
  readonly IS_ASCII: Cell;
  readonly HAS_RARE: Cell;
  readonly HAS_SEQ: Cell;
  readonly HAS_MONO: Cell;
  readonly HAS_EXIT_CODE: Cell;
  /** What {@link readRow} has read: numbers, and by key where each text begins and its bytes. */
  readonly row: Cell;
  readonly texts: Cell;
  reserve(bytes: number): number;
  reserveInput(bytes: number): number;
  learn(table: number, at: number, length: number, code: number): number;
  expectKey(at: number, length: number, code: number): void;
  forgetTools(): void;
  setSeed(low: number, high: number): void;
  startInput(file: number, linesBefore: number, isSecondLook: number): void;
  startContract(mayBeQuiet: number, allowsParts: number, budget: number, cap: number, failures: number): void;
  startPiece(before: number): void;
  skipLine(): void;
  scan(from: number, to: number, isLast: number): number;
  saidAt(): number;
  readRow(at: number): void;
  forget(): void;
  runOf(at: number, length: number): number;
  recordAt(run: number): number;
  countLine(run: number, at: number): void;
  makeLoud(run: number): number;
  makeLate(run: number): void;
  want(run: number, isWanted: number): void;
  takeLines(run: number): void;
}
type Cell = { readonly value: number };

/** How a scan ended. */
export const SCAN = { done: 0, unsure: 1, full: 2 } as const;

/** Tables of words that the kernel knows. */
export const TABLE = { keys: 0, types: 1, statuses: 2, reasons: 3, tools: 4, effects: 5, emitters: 6 } as const;

/** How a run stands. */
export const STATE = { quiet: 0, loud: 1, late: 2, wanted: 3 } as const;

/** What a tool's name says of its calls. */
export const TOOL = { reads: 1, capped: 2 } as const;

/** Fields of a run's record, in the order in which the kernel gives their places. */
const FIELDS = [
  'firstSeq',
  'lastSeq',
  'firstOffset',
  'lastOffset',
  'tokens',
  'firstMono',
  'lastMono',
  'idAt',
  'idLength',
  'state',
  'lines',
  'calls',
  'firstFile',
  'firstLine',
  'lastFile',
  'lastLine',
  'firstIter',
  'lastIter',
  'greatestIter',
  'hasGoal',
  'reason',
  'status',
  'hasMono',
  'emitter',
  'hasFailed',
  'isMixed',
  'neededFrom',
  'reasonLength',
  'firstTsLength',
  'lastTsLength',
  'spanIdLength',
  'textsAt',
  'firstBlock',
  'spanId',
  'firstTs',
  'lastTs',
  'reasonText',
] as const;
export type RecordField = (typeof FIELDS)[number];

/** The kernel, and its memory as numbers and bytes; the views are made anew when the memory grows. */
export interface Kernel {
  readonly call: Exports;
  readonly offsets: Readonly<Record<RecordField, number>>;
  bytes(): Buffer;
  words(): Uint32Array;
  doubles(): Float64Array;
  /** The number at a place that is a multiple of four. */
  word(at: number): number;
  signed(at: number): number;
  double(at: number): number;
}

const views = (buffer: ArrayBuffer) => ({
  bytes: Buffer.from(buffer),
  words: new Uint32Array(buffer),
  signed: new Int32Array(buffer),
  doubles: new Float64Array(buffer),
});

const offsetsOf = (call: Exports): Readonly<Record<RecordField, number>> => {
  const list = new Uint32Array(call.memory.buffer, call.OFFSETS.value, FIELDS.length);
  // Every field is in the list.
  return Object.fromEntries(FIELDS.map((name, index) => [name, list[index] ?? 0])) as Record<RecordField, number>;
};

let module: WebAssembly.Module | undefined;
/** The kernel's code, which threads may share. @throws where WebAssembly, or its vectors, are missing */
export const kernelModule = (): WebAssembly.Module => {
  module ??= new WebAssembly.Module(readFileSync(join(import.meta.dirname, 'kernel.wasm')));
  return module;
};

/**
 * A kernel with a memory of its own; undefined where WebAssembly, or its vectors, are missing.
 * @param code what another thread has compiled
 */
export const startKernel = (code?: WebAssembly.Module): Kernel | undefined => {
  let call: Exports;
  try {
    // The kernel is built from the sources beside this file.
    call = new WebAssembly.Instance(code ?? kernelModule()).exports as unknown as Exports;
  } catch {
    return undefined;
  }
  let current = views(call.memory.buffer);
  const now = () => {
    // A memory that has grown leaves its views empty.
    if (current.words.length === 0) current = views(call.memory.buffer);
    return current;
  };
  return {
    call,
    offsets: offsetsOf(call),
    bytes: () => now().bytes,
    words: () => now().words,
    doubles: () => now().doubles,
    word: (at) => now().words[at >>> 2] ?? 0,
    signed: (at) => now().signed[at >>> 2] ?? 0,
    double: (at) => now().doubles[at >>> 3] ?? 0,
  };
};
