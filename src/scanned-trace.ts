import type { Contract, ContractPart, Terms } from './contract.js';
import {
  InputChanged,
  isInputError,
  type OpenFile,
  type OpenInput,
  rangeSource,
  reasonOf,
  type Source,
} from './input.js';
import type { Judging } from './judging.js';
import { lineMemory } from './line-memory.js';
import { NEWLINE } from './lines.js';
import { type Batch, createPart, type Range } from './part.js';
import { foldRows, inOrder, type Ordered, type Row } from './run.js';
import { STATE } from './scan/kernel.js';
import { readLine } from './scan/plain.js';
import { createQuietJudge } from './scan/quiet.js';
import type { RunRecords } from './scan/records.js';
import { type Scanner, spanOfText } from './scan/scanner.js';
import { createSpool, type Spool } from './spool.js';
import { createTally } from './tally.js';
import { compareCodePoints, withoutOuterWhite } from './text.js';
import { partOf, readElsewhere, tell } from './threads.js';
import { CHANGED, type Trace, type TraceListener } from './trace.js';
import { judge, type RunReport } from './verdict.js';

const EVERYTHING = Number.POSITIVE_INFINITY;
const MUCH_BYTES = 2 ** 22;
/** The least that is worth a thread of its own. */
const THREAD_BYTES = 1 << 25;
const SAY_MS = 100;

/** An input as it was read: the bytes of the inputs before it, and how to read it again. */
interface Seen {
  readonly file: number;
  readonly bytesBefore: number;
  readonly again: (from: number) => Source;
}

/** Where the lines of runs begin and end: bytes over all inputs, and the file and the number of the first line. */
interface LineRange {
  readonly from: number;
  readonly to: number;
  readonly file: number;
  readonly line: number;
}

const firstOf = (left: LineRange, right: LineRange): LineRange => ({
  ...(left.from <= right.from ? left : right),
  to: Math.max(left.to, right.to),
});

const byPlace = (left: { readonly range: LineRange }, right: { readonly range: LineRange }): number =>
  left.range.from - right.range.from;

/** Bytes between two ranges that are sooner read than left out. */
const NEAR_BYTES = 1 << 18;

/** The ranges of runs that stand in the order of their first lines, those that touch one another joined. */
const joined = (runs: readonly { readonly range: LineRange }[]): readonly LineRange[] => {
  const ranges: LineRange[] = [];
  for (const { range } of runs) {
    const last = ranges.at(-1);
    if (last === undefined || range.from > last.to + NEAR_BYTES) ranges.push(range);
    else ranges[ranges.length - 1] = firstOf(last, range);
  }
  return ranges;
};

/** What one thread knows of the runs that it has seen. */
interface PartOfTrace {
  readonly records: RunRecords;
  judgeLoud(run: number): RunReport | undefined;
  readonly judgeQuiet: (run: number, runId: string, contract: Contract) => RunReport;
}

/** A run in a part, by its number there. */
interface Sighting {
  readonly part: PartOfTrace;
  readonly run: number;
}

const rangeOf = ({ part: { records }, run }: Sighting): LineRange => ({
  from: records.double(run, 'firstOffset'),
  to: records.double(run, 'lastOffset'),
  file: records.word(run, 'firstFile'),
  line: records.linesBefore + records.word(run, 'firstLine'),
});
const linesOf = ({ part: { records }, run }: Sighting): number => records.word(run, 'lines');
const isLate = ({ part: { records }, run }: Sighting): boolean => records.word(run, 'state') === STATE.late;

/** A run with all that the parts have seen of it. */
interface SeenRun {
  readonly id: string;
  readonly sightings: readonly [Sighting, ...Sighting[]];
}

/** A run that needs all of its lines at hand: it came out of order, or in several parts. */
interface LateRun {
  readonly id: string;
  readonly range: LineRange;
  readonly lines: number;
}

const lateRun = ({ id, sightings }: SeenRun): LateRun => ({
  id,
  range: sightings.map(rangeOf).reduce(firstOf),
  lines: sightings.reduce((sum, sighting) => sum + linesOf(sighting), 0),
});

// From here on, the order of units is not the order of characters: halves of pairs, and what stands above them.
const PAIRED = /[\ud800-\uffff]/;
const compareUnits = (left: string, right: string): number => Number(left > right) - Number(left < right);

/** The runs of all parts, by the order of their ids: that of characters. */
const seenRuns = (parts: readonly PartOfTrace[]) => {
  const ids = parts.flatMap(({ records }) => Array.from({ length: records.count() }, (_, run) => records.idOf(run)));
  const order = Uint32Array.from(ids, (_, number) => number);
  const compare = ids.some((id) => PAIRED.test(id)) ? compareCodePoints : compareUnits;
  order.sort((left, right) => compare(ids[left] ?? '', ids[right] ?? ''));
  const bases = parts.map((_, index) => parts.slice(0, index).reduce((sum, { records }) => sum + records.count(), 0));
  const sightingOf = (number: number): Sighting => {
    const index = bases.findLastIndex((base) => base <= number);
    const part = parts[index];
    if (part === undefined) throw new Error(`no part has seen run ${number}`);
    return { part, run: number - (bases[index] ?? 0) };
  };
  return {
    *inOrder(): Iterable<SeenRun> {
      for (let at = 0; at < order.length; ) {
        const number = order[at] ?? 0;
        const id = ids[number] ?? '';
        const sightings: [Sighting, ...Sighting[]] = [sightingOf(number)];
        for (at += 1; at < order.length && ids[order[at] ?? 0] === id; at += 1)
          sightings.push(sightingOf(order[at] ?? 0));
        yield { id, sightings };
      }
    },
  };
};

export interface ScanOptions {
  readonly terms: Terms;
  readonly judging: Judging;
  readonly watched: string | undefined;
  /** How many threads may read a file together. */
  readonly jobs: number;
  /** The least bytes for each. */
  readonly threadBytes: number | undefined;
  readonly maxMemory: number | undefined;
  /** Called whenever so much more of the trace has been read: {@link MUCH_BYTES}. */
  readonly onMuchRead: (() => void) | undefined;
}

/** Reads a trace through the scanner: runs that are quiet are judged by what the kernel keeps of them. */
export const createScannedTrace = (
  scanner: Scanner,
  { terms, judging, watched, jobs, threadBytes = THREAD_BYTES, maxMemory, onMuchRead }: ScanOptions,
  { onFault, onMiss, onReach }: TraceListener,
): Trace => {
  const { contracts, inForce, wanted, startFold } = judging;
  const memory = lineMemory(maxMemory);
  const seen: Seen[] = [];
  const spools: Spool[] = [];
  const linesBefore: number[] = [];
  /** Lines and bytes of all inputs so far. */
  let lines = 0;
  let bytes = 0;
  let spool: Spool | undefined;
  const spoolLeft = (): number => memory.spool - spools.reduce((sum, each) => sum + each.inMemory(), 0);
  const positionOf = (file: number, line: number): number => (linesBefore[file] ?? 0) + line;
  const tally = onReach && createTally();
  /** Says how far the first look has come, by this thread and the others. */
  const sayFirst = (): void =>
    onReach?.({
      isSecondLook: false,
      bytes: bytes + (tally?.bytes() ?? 0),
      of: undefined,
      spans: own.spansRead() + (tally?.spans() ?? 0),
      share: undefined,
    });
  const own = createPart(scanner, judging, positionOf, {
    onFault,
    onPiece(piece) {
      const before = bytes;
      bytes += piece.length;
      if (Math.floor(bytes / MUCH_BYTES) > Math.floor(before / MUCH_BYTES)) onMuchRead?.();
      spool?.add(piece);
      sayFirst();
    },
  });
  const { records } = scanner;
  const parts: PartOfTrace[] = [{ records, judgeLoud: own.judgeLoud, judgeQuiet: createQuietJudge(records, inForce) }];

  /** Reads a file by several threads, this one among them; each reads whole lines. */
  const readTogether = async (
    file: OpenFile,
    number: number,
    header: ContractPart | undefined,
    cuts: readonly number[],
  ) => {
    const bytesBefore = bytes;
    const ranges = cuts
      .slice(0, -1)
      .map((from, index): Range => ({ file: number, bytesBefore, from, to: cuts[index + 1] ?? from, linesBefore: 0 }));
    const [first, ...others] = ranges;
    const found = others.map((range) =>
      readElsewhere({ terms: tell(terms), header, fd: file.fd, start: file.start, range, tally: tally?.shared }),
    );
    // A thread that fails while this one still reads is asked below.
    for (const promise of found) promise.catch(() => {});
    if (first === undefined) return;
    let read = await own.read(rangeSource(file.fd, file.start, first.to), first);
    // While this thread waits for the others, it reads no piece.
    const saying = onReach && setInterval(sayFirst, SAY_MS);
    try {
      for (const promise of found) {
        const part = await promise;
        for (const { fault, line } of part.faults) onFault(number, fault, read + line);
        const foreign = partOf(part, read, contracts.of(number, []));
        parts.push({ ...foreign, judgeQuiet: createQuietJudge(foreign.records, inForce) });
        read += part.lines;
      }
    } finally {
      clearInterval(saying);
    }
    bytes = bytesBefore + (cuts.at(-1) ?? 0);
    tally?.forgetBytes();
    lines += read;
  };

  const readAlone = async (source: Source, number: number): Promise<void> => {
    const range = { file: number, bytesBefore: bytes, from: 0, to: EVERYTHING, linesBefore: 0 };
    try {
      await own.read(source, range);
    } finally {
      lines += own.linesRead();
    }
  };

  /** Reads a range of the inputs again, for the lines of the batch. */
  const readRange = async (
    range: LineRange,
    onPiece: (piece: Buffer) => void,
    onFault: (file: number, because: string) => void,
  ): Promise<void> => {
    for (const input of seen) {
      if (input.file < range.file || input.bytesBefore > range.to) continue;
      const isFirst = input.file === range.file;
      const from = isFirst ? range.from - input.bytesBefore : 0;
      const to = range.to - input.bytesBefore;
      try {
        const source = input.again(from);
        const { file, bytesBefore } = input;
        const again = { file, bytesBefore, from, to, linesBefore: isFirst ? range.line - 1 : 0 };
        await own.readAgain(source, again, onPiece);
        source.close();
      } catch (error) {
        // Its lines are missing then, and that is said below.
        if (error instanceof InputChanged) continue;
        if (!isInputError(error)) throw error;
        onFault(input.file, `cannot be read a second time: ${reasonOf(error)}`);
      }
    }
  };

  /** The spans of a run of the batch. Fewer than its lines: the input has changed. */
  const rowsOf = (run: number, { runs, lines: kept }: Batch): readonly Row[] => {
    const rows: Row[] = [];
    for (const { bytes: memory, place } of kept.read(runs.get(run) ?? -1)) {
      const at = { file: place.file, line: place.line, position: positionOf(place.file, place.line) };
      const text = memory.toString(place.isAscii ? 'latin1' : 'utf8');
      const identity = contracts.isAsked ? withoutOuterWhite(text) : undefined;
      const read =
        place.reader === 'scanner'
          ? ({ kind: 'span', span: spanOfText(text, place.hasRare, at, wanted) } as const)
          : readLine(text, at, false, wanted);
      if (read.kind === 'span') rows.push({ span: read.span, identity });
    }
    return rows;
  };

  /** Late runs by what of their lines may stand in memory together, by the average length of a line. */
  const batchesOf = (late: readonly LateRun[]): readonly (readonly LateRun[])[] => {
    const average = bytes / Math.max(1, lines);
    const batches: LateRun[][] = [];
    let held = memory.batch;
    for (const run of late.toSorted(byPlace)) {
      // One at least, however large.
      if (held >= memory.batch) {
        batches.push([]);
        held = 0;
      }
      batches.at(-1)?.push(run);
      held += run.lines * average;
    }
    return batches;
  };

  /** Says how far the second look has come: half of the work is to read, half to judge. */
  const sayingSecond = (batches: readonly (readonly LateRun[])[]) => {
    const of = batches.flatMap(joined).reduce((sum, { from, to }) => sum + to - from, 0);
    const all = batches.flat().reduce((sum, run) => sum + run.lines, 0);
    const spansBefore = own.spansRead();
    let read = 0;
    let judged = 0;
    const say = (): void => {
      const share = (read / Math.max(1, of) + Math.min(1, judged / Math.max(1, all))) / 2;
      onReach?.({ isSecondLook: true, bytes: read, of, spans: own.spansRead() - spansBefore, share });
    };
    return {
      onPiece(piece: Buffer): void {
        // A range is read a little past its end.
        read = Math.min(of, read + piece.length);
        say();
      },
      onRows(count: number): void {
        judged += count;
        say();
      },
    };
  };

  /** Reads runs once more, as many at a time as memory allows. */
  const lookAgain = async (
    late: readonly LateRun[],
    onFault: (file: number, because: string) => void,
    onRun: (run: LateRun, rows: readonly Row[]) => void,
  ): Promise<void> => {
    const batches = batchesOf(late);
    const { onPiece, onRows } = sayingSecond(batches);
    for (const wanted of batches) {
      const numbers = wanted.map(({ id }) => scanner.runOf(id));
      const batch = own.startBatch(numbers);
      for (const range of joined(wanted)) await readRange(range, onPiece, onFault);
      own.endBatch();
      for (const [index, run] of wanted.entries()) {
        const rows = rowsOf(numbers[index] ?? -1, batch);
        onRun(run, rows);
        onRows(rows.length);
      }
    }
  };

  /** The runs of the first look: a later one makes records of its own. */
  let runs: ReturnType<typeof seenRuns> | undefined;
  let spans: readonly Ordered[] = [];
  const judgeLate = async (late: readonly LateRun[]): Promise<ReadonlyMap<string, RunReport>> => {
    const reports = new Map<string, RunReport>();
    let isWhole = true;
    const onMissing = (file: number, because: string): void => onMiss(file, 'unreadable-input', because);
    await lookAgain(late, onMissing, ({ id, lines: count }, rows) => {
      if (rows.length < count) isWhole = false;
      if (id === watched) spans = inOrder(rows);
      const fold = foldRows(rows, startFold);
      if (fold !== undefined) reports.set(id, own.kept.keep(judge(fold)));
    });
    if (!isWhole) onMiss(seen[0]?.file ?? 0, 'changed-while-read', CHANGED);
    return reports;
  };

  const isJudgedInOrder = ({ id, sightings }: SeenRun): boolean =>
    sightings.length === 1 && !isLate(sightings[0]) && id !== watched;

  const judgeInOrder = ({ id, sightings: [{ part, run }] }: SeenRun): RunReport => {
    const { records, judgeLoud, judgeQuiet } = part;
    const loud = records.word(run, 'state') === STATE.loud ? judgeLoud(run) : undefined;
    return loud ?? judgeQuiet(run, id, contracts.of(records.word(run, 'firstFile'), []));
  };

  return {
    async read({ source, again, file }: OpenInput, number) {
      linesBefore[number] = lines;
      spool = again === undefined ? createSpool(spoolLeft()) : undefined;
      if (spool !== undefined) spools.push(spool);
      const readAgain = again ?? spool?.again;
      if (readAgain !== undefined) seen.push({ file: number, bytesBefore: bytes, again: readAgain });
      const head =
        jobs > 1 && file !== undefined && file.size >= 2 * threadBytes
          ? headerOf(file, number, contracts.isAsked)
          : undefined;
      const cuts = file === undefined || head === undefined ? [] : cutLines(file, jobs, threadBytes);
      if (file === undefined || cuts.length < 3) {
        await readAlone(source, number);
      } else {
        if (head?.part !== undefined) contracts.setHeader(number, head.part);
        await readTogether(file, number, head?.part, cuts);
      }
      sayFirst();
    },
    async finish() {
      runs = seenRuns(parts);
      const late: LateRun[] = [];
      for (const run of runs.inOrder()) if (!isJudgedInOrder(run)) late.push(lateRun(run));
      const lateReports = await judgeLate(late);
      const reports = new Map<string, RunReport>();
      for (const run of runs.inOrder()) {
        const report = isJudgedInOrder(run) ? judgeInOrder(run) : lateReports.get(run.id);
        if (report !== undefined) reports.set(run.id, report);
      }
      return { reports, spans };
    },
    async readAgain(runIds, onRun) {
      const ids = new Set(runIds);
      const asked: LateRun[] = [];
      for (const run of runs?.inOrder() ?? []) if (ids.has(run.id)) asked.push(lateRun(run));
      const onMissing = (): void => {};
      await lookAgain(asked, onMissing, ({ id, lines: count }, rows) => {
        if (rows.length === count) onRun(id, inOrder(rows));
      });
    },
    close() {
      for (const each of spools) each.close();
    },
  };
};

const HEAD_BYTES = 1 << 20;
const WHITE = /^[\ufeff \t\r\n]*$/;

/** What the first line says that is more than white space: a header, or nothing. Undefined: it is too long to tell. */
const headerOf = (
  file: OpenFile,
  number: number,
  isAsked: boolean,
): { readonly part: ContractPart | undefined } | undefined => {
  if (!isAsked) return { part: undefined };
  const head = file.peek(0, HEAD_BYTES);
  const text = head
    .subarray(0, head.lastIndexOf(NEWLINE) + 1)
    .toString('utf8')
    .replace(/^\ufeff/, '');
  const line = text.split('\n').find((candidate) => !WHITE.test(candidate));
  if (line === undefined) return undefined;
  const read = readLine(line, { file: number, line: 1, position: 1 }, true);
  return { part: read.kind === 'header' ? read.part : undefined };
};

/** Where a file is cut into ranges of whole lines, its beginning and its end among the places. */
const cutLines = (file: OpenFile, jobs: number, least: number): readonly number[] => {
  const count = Math.min(jobs, Math.floor(file.size / least));
  const cuts = [0];
  for (let index = 1; index < count; index += 1) {
    const wanted = Math.floor((file.size / count) * index);
    const newline = file.peek(wanted, HEAD_BYTES).indexOf(NEWLINE);
    const cut = wanted + newline + 1;
    if (newline >= 0 && cut > (cuts.at(-1) ?? 0) && cut < file.size) cuts.push(cut);
  }
  return [...cuts, file.size];
};
