import { faultOfLine, secretFaults, tornOr } from './faults.js';
import type { Source } from './input.js';
import type { Judging } from './judging.js';
import { keepReports } from './kept-reports.js';
import { BYTE_ORDER_MARK, LINE_LIMIT, lineOfBytes, NEWLINE } from './lines.js';
import { lookAhead } from './look-ahead.js';
import { arrivesLate } from './run.js';
import { type KeptLines, type KeptPlace, keepLines } from './scan/kept-lines.js';
import { type LineFault, readLine } from './scan/plain.js';
import { catchUp } from './scan/quiet.js';
import { type Listener, type Scanner, spanOfLine, type UnsureLine } from './scan/scanner.js';
import { orderKey, type Span } from './span.js';
import { judge, type RulesFold, type RunReport } from './verdict.js';

const PIECE_BYTES = 1 << 18;
/** Loud runs that have closed wait for spans that may still come until so many more have closed. */
const WAITING = 1 << 10;

/** What of an input is to be read: bytes `from` to, at least, the line that begins at `to`. */
export interface Range {
  readonly file: number;
  /** Bytes of the inputs before it. */
  readonly bytesBefore: number;
  readonly from: number;
  readonly to: number;
  /** Lines of the input before the range. */
  readonly linesBefore: number;
}

/** How a line is kept that the kernel is not sure of. */
const UNSCANNED = { reader: 'plain', isAscii: false, hasRare: false } as const;

/** The spans of a loud run so far. */
interface Loud {
  readonly fold: RulesFold;
  lastKey: number;
  /** A failed call is among the spans that no rule has seen. */
  hasMissedFailure: boolean;
}

/** Whether the span shows that the run is a loop, of which a rule would have kept the failed calls. */
const isMissed = ({ hasMissedFailure }: Loud, { type, details }: Span): boolean =>
  hasMissedFailure && (type === 'state' || type === 'goal_check' || details?.predicateId !== undefined);

/** Late runs whose lines are kept, each with the number of its newest line. */
export interface Batch {
  readonly runs: Map<number, number>;
  readonly lines: KeptLines;
}

export interface PartListener {
  onFault(file: number, fault: LineFault, line: number): void;
  /** Bytes that have been read. */
  onPiece(bytes: Buffer): void;
}

/** A reading of bytes: who listens to the lines, and what is done about one that is too long. */
interface Reading {
  readonly lines: Listener;
  onTooLong(line: number): void;
  onPiece(bytes: Buffer): void;
}

/**
 * A part of a trace that one thread reads: its runs, and the folds of those that are loud.
 * @param positionOf where a line stands over all inputs; undefined where the part cannot know: runs that ask for it are late
 */
export const createPart = (
  scanner: Scanner,
  { contracts, inForce, wanted, startFold }: Judging,
  positionOf: ((file: number, line: number) => number) | undefined,
  { onFault, onPiece }: PartListener,
) => {
  const { kernel } = scanner;
  const loud = new Map<number, Loud>();
  const kept = keepReports();
  /** Of loud runs that are taken to be over. */
  const reports = new Map<number, RunReport>();
  const closed = new Uint32Array(WAITING);
  let closedCount = 0;
  const ahead = lookAhead(wanted);
  const wantsMore = wanted.secretsIn !== undefined || wanted.fields.length > 0;
  let capacity = PIECE_BYTES;
  let room = kernel.call.reserveInput(capacity);
  let file = 0;
  /** Spans of the ranges before the one at hand; and of its lines those that are none. */
  let spansBefore = 0;
  let otherLines = 0;
  let batch: Batch | undefined;
  /** The last line that the second look has come to: a range may be read a little past its end, into the next one. */
  let readUpTo = { file: -1, line: 0 };

  const place = (inFile: number, line: number) => ({
    file: inFile,
    line,
    position: positionOf?.(inFile, line) ?? line,
  });

  const judgeFold = (run: number): void => {
    const known = loud.get(run);
    if (known === undefined) return;
    loud.delete(run);
    reports.set(run, kept.keep(judge(known.fold)));
  };

  /** Once many more have closed, nothing is kept of a run but its report: a span that then comes makes it late. */
  const close = (run: number): void => {
    const place = closedCount % WAITING;
    if (closedCount >= WAITING) judgeFold(closed[place] ?? -1);
    closed[place] = run;
    closedCount += 1;
  };

  const takeLoud = (run: number, span: Span, known = loud.get(run)): void => {
    const isPlaceless = positionOf === undefined && span.seq === undefined;
    const isLate =
      known === undefined
        ? reports.delete(run)
        : arrivesLate(known.lastKey, span, contracts.isAsked) || isMissed(known, span);
    if (isPlaceless || isLate) {
      loud.delete(run);
      scanner.makeLate(run);
      return;
    }
    if (known === undefined) {
      const owns = span.contract === undefined ? [] : [span.contract];
      const fold = startFold(span, owns);
      fold.step(span);
      loud.set(run, { fold, lastKey: orderKey(span), hasMissedFailure: false });
    } else {
      known.lastKey = orderKey(span);
      known.fold.step(span);
      if (span.type === 'terminal') close(run);
    }
  };

  const saySecrets = (text: string, number: number): void => {
    for (const fault of secretFaults(text, wanted)) onFault(file, fault, number);
  };

  /** Reads a line that the kernel is not sure of; where it is no span, what it is has been said. */
  const readUnsure = ({ bytes, number, hasEnd, isFirst }: UnsureLine): Span | undefined => {
    const line = bytes.length > LINE_LIMIT ? ({ kind: 'too-long' } as const) : lineOfBytes(bytes);
    otherLines += 1;
    if (line.kind !== 'text') {
      onFault(file, tornOr(faultOfLine(line), hasEnd), number);
      if (line.kind === 'invalid-utf8') saySecrets(line.text, number);
      return undefined;
    }
    const read = readLine(line.text, place(file, number), isFirst && contracts.isAsked, wanted);
    if (read.kind === 'span') {
      otherLines -= 1;
      return read.span;
    }
    if (read.kind === 'fault') onFault(file, tornOr(read.fault, hasEnd), number);
    else {
      contracts.setHeader(file, read.part);
      scanner.setContract(contracts.of(file, []), inForce);
    }
    saySecrets(line.text, number);
    return undefined;
  };

  const listener: Listener = {
    onSpan(run, line, at) {
      const known = loud.get(run);
      const where = place(at.file, at.line);
      const span =
        line.hasRare || wantsMore
          ? spanOfLine(line, where, ahead.wantedOf(line))
          : scanner.spanAt(line.start, where, known?.fold.run.runId);
      takeLoud(run, span, known);
    },
    onGap(run) {
      const known = loud.get(run);
      if (known === undefined) return;
      known.hasMissedFailure = scanner.records.word(run, 'hasFailed') !== 0;
      // The next span does not follow the first one.
      known.fold.run.lastIter = known.fold.run.lastSeq = undefined;
    },
    onCaughtUp(run, heldLines) {
      const known = loud.get(run);
      if (known !== undefined) catchUp(known.fold, scanner.records, run, heldLines);
    },
    onUnsure(line) {
      const span = readUnsure(line);
      if (span === undefined) return;
      const run = scanner.runOf(span.runId);
      const isLoud = scanner.makeLoud(run, listener);
      scanner.countLine(run, line.at);
      if (isLoud) takeLoud(run, span);
    },
  };

  const keep = (run: number, bytes: Buffer, line: number, how: Omit<KeptPlace, 'file' | 'line'>): void => {
    const previous = batch?.runs.get(run);
    if (batch === undefined || previous === undefined || (file === readUpTo.file && line <= readUpTo.line)) return;
    batch.runs.set(run, batch.lines.append(previous, bytes, { file, line, ...how }));
  };
  const keeper: Listener = {
    onSpan: (run, { memory, start, end, isAscii, hasRare }, { line }) =>
      keep(run, memory.subarray(start, end), line, { reader: 'scanner', isAscii, hasRare }),
    onGap() {},
    onCaughtUp() {},
    onUnsure({ bytes, number, isFirst }) {
      if (bytes.length > LINE_LIMIT) return;
      // Looking for the run may move the memory that the line stands in.
      const own = Buffer.from(bytes);
      const line = lineOfBytes(own);
      if (line.kind !== 'text') return;
      const read = readLine(line.text, place(file, number), isFirst && contracts.isAsked);
      if (read.kind === 'span') keep(scanner.runOf(read.span.runId), own, number, UNSCANNED);
    },
  };

  /** A line that fills all the room needs more of it. */
  const widen = (from: number, length: number): void => {
    capacity = Math.min(capacity * 2, LINE_LIMIT + PIECE_BYTES);
    const fresh = kernel.call.reserveInput(capacity);
    kernel.bytes().copyWithin(fresh, from, from + length);
    room = fresh;
  };

  /** Bytes of the mark between two places; `undefined` while there are too few to tell. */
  const markLength = (end: number, isEnd: boolean): number | undefined => {
    if (end - room < BYTE_ORDER_MARK.length && !isEnd) return undefined;
    const memory = kernel.bytes();
    const isMarked = BYTE_ORDER_MARK.every((byte, at) => room + at < end && memory[room + at] === byte);
    return isMarked ? BYTE_ORDER_MARK.length : 0;
  };

  const scanSource = async (source: Source, range: Range, { lines, onTooLong, onPiece }: Reading): Promise<void> => {
    let held = 0;
    /** Bytes of all inputs before the room. */
    let offset = range.bytesBefore + range.from;
    let isStart = range.from === 0;
    let isTooLong = false;
    for (;;) {
      // Room that one long line has needed is not filled for every piece.
      const free = Math.min(capacity - held, Math.max(PIECE_BYTES, held));
      const given = source.read(kernel.bytes(), room + held, free);
      const bytes = typeof given === 'number' ? given : await given;
      if (bytes > 0) onPiece(kernel.bytes().subarray(room + held, room + held + bytes));
      const end = room + held + bytes;
      let from = room;
      if (isStart) {
        const mark = markLength(end, bytes === 0);
        if (mark === undefined) {
          held += bytes;
          continue;
        }
        from += mark;
        isStart = false;
      }
      if (isTooLong) {
        const newline = kernel.bytes().subarray(from, end).indexOf(NEWLINE);
        if (newline >= 0) isTooLong = false;
        from = newline < 0 ? end : from + newline + 1;
      }
      ahead.startPiece(end);
      const after = scanner.scan(from, end, bytes === 0, offset - room, lines);
      if (bytes === 0 || offset + after - room > range.bytesBefore + range.to) return;
      held = end - after;
      if (held > LINE_LIMIT) {
        kernel.call.skipLine();
        onTooLong(scanner.lineNumber());
        isTooLong = true;
        held = 0;
        offset += end - room;
        continue;
      }
      offset += after - room;
      if (held === capacity) widen(after, held);
      else kernel.bytes().copyWithin(room, after, end);
    }
  };

  const spansRead = (): number => spansBefore + kernel.call.written.value - otherLines;

  const start = (range: Range, isSecondLook: boolean): void => {
    file = range.file;
    spansBefore = spansRead();
    otherLines = 0;
    scanner.startInput(file, range.linesBefore, isSecondLook);
  };

  return {
    /** Reads a range of an input. Returns how many lines of the input have been read. */
    async read(source: Source, range: Range): Promise<number> {
      start(range, false);
      scanner.setContract(contracts.of(file, []), inForce);
      const onTooLong = (line: number): void => onFault(file, faultOfLine({ kind: 'too-long' }), line);
      await scanSource(source, range, { lines: listener, onTooLong, onPiece });
      return scanner.lineNumber();
    },
    linesRead: (): number => scanner.lineNumber(),
    /** Spans of all ranges so far. */
    spansRead,
    /** Starts to keep the lines of late runs, by their numbers. */
    startBatch(runs: readonly number[]): Batch {
      readUpTo = { file: -1, line: 0 };
      batch = { runs: new Map(runs.map((run) => [run, -1])), lines: keepLines() };
      for (const run of runs) scanner.want(run, true);
      return batch;
    },
    /** Reads a range once more, for the lines of the batch. */
    async readAgain(source: Source, range: Range, onPieceAgain: PartListener['onPiece']): Promise<void> {
      start(range, true);
      await scanSource(source, range, { lines: keeper, onTooLong: () => {}, onPiece: onPieceAgain });
      readUpTo = { file, line: scanner.lineNumber() };
    },
    endBatch(): void {
      for (const run of batch?.runs.keys() ?? []) scanner.want(run, false);
      batch = undefined;
    },
    /** The report of a loud run, which is over; undefined where it is none. */
    judgeLoud(run: number): RunReport | undefined {
      judgeFold(run);
      const report = reports.get(run);
      reports.delete(run);
      return report;
    },
    loudRuns: (): readonly number[] => [...loud.keys(), ...reports.keys()],
    kept,
  };
};
