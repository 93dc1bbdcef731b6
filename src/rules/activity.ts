import type { Contract } from '../contract.js';
import type { Span } from '../span.js';

/** Whether a name is one of those that repeat to wait: a pattern may begin with a `*` for any characters. */
export const isPoller = (name: string | undefined, pollers: readonly string[]): boolean =>
  name !== undefined &&
  pollers.some((pattern) => (pattern.startsWith('*') ? name.endsWith(pattern.slice(1)) : name === pattern));

/** Whether a call only reads or waits: by its effect, or where it names none, by its tool. */
export const isRest = ({ effect, name }: Span, { idempotent, pollers }: Contract): boolean =>
  effect === undefined
    ? idempotent.tools.includes(name ?? '') || isPoller(name, pollers)
    : effect === 'read' || effect === 'wait';

/** Spans that take a run on; all others say something of it. */
export const isWork = ({ type }: Span): boolean => type === 'tool' || type === 'model';
