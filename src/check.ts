import type { RunUnit } from './adapters/adapter.js';
import type { Terms } from './contract.js';
import { type CustomRules, NO_CUSTOM_RULES } from './custom-rules/custom-rules.js';
import { type ForeignInput, lookAt, NO_WISHES, refusePrinted, type Wishes } from './foreign.js';
import { type Given, type Input, InputRefused, isInputError, isMissing, isNoFile, reasonOf } from './input.js';
import { type Judging, startJudging } from './judging.js';
import { createPlainTrace } from './plain-trace.js';
import type { From } from './recognise.js';
import { type InputError, type Report, ruleErrors, summarise, type Translated } from './report.js';
import { describeRule } from './rules/rule.js';
import type { Ordered } from './run.js';
import { startScanner } from './scan/scanner.js';
import { createScannedTrace } from './scanned-trace.js';
import type { Wanted } from './span.js';
import { movedTimelines, runsToDraw, type Timeline, type Timelines, timelineOf } from './timeline.js';
import type { Progress, Reached, Trace, TraceListener } from './trace.js';
import type { Origins } from './translation.js';
import { movePlaces, type RunReport, settle } from './verdict.js';

/** Who reads the lines: the scanner where the machine has it, or in any case the plain reader. */
type Reader = 'scanner' | 'plain';

export interface CheckOptions {
  readonly terms: Terms;
  /** The user's own rules; `classic` knows none. */
  readonly customRules?: CustomRules;
  readonly isEmptyAllowed: boolean;
  /** A run whose spans are wanted as well as its report. */
  readonly watched?: string;
  /** Whether the report is to hold drawings of its runs; the trace is read once more for them. Default false. */
  readonly drawsTimelines?: boolean;
  readonly reader?: Reader;
  /** What the inputs are: native, of a format, or to be looked at. Default: looked at, and native under `classic`. */
  readonly from?: From | undefined;
  /** What a run of a foreign format is. Default a turn. */
  readonly unit?: RunUnit | undefined;
  /** What the config says of foreign formats. */
  readonly wishes?: Wishes;
  /** How many threads may read a large file together. Default 1. */
  readonly jobs?: number;
  /** The least bytes for each of them. */
  readonly threadBytes?: number;
  /** Bytes that the process may take, as far as lines can be left out of memory. Default 384 MB. */
  readonly maxMemory?: number | undefined;
  /** Called again and again while a large trace is read. */
  readonly onMuchRead?: () => void;
  /** Told how far the work has come. */
  readonly progress?: Progress | undefined;
}

/** What was judged, and the spans of the run that was watched, in seq order. */
export interface Watched {
  readonly report: Report;
  readonly spans: readonly Ordered[];
}

const startTrace = (judging: Judging, options: CheckOptions, listener: TraceListener): Trace => {
  const { terms, watched, drawsTimelines = false, reader, jobs = 1, threadBytes, maxMemory, onMuchRead } = options;
  const scanner = reader === 'plain' ? undefined : startScanner();
  if (scanner === undefined) return createPlainTrace(judging, { watched, keepsAll: drawsTimelines }, listener);
  // Other threads would have to load the user's rules once more.
  const threads = judging.inForce.hasCustomRules ? 1 : jobs;
  return createScannedTrace(
    scanner,
    { terms, judging, watched, jobs: threads, threadBytes, maxMemory, onMuchRead },
    listener,
  );
};

/** Reads a native input. One of a foreign format is given back: all of them are read later, as one. A file that nobody named is
 * left out where it is no trace. */
const readInput = async (
  trace: Trace,
  input: Input,
  file: number,
  from: From,
  listener: TraceListener,
  wanted: Wanted,
): Promise<ForeignInput | 'read' | 'no trace'> => {
  const isFound = input.isFound === true;
  try {
    const found = await lookAt(input, file, from);
    if (found.kind === 'foreign') return found.input;
    try {
      if (found.kind !== 'native' && isFound) return 'no trace';
      if (found.kind === 'printed') refusePrinted(found.bytes, file, listener, wanted);
      else await trace.read(found.opened, file);
    } finally {
      found.opened.source.close();
    }
  } catch (error) {
    if (!isInputError(error)) throw error;
    if (error instanceof InputRefused && isFound) return 'no trace';
    listener.onMiss(file, 'unreadable-input', `cannot be read: ${reasonOf(error)}`);
  }
  return 'read';
};

const NOTHING_TRANSLATED: Translation = { origins: undefined, told: [] };
interface Translation {
  readonly origins: Origins | undefined;
  readonly told: readonly Translated[];
}

/** Reads the inputs of foreign formats, all as one. */
const readForeign = async (
  trace: Trace,
  inputs: readonly ForeignInput[],
  file: number,
  options: CheckOptions,
  listener: TraceListener,
  wanted: Wanted,
): Promise<Translation> => {
  if (inputs.length === 0) return NOTHING_TRANSLATED;
  const { createTranslation, sourceOf } = await import('./translation.js');
  const { pieces, origins, told } = createTranslation(
    inputs,
    { ...(options.wishes ?? NO_WISHES), unit: options.unit ?? 'turn' },
    listener,
    wanted,
  );
  await trace.read({ source: sourceOf(pieces), again: undefined, file: undefined }, file);
  return { origins, told };
};

/** Tells who watches how far a look has come: of the first one, the inputs know how much there is. */
const watching = (
  { reach }: Progress,
  inputs: readonly Given[],
  isTranslated: () => boolean,
): ((reached: Reached) => void) => {
  const sizes = inputs.map((input) => ('size' in input ? input.size() : 0));
  const all = sizes.every((size) => size !== undefined) ? sizes.reduce((sum, size) => sum + size, 0) : undefined;
  return (reached) => {
    // What is translated is not as long as what is read for it.
    if (reached.isSecondLook || all === undefined || all === 0 || isTranslated()) reach(reached);
    else reach({ ...reached, of: all, share: Math.min(1, reached.bytes / all) });
  };
};

/** Reads inputs in order as one trace, and judges every run in it. Nothing in a trace makes it throw. */
export const checkInputs = async (inputs: readonly Given[], options: CheckOptions): Promise<Report> =>
  (await watchInputs(inputs, options)).report;

/** The same, and the spans of the run that the options watch. */
export const watchInputs = async (inputs: readonly Given[], options: CheckOptions): Promise<Watched> => {
  try {
    return await judgeInputs(inputs, options);
  } finally {
    options.progress?.end();
  }
};

/** Draws the runs that are to be drawn, from a further look at their spans. */
const drawTimelines = async (trace: Trace, reports: ReadonlyMap<string, RunReport>): Promise<Timelines> => {
  const { ids, tooMany, tooLong } = runsToDraw(reports);
  const drawn = new Map<string, Timeline>();
  await trace.readAgain(ids, (runId, spans) => {
    const report = reports.get(runId);
    if (report !== undefined) drawn.set(runId, timelineOf(report, spans));
  });
  return { drawn, tooMany, tooLong, unread: ids.length - drawn.size };
};

const judgeInputs = async (inputs: readonly Given[], options: CheckOptions): Promise<Watched> => {
  const { terms, customRules = NO_CUSTOM_RULES, isEmptyAllowed, progress } = options;
  const judging = await startJudging(terms, customRules);
  const inputErrors: InputError[] = [];
  const foreign: ForeignInput[] = [];
  let isTruncated = false;
  const listener: TraceListener = {
    onFault: (file, { code, column, message }, line) => void inputErrors.push({ file, line, column, code, message }),
    onMiss(file, code, message) {
      isTruncated = true;
      inputErrors.push({ file, line: undefined, column: undefined, code, message });
    },
    onReach: progress && watching(progress, inputs, () => foreign.length > 0),
  };
  const trace = startTrace(judging, options, listener);
  let skipped = 0;
  const from = options.from ?? (terms.profile === 'classic' ? 'native' : 'auto');
  for (const [file, input] of inputs.entries()) {
    if (isMissing(input)) {
      listener.onMiss(file, input.code, input.because);
      continue;
    }
    const found = isNoFile(input) ? 'no trace' : await readInput(trace, input, file, from, listener, judging.wanted);
    if (found === 'no trace') skipped += 1;
    else if (found !== 'read') foreign.push(found);
  }
  // Behind the inputs stands one more: all that is translated.
  const translation = inputs.length;
  const { origins, told } = await readForeign(trace, foreign, translation, options, listener, judging.wanted);
  const { reports, spans: watched } = await trace.finish();
  settle(reports, judging.inForce);
  const timelines = options.drawsTimelines === true ? await drawTimelines(trace, reports) : undefined;
  trace.close();
  const move = <P extends { readonly file: number; readonly line: number }>(place: P): P =>
    origins === undefined || place.file !== translation ? place : { ...place, ...origins.of(place.line) };
  const isTranslated = ({ first, last }: RunReport): boolean => first.file === translation || last.file === translation;
  const kept = Array.from(reports.values()).filter(({ lies }) => lies !== 'outside');
  const runs =
    origins === undefined ? kept : kept.map((report) => (isTranslated(report) ? movePlaces(report, move) : report));
  const spans = watched.map(({ span, isReplay }) => ({ span: move(span), isReplay }));
  if (customRules.rules.length > 0) inputErrors.push(...ruleErrors(runs));
  const report: Report = {
    files: inputs.map(({ name }) => name),
    profile: terms.profile,
    contract: judging.contracts.base,
    isEmptyAllowed,
    customRules: customRules.rules.map(describeRule),
    runs,
    timelines: timelines && movedTimelines(timelines, move),
    inputErrors,
    translated: told,
    skippedFiles: skipped,
    outsideRuns: reports.size - kept.length,
    timelessRuns: kept.filter(({ lies }) => lies === 'without time').length,
    summary: summarise(runs, inputErrors),
    isTruncated,
  };
  return { report, spans };
};
