import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import type { ContractPart } from './contract.js';
import { faultOfLine, secretFaults, tornOr } from './faults.js';
import { InputChanged, isInputError, reasonOf, type Source, streamOf } from './input.js';
import type { Judging } from './judging.js';
import { readLines } from './read-lines.js';
import { createRows } from './rows.js';
import { foldRows, groupRuns, inOrder, type OpenRun } from './run.js';
import { type LineFault, readLine } from './scan/plain.js';
import type { Span, Wanted } from './span.js';
import { compareCodePoints, withoutOuterWhite } from './text.js';
import { CHANGED, type JudgedTrace, type Trace, type TraceListener } from './trace.js';
import { judge, type RulesFold, type RunReport } from './verdict.js';

const BLANK = /^[ \t\r]*$/;
const DIGEST_LENGTH = 22;

/** A digest of a line, white space around it aside: two lines that share it are the same line (132 bits of SHA-256). */
const digestLine = (text: string): string => hash('sha256', withoutOuterWhite(text), 'base64').slice(0, DIGEST_LENGTH);

/** One look at an input: where its spans, its header and its faults go. */
interface Looker {
  readonly mayHaveHeader: boolean;
  readonly wanted: Wanted;
  onBytes(bytes: number): void;
  onSpan(span: Span, text: string): void;
  onHeader(part: ContractPart): void;
  onFault(fault: LineFault, line: number): void;
}

/** Counts lines over all inputs. */
interface Counter {
  position: number;
}

/** A source that says how many bytes it has given. */
const heard = (source: Source, onBytes: (bytes: number) => void): Source => ({
  async read(into, at, length) {
    const bytes = await source.read(into, at, length);
    onBytes(bytes);
    return bytes;
  },
  close: () => source.close(),
});

const readInput = async (source: Source, file: number, counter: Counter, looker: Looker): Promise<void> => {
  const stream: Readable = streamOf(heard(source, looker.onBytes));
  let mayBeHeader = looker.mayHaveHeader;
  await readLines(stream, (line, number, hasEnd) => {
    counter.position += 1;
    const saySecrets = (text: string): void => {
      for (const fault of secretFaults(text, looker.wanted)) looker.onFault(fault, number);
    };
    if (line.kind !== 'text') {
      mayBeHeader = false;
      looker.onFault(tornOr(faultOfLine(line), hasEnd), number);
      if (line.kind === 'invalid-utf8') saySecrets(line.text);
      return;
    }
    if (BLANK.test(line.text)) return;
    const read = readLine(line.text, { file, line: number, position: counter.position }, mayBeHeader, looker.wanted);
    mayBeHeader = false;
    if (read.kind === 'span') return looker.onSpan(read.span, line.text);
    if (read.kind === 'header') looker.onHeader(read.part);
    else looker.onFault(tornOr(read.fault, hasEnd), number);
    saySecrets(line.text);
  });
};

/** An input as it was read first, for the second look. */
interface Seen {
  readonly file: number;
  readonly before: number;
  readonly again: (from: number) => Source;
}

/** Reads a trace line by line, each by JSON.parse and the schema: the way that serves where the scanner cannot. */
export const createPlainTrace = (
  { contracts, wanted, startFold }: Judging,
  { watched, keepsAll }: { readonly watched: string | undefined; readonly keepsAll: boolean },
  listener: TraceListener,
): Trace => {
  /** Where all rows are kept, the newest of each run that has been judged, and how many lines the run has. */
  const judged = new Map<string, { readonly lastRow: number; readonly lines: number }>();
  const { runs, add } = groupRuns(startFold, contracts.isAsked);
  const rows = createRows();
  const counter: Counter = { position: 0 };
  const seen: Seen[] = [];
  let bytes = 0;
  let spans = 0;
  /** Bytes that can be read again, and those that have been. */
  let bytesSeen = 0;
  let bytesAgain = 0;
  let spansAgain = 0;

  const keep = (run: OpenRun<RulesFold>, span: Span, text: string): void => {
    run.lastRow = rows.append(run.lastRow, span, contracts.isAsked ? digestLine(text) : undefined);
    run.rows += 1;
  };
  const judgeRun = (runId: string, run: OpenRun<RulesFold>): RunReport | undefined => {
    const fold = run.fold ?? foldRows(rows.read(run.lastRow, runId), startFold);
    return fold && judge(fold);
  };
  const sayFirst = (): void =>
    listener.onReach?.({ isSecondLook: false, bytes, of: undefined, spans, share: undefined });
  /** @param isKept whether all rows are kept now: the input cannot be read again, for a run that turns out late, or all are asked for */
  const look = (file: number, isKept: boolean): Looker => ({
    mayHaveHeader: contracts.isAsked,
    wanted,
    onBytes(count) {
      bytes += count;
      if (!isKept) bytesSeen += count;
      sayFirst();
    },
    onSpan(span, text) {
      spans += 1;
      const run = add(span);
      if (isKept || span.runId === watched) keep(run, span, text);
    },
    onHeader: (part) => contracts.setHeader(file, part),
    onFault: (fault, line) => listener.onFault(file, fault, line),
  });
  /** The second look takes the spans of late runs alone; all else has been said. */
  const secondLook: Looker = {
    mayHaveHeader: contracts.isAsked,
    wanted,
    onBytes(count) {
      bytesAgain += count;
      const share = Math.min(1, bytesAgain / Math.max(1, bytesSeen));
      listener.onReach?.({ isSecondLook: true, bytes: bytesAgain, of: bytesSeen, spans: spansAgain, share });
    },
    onSpan(span, text) {
      spansAgain += 1;
      const run = runs.get(span.runId);
      const isKept = span.runId === watched;
      if (run !== undefined && run.fold === undefined && !isKept) keep(run, span, text);
    },
    onHeader() {},
    onFault() {},
  };
  const lookAgain = async (): Promise<void> => {
    for (const { file, before, again } of seen) {
      try {
        await readInput(again(0), file, { position: before }, secondLook);
      } catch (error) {
        // Its rows are missing then, and that is said below.
        if (error instanceof InputChanged) continue;
        if (!isInputError(error)) throw error;
        listener.onMiss(file, 'unreadable-input', `cannot be read a second time: ${reasonOf(error)}`);
      }
    }
    const hasAllRows = [...runs.values()].every((run) => run.fold !== undefined || run.rows === run.lines);
    if (!hasAllRows) listener.onMiss(seen[0]?.file ?? 0, 'changed-while-read', CHANGED);
  };

  return {
    async read({ source, again }, file) {
      if (again !== undefined) seen.push({ file, before: counter.position, again });
      await readInput(source, file, counter, look(file, keepsAll || again === undefined));
      sayFirst();
    },
    async finish(): Promise<JudgedTrace> {
      if ([...runs.values()].some((run) => run.fold === undefined && run.rows < run.lines)) await lookAgain();
      const run = runs.get(watched ?? '');
      const spans = run === undefined ? [] : inOrder(rows.read(run.lastRow, watched ?? ''));
      const reports = new Map<string, RunReport>();
      for (const runId of [...runs.keys()].sort(compareCodePoints)) {
        const open = runs.get(runId);
        const report = open && judgeRun(runId, open);
        if (report !== undefined) reports.set(runId, report);
        if (keepsAll && open !== undefined) judged.set(runId, { lastRow: open.lastRow, lines: open.lines });
        // What is folded is reported: folds and reports of all runs need not stand in memory together.
        runs.delete(runId);
      }
      return { reports, spans };
    },
    async readAgain(runIds, onRun) {
      for (const runId of runIds) {
        const { lastRow, lines } = judged.get(runId) ?? { lastRow: -1, lines: 0 };
        const kept = rows.read(lastRow, runId);
        if (kept.length > 0 && kept.length === lines) onRun(runId, inOrder(kept));
      }
    },
    close() {},
  };
};
