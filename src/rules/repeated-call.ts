import { type Place, placeOf, type RunSoFar, type Spent } from '../run.js';
import type { Span } from '../span.js';
import { start, stop, tool } from './example.js';
import { defineRule, type Outcome, WARNING } from './rule.js';
import { BLIND_POLLS, isPoller, POLLS, stepOf, tellsFrom, withoutArgs } from './step.js';

const ID = 'repeated-call';

/** A row that is long enough to be told, or of several rows the first place and the greatest length. */
interface Repetition {
  readonly at: Place;
  readonly name: string | undefined;
  readonly args: string | undefined;
  steps: number;
  rows: number;
  halt: Spent | undefined;
}

/** The row of same steps at hand; there is none before a step repeats the one before it. */
interface Row {
  /** 0: the last step is like none after it, for its copies gave different results. */
  steps: number;
  open: Repetition | undefined;
  told: Repetition | undefined;
  blind: string | undefined;
}

const newRow = (): Row => ({ steps: 1, open: undefined, told: undefined, blind: undefined });

const sum = (told: Repetition | undefined, row: Repetition): Repetition => {
  if (told === undefined) return row;
  return {
    ...told,
    steps: Math.max(told.steps, row.steps),
    rows: told.rows + 1,
    halt: told.halt ?? row.halt,
  };
};

const startRow = (row: Row, steps: 0 | 1): Row => {
  if (row.open !== undefined) row.told = sum(row.told, row.open);
  row.open = undefined;
  row.steps = steps;
  return row;
};

const growRow = (row: Row, span: Span, run: RunSoFar): Row => {
  row.steps += 1;
  const { repeat } = run.contract;
  if (row.steps < tellsFrom(repeat)) return row;
  if (run.callArgs === undefined) row.blind = 'calls of one tool carry no args_hash to compare';
  else if (span.resultHash === undefined && isPoller(span.name, run.contract)) {
    row.blind = BLIND_POLLS;
  } else {
    row.open ??= { at: placeOf(span), name: span.name, args: span.argsHash, steps: 0, rows: 1, halt: undefined };
    row.open.steps = row.steps;
    if (row.steps < repeat.halt) return row;
    row.open.halt ??= run.spent(span);
    run.haltAfter(span, ID);
  }
  return row;
};

const addCall = (row: Row | undefined, span: Span, run: RunSoFar): Row | undefined => {
  const step = stepOf(span, run);
  if (step === 'wait') return row;
  if (step === 'other') return row && startRow(row, 1);
  const isSame = span.resultHash === run.callResult;
  if (step === 'again') {
    if (isSame) return growRow(row ?? newRow(), span, run);
    return row && startRow(row, 1);
  }
  return isSame ? row : startRow(row ?? newRow(), 0);
};

/** The row that ends the run is no-progress, and told as such, until it is long enough to have been halted. */
const isNoProgress = (row: Row, { contract, callResult }: RunSoFar): boolean =>
  row.steps < contract.repeat.halt &&
  row.steps >= contract.noProgressWindow &&
  (contract.noProgressKey === 'args' || callResult !== undefined);

const messageOf = ({ name, steps, rows }: Repetition): string =>
  rows === 1
    ? `the same call${name === undefined ? '' : ` of ${name}`} was made ${steps} steps in a row`
    : `same calls were made up to ${steps} steps in a row, in ${rows} rows`;

const broken = (told: Repetition, { contract }: RunSoFar): Outcome => ({
  kind: 'broken',
  at: told.at,
  message: messageOf(told),
  evidence: {
    name: told.name ?? null,
    args_hash: told.args ?? null,
    steps: told.steps,
    rows: told.rows,
    notice: contract.repeat.notice,
    halt: contract.repeat.halt,
    halted: told.halt !== undefined,
  },
  halt: told.halt,
});

export const repeatedCall = defineRule<Row, 'repeated-call'>({
  id: ID,
  family: 'guardrails',
  severity: WARNING,
  passing: 'No call is made again and again with the same result, and the run then goes on.',
  why: 'Each repetition costs a model round and tells nothing new; that the run later went on does not give it back.',
  evidence:
    'name, args_hash, iter and, where recorded, result_hash of neighbouring steps, declared waits left out: a step with ' +
    'a result_hash and one without are not the same, and whether a step failed makes no difference, but for a declared ' +
    `retry of a failed one, which is the same step; ${POLLS}. ` +
    'A row that ends the run is told by no-progress, and here too once it reaches the halt',
  unjudged:
    'As many neighbouring steps as are told are polls without result_hash, or calls of one tool without args_hash; or the ' +
    'family is required, and no call carries args_hash.',
  action: 'tell the model at the notice, halt the run at the halt',
  source: 'Hermes tool-loop guardrails',
  options: ['repeat', 'pollers'],
  example: {
    breaks: [start(), tool(1, 'a'), tool(2, 'a'), tool(3, 'a'), tool(4, 'b'), stop(4)],
    keeps: [start(), tool(1, 'a'), tool(2, 'a'), tool(3, 'b'), tool(4, 'a'), stop(4)],
  },
  sees: ['tool'],
  step: addCall,
  end(state, run) {
    if (state === undefined) return withoutArgs(run);
    const { open, told, blind } = state;
    const all = open === undefined || isNoProgress(state, run) ? told : sum(told, open);
    if (all !== undefined) return broken(all, run);
    return blind === undefined ? withoutArgs(run) : { kind: 'unverifiable', because: blind };
  },
});
