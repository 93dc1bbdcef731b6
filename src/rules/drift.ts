import { type Place, placeOf } from '../run.js';
import type { Span } from '../span.js';
import { type LastStep, takeStep } from './same-call.js';

/** The row of neighbouring steps that make one same call with digests that all differ. */
export interface Drift extends LastStep {
  /** The digest that must not come twice, and the one that must stay; of the last step. */
  differing: string | undefined;
  constant: string | undefined;
  /** The differing digests of the steps before it, as far back as they are compared. */
  before: (string | undefined)[] | undefined;
  steps: number;
  found: Found | undefined;
  isFoundRow: boolean;
}

/** The first row that is long enough. */
interface Found {
  readonly at: Place;
  readonly name: string | undefined;
  readonly argsHash: string | undefined;
  steps: number;
}

export const newDrift = (): Drift => ({
  name: undefined,
  argsHash: undefined,
  round: undefined,
  hasFailed: false,
  waits: 0,
  differing: undefined,
  constant: undefined,
  before: undefined,
  steps: 0,
  found: undefined,
  isFoundRow: false,
});

const startRow = (drift: Drift, differing: string | undefined, constant: string | undefined): void => {
  drift.differing = differing;
  drift.constant = constant;
  drift.before = undefined;
  drift.steps = differing === undefined ? 0 : 1;
  drift.isFoundRow = false;
};

/** The digests of a row that a new one is compared with; after one that comes again, those that follow it. */
const lengthen = (drift: Drift, differing: string, window: number): void => {
  const compared = drift.before ?? [];
  compared.push(drift.differing);
  const again = compared.lastIndexOf(differing);
  drift.steps = again === -1 ? drift.steps + 1 : compared.length - again;
  if (again !== -1) drift.isFoundRow = false;
  drift.before = compared.slice(Math.max(again + 1, compared.length - window + 2));
  drift.differing = differing;
};

const markFound = (drift: Drift, span: Span): void => {
  if (drift.found === undefined) {
    drift.found = { at: placeOf(span), name: span.name, argsHash: span.argsHash, steps: drift.steps };
    drift.isFoundRow = true;
  } else if (drift.isFoundRow) drift.found.steps = drift.steps;
};

/**
 * Takes a tool, wait_start or wait_end span.
 * @param differing the digest that must be another one with each step; undefined where the span does not carry it
 * @param constant the digest that must stay
 * @param window how many steps make a row
 */
export const stepDrift = (
  drift: Drift,
  span: Span,
  differing: string | undefined,
  constant: string | undefined,
  window: number,
): void => {
  const move = takeStep(drift, span);
  if (move === undefined || move === 'same step') return;
  const isRow = move === 'next step' && constant === drift.constant;
  if (isRow && differing !== undefined) lengthen(drift, differing, window);
  else startRow(drift, differing, constant);
  if (drift.steps >= window) markFound(drift, span);
};
