import type { Terms } from './contract.js';
import { type CustomRules, NO_CUSTOM_RULES } from './custom-rules/custom-rules.js';
import { type Input, isInputError, type MissingInput, reasonOf } from './input.js';
import { type Judging, startJudging } from './judging.js';
import { createPlainTrace } from './plain-trace.js';
import { type InputError, type Report, ruleErrors, summarise } from './report.js';
import { describeRule } from './rules/rule.js';
import type { Ordered } from './run.js';
import { startScanner } from './scan/scanner.js';
import { createScannedTrace } from './scanned-trace.js';
import type { Trace, TraceListener } from './trace.js';
import { settle } from './verdict.js';

/** Who reads the lines: the scanner where the machine has it, or in any case the plain reader. */
type Reader = 'scanner' | 'plain';

export interface CheckOptions {
  readonly terms: Terms;
  /** The user's own rules; `classic` knows none. */
  readonly customRules?: CustomRules;
  readonly isEmptyAllowed: boolean;
  /** A run whose spans are wanted as well as its report. */
  readonly watched?: string;
  readonly reader?: Reader;
  /** How many threads may read a large file together. Default 1. */
  readonly jobs?: number;
  /** The least bytes for each of them. */
  readonly threadBytes?: number;
  /** Bytes that the process may take, as far as lines can be left out of memory. Default 384 MB. */
  readonly maxMemory?: number | undefined;
  /** Called again and again while a large trace is read. */
  readonly onMuchRead?: () => void;
}

/** What was judged, and the spans of the run that was watched, in seq order. */
export interface Watched {
  readonly report: Report;
  readonly spans: readonly Ordered[];
}

const isMissing = (input: Input | MissingInput): input is MissingInput => 'code' in input;

const startTrace = (judging: Judging, options: CheckOptions, listener: TraceListener): Trace => {
  const { terms, watched, reader, jobs = 1, threadBytes, maxMemory, onMuchRead } = options;
  const scanner = reader === 'plain' ? undefined : startScanner();
  if (scanner === undefined) return createPlainTrace(judging, watched, listener);
  // Other threads would have to load the user's rules once more.
  const threads = judging.inForce.hasCustomRules ? 1 : jobs;
  return createScannedTrace(
    scanner,
    { terms, judging, watched, jobs: threads, threadBytes, maxMemory, onMuchRead },
    listener,
  );
};

const readInput = async (trace: Trace, input: Input, file: number, listener: TraceListener): Promise<void> => {
  try {
    const opened = input.open();
    try {
      await trace.read(opened, file);
    } finally {
      opened.source.close();
    }
  } catch (error) {
    if (!isInputError(error)) throw error;
    listener.onMiss(file, 'unreadable-input', `cannot be read: ${reasonOf(error)}`);
  }
};

/** Reads inputs in order as one trace, and judges every run in it. Nothing in a trace makes it throw. */
export const checkInputs = async (inputs: readonly (Input | MissingInput)[], options: CheckOptions): Promise<Report> =>
  (await watchInputs(inputs, options)).report;

/** The same, and the spans of the run that the options watch. */
export const watchInputs = async (
  inputs: readonly (Input | MissingInput)[],
  options: CheckOptions,
): Promise<Watched> => {
  const { terms, customRules = NO_CUSTOM_RULES, isEmptyAllowed } = options;
  const judging = await startJudging(terms, customRules);
  const inputErrors: InputError[] = [];
  let isTruncated = false;
  const listener: TraceListener = {
    onFault: (file, { code, column, message }, line) => void inputErrors.push({ file, line, column, code, message }),
    onMiss(file, code, message) {
      isTruncated = true;
      inputErrors.push({ file, line: undefined, column: undefined, code, message });
    },
  };
  const trace = startTrace(judging, options, listener);
  for (const [file, input] of inputs.entries()) {
    if (isMissing(input)) listener.onMiss(file, input.code, input.because);
    else await readInput(trace, input, file, listener);
  }
  const { reports, spans } = await trace.finish();
  settle(reports, judging.inForce);
  const runs = [...reports.values()];
  if (customRules.rules.length > 0) inputErrors.push(...ruleErrors(runs));
  const report: Report = {
    files: inputs.map(({ name }) => name),
    profile: terms.profile,
    contract: judging.contracts.base,
    isEmptyAllowed,
    customRules: customRules.rules.map(describeRule),
    runs,
    inputErrors,
    summary: summarise(runs, inputErrors),
    isTruncated,
  };
  return { report, spans };
};
