import type { WireSpan } from '../span.js';
import type { Digests } from './digest.js';

/** A native span before its run and its place in it are known. */
export type Fields = Omit<WireSpan, 'run_id' | 'seq' | 'iter'>;

/** Writes a native span that stands for something in a line of an input. */
export type WriteSpan = (span: WireSpan, line: LineOf) => void;

/** A line of an input: `file` indexes the inputs, `line` counts from 1. */
export interface LineOf {
  readonly file: number;
  readonly line: number;
}

/** Tokens of a model round, by kind. */
export interface Usage {
  readonly in?: number;
  readonly cached?: number;
  readonly out?: number;
  readonly aux?: number;
}

export interface Call {
  /** What its result names it by. */
  readonly id?: string | undefined;
  readonly name: string;
  /** As the source has them, or undefined where it does not say them; only their digest is kept. */
  readonly args?: unknown;
  readonly ts?: string | undefined;
  readonly more?: Fields;
}

export interface Result {
  /** What the tool gave back; only its digest is kept. */
  readonly value?: unknown;
  /** Undefined where the source does not say it. */
  readonly isError?: boolean | undefined;
  readonly exitCode?: number | undefined;
  readonly more?: Fields;
}

/** How a run stopped, in the words of its source. */
export interface Stop {
  /** The source's word, or one of the five reasons. */
  readonly value: string;
  /** More than the word says: `user_interrupt`. */
  readonly detail?: string | undefined;
  /** Nothing in the source says that the run stopped: it follows from what does. */
  readonly isInferred: boolean;
  /** What is claimed: that the goal is reached, or that the turn is over. */
  readonly claim?: 'goal' | 'turn_ended';
  readonly ts?: string | undefined;
  readonly more?: Fields;
}

/** A span that is not written yet: a result may still come, or a better count of its tokens. */
interface Pending {
  readonly fields: Fields;
  readonly iter: number;
  readonly line: LineOf;
  isSettled: boolean;
}

const NOTHING_PENDING: Pending[] = [];
/** Spans that may wait behind a call without a result. */
const MOST_PENDING = 4096;

const usageFields = ({ in: fresh, cached, out, aux }: Usage): Fields => ({
  ...(fresh !== undefined && { tokens_in: fresh }),
  ...(cached !== undefined && { tokens_cached: cached }),
  ...(out !== undefined && { tokens_out: out }),
  ...(aux !== undefined && { tokens_aux: aux }),
});

/** Leaves out what is undefined: a line says only what it has. */
const said = (fields: Fields): Fields => {
  const given: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(fields)) if (value !== undefined) given[key] = value;
  return given;
};

/** Who the writers of all runs share: where spans go, and what words and values stand for. */
export interface WriterWorld {
  readonly write: WriteSpan;
  readonly digests: Digests;
  readonly reasonOf: (value: string) => string;
}

/**
 * Writes one run as native spans: dense seq from 1, iterations counted over the model rounds that are written, calls
 * in the order in which they were made, and one terminal at most: the last stop that no work has followed.
 */
export class RunWriter {
  readonly runId: string;
  #world: WriterWorld;
  #seq = 0;
  #iter = 0;
  // Runs are many, and most are over: what only an open one needs is made when it is needed.
  #pending: Pending[] = NOTHING_PENDING;
  #calls: Map<string, Pending> | undefined;
  #round: Pending | undefined;
  #stop: { readonly stop: Stop; readonly line: LineOf } | undefined;
  #waiting: { readonly on: string; readonly line: LineOf } | undefined;

  constructor(runId: string, world: WriterWorld) {
    this.runId = runId;
    this.#world = world;
  }

  /** Whether nothing has been written of it, or will be. */
  get isEmpty(): boolean {
    return this.#seq === 0 && this.#pending.length === 0;
  }
  /** Model rounds so far. */
  get rounds(): number {
    return this.#iter;
  }
  /** The stop that stands as long as no work follows it. */
  get stopSoFar(): Stop | undefined {
    return this.#stop?.stop;
  }
  /** Calls whose results have not come. */
  get openCalls(): number {
    return this.#calls?.size ?? 0;
  }

  /** The run begins. `goal` must not quote what a person wrote: see {@link goalOf}. */
  start(line: LineOf, goal: string | undefined, ts?: string, more: Fields = {}): void {
    this.span(line, { type: 'loop_start', goal, ts, ...more });
  }

  /** A model round begins: the next iteration. */
  round(line: LineOf, usage: Usage = {}, more: Fields = {}): void {
    this.#work();
    this.#settleRound();
    this.#iter += 1;
    this.#round = this.#add(line, { type: 'model', ...usageFields(usage), ...more }, false);
  }

  /** A better word on the round at hand: the last copy of a message has its full usage. */
  updateRound(usage: Usage, more: Fields = {}): void {
    if (this.#round !== undefined) Object.assign(this.#round.fields, said({ ...usageFields(usage), ...more }));
  }

  /** The next iteration begins, and the source has no record of the model's response. */
  nextIteration(): void {
    this.#work();
    this.#settleRound();
    this.#iter += 1;
  }

  /** A tool is called. Its span is written when its result has come, or the run ends. */
  call(line: LineOf, { id, name, args, ts, more }: Call): void {
    this.#work();
    const call = this.#add(
      line,
      { type: 'tool', name, args_hash: this.#world.digests.args(name, args), ts, call_id: id, ...more },
      id === undefined,
    );
    if (id === undefined) return;
    this.#calls ??= new Map();
    this.#calls.set(id, call);
  }

  /** A call that has its result with it. */
  done(line: LineOf, call: Call, result: Result): void {
    this.#work();
    const pending = this.#add(
      line,
      {
        type: 'tool',
        name: call.name,
        args_hash: this.#world.digests.args(call.name, call.args),
        ts: call.ts,
        call_id: call.id,
        ...call.more,
      },
      false,
    );
    this.#settle(pending, result);
  }

  /** The result of a call. False: no open call of this run has the id. */
  result(id: string, result: Result): boolean {
    const call = this.#calls?.get(id);
    if (call === undefined) return false;
    this.#calls?.delete(id);
    this.#settle(call, result);
    return true;
  }

  /** Any other span. */
  span(line: LineOf, fields: Fields): void {
    this.#add(line, said(fields), true);
  }

  /** The source says that the run stopped, or it follows. Work that comes after it takes it back. */
  stop(line: LineOf, stop: Stop): void {
    this.#waiting = undefined;
    this.#stop = { stop, line };
  }

  /** It goes on after all. */
  resume(): void {
    this.#work();
  }

  /** It waits for somebody, at the last word so far: it has not stopped. */
  wait(line: LineOf, on: 'human' | 'child' | 'process' | 'timer'): void {
    this.#stop = undefined;
    this.#waiting = { on, line };
  }

  /** Nothing more comes of the run. */
  close(): void {
    this.#settleRound();
    for (const each of this.#pending) this.#writePending(each);
    this.#pending = NOTHING_PENDING;
    this.#calls = undefined;
    if (this.#waiting !== undefined)
      this.#write({ type: 'wait_start', on: this.#waiting.on }, this.#iter, this.#waiting.line);
    if (this.#stop !== undefined) this.#writeStop(this.#stop.stop, this.#stop.line);
    this.#stop = undefined;
    this.#waiting = undefined;
  }

  #work(): void {
    this.#stop = undefined;
    this.#waiting = undefined;
  }

  #add(line: LineOf, fields: Fields, isSettled: boolean): Pending {
    const pending = { fields: said(fields), iter: this.#iter, line, isSettled };
    if (this.#pending === NOTHING_PENDING) this.#pending = [];
    this.#pending.push(pending);
    this.#flush();
    return pending;
  }

  #settle(call: Pending, { value, isError, exitCode, more }: Result): void {
    const { result, raw } = this.#world.digests.result(value);
    const status = isError === undefined ? undefined : isError ? 'error' : 'ok';
    const fields = {
      result_hash: result,
      result_hash_raw: raw === result ? undefined : raw,
      status,
      exit_code: exitCode,
    };
    Object.assign(call.fields, said({ ...fields, ...more }));
    call.isSettled = true;
    this.#flush();
  }

  #settleRound(): void {
    if (this.#round !== undefined) this.#round.isSettled = true;
    this.#round = undefined;
    this.#flush();
  }

  #flush(): void {
    let settled = 0;
    while (settled < this.#pending.length) {
      const next = this.#pending[settled];
      if (next === undefined || !(next.isSettled || this.#pending.length - settled > MOST_PENDING)) break;
      this.#writePending(next);
      settled += 1;
    }
    if (settled > 0) this.#pending.splice(0, settled);
  }

  #writePending({ fields, iter, line }: Pending): void {
    this.#write(fields, iter, line);
  }

  #write(fields: Fields, iter: number, line: LineOf): void {
    this.#seq += 1;
    this.#world.write({ run_id: this.runId, seq: this.#seq, iter, ...fields }, line);
  }

  #writeStop({ value, detail = value, isInferred, claim = 'turn_ended', ts, more }: Stop, line: LineOf): void {
    const reason = this.#world.reasonOf(value);
    const fields = {
      type: 'terminal',
      reason,
      detail: detail === reason ? undefined : detail,
      inferred: isInferred || undefined,
    };
    this.#write(said({ ...fields, claim: reason === 'done' ? claim : undefined, ts, ...more }), this.#iter, line);
  }
}
