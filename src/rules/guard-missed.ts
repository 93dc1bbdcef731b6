import { type DueHalt, type Place, placeOf, type RunSoFar } from '../run.js';
import type { Span } from '../span.js';
import { start, stop, tool } from './example.js';
import { defineRule, unverifiable, WARNING } from './rule.js';
import { roundOf } from './step.js';

interface Guarded {
  /** The trace itself shows a guard. */
  isShown: boolean;
  missed: { readonly due: DueHalt; readonly wentOn: Place } | undefined;
}

/** A guard that blocks or halts has answered; one that halts says itself where the run must end. */
const addGuard = (state: Guarded | undefined, span: Span, run: RunSoFar): Guarded => {
  const guarded = state ?? { isShown: true, missed: undefined };
  guarded.isShown = true;
  const action = span.details?.action;
  if (action === 'block' || action === 'halt') run.dueHalt = undefined;
  if (action === 'halt') run.haltAfter(span, 'guard');
  return guarded;
};

const isOtherTurn = ({ turn }: DueHalt, { details }: Span): boolean =>
  turn !== undefined && details?.turn !== undefined && details.turn !== turn;

/** Calls of one model response are under way together, and what was blocked was not made. */
const goesOn = (due: DueHalt, span: Span, run: RunSoFar): boolean =>
  run.calls >= due.calls &&
  (due.round === undefined || roundOf(span) !== due.round) &&
  span.details?.outcome !== 'blocked';

export const guardMissed = defineRule<Guarded, 'guard-missed'>({
  id: 'guard-missed',
  family: 'guardrails',
  severity: WARNING,
  passing:
    'Where a declared guard should have halted the run, no further call was made, and no call that it should have refused.',
  why: 'A guard that lets its own threshold pass protects nothing, and its silence reads as all clear.',
  evidence:
    'contract.guard, or any guard span, declares the guard; the halts are those of repeated-call, call-cycle, ' +
    'idempotent-no-progress, failure-streak and over-cap, and a guard span with action halt. The call over a cap is ' +
    'itself the one that should have been refused; at the others it is the calls after the one that reached the halt. ' +
    'A guard span with action block or halt answers them, and so does the end of the turn. Calls in the same round (round, else iter) were ' +
    'under way, and calls with outcome blocked were not made',
  unjudged: 'The family is required, and neither contract.guard nor a guard span declares a guard.',
  action: 'find why the guard did not act: not wired in, blind to the digest, or only warning',
  source: 'Hermes tool-loop guardrails',
  options: ['guard', 'repeat', 'idempotent', 'failures', 'caps'],
  example: {
    breaks: [
      start(),
      tool(1, 'a'),
      { type: 'guard', iter: 1, action: 'halt', code: 'same_tool_failure_halt' },
      tool(2, 'b'),
      stop(2, 'rejected'),
    ],
    keeps: [
      start(),
      tool(1, 'a'),
      { type: 'guard', iter: 1, action: 'halt', code: 'same_tool_failure_halt' },
      stop(1, 'rejected'),
    ],
  },
  sees: ['tool', 'guard'],
  step(state, span, run) {
    if (span.type === 'guard') return addGuard(state, span, run);
    const due = run.dueHalt;
    if (due === undefined || state?.missed !== undefined) return state;
    if (isOtherTurn(due, span)) {
      run.dueHalt = undefined;
      return state;
    }
    if (!goesOn(due, span, run)) return state;
    return { isShown: state?.isShown ?? false, missed: { due, wentOn: placeOf(span) } };
  },
  end(state, run) {
    const isDeclared = run.contract.guard?.hard_stop ?? state?.isShown ?? false;
    if (!isDeclared) {
      if (!run.contract.require.includes('guardrails')) return undefined;
      return unverifiable('no guard that stops the run is declared');
    }
    if (state?.missed === undefined) return undefined;
    const { due, wentOn } = state.missed;
    const callsAfter = run.calls - due.calls;
    const missed = due.isRefusal
      ? `the guard should have refused this call (${due.cause}); calls made from it on: ${callsAfter}`
      : `the guard should have halted the run here (${due.cause}); calls made after it: ${callsAfter}`;
    return {
      kind: 'broken',
      at: due.at,
      message: missed,
      evidence: { cause: due.cause, calls_after: callsAfter, went_on_seq: wentOn.seq ?? null },
      halt: due.spent,
    };
  },
});
