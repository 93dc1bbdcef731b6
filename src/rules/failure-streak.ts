import { type Place, placeOf, type RunSoFar, type Spent } from '../run.js';
import { argsOf, hasFailed, type Span } from '../span.js';
import { start, stop, tool } from './example.js';
import { deleteAll, deleteEntry, entryOf, type Few, isEmpty, noEntries, setEntry } from './few.js';
import { defineRule, WARNING } from './rule.js';
import { isReading, type Round, roundOf } from './step.js';

const ID = 'failure-streak';

/** Rounds in which a call, or a tool, failed without a success between. */
interface Streak {
  failures: number;
  round: Round;
}

interface ToolStreak extends Streak {
  readonly calls: Few<Streak>;
}

interface Told {
  readonly at: Place;
  readonly of: 'call' | 'tool';
  readonly name: string | undefined;
  readonly args: string | undefined;
  /** The streak itself: it may go on. */
  readonly streak: Streak;
  readonly limits: readonly [notice: number, halt: number];
  halt: Spent | undefined;
}

interface Failures {
  readonly tools: Few<ToolStreak>;
  told: Told | undefined;
}

const newFailures = (): Failures => ({ tools: noEntries(), told: undefined });
// Of a run without failures: one for all runs, and never written to.
const NO_FAILURES = newFailures();

const addRound = (streak: Streak, round: Round): boolean => {
  if (round !== undefined && streak.round === round) return false;
  streak.failures += 1;
  streak.round = round;
  return true;
};

const tell = (failures: Failures, of: 'call' | 'tool', streak: Streak, span: Span, run: RunSoFar): void => {
  const limits = run.contract.failures[of];
  const [notice, halt] = limits;
  if (streak.failures < Math.min(notice, halt)) return;
  const args = of === 'call' ? argsOf(span) : undefined;
  failures.told ??= { at: placeOf(span), of, name: span.name, args, streak, limits, halt: undefined };
  if (streak.failures < halt) return;
  failures.told.halt ??= run.spent(span);
  run.haltAfter(span, ID);
};

const toolStreak = ({ tools }: Failures, name: string): ToolStreak => {
  const known = entryOf(tools, name);
  if (known !== undefined) return known;
  const made = { failures: 0, round: undefined, calls: noEntries<Streak>() };
  setEntry(tools, name, made);
  return made;
};

const callStreak = ({ calls }: ToolStreak, args: string): Streak => {
  const known = entryOf(calls, args);
  if (known !== undefined) return known;
  const made = { failures: 0, round: undefined };
  setEntry(calls, args, made);
  return made;
};

const addFailure = (failures: Failures, span: Span, run: RunSoFar): void => {
  const round = roundOf(span);
  const tool = toolStreak(failures, span.name ?? '');
  const args = argsOf(span);
  const call = args === undefined ? undefined : callStreak(tool, args);
  if (call !== undefined && addRound(call, round)) tell(failures, 'call', call, span, run);
  if (addRound(tool, round)) tell(failures, 'tool', tool, span, run);
};

const endStreaks = (failures: Failures | undefined): Failures | undefined => {
  if (failures === undefined || failures.told === undefined) return failures && NO_FAILURES;
  deleteAll(failures.tools);
  return failures;
};

/** A tool that succeeds has no streak; a call that may have changed something makes every next attempt a new one. */
const addSuccess = (failures: Failures, span: Span, run: RunSoFar): Failures => {
  if (isEmpty(failures.tools)) return failures;
  if (isReading(span, run.contract)) deleteEntry(failures.tools, span.name ?? '');
  else deleteAll(failures.tools);
  return failures.told === undefined && isEmpty(failures.tools) ? NO_FAILURES : failures;
};

export const failureStreak = defineRule<Failures, 'failure-streak'>({
  id: ID,
  family: 'guardrails',
  severity: WARNING,
  passing: 'No call and no tool fails round after round without a success between.',
  why: 'What failed unchanged will fail again; an agent that goes on has not read the error.',
  evidence:
    'status, exit_code, name and args_hash of tool spans; failures in one round (round, else iter) count once. ' +
    'A success of the tool ends its streaks; a success of any call that does more than read, and a terminal, ends ' +
    'every streak, for the next attempt meets another world',
  needs: 'tool span with status or exit_code',
  action: 'tell the model to read the error at the notice, halt the run at the halt',
  source: 'Hermes tool-loop guardrails',
  options: ['failures', 'idempotent'],
  example: {
    breaks: [start(), tool(1, 'a', { status: 'error' }), tool(2, 'a', { status: 'error' }), tool(3, 'b'), stop(3)],
    keeps: [start(), tool(1, 'a', { status: 'error' }), tool(2, 'b'), tool(3, 'a', { status: 'error' }), stop(3)],
  },
  sees: ['tool', 'terminal'],
  step(state, span, run) {
    if (span.type === 'terminal') return endStreaks(state);
    if (!hasFailed(span)) {
      if (state === NO_FAILURES) return state;
      if (state !== undefined) return addSuccess(state, span, run);
      return span.status === undefined && span.exitCode === undefined ? undefined : NO_FAILURES;
    }
    const failures = state === undefined || state === NO_FAILURES ? newFailures() : state;
    addFailure(failures, span, run);
    return failures;
  },
  end(state) {
    if (state?.told === undefined) return undefined;
    const { at, of, name, args, streak, limits, halt } = state.told;
    const [notice, haltFrom] = limits;
    return {
      kind: 'broken',
      at,
      message: `${of === 'tool' ? 'calls of one tool' : 'one same call'}${name === undefined ? '' : `, ${name},`} failed in ${streak.failures} rounds without a success between`,
      evidence: {
        of,
        name: name ?? null,
        args_hash: args ?? null,
        failures: streak.failures,
        notice,
        halt: haltFrom,
        halted: halt !== undefined,
      },
      halt,
    };
  },
});
