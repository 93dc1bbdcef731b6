import type { ResultDigests } from './digest.js';
import type { LineOf, Usage } from './run-writer.js';

/** What a span of a tree stands for. A workflow is an agent's run where the trace names no agent. */
export type SpanKind = 'agent' | 'workflow' | 'model' | 'tool' | 'handoff' | 'other';

/** A span of a tree, as far as a run needs it: no payload, only digests. */
export interface TreeSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly kind: SpanKind;
  /** Nothing says its kind: it follows from what it used. */
  readonly isGuess?: boolean;
  readonly line: LineOf;
  readonly name: string;
  /** Times as texts that sort: see `instantOf`. `end` is undefined of a span that has not ended. */
  readonly start: string;
  readonly end: string | undefined;
  /** A text that sorts spans better than their start, where the source has one. */
  readonly order?: string | undefined;
  readonly ts: string | undefined;
  readonly isError: boolean;
  /** The class of what failed. */
  readonly errorType: string | undefined;
  readonly finishReason: string | undefined;
  /** A word that the source itself gives for the end of an agent's run; on any other span, for the run around it. */
  readonly stopReason: string | undefined;
  /** The agent's run ended in a wait for a person. */
  readonly isWaiting?: boolean;
  readonly session: string | undefined;
  readonly callId: string | undefined;
  readonly args: string | undefined;
  /** The arguments are an empty object. */
  readonly isBlank?: boolean;
  readonly result: ResultDigests | undefined;
  readonly usage: Usage;
}

/** Words, and classes of errors, of an agent that waits for a person. */
const WAITS = new Set([
  ...['requires_action', 'awaiting_user', 'input_required', 'input-required'],
  ...['GraphInterrupt', 'NodeInterrupt', 'ApprovalRequired'],
]);
export const isWaitWord = (word: string | undefined): boolean => WAITS.has(word ?? '');
/** Whether a span ended in a wait for a person. */
export const isWait = ({ errorType }: TreeSpan): boolean => isWaitWord(errorType);
