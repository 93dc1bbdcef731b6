/** What a mark in the drawing of a run stands for. */
export const MARK_KINDS = ['start', 'stop', 'model', 'tool', 'failed', 'replay', 'other'] as const;
export type MarkKind = (typeof MARK_KINDS)[number];
