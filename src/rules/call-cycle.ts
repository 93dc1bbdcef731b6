import { type Place, placeOf, type RunSoFar, type Spent } from '../run.js';
import { argsOf, type Span } from '../span.js';
import { start, stop, tool } from './example.js';
import { defineRule, WARNING } from './rule.js';
import { BLIND_POLLS, isPoller, POLLS, type Round, stepOf, tellsFrom, withoutArgs } from './step.js';

const ID = 'call-cycle';
// A power of two, so that a place in the ring is two bits of a count.
const LONGEST = 4;

interface Cycle {
  readonly at: Place;
  readonly period: number;
  readonly names: string;
  laps: number;
  halt: Spent | undefined;
}

// What is kept of a step, at these places: its call, its result, and what its copies share.
const NAME = 0;
const ARGS = 1;
const RESULT = 2;
const ROUND = 3;
const WIDTH = 4;

interface Steps {
  /** The last four steps one after the other, the newest over the oldest. */
  readonly ring: Round[];
  count: number;
  /** How many of the last steps are like the step two, three or four before. */
  alike2: number;
  alike3: number;
  alike4: number;
  told: Cycle | undefined;
  /** Calls that wait went round, and not all of them say with what result. */
  isBlind: boolean;
}

const newSteps = (): Steps => ({
  ring: new Array<Round>(WIDTH * LONGEST).fill(undefined),
  count: 0,
  alike2: 0,
  alike3: 0,
  alike4: 0,
  told: undefined,
  isBlind: false,
});
// What is left of a run that stopped without a cycle: one for all such runs, and never written to.
const NOTHING_LEFT: Steps = newSteps();
const BLIND_LEFT: Steps = { ...newSteps(), isBlind: true };

/** The steps to write to, after a terminal or at the start. */
const stepsFrom = (state: Steps | undefined): Steps => {
  if (state === undefined || state === NOTHING_LEFT) return newSteps();
  return state === BLIND_LEFT ? { ...newSteps(), isBlind: true } : state;
};

/** Where the step so many back begins in the ring; 0 back is the oldest, which the next one takes the place of. */
const placeBefore = (steps: Steps, back: number): number => ((steps.count - back) & (LONGEST - 1)) * WIDTH;
const callRound = (span: Span): Round => span.iter ?? span.round;

/**
 * Thirty-one bits that stand for a digest: same digests have the same, so no cycle is missed, and four steps of every
 * run are kept in little. That two digests share them by chance, lap after lap, is not to be expected.
 */
const codeOf = (digest: string | undefined): number | undefined => {
  if (digest === undefined) return undefined;
  let code = 0x811c9dc5;
  for (let at = 0; at < digest.length; at += 1) code = Math.imul(code ^ digest.charCodeAt(at), 0x01000193);
  return code >>> 1;
};

const addStep = (steps: Steps, span: Span): void => {
  const { ring } = steps;
  // A step without arguments is like no other.
  const args = codeOf(argsOf(span));
  const result = codeOf(span.resultHash);
  const round = callRound(span);
  // Laps are made round after round: what one response asks for twice is no lap.
  const isLike = (place: number): boolean =>
    args !== undefined &&
    ring[place + ARGS] === args &&
    ring[place + NAME] === span.name &&
    ring[place + RESULT] === result &&
    (ring[place + ROUND] === undefined || ring[place + ROUND] !== round);
  steps.alike2 = isLike(placeBefore(steps, 2)) ? steps.alike2 + 1 : 0;
  steps.alike3 = isLike(placeBefore(steps, 3)) ? steps.alike3 + 1 : 0;
  steps.alike4 = isLike(placeBefore(steps, 4)) ? steps.alike4 + 1 : 0;
  const place = placeBefore(steps, 0);
  ring[place + NAME] = span.name;
  ring[place + ARGS] = args;
  ring[place + RESULT] = result;
  ring[place + ROUND] = round;
  steps.count += 1;
};

/** Where the steps of the last lap stand in the ring. */
const lapOf = (steps: Steps, period: number): number[] =>
  Array.from({ length: period }, (_, index) => placeBefore(steps, period - index));

/** Whether every call of the lap waits, and not all of them say whether they waited in vain. */
const isWaiting = ({ ring }: Steps, places: readonly number[], { contract }: RunSoFar): boolean =>
  places.every((place) => isPoller(String(ring[place + NAME] ?? ''), contract)) &&
  places.some((place) => ring[place + RESULT] === undefined);

/** A lap of one same call is a row. */
const isRow = ({ ring }: Steps, places: readonly number[]): boolean =>
  places.every(
    (place) =>
      ring[place + ARGS] === ring[(places[0] ?? 0) + ARGS] && ring[place + NAME] === ring[(places[0] ?? 0) + NAME],
  );

const tell = (steps: Steps, period: number, alike: number, span: Span, run: RunSoFar): void => {
  const laps = Math.floor(alike / period) + 1;
  const names = lapOf(steps, period).map((place) => String(steps.ring[place + NAME] ?? ''));
  steps.told ??= { at: placeOf(span), period, names: names.join(', '), laps, halt: undefined };
  if (steps.told.period === period) steps.told.laps = Math.max(steps.told.laps, laps);
  if (laps < run.contract.repeat.halt) return;
  steps.told.halt ??= run.spent(span);
  run.haltAfter(span, ID);
};

/** Tells of the shortest period that has gone round often enough. */
const find = (steps: Steps, span: Span, run: RunSoFar): void => {
  const least = tellsFrom(run.contract.repeat) - 1;
  for (const [period, alike] of [
    [2, steps.alike2],
    [3, steps.alike3],
    [4, steps.alike4],
  ] as const) {
    if (alike < period * least) continue;
    const lap = lapOf(steps, period);
    if (isRow(steps, lap)) continue;
    if (isWaiting(steps, lap, run)) steps.isBlind = true;
    else tell(steps, period, alike, span, run);
    return;
  }
};

const addCall = (steps: Steps, span: Span, run: RunSoFar): void => {
  const step = stepOf(span, run);
  if (step === 'wait') return;
  if (step === 'copy' || step === 'twin') {
    // Copies that gave different results make the step like no other.
    const last = placeBefore(steps, 1);
    if (steps.ring[last + RESULT] !== codeOf(span.resultHash)) steps.ring[last + ARGS] = undefined;
    return;
  }
  addStep(steps, span);
  if (steps.alike2 + steps.alike3 + steps.alike4 > 0) find(steps, span, run);
};

export const callCycle = defineRule<Steps, 'call-cycle'>({
  id: ID,
  family: 'guardrails',
  severity: WARNING,
  passing: `No cycle of 2 to ${LONGEST} calls goes round and round with the same results.`,
  why: 'Two calls that take turns are as stuck as one that repeats, and no count of neighbours sees it.',
  evidence:
    'name, args_hash, iter and, where recorded, result_hash of neighbouring steps, declared waits left out: a step with ' +
    `a result_hash and one without are not the same; ${POLLS}; a terminal ends the cycle`,
  unjudged:
    'Polls alone go round as many times as are told, and not each of them carries a result_hash; or the family is ' +
    'required, and no call carries args_hash.',
  action: 'tell the model at the notice, halt the run at the halt',
  source: 'Hermes tool-loop guardrails',
  options: ['repeat', 'pollers'],
  example: {
    breaks: [
      start(),
      ...[1, 2, 3].flatMap((lap) => [tool(2 * lap - 1, 'edit'), tool(2 * lap, 'undo', { name: 'run_command' })]),
      stop(6),
    ],
    keeps: [
      start(),
      ...[1, 2, 3].flatMap((lap) => [tool(2 * lap - 1, `edit ${lap}`), tool(2 * lap, 'test', { name: 'run_command' })]),
      stop(6),
    ],
  },
  sees: ['tool', 'terminal'],
  step(state, span, run) {
    if (span.type === 'terminal') {
      if (state?.told === undefined) return state?.isBlind === true ? BLIND_LEFT : NOTHING_LEFT;
      return { ...newSteps(), told: state.told };
    }
    const steps = stepsFrom(state);
    addCall(steps, span, run);
    return steps;
  },
  end(state, run) {
    if (state?.told === undefined) {
      return state?.isBlind === true ? { kind: 'unverifiable', because: BLIND_POLLS } : withoutArgs(run);
    }
    const { at, period, names, laps, halt } = state.told;
    const { repeat } = run.contract;
    return {
      kind: 'broken',
      at,
      message: `the same ${period} calls went round ${laps} times: ${names}`,
      evidence: { period, laps, names, notice: repeat.notice, halt: repeat.halt, halted: halt !== undefined },
      halt,
    };
  },
});
