import { type Place, placeOf, type RunSoFar, type Spent } from '../run.js';
import { argsOf, type Span } from '../span.js';
import { start, stop, tool } from './example.js';
import { defineRule, FAILING, type Outcome, unverifiable } from './rule.js';
import { stepOf } from './step.js';

// A result that cannot be compared: not recorded, or different within one step.
const NO_RESULT = Symbol('no result');
type Result = string | typeof NO_RESULT;

/** The row of last steps that make one same call. */
interface Steps {
  name: string | undefined;
  args: string | undefined;
  /** The result of the step at hand. */
  result: Result;
  /** Steps of the row that also share a result, the one at hand left out, and that result. */
  before: number;
  sharedResult: Result;
  /** Steps of the row, whatever their results. */
  sameCalls: number;
  calls: number;
  at: Place | undefined;
  halt: Spent | undefined;
  /** The last call stands in a declared wait. */
  isCovered: boolean;
}

const resultOf = (span: Span, run: RunSoFar): Result =>
  run.contract.noProgressKey === 'args' ? '' : (span.resultHash ?? NO_RESULT);

/** Same steps at the end of the run, the one at hand among them. */
const rowLength = (steps: Steps): number => {
  if (steps.args === undefined || steps.result === NO_RESULT) return 0;
  return steps.before > 0 && steps.result === steps.sharedResult ? steps.before + 1 : 1;
};

const startRow = (steps: Steps, span: Span): void => {
  steps.name = span.name;
  steps.args = argsOf(span);
  steps.before = 0;
  steps.sameCalls = 0;
  steps.at = undefined;
  steps.halt = undefined;
};

const startStep = (steps: Steps, span: Span, run: RunSoFar): void => {
  if (steps.sameCalls > 0) {
    steps.before = rowLength(steps);
    steps.sharedResult = steps.result;
  }
  steps.sameCalls += 1;
  steps.result = resultOf(span, run);
};

const markHalt = (steps: Steps, span: Span, run: RunSoFar): void => {
  const length = rowLength(steps);
  const window = run.contract.noProgressWindow;
  if (length < window) {
    steps.at = undefined;
    steps.halt = undefined;
  } else if (steps.at === undefined) {
    steps.at = placeOf(span);
    steps.halt = run.spent(span);
  }
};

const newSteps = (): Steps => ({
  name: undefined,
  args: undefined,
  result: NO_RESULT,
  before: 0,
  sharedResult: NO_RESULT,
  sameCalls: 0,
  calls: 0,
  at: undefined,
  halt: undefined,
  isCovered: false,
});

const addStep = (steps: Steps, span: Span, run: RunSoFar): void => {
  const taken = stepOf(span, run);
  // A span that says it waits is no call; one inside a wait is covered by it.
  steps.isCovered = taken === 'wait' && run.waits > 0;
  if (taken === 'wait') return;
  steps.calls += 1;
  if (taken === 'other') startRow(steps, span);
  if (taken !== 'copy') startStep(steps, span, run);
  else if (resultOf(span, run) !== steps.result) steps.result = NO_RESULT;
  markHalt(steps, span, run);
};

/** The first published rule: neighbouring tool spans with one digest, whatever their names and iterations. */
const addClassic = (steps: Steps, span: Span, run: RunSoFar): void => {
  if (span.argsHash !== steps.args) {
    startRow(steps, span);
    steps.name = undefined;
  }
  steps.calls += 1;
  startStep(steps, span, run);
  markHalt(steps, span, run);
};

const silence = (steps: Steps | undefined, run: RunSoFar): Outcome => {
  const window = run.contract.noProgressWindow;
  if (steps === undefined) return undefined;
  if (steps.isCovered && run.waits > 0) return unverifiable('a wait that never ends covers the last calls');
  if (steps.calls < window) return undefined;
  if (steps.args === undefined) return unverifiable('the last tool span carries no args_hash');
  if (steps.sameCalls < window || steps.result !== NO_RESULT) return undefined;
  return unverifiable('the last steps make one call, but carry no result_hash to compare');
};

export const noProgress = defineRule<Steps, 'no-progress'>({
  id: 'no-progress',
  family: 'termination',
  severity: FAILING,
  passing: 'The last steps of the run are not all the same call.',
  why: 'A loop that ends by making one call again and again is spinning, even when every call says ok.',
  evidence:
    'name, args_hash and iter of tool spans (result_hash too under no_progress_key args+result); ' +
    'copies of one call inside an iteration are one step, and so is a retry of a failed attempt; declared waits are no steps',
  unjudged:
    'The last calls stand in a wait_start that no wait_end follows; or the last call of no_progress_window or more ' +
    'carries no args_hash; or, under no_progress_key args+result, the last steps make one call and carry no result_hash.',
  action: 'halt on the next match',
  source: 'terminal-span contract',
  options: ['noProgressWindow', 'noProgressKey'],
  example: {
    breaks: [start(), tool(1, 'a'), tool(2, 'a'), tool(3, 'a'), stop(3)],
    keeps: [start(), tool(1, 'a'), tool(2, 'a'), tool(3, 'b'), stop(3)],
  },
  sees: ['tool'],
  step(state, span, run) {
    const steps = state ?? newSteps();
    if (run.contract.profile === 'classic') addClassic(steps, span, run);
    else addStep(steps, span, run);
    return steps;
  },
  end(state, run) {
    if (state?.at === undefined) return silence(state, run);
    return {
      kind: 'broken',
      at: state.at,
      message: `the last ${rowLength(state)} steps make one same call${state.name === undefined ? '' : ` of ${state.name}`}`,
      evidence: {
        name: state.name ?? null,
        args_hash: state.args ?? null,
        steps: rowLength(state),
        window: run.contract.noProgressWindow,
      },
      halt: state.halt,
    };
  },
});
