import type { Contract } from './contract.js';
import { argsOf, hasFailed, orderKey, type Span } from './span.js';
import type { Alive } from './window.js';

/**
 * A span as findings point at it: where its line stands, and its own names.
 * `file` indexes the inputs of the report, from 0; `line` counts from 1 in that input.
 */
export interface Place {
  readonly file: number;
  readonly line: number;
  readonly seq: number | undefined;
  readonly spanId: string | undefined;
}

export const placeOf = (span: Span): Place => ({
  file: span.file,
  line: span.line,
  seq: span.seq,
  spanId: span.spanId,
});

/** What a run used up: tool calls, greatest iteration, tokens by kind, and seconds where a clock says so. */
export interface Spent {
  /** How many spans of the run that took. */
  readonly spans: number;
  readonly calls: number;
  readonly iterations: number;
  readonly tokensIn: number;
  readonly tokensCached: number;
  readonly tokensOut: number;
  readonly tokensAux: number;
  readonly seconds: number | undefined;
}

/** The terminal of a run: of several, the first. */
export interface Terminal {
  readonly place: Place;
  readonly reason: string | undefined;
  readonly status: string | undefined;
  readonly successorRun: string | undefined;
  /** The source's own word for why the run stopped. */
  readonly detail: string | undefined;
  readonly claim: string | undefined;
  readonly isInferred: boolean;
}

/** A place where a guard should have halted the run. */
export interface DueHalt {
  readonly at: Place;
  /** The rule whose count reached its halt there. */
  readonly cause: string;
  /** Whether the span there is the first that should not have been, or the last that should. */
  readonly isRefusal: boolean;
  /** Calls of the run up to it, and the model response that it stands in. */
  readonly calls: number;
  readonly round: string | number | undefined;
  readonly turn: string | number | undefined;
  readonly spent: Spent;
}

// A run whose spans carry both clocks in turn is measured by the monotonic one.
const secondsBetween = (run: RunSoFar, last: Span | undefined): number | undefined => {
  const lastMono = last?.monoMs ?? run.lastMono;
  if (run.firstMono !== undefined && lastMono !== undefined) return notNegative((lastMono - run.firstMono) / 1000);
  const lastTs = last?.ts ?? run.lastTs;
  // Clocks of two emitters cannot be subtracted.
  if (run.firstTs === undefined || lastTs === undefined || run.hasMixedEmitters) return undefined;
  return notNegative((instant(lastTs) - instant(run.firstTs)) / 1000);
};
// A time without an offset would mean another instant on each machine.
const RFC_3339 = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;
const instant = (ts: string): number => (RFC_3339.test(ts) ? Date.parse(ts) : Number.NaN);

const notNegative = (seconds: number): number | undefined =>
  seconds >= 0 && Number.isFinite(seconds) ? seconds : undefined;

// Counts that a trace makes up stay numbers that JSON readers can hold.
const sum = (left: number, right: number): number => Math.min(left + right, Number.MAX_SAFE_INTEGER);

const dueAt = (span: Span, cause: string) => ({ at: placeOf(span), cause, turn: span.details?.turn });

/**
 * What is known of a run before the span at hand: the facts that several rules read, kept once.
 * Fixed in size, so that a run in order costs the same however long it is.
 */
export class RunSoFar {
  readonly runId: string;
  contract: Contract;
  /** When the run was alive; undefined where nobody asks. */
  alive: Alive | undefined = undefined;
  /** Lines of the run, replays among them. */
  lines = 0;
  /** Spans of the run without replays. */
  spans = 0;
  terminals = 0;
  /** Of several terminals, the first. */
  terminal: Terminal | undefined = undefined;
  /** 0 where no span carries an iteration. */
  greatestIter = 0;
  firstIter: number | undefined = undefined;
  lastIter: number | undefined = undefined;
  lastSeq: number | undefined = undefined;
  /** Tool spans. */
  calls = 0;
  tokensIn = 0;
  tokensCached = 0;
  tokensOut = 0;
  tokensAux = 0;
  /** Of the spans that carry `mono_ms`, in milliseconds. */
  firstMono: number | undefined = undefined;
  lastMono: number | undefined = undefined;
  /** Of the spans that carry a `ts` and no `mono_ms`, as it is written. */
  firstTs: string | undefined = undefined;
  lastTs: string | undefined = undefined;
  /** The first emitter that the run names, and whether it names another one as well. */
  emitter: string | undefined = undefined;
  hasMixedEmitters = false;
  /** The latest fingerprint of the worktree, and how many spans stood before the one that carried it. */
  worktree: string | undefined = undefined;
  worktreeAt = -1;
  /** Calls that are no declared wait, and what the last of them was. */
  stepCalls = 0;
  callName: string | undefined = undefined;
  /** Undefined too where the digest is empty: it tells nothing. */
  callArgs: string | undefined = undefined;
  callResult: string | undefined = undefined;
  callIter: number | undefined = undefined;
  callRound: string | number | undefined = undefined;
  hasCallFailed = false;
  isCallBlocked = false;
  /** Whether any call so far could be told from another. */
  hasArgs = false;
  /** Waits that have begun and not ended. */
  waits = 0;
  /** Where a guard should have halted the run: of several places, the first that no guard has answered. */
  dueHalt: DueHalt | undefined = undefined;
  firstFile: number;
  firstLine: number;
  firstSeq: number | undefined;
  lastFile: number;
  lastLine: number;
  lastPlaceSeq: number | undefined;
  lastSpanId: string | undefined;

  constructor(first: Span, contract: Contract) {
    this.runId = first.runId;
    this.contract = contract;
    this.firstFile = this.lastFile = first.file;
    this.firstLine = this.lastLine = first.line;
    this.firstSeq = this.lastPlaceSeq = first.seq;
    this.lastSpanId = first.spanId;
  }

  get first(): Place {
    return { file: this.firstFile, line: this.firstLine, seq: this.firstSeq, spanId: undefined };
  }

  get last(): Place {
    return { file: this.lastFile, line: this.lastLine, seq: this.lastPlaceSeq, spanId: this.lastSpanId };
  }

  /** What was spent before the span at hand; with `span`, up to and including it. */
  spent(span?: Span): Spent {
    return {
      spans: this.spans + (span === undefined ? 0 : 1),
      calls: this.calls + (span?.type === 'tool' ? 1 : 0),
      iterations: Math.max(this.greatestIter, span?.iter ?? 0),
      tokensIn: sum(this.tokensIn, span?.tokensIn ?? 0),
      tokensCached: sum(this.tokensCached, span?.tokensCached ?? 0),
      tokensOut: sum(this.tokensOut, span?.tokensOut ?? 0),
      tokensAux: sum(this.tokensAux, span?.tokensAux ?? 0),
      seconds: secondsBetween(this, span),
    };
  }

  /** Says that a guard should halt the run after the span at hand. */
  haltAfter(span: Span, cause: string): void {
    if (this.dueHalt !== undefined) return;
    const calls = this.calls + (span.type === 'tool' ? 1 : 0);
    const round = span.round ?? span.iter;
    this.dueHalt = { ...dueAt(span, cause), isRefusal: false, calls, round, spent: this.spent(span) };
  }

  /** Says that a guard should have refused the span at hand. */
  haltBefore(span: Span, cause: string): void {
    const { calls } = this;
    this.dueHalt ??= { ...dueAt(span, cause), isRefusal: true, calls, round: undefined, spent: this.spent() };
  }

  /** Takes the span into the facts, after every rule has seen it. */
  add(span: Span): void {
    if (span.details?.worktree !== undefined) {
      this.worktree = span.details.worktree;
      this.worktreeAt = this.spans;
    }
    this.lines += 1;
    this.spans += 1;
    if (span.type === 'tool') this.addCall(span);
    else if (span.type === 'terminal') this.addTerminal(span);
    else if (span.type === 'wait_start') this.waits += 1;
    else if (span.type === 'wait_end') this.waits = Math.max(0, this.waits - 1);
    if (span.iter !== undefined) {
      this.firstIter ??= span.iter;
      this.lastIter = span.iter;
      if (span.iter > this.greatestIter) this.greatestIter = span.iter;
    }
    if (span.seq !== undefined) this.lastSeq = span.seq;
    this.tokensIn = sum(this.tokensIn, span.tokensIn);
    this.tokensCached = sum(this.tokensCached, span.tokensCached);
    this.tokensOut = sum(this.tokensOut, span.tokensOut);
    this.tokensAux = sum(this.tokensAux, span.tokensAux);
    this.addClock(span);
    this.addLast(span);
    this.alive?.add(span.ts);
  }

  /** Counts a line that repeats an earlier one: no rule but the one about replays sees it. */
  addReplay(): void {
    this.lines += 1;
  }

  private addCall(span: Span): void {
    this.calls += 1;
    if (this.waits > 0 || span.effect === 'wait') return;
    this.stepCalls += 1;
    this.callName = span.name;
    this.callArgs = argsOf(span);
    this.callResult = span.resultHash;
    this.callIter = span.iter;
    this.callRound = span.round;
    this.hasCallFailed = hasFailed(span);
    this.isCallBlocked = span.details?.outcome === 'blocked';
    if (this.callArgs !== undefined) this.hasArgs = true;
  }

  private addTerminal(span: Span): void {
    this.terminals += 1;
    this.terminal ??= {
      place: placeOf(span),
      reason: span.reason,
      status: span.status,
      successorRun: span.successorRun,
      detail: span.detail,
      claim: span.claim,
      isInferred: span.isInferred,
    };
  }

  private addClock(span: Span): void {
    if (span.monoMs !== undefined) {
      this.firstMono ??= span.monoMs;
      this.lastMono = span.monoMs;
    } else if (span.ts !== undefined) {
      this.firstTs ??= span.ts;
      this.lastTs = span.ts;
    }
    if (span.emitter === undefined) return;
    this.emitter ??= span.emitter;
    if (span.emitter !== this.emitter) this.hasMixedEmitters = true;
  }

  private addLast(span: Span): void {
    this.lastFile = span.file;
    this.lastLine = span.line;
    this.lastPlaceSeq = span.seq;
    this.lastSpanId = span.spanId;
  }
}

/** What a run's spans are folded into. `step` takes them in seq order, `replay` the repeated lines among them. */
export interface RunFold {
  readonly run: RunSoFar;
  step(span: Span): void;
  replay(span: Span): void;
}

/** A row of the second look: the span, and what only the same line has, where replays must be told from conflicts. */
export interface Row {
  readonly span: Span;
  readonly identity: string | undefined;
}

/** Ascending seq, ties in input order: positions differ, so the order is total. */
const byOrder = (left: Row, right: Row): number =>
  orderKey(left.span) - orderKey(right.span) || left.span.position - right.span.position;

/** A run's rows in seq order, each with whether it repeats an earlier line. */
export const inOrder = (rows: readonly Row[]): readonly Ordered[] => {
  let seq: number | undefined;
  const seen = new Set<string>();
  return rows.toSorted(byOrder).map(({ span, identity }, index, sorted) => {
    if (span.seq !== undefined && span.seq !== seq) {
      seq = span.seq;
      seen.clear();
      // Most spans have their seq for themselves, and are no replay. One without a seq may stand between two alike.
      const next = sorted[index + 1]?.span;
      if (next === undefined || orderKey(next) !== seq) return { span, isReplay: false };
    }
    const isReplay = span.seq !== undefined && identity !== undefined && seen.has(identity);
    if (span.seq !== undefined && identity !== undefined) seen.add(identity);
    return { span, isReplay };
  });
};

/** A span where it stands in its run. */
export interface Ordered {
  readonly span: Span;
  readonly isReplay: boolean;
}

/** Folds a run's rows, given in any order, exactly as if they had arrived in order. */
export const foldRows = <F extends RunFold>(
  rows: readonly Row[],
  startFold: (first: Span, owns: readonly unknown[]) => F,
): F | undefined => {
  const ordered = inOrder(rows);
  const first = ordered[0]?.span;
  if (first === undefined) return undefined;
  const owns = ordered.flatMap(({ span }) => (span.contract === undefined ? [] : [span.contract]));
  const fold = startFold(first, owns);
  for (const { span, isReplay } of ordered) {
    if (isReplay) fold.replay(span);
    else fold.step(span);
  }
  return fold;
};

/** One run while the input is read: its fold as long as its spans arrive in order, nothing but a count once they don't. */
export interface OpenRun<F extends RunFold> {
  fold: F | undefined;
  lastKey: number;
  lines: number;
  /** How many of the lines are kept as rows, and the number of the newest; -1 for none. */
  rows: number;
  lastRow: number;
}

/**
 * Whether a span comes out of the order of its run.
 * @param lastKey the order key of the span before it
 * @param hasReplays whether identical lines at one seq are replays, and runs may carry contracts
 */
export const arrivesLate = (lastKey: number, span: Span, hasReplays: boolean): boolean => {
  const key = orderKey(span);
  if (key < lastKey) return true;
  // A repeated seq may be a replay, and a contract after the first span binds the spans before it:
  // both need the whole run at hand.
  return hasReplays && (span.contract !== undefined || (span.seq !== undefined && key === lastKey));
};

export interface Grouping<F extends RunFold> {
  readonly runs: Map<string, OpenRun<F>>;
  /** Takes the next span of the input. */
  add(span: Span): OpenRun<F>;
}

/**
 * Groups spans by run and folds each run while it arrives in order.
 * @param hasReplays whether identical lines at one seq are replays, and runs may carry contracts
 */
export const groupRuns = <F extends RunFold>(
  startFold: (first: Span, owns: readonly unknown[]) => F,
  hasReplays: boolean,
): Grouping<F> => {
  const runs = new Map<string, OpenRun<F>>();
  return {
    runs,
    add(span) {
      let run = runs.get(span.runId);
      if (run === undefined) {
        run = {
          fold: startFold(span, span.contract === undefined ? [] : [span.contract]),
          lastKey: Number.NEGATIVE_INFINITY,
          lines: 0,
          rows: 0,
          lastRow: -1,
        };
        runs.set(span.runId, run);
      } else if (run.fold !== undefined && arrivesLate(run.lastKey, span, hasReplays)) {
        run.fold = undefined;
      }
      run.lines += 1;
      run.lastKey = orderKey(span);
      run.fold?.step(span);
      return run;
    },
  };
};
