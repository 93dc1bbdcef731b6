import type { Reason } from '../span.js';

/** Source values by the reason that they stand for. A value may be told apart by its format: `inspect-ai:time`. */
const VALUES: Readonly<Record<Reason, readonly string[]>> = {
  done: [
    'end_turn',
    'stop_sequence',
    'stop',
    'completed',
    'complete',
    'task_complete',
    'success',
    'submitted',
    'Submitted',
    'finished',
    'goal',
  ],
  budget: [
    'max_turns',
    'error_max_turns',
    'budget_exhausted',
    'error_max_budget_usd',
    'max_tokens',
    'length',
    'max_output_tokens',
    'model_length',
    'model_context_window_exceeded',
    'context_window_exceeded',
    'prompt_too_long',
    'structured_output_retry_exhausted',
    'error_max_structured_output_retries',
    'malformed_tool_use_exhausted',
    'rapid_refill_breaker',
    'budget_limited',
    'session_budget_exceeded',
    'LimitsExceeded',
    'TimeExceeded',
    'exit_cost',
    'exit_context',
    'exit_total_execution_time',
    'max_iterations',
    'max_iterations_reached',
    'MaxIterationsReached',
    'MaxTurnsExceeded',
    'GraphRecursionError',
    'MAX_TURNS',
    'TIMEOUT',
    'ContextWindowExceededError',
    'inspect-ai:context',
    'inspect-ai:time',
    'inspect-ai:working',
    'inspect-ai:message',
    'inspect-ai:token',
    'inspect-ai:turn',
    'inspect-ai:cost',
    'inspect-ai:custom',
    // Submitted for the agent when it had to end.
    'submitted (exit_cost)',
    'submitted (exit_context)',
    'submitted (exit_total_execution_time)',
    'submitted (exit_command_timeout)',
    'submitted (exit_format)',
    'submitted (exit_api)',
    'submitted (exit_environment_error)',
    'submitted (exit_error)',
  ],
  rejected: [
    'refusal',
    'stop_hook_prevented',
    'hook_stopped',
    'tool_rejected',
    'permission_denied',
    'content_filter',
    'content-filter',
    'guardrail',
    'cyber_policy',
    'rejected',
    'user_rejected',
    'declined',
    'user_interrupt',
    'aborted_streaming',
    'aborted_tools',
    'interrupted',
    'aborted',
    'replaced',
    'review_ended',
    'cancelled',
    'UserInterruption',
    'MessageAbortedError',
    'ABORTED',
  ],
  blocked: [
    'api_error',
    'model_error',
    'image_error',
    'turn_setup_failed',
    'blocking_limit',
    'rate_limit',
    'rate_limited',
    'usage_limit_exceeded',
    'error',
    'error_during_execution',
    'turn_failed',
    'exit_api',
    'exit_environment_error',
    'exit_error',
    'exit_format',
    'exit_command_timeout',
    'RepeatedFormatError',
    'session_error',
    'ERROR',
    'ERROR_NO_COMPLETE_TASK_CALL',
    'empty_response_exhausted',
    'task_completed_partial',
    'task_completed_false',
    'stuck',
    'exit_command',
    'exit_forfeit',
    'early_exit',
  ],
  handoff: ['background_requested', 'tool_deferred', 'handoff'],
};

const REASON_OF: ReadonlyMap<string, Reason> = new Map(
  Object.entries(VALUES).flatMap(([reason, values]) =>
    // The keys of the table are the reasons.
    values.map((value) => [value, reason as Reason] as const),
  ),
);

/** The table, for who shows it. */
export const reasonTable = (): Readonly<Record<Reason, readonly string[]>> => VALUES;

/** What the user says of source values, before the table does. */
export type ReasonTable = ReadonlyMap<string, string>;

/** The reason that a format's own word stands for; of a word that nobody knows, the word itself: it is no guess. */
export const reasonOf = (format: string, value: string, own: ReasonTable): string =>
  own.get(`${format}:${value}`) ??
  own.get(value) ??
  REASON_OF.get(`${format}:${value}`) ??
  REASON_OF.get(value) ??
  value;
