import { defineAdapter, goalOf, type World } from './adapter.js';
import { createCalls } from './calls.js';
import { stemOf } from './file-names.js';
import { knownReason } from './reasons.js';
import type { LineOf, RunWriter, Stop } from './run-writer.js';
import { createTurns, inferredStop, recordedStop } from './turns.js';
import { countIn, fieldsOf, type JsonObject, textIn, timeIn } from './values.js';

/** What errors beside the result say of its reason: the result itself may say success then. */
const NOTICES: readonly (readonly [RegExp, string])[] = [
  [/maximum session turns/i, 'max_turns'],
  [/loop detected/i, 'loop_detected'],
];
const INTERRUPT = 'FatalCancellationError';
const OWN_REASON = new Set(['FatalTurnLimitedError']);

interface Turn {
  readonly writer: RunWriter;
  isPrompted: boolean;
  isInRound: boolean;
  notice: string | undefined;
  hasResult: boolean;
}

const usageOf = (stats: unknown) => {
  const { input_tokens, cached, output_tokens, input } = fieldsOf(stats);
  if (input_tokens === undefined && output_tokens === undefined) return {};
  const fresh = input === undefined ? countIn(input_tokens) - countIn(cached) : countIn(input);
  return { tokens_in: Math.max(0, fresh), tokens_cached: countIn(cached), tokens_out: countIn(output_tokens) };
};

const stopOf = ({ status, error }: JsonObject, notice: string | undefined): Stop => {
  const type = textIn(fieldsOf(error)['type']);
  if (status === 'success') return notice === undefined ? recordedStop('success') : inferredStop(notice);
  if (status !== 'error') return recordedStop(textIn(status) ?? '(no status)');
  if (type === INTERRUPT) return recordedStop('user_interrupt', 'user_interrupt');
  const tells = type !== undefined && (OWN_REASON.has(type) || (knownReason(type) ?? 'done') !== 'done');
  return recordedStop(tells ? type : (notice ?? 'error'), type ?? 'error');
};

const start = (world: World) => {
  const nextTurn = createTurns(world);
  const calls = createCalls(world);
  let session = '';
  let turn: Turn | undefined;

  const begin = (): Turn => {
    turn = { writer: nextTurn(session), isPrompted: false, isInRound: false, notice: undefined, hasResult: false };
    return turn;
  };
  const work = (line: LineOf, ts: string | undefined): Turn => {
    const at = turn === undefined || turn.hasResult ? begin() : turn;
    if (!at.isInRound) at.writer.round(line, {}, { ts });
    at.isInRound = true;
    at.notice = undefined;
    return at;
  };

  const takes: Readonly<Record<string, (record: JsonObject, line: LineOf) => void>> = {
    init({ session_id }) {
      session = textIn(session_id) ?? session;
      turn = undefined;
    },
    message({ role, content, timestamp }, line) {
      const ts = timeIn(timestamp);
      if (role === 'user') {
        const at = turn === undefined || turn.isPrompted || turn.hasResult ? begin() : turn;
        at.isPrompted = true;
        at.writer.start(line, goalOf('user prompt', textIn(content) ?? ''), ts);
      } else if (role === 'assistant') work(line, ts);
      else world.notUnderstood(`message of ${textIn(role) ?? '(no role)'}`);
    },
    tool_use({ tool_name, tool_id, parameters, timestamp }, line) {
      const [name, id] = [textIn(tool_name), textIn(tool_id)];
      if (name === undefined || id === undefined) world.unusable(line, 'a tool_use lacks its tool_name or tool_id');
      else {
        const ts = timeIn(timestamp);
        calls.call(work(line, ts).writer, line, { id, name, args: parameters, ts });
      }
    },
    tool_result({ tool_id, status, output, error }, line) {
      const id = textIn(tool_id);
      if (id === undefined) world.unusable(line, 'a tool_result lacks its tool_id');
      else if (turn !== undefined) {
        turn.isInRound = false;
        const isError = status === undefined ? undefined : status !== 'success';
        calls.result(turn.writer, id, { value: output ?? fieldsOf(error)['message'], isError });
      }
    },
    error({ message }) {
      if (turn === undefined) return;
      turn.notice = NOTICES.find(([pattern]) => pattern.test(textIn(message) ?? ''))?.[1] ?? turn.notice;
    },
    result(record, line) {
      const at = turn ?? begin();
      at.hasResult = true;
      const stop = stopOf(record, at.notice);
      at.writer.stop(line, { ...stop, ts: timeIn(record['timestamp']), more: usageOf(record['stats']) });
    },
  };

  return {
    startInput({ name }: { readonly name: string }): void {
      session = stemOf(name);
      turn = undefined;
    },
    take(record: JsonObject, line: LineOf): void {
      const type = textIn(record['type']) ?? '(no type)';
      if (Object.hasOwn(takes, type)) takes[type]?.(record, line);
      else world.notUnderstood(type);
    },
    end: calls.end,
  };
};

export const geminiStream = defineAdapter({
  id: 'gemini-stream',
  title: 'Gemini CLI stream-json',
  where: 'what gemini --output-format stream-json writes',
  run: 'a prompt and what follows it, up to its result',
  stops: 'recorded: the result says success or error, and of which type',
  tells: 'calls with parameters, results and their status, tokens of the whole run',
  lacks: 'numbered iterations, tokens of a round, exit codes, receipts, approvals',
  volatile: {
    args: [{ tool: 'run_shell_command', key: 'description', because: 'the model words it anew for the same call' }],
    results: [
      { pattern: /^(Process Group PGID|Background PIDs): .*$/gm, because: 'process ids differ from call to call' },
    ],
  },
  recognises: (sample) =>
    sample.some(
      ({ type, session_id, model, subtype, tool_name, tool_id, status, stats }) =>
        (type === 'init' && typeof session_id === 'string' && typeof model === 'string' && subtype === undefined) ||
        (type === 'tool_use' && typeof tool_name === 'string' && typeof tool_id === 'string') ||
        (type === 'tool_result' && typeof tool_id === 'string' && typeof status === 'string') ||
        (type === 'result' && typeof status === 'string' && typeof fieldsOf(stats)['tool_calls'] === 'number'),
    ),
  start,
});
