import { type Place, placeOf, type RunSoFar, type Spent } from '../run.js';
import { argsOf, hasFailed, type Span } from '../span.js';
import { digest, start, stop, tool } from './example.js';
import { deleteAll, deleteEntry, entryOf, type Few, noEntries, setEntry } from './few.js';
import { defineRule, WARNING } from './rule.js';
import { isPoller, isReading, type Round, roundOf, tellsFrom } from './step.js';

const ID = 'idempotent-no-progress';

/** One read-only call: what it gave last, and in how many rounds it gave the same. */
interface Read {
  readonly name: string | undefined;
  result: string;
  times: number;
  round: Round;
}

interface Told {
  readonly at: Place;
  readonly name: string | undefined;
  readonly args: string;
  readonly result: string;
  /** The most that any read-only call gave one result. */
  times: number;
  halt: Spent | undefined;
}

interface Reads {
  /** Read-only calls since the last call that may have changed what they read. */
  readonly calls: Few<Read>;
  told: Told | undefined;
  /** A read-only call said too little to be compared. */
  isBlind: boolean;
}

const newReads = (): Reads => ({ calls: noEntries(), told: undefined, isBlind: false });

const tell = (reads: Reads, read: Read, args: string, span: Span, run: RunSoFar): void => {
  const { idempotent } = run.contract;
  if (read.times < tellsFrom(idempotent)) return;
  const { result, times } = read;
  reads.told ??= { at: placeOf(span), name: span.name, args, result, times, halt: undefined };
  reads.told.times = Math.max(reads.told.times, times);
  if (times < idempotent.halt) return;
  reads.told.halt ??= run.spent(span);
  run.haltAfter(span, ID);
};

/** By the arguments; of two tools that are asked the same, the second by its name as well. */
const keyOf = (reads: Reads, args: string, { name }: Span): string => {
  const read = entryOf(reads.calls, args);
  return read === undefined || read.name === name ? args : `${args} ${name ?? ''}`;
};

const addResult = (reads: Reads, args: string, result: string, span: Span, run: RunSoFar): void => {
  const { name } = span;
  const key = keyOf(reads, args, span);
  const round = roundOf(span);
  const read = entryOf(reads.calls, key);
  if (read?.name !== name || read?.result !== result) {
    setEntry(reads.calls, key, { name, result, times: 1, round });
  } else if (round === undefined || round !== read.round) {
    read.times += 1;
    read.round = round;
    tell(reads, read, args, span, run);
  }
};

const addRead = (reads: Reads, span: Span, run: RunSoFar): void => {
  const args = argsOf(span);
  const result = span.resultHash;
  if (args !== undefined && hasFailed(span)) deleteEntry(reads.calls, keyOf(reads, args, span));
  else if (args !== undefined && result !== undefined) addResult(reads, args, result, span, run);
  else reads.isBlind = true;
};

/** What was read before a call that may write, or before a wait, may have changed. */
const forget = (reads: Reads | undefined): Reads | undefined => {
  if (reads === undefined) return undefined;
  deleteAll(reads.calls);
  return reads.told === undefined && !reads.isBlind ? undefined : reads;
};

export const idempotentNoProgress = defineRule<Reads, 'idempotent-no-progress'>({
  id: ID,
  family: 'guardrails',
  severity: WARNING,
  passing:
    'No read-only call is made again while nothing could have changed what it reads, only to give the same result.',
  why: 'The answer is already in the context; asking again pays for it twice and moves nothing.',
  evidence:
    'name, args_hash and result_hash of tool spans that only read, by effect read or by name, neighbours or not; ' +
    'copies in one round (round, else iter) count once. Any other call, a declared wait and a terminal begin anew, ' +
    'for they may change what is read, and so does another result or a failure; pollers are left to repeated-call',
  unjudged: 'The family is required, and a read-only call carries no args_hash or no result_hash.',
  action: 'give the result that is already there at the notice, refuse the call at the halt',
  source: 'Hermes tool-loop guardrails',
  options: ['idempotent', 'pollers'],
  example: {
    breaks: [
      start(),
      tool(1, 'a', { name: 'read_file', result_hash: digest('text') }),
      tool(2, 'b', { name: 'read_file', result_hash: digest('other') }),
      tool(3, 'a', { name: 'read_file', result_hash: digest('text') }),
      stop(3),
    ],
    keeps: [
      start(),
      tool(1, 'a', { name: 'read_file', result_hash: digest('text') }),
      tool(2, 'b'),
      tool(3, 'a', { name: 'read_file', result_hash: digest('text') }),
      stop(3),
    ],
  },
  sees: ['tool', 'wait_start', 'wait_end', 'terminal'],
  step(state, span, run) {
    if (span.type !== 'tool' || !isReading(span, run.contract)) return forget(state);
    if (run.waits > 0 || isPoller(span.name, run.contract)) return state;
    const reads = state ?? newReads();
    addRead(reads, span, run);
    return reads;
  },
  end(state, { contract }) {
    if (state?.told === undefined) {
      if (state?.isBlind !== true || !contract.require.includes('guardrails')) return undefined;
      return { kind: 'unverifiable', because: 'a read-only call carries no args_hash or no result_hash' };
    }
    const { at, name, args, result, times, halt } = state.told;
    return {
      kind: 'broken',
      at,
      message: `read-only calls gave the same result up to ${times} times${name === undefined ? '' : `, first one of ${name}`}`,
      evidence: {
        name: name ?? null,
        args_hash: args,
        result_hash: result,
        times,
        notice: contract.idempotent.notice,
        halt: contract.idempotent.halt,
        halted: halt !== undefined,
      },
      halt,
    };
  },
});
