import { hash } from 'node:crypto';
import type { Readable } from 'node:stream';
import {
  type Contract,
  type ContractPart,
  EMPTY_PART,
  looserFields,
  readTraceContract,
  resolveContract,
  strictest,
  type Terms,
  withKnownRules,
} from './contract.js';
import { type CustomRules, NO_CUSTOM_RULES } from './custom-rules/index.js';
import { type Input, InputChanged, isInputError, type MissingInput, reasonOf } from './input.js';
import { type Line, readLines } from './lines.js';
import { type InputError, type Report, ruleErrors, summarise } from './report.js';
import { createRows } from './rows.js';
import { describeRule } from './rules/rule.js';
import { foldRows, groupRuns, inOrder, type OpenRun, type Ordered } from './run.js';
import { type LineFault, readLine } from './scan/plain.js';
import type { Span } from './span.js';
import { compareCodePoints, withoutOuterWhite } from './text.js';
import { judge, RulesFold, type RunReport, rulesInForce, settle } from './verdict.js';

export interface CheckOptions {
  readonly terms: Terms;
  /** The user's own rules; `classic` knows none. */
  readonly customRules?: CustomRules;
  readonly isEmptyAllowed: boolean;
  /** A run whose spans are wanted as well as its report. */
  readonly watched?: string;
}

/** What was judged, and the spans of the run that was watched, in seq order. */
export interface Watched {
  readonly report: Report;
  readonly spans: readonly Ordered[];
}

const BLANK = /^[ \t\r]*$/;
const DIGEST_LENGTH = 22;

/** A digest of a line, white space around it aside: two lines that share it are the same line (132 bits of SHA-256). */
const digestLine = (text: string): string => hash('sha256', withoutOuterWhite(text), 'base64').slice(0, DIGEST_LENGTH);

/** The contracts of a trace: one a file, and one for each run that brings its own. */
const createContracts = (terms: Terms) => {
  const isAsked = terms.profile !== 'classic';
  const headers = new Map<number, ContractPart>();
  const shared = new Map<number, Contract>();
  const base = resolveContract(terms, EMPTY_PART, EMPTY_PART);
  // Lines whose contract cannot be read were left out as unusable.
  const partOf = (own: unknown): ContractPart => {
    const part = readTraceContract(own);
    return 'field' in part ? EMPTY_PART : withKnownRules(part, terms);
  };
  return {
    base,
    isAsked,
    setHeader(file: number, part: ContractPart): void {
      const known = withKnownRules(part, terms);
      headers.set(file, known);
      shared.set(file, resolveContract(terms, known, EMPTY_PART));
    },
    /** @param owns the contracts that the run brings, in seq order */
    of(file: number, owns: readonly unknown[]): Contract {
      const parts = isAsked ? owns.map(partOf) : [];
      const [first, ...others] = parts;
      if (first === undefined) return shared.get(file) ?? base;
      const header = headers.get(file) ?? EMPTY_PART;
      const contract = resolveContract(terms, header, strictest(parts));
      if (others.length === 0) return contract;
      // What a later contract asks beyond the first is asked of the run that already has one.
      const loosened = parts.flatMap((part) => [
        ...resolveContract(terms, header, part).loosened,
        ...looserFields(part, first),
      ]);
      return { ...contract, loosened: [...new Set(loosened)] };
    },
  };
};

/** One look at an input: where its spans, its header and its faults go. */
interface Looker {
  readonly mayHaveHeader: boolean;
  /** The keys of a line that custom rules read. */
  readonly fields: readonly string[];
  onSpan(span: Span, text: string): void;
  onHeader(part: ContractPart): void;
  onFault(fault: LineFault, line: number): void;
}

const TORN: ReadonlySet<string> = new Set(['invalid-json', 'invalid-utf8']);
const TORN_MESSAGE =
  'the last line is cut and has no line end: its writer was killed; its run is judged on what remains';

const tornOr = (fault: LineFault, hasEnd: boolean): LineFault =>
  !hasEnd && TORN.has(fault.code) ? { code: 'torn-tail', column: fault.column, message: TORN_MESSAGE } : fault;

const faultOfLine = (line: Exclude<Line, { kind: 'text' }>): LineFault =>
  line.kind === 'too-long'
    ? { code: 'line-too-long', column: 1, message: 'longer than 16 MiB; write digests, not payloads' }
    : { code: 'invalid-utf8', column: line.column, message: 'not UTF-8 from here on; write traces in UTF-8' };

/** Counts lines over all inputs. */
interface Counter {
  position: number;
}

/** Reads one input to its end. */
const readInput = async (stream: Readable, file: number, counter: Counter, looker: Looker): Promise<void> => {
  let mayBeHeader = looker.mayHaveHeader;
  await readLines(stream, (line, number, hasEnd) => {
    counter.position += 1;
    if (line.kind !== 'text') {
      mayBeHeader = false;
      looker.onFault(tornOr(faultOfLine(line), hasEnd), number);
      return;
    }
    if (BLANK.test(line.text)) return;
    const place = { file, line: number, position: counter.position };
    const read = readLine(line.text, place, mayBeHeader, looker.fields);
    mayBeHeader = false;
    if (read.kind === 'span') looker.onSpan(read.span, line.text);
    else if (read.kind === 'header') looker.onHeader(read.part);
    else looker.onFault(tornOr(read.fault, hasEnd), number);
  });
};

const CHANGED = 'the file changed while it was read; its late runs cannot be judged for sure';

/** A trace on its way from inputs to a report. */
const createCheck = ({ terms, customRules = NO_CUSTOM_RULES, isEmptyAllowed, watched }: CheckOptions) => {
  const contracts = createContracts(terms);
  const inForce = rulesInForce(terms.profile, customRules.rules);
  const fields = [...new Set(inForce.rules.flatMap((rule) => rule.fields ?? []))];
  const startFold = (first: Span, owns: readonly unknown[]): RulesFold =>
    new RulesFold(first, contracts.of(first.file, owns), inForce);
  const { runs, add } = groupRuns(startFold, contracts.isAsked);
  const rows = createRows();
  const inputErrors: InputError[] = [];
  let isTruncated = false;

  const keep = (run: OpenRun<RulesFold>, span: Span, text: string): void => {
    run.lastRow = rows.append(run.lastRow, span, contracts.isAsked ? digestLine(text) : undefined);
    run.rows += 1;
  };
  const addFault = (file: number, { code, column, message }: LineFault, line: number): void => {
    inputErrors.push({ file, line, column, code, message });
  };
  const judgeRun = (runId: string, run: OpenRun<RulesFold>): RunReport | undefined => {
    const fold = run.fold ?? foldRows(rows.read(run.lastRow, runId), startFold);
    return fold && judge(fold);
  };

  return {
    /** @param isKept whether the input cannot be read again, so that a run that turns out late needs its rows now */
    look: (file: number, isKept: boolean): Looker => ({
      mayHaveHeader: contracts.isAsked,
      fields,
      onSpan(span, text) {
        const run = add(span);
        if (isKept || span.runId === watched) keep(run, span, text);
      },
      onHeader: (part) => contracts.setHeader(file, part),
      onFault: (fault, line) => addFault(file, fault, line),
    }),
    /** The second look takes the spans of late runs alone; all else has been said. */
    lookAgain: (): Looker => ({
      mayHaveHeader: contracts.isAsked,
      fields,
      onSpan(span, text) {
        const run = runs.get(span.runId);
        const isKept = span.runId === watched;
        if (run !== undefined && run.fold === undefined && !isKept) keep(run, span, text);
      },
      onHeader() {},
      onFault() {},
    }),
    needsSecondLook: (): boolean => [...runs.values()].some((run) => run.fold === undefined && run.rows < run.lines),
    miss(file: number, code: InputError['code'], message: string): void {
      isTruncated = true;
      inputErrors.push({ file, line: undefined, column: undefined, code, message });
    },
    hasAllRows: (): boolean => [...runs.values()].every((run) => run.fold !== undefined || run.rows === run.lines),
    watchedSpans(): readonly Ordered[] {
      const run = runs.get(watched ?? '');
      return run === undefined ? [] : inOrder(rows.read(run.lastRow, watched ?? ''));
    },
    report(files: readonly string[]): Report {
      const reports = new Map<string, RunReport>();
      for (const runId of [...runs.keys()].sort(compareCodePoints)) {
        const run = runs.get(runId);
        const report = run && judgeRun(runId, run);
        if (report !== undefined) reports.set(runId, report);
        // What is folded is reported: folds and reports of all runs need not stand in memory together.
        runs.delete(runId);
      }
      settle(reports, inForce);
      const judged = [...reports.values()];
      if (customRules.rules.length > 0) inputErrors.push(...ruleErrors(judged));
      const summary = summarise(judged, inputErrors);
      const { base } = contracts;
      return {
        files,
        profile: terms.profile,
        contract: base,
        isEmptyAllowed,
        customRules: customRules.rules.map(describeRule),
        runs: judged,
        inputErrors,
        summary,
        isTruncated,
      };
    },
  };
};

const isMissing = (input: Input | MissingInput): input is MissingInput => 'code' in input;

/** An input as it was read first, for the second look. */
interface Seen {
  readonly file: number;
  readonly before: number;
  readonly again: () => Readable;
}

/** Reads inputs in order as one trace, and judges every run in it. Nothing in a trace makes it throw. */
export const checkInputs = async (inputs: readonly (Input | MissingInput)[], options: CheckOptions): Promise<Report> =>
  (await watchInputs(inputs, options)).report;

/** The same, and the spans of the run that the options watch. */
export const watchInputs = async (
  inputs: readonly (Input | MissingInput)[],
  options: CheckOptions,
): Promise<Watched> => {
  const check = createCheck(options);
  const counter: Counter = { position: 0 };
  const seen: Seen[] = [];
  for (const [file, input] of inputs.entries()) {
    if (isMissing(input)) {
      check.miss(file, input.code, input.because);
      continue;
    }
    try {
      const { stream, again } = input.open();
      if (again !== undefined) seen.push({ file, before: counter.position, again });
      await readInput(stream, file, counter, check.look(file, again === undefined));
    } catch (error) {
      if (!isInputError(error)) throw error;
      check.miss(file, 'unreadable-input', `cannot be read: ${reasonOf(error)}`);
    }
  }
  if (check.needsSecondLook()) await lookAgain(seen, check);
  const spans = check.watchedSpans();
  return { report: check.report(inputs.map(({ name }) => name)), spans };
};

const lookAgain = async (seen: readonly Seen[], check: ReturnType<typeof createCheck>): Promise<void> => {
  for (const { file, before, again } of seen) {
    try {
      await readInput(again(), file, { position: before }, check.lookAgain());
    } catch (error) {
      // Its rows are missing then, and that is said below.
      if (error instanceof InputChanged) continue;
      if (!isInputError(error)) throw error;
      check.miss(file, 'unreadable-input', `cannot be read a second time: ${reasonOf(error)}`);
    }
  }
  if (!check.hasAllRows()) check.miss(seen[0]?.file ?? 0, 'changed-while-read', CHANGED);
};
