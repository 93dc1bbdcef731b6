import { type Place, placeOf, type RunSoFar } from '../run.js';
import type { Span } from '../span.js';
import { start, stop, tool } from './example.js';
import { defineRule, WARNING } from './rule.js';
import { type Round, roundOf } from './step.js';

/** A guard's stop, and the done that was claimed after it. */
interface Stopped {
  readonly action: string;
  readonly code: string | undefined;
  readonly round: Round;
  /** Calls of the run before it. */
  readonly calls: number;
  readonly done: Place | undefined;
}

const isStop = (action: string | undefined): action is 'block' | 'halt' => action === 'block' || action === 'halt';

/** A block refuses one call: a run whose last call is another one, and good, has come out of it. A halt ends the run. */
const hasRecovered = ({ action, calls, round }: Stopped, run: RunSoFar): boolean =>
  action === 'block' &&
  run.stepCalls > calls &&
  !run.hasCallFailed &&
  !run.isCallBlocked &&
  (round === undefined || (run.callRound ?? run.callIter) !== round);

const atTerminal = (stopped: Stopped | undefined, span: Span, run: RunSoFar): Stopped | undefined => {
  if (span.reason !== 'done') return undefined;
  const done = placeOf(span);
  if (stopped !== undefined && !hasRecovered(stopped, run)) return { ...stopped, done };
  const code = span.details?.guardCode;
  return code === undefined ? undefined : { action: 'stop', code, round: undefined, calls: 0, done };
};

export const rejectedAsDone = defineRule<Stopped, 'rejected-as-done'>({
  id: 'rejected-as-done',
  family: 'guardrails',
  severity: WARNING,
  passing: 'A run that a guard stopped does not say done.',
  why: 'A stop by the guard is no success: counted as done, it hides exactly the runs that the guard is for.',
  evidence:
    'guard spans with action block or halt before the terminal, and guard_code of the terminal; a block did not ' +
    'stop the run if its last call came after it in another round (round, else iter), was made and did not fail',
  action: 'say rejected or blocked, with the guard_code',
  source: 'Hermes tool-loop guardrails',
  options: [],
  example: {
    breaks: [start(), tool(1, 'a'), { type: 'guard', iter: 1, action: 'block', code: 'loop_web_search_cap' }, stop(1)],
    keeps: [
      start(),
      tool(1, 'a'),
      { type: 'guard', iter: 1, action: 'block', code: 'loop_web_search_cap' },
      stop(1, 'rejected', { guard_code: 'loop_web_search_cap' }),
    ],
  },
  sees: ['guard', 'terminal'],
  step(state, span, run) {
    // Of several terminals the first is the claim.
    if (run.terminals > 0) return state;
    if (span.type === 'terminal') return atTerminal(state, span, run);
    const { action, code } = span.details ?? {};
    return isStop(action) ? { action, code, round: roundOf(span), calls: run.stepCalls, done: undefined } : state;
  },
  end(state) {
    if (state?.done === undefined) return undefined;
    const { action, code, done } = state;
    return {
      kind: 'broken',
      at: done,
      message: `the terminal says done, but a guard stopped the run (${action}${code === undefined ? '' : `, ${code}`})`,
      evidence: { action, code: code ?? null },
    };
  },
});
