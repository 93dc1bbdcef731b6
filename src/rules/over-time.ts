import type { RunSoFar } from '../run.js';
import { start, stop, tool } from './example.js';
import { defineRule, type Outcome, unverifiable, WARNING } from './rule.js';
import { clocksOf, newTimeRail, stepTime, type Timeline, type TimeRail } from './time-rail.js';

/** What keeps a run that was not seen past the rail from being cleared. */
const doubtOf = ({ reached, hasUnplacedWork, mayBeReached }: Timeline): Outcome => {
  if (reached === undefined) {
    return mayBeReached ? unverifiable('max_ms may be used up by a declared wait whose length is unknown') : undefined;
  }
  if (hasUnplacedWork) return unverifiable('the work after max_ms carries no iter');
  const { iter = 0, iterBefore = 0 } = reached;
  return iter > iterBefore + 1 ? unverifiable('no clock was read in the iteration that used up max_ms') : undefined;
};

const broken = (past: NonNullable<Timeline['past']>, { elapsed, reached }: Timeline, run: RunSoFar): Outcome => ({
  kind: 'broken',
  at: past.at,
  message: `work goes on in iteration ${past.iter}, though max_ms of ${run.contract.maxMs} was used up in iteration ${reached?.iter}`,
  evidence: {
    max_ms: run.contract.maxMs ?? null,
    elapsed_ms: Math.round(elapsed),
    used_up_in_iter: reached?.iter ?? null,
    iter: past.iter,
  },
  halt: past.halt,
});

export const overTime = defineRule<TimeRail, 'over-time'>({
  id: 'over-time',
  family: 'rails',
  severity: WARNING,
  passing: 'Once max_ms is used up, the iteration at hand is finished and no other one is worked on.',
  why: 'A rail that a run may pass does not hold it, and time is the one thing that a stuck run always spends.',
  evidence:
    'mono_ms of one emitter, else ts of one emitter; time between wait_start and wait_end does not count, ' +
    'and a wait of unknown length (effect wait) is held neither for the run nor against it. At exactly max_ms the time ' +
    'is used up: the iteration at hand may finish, work in a later one is past the rail',
  unjudged:
    'max_ms is set, and no emitter gives mono_ms or ts twice; or it was used up, or may have been by a wait of unknown ' +
    'length, where no clock or no iter shows which work came after.',
  action: 'stop with reason budget after the iteration that uses up max_ms',
  source: 'loop-contract',
  options: ['maxMs'],
  example: {
    breaks: [
      start({ contract: { max_ms: 1000 }, mono_ms: 0 }),
      tool(1, 'a', { mono_ms: 1200 }),
      tool(2, 'b', { mono_ms: 1500 }),
      stop(2, 'budget', { mono_ms: 1600 }),
    ],
    keeps: [
      start({ contract: { max_ms: 1000 }, mono_ms: 0 }),
      tool(1, 'a', { mono_ms: 600 }),
      tool(2, 'b', { mono_ms: 1500 }),
      stop(2, 'budget', { mono_ms: 1600 }),
    ],
  },
  sees: 'every',
  step(state, span, run) {
    if (run.contract.maxMs === undefined || run.terminals > 0) return state;
    const rail = state ?? newTimeRail();
    stepTime(rail, span, run);
    return rail;
  },
  end(state, run) {
    if (run.contract.maxMs === undefined) return undefined;
    const clocks = clocksOf(state);
    if (clocks === undefined) return unverifiable('no emitter gives mono_ms or ts more than once');
    return clocks.past === undefined ? doubtOf(clocks) : broken(clocks.past, clocks, run);
  },
});
