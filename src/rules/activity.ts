import type { Contract } from '../contract.js';
import type { RunSoFar } from '../run.js';
import type { Span } from '../span.js';
import { type Outcome, unverifiable } from './rule.js';
import { isPoller } from './step.js';

/** Whether a call only reads or waits: by its effect, or where it names none, by its tool. */
export const isRest = ({ effect, name }: Span, contract: Contract): boolean =>
  effect === undefined
    ? contract.idempotent.tools.includes(name ?? '') || isPoller(name, contract)
    : effect === 'read' || effect === 'wait';

/** Spans that take a run on; all others say something of it. */
export const isWork = ({ type }: Span): boolean => type === 'tool' || type === 'model';

/** What a rule about iterations says of a run that carries none. */
export const withoutIter = ({ firstIter }: RunSoFar): Outcome =>
  firstIter === undefined ? unverifiable('no span carries iter') : undefined;
