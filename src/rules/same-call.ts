import { hasFailed, type Span } from '../span.js';
import { roundOf } from './step.js';

/** The last step of a run, as the next tool span is held against it. A declared wait is no step. */
export interface LastStep {
  name: string | undefined;
  argsHash: string | undefined;
  round: string | number | undefined;
  hasFailed: boolean;
  /** Declared waits that have begun and not ended. */
  waits: number;
}

/** How a tool span goes on from the last step: a copy or a retry of it is the same step. */
export type Move = 'other call' | 'next step' | 'same step';

const moveFrom = (last: LastStep, span: Span): Move => {
  if (span.name !== last.name || span.argsHash !== last.argsHash || !span.argsHash) return 'other call';
  const round = roundOf(span);
  if (round !== undefined && round === last.round) return 'same step';
  return (span.retry ?? 1) >= 2 && last.hasFailed ? 'same step' : 'next step';
};

/** Takes a tool, wait_start or wait_end span; undefined where it is a wait, or inside of one. */
export const takeStep = (last: LastStep, span: Span): Move | undefined => {
  if (span.type === 'wait_start') last.waits += 1;
  else if (span.type === 'wait_end') last.waits = Math.max(0, last.waits - 1);
  if (span.type !== 'tool' || last.waits > 0 || span.effect === 'wait') return undefined;
  const move = moveFrom(last, span);
  last.name = span.name;
  last.argsHash = span.argsHash;
  last.round = roundOf(span);
  last.hasFailed = hasFailed(span);
  return move;
};
