import type { VolatileText } from './digest.js';
import type { Fields, LineOf, Result, RunWriter } from './run-writer.js';
import { fieldsOf, isObject, type JsonObject, numberIn, parsedIn, proseOf, textIn } from './values.js';

/** What Hermes' own loop detector writes behind a result. */
const NOTE = /(?:\n\n)?\[Tool loop (warning|hard stop): ([\w-]{1,100})(?:; count=(\d{1,9}))?[^\]]{0,4000}\]\s{0,8}$/;
const SKIPPED = /^\[Tool execution (?:cancelled|skipped) — /;
const INTERRUPTED = /\b(?:user interrupt|keyboard interrupt|User sent a new message)\b/;
const WAITS = new Set(['approval_required', 'pending_approval']);

export const HERMES_VOLATILE: readonly VolatileText[] = [
  { pattern: NOTE, because: 'the loop detector of the harness counts in it; the tool did not give it' },
];

const isSaid = (value: unknown): boolean => value !== undefined && value !== null && value !== '' && value !== false;

/** Whether a result says that its tool failed; undefined where it does not say. */
const failureIn = (said: unknown, text: string, exitCode: number | undefined): boolean | undefined => {
  if (SKIPPED.test(text) || /^Error\b/.test(text)) return true;
  if (!isObject(said)) return undefined;
  if (said['success'] === false || said['status'] === 'error' || isSaid(said['error'])) return true;
  if (exitCode !== undefined) return exitCode !== 0;
  return 'success' in said || 'error' in said ? false : undefined;
};

/** What Hermes' loop detector did about a call. */
interface Guarding {
  readonly action: string;
  readonly code: string | undefined;
  readonly count: number | undefined;
}

const guardingIn = (note: RegExpExecArray | null, said: JsonObject): Guarding | undefined => {
  if (note !== null) {
    return { action: note[1] === 'warning' ? 'warn' : 'halt', code: note[2], count: numberIn(Number(note[3])) };
  }
  const { action, code, count } = fieldsOf(said['guardrail']);
  const isRefused = said['error'] === 'tool_guardrail_rejected';
  if (textIn(action) === undefined && !isRefused) return undefined;
  return { action: textIn(action) ?? 'block', code: textIn(code) ?? textIn(said['code']), count: numberIn(count) };
};

/** What the content of a tool's message tells. */
export interface ToolMessage {
  readonly result: Result;
  readonly guarding: Guarding | undefined;
  readonly isInterrupted: boolean;
  /** It asks a person for leave. */
  readonly isWaiting: boolean;
}

export const readToolMessage = (content: unknown): ToolMessage => {
  const text = proseOf(content);
  const note = NOTE.exec(text);
  const said = isObject(content) ? content : parsedIn(note === null ? text : text.slice(0, note.index));
  const exitCode = numberIn(fieldsOf(said)['exit_code']);
  return {
    result: { value: content, isError: failureIn(said, text, exitCode), exitCode },
    guarding: guardingIn(note, fieldsOf(said)),
    isInterrupted: SKIPPED.test(text) && INTERRUPTED.test(text),
    isWaiting: WAITS.has(textIn(fieldsOf(said)['status']) ?? ''),
  };
};

export const writeGuarding = (
  writer: RunWriter,
  line: LineOf,
  { action, code, count }: Guarding,
  call: { readonly name: string; readonly digest: string | undefined },
): void => {
  const isCount = Number.isSafeInteger(count);
  const about: Fields = { name: call.name, args_hash: call.digest };
  writer.span(line, { type: 'guard', action, code, ...(isCount && { count }), ...about });
};
