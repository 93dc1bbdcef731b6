import { defineAdapter, goalOf, type World } from './adapter.js';
import { createCalls } from './calls.js';
import { digestOf } from './digest.js';
import { stemOf } from './file-names.js';
import { createIds } from './ids.js';
import type { LineOf, RunWriter, Stop } from './run-writer.js';
import { createTurns, inferredStop, recordedStop } from './turns.js';
import { countIn, fieldsOf, type JsonObject, objectsIn, proseOf, textIn, timeIn } from './values.js';

/** Entries and events that say nothing of a run. */
const SILENT = new Set(
  `session_info model_change thinking_level_change custom label leaf session_init mode_change title_change ttsr_injection
  message_start message_update tool_execution_update turn_start turn_end agent_start queue_update response
  extension_ui_request extension_error hook_error thinking_level_changed session_info_changed`.split(/\s+/),
);
/** After these, what the model says without a prompt is another turn, if the one before has stopped. */
const BOUNDARY = new Set(
  'compaction branch_summary custom_message compaction_start compaction_end auto_compaction_start auto_compaction_end'.split(
    ' ',
  ),
);
const SILENT_ROLES = new Set(
  'bashExecution pythonExecution branchSummary compactionSummary fileMention developer'.split(' '),
);
const GOES_ON = 'toolUse';
/** The tool that asks the person. */
const ASK = 'ask';

interface Turn {
  /** Its place among all turns. */
  readonly number: number;
  readonly writer: RunWriter;
  hasWorked: boolean;
  /** The stop that its last message amounts to. */
  stop: Stop | undefined;
  reason: string | undefined;
}

const stopOf = (stopReason: string): Stop =>
  stopReason === 'aborted' ? inferredStop('user_interrupt', 'user_interrupt') : inferredStop(stopReason);

const usageOf = (usage: unknown) => {
  const { input, output, cacheRead, cacheWrite } = fieldsOf(usage);
  return { in: countIn(input) + countIn(cacheWrite), cached: countIn(cacheRead), out: countIn(output) };
};

const start = (world: World) => {
  const nextTurn = createTurns(world);
  const calls = createCalls(world);
  const current = new Map<string, Turn>();
  const turns: Turn[] = [];
  /** The number of each entry's turn. */
  const turnOfEntry = createIds();
  /** Of each entry that may be copied, the number of its turn and one; 0 where it has none. */
  const seen = createIds();
  let session = '';
  let isBoundary = false;
  /** Whether the agent's own list of messages is the only one. */
  let hasMessages = false;

  const begin = (line: LineOf, goal: string | undefined, ts: string | undefined): Turn => {
    const turn: Turn = {
      number: turns.length,
      writer: nextTurn(session),
      hasWorked: false,
      stop: undefined,
      reason: undefined,
    };
    turns.push(turn);
    if (goal !== undefined) turn.writer.start(line, goal, ts);
    isBoundary = false;
    return turn;
  };

  const takeUser = (message: JsonObject, line: LineOf, ts: string | undefined, turn: Turn | undefined): Turn => {
    const { content, attribution, synthetic } = message;
    const isAtWork = turn?.hasWorked === true && turn.stop === undefined && turn.writer.openCalls === 0;
    // A prompt that comes while the agent is at work steers it.
    if (turn !== undefined && (isAtWork || attribution === 'agent' || synthetic === true)) {
      turn.stop = undefined;
      turn.writer.resume();
      return turn;
    }
    return begin(line, goalOf('user prompt', proseOf(content)), ts);
  };

  const takeCall = ({ writer }: Turn, id: unknown, tool: unknown, args: unknown, line: LineOf): void => {
    const [callId, name] = [textIn(id), textIn(tool)];
    if (callId === undefined || name === undefined) world.unusable(line, 'a tool call lacks its id or name');
    else {
      const more = name === 'task' ? { effect: 'spawn' } : {};
      if (calls.call(writer, line, { id: callId, name, args, more }) && name === ASK) writer.wait(line, 'human');
    }
  };

  const takeAssistant = (message: JsonObject, line: LineOf, ts: string | undefined, before: Turn | undefined): Turn => {
    const { content, usage, stopReason } = message;
    const isAnother = isBoundary && before?.stop !== undefined && before.stop.value !== 'error';
    const turn = before === undefined || isAnother ? begin(line, undefined, ts) : before;
    isBoundary = false;
    const reason = textIn(stopReason);
    turn.writer.round(line, usageOf(usage), { ts, stop_reason: reason });
    turn.hasWorked = true;
    turn.reason = reason;
    const asked = objectsIn(content).filter(({ type }) => type === 'toolCall');
    for (const call of asked) takeCall(turn, call['id'], call['name'], call['arguments'], line);
    const goesOn = reason === undefined || reason === GOES_ON || (reason === 'stop' && asked.length > 0);
    turn.stop = goesOn ? undefined : stopOf(reason);
    if (turn.stop !== undefined) turn.writer.stop(line, turn.stop);
    return turn;
  };

  const takeResult = ({ writer }: Turn, id: unknown, value: unknown, isError: unknown): void => {
    const isAnswer = calls.result(writer, id, {
      value,
      isError: typeof isError === 'boolean' ? isError : undefined,
    });
    if (isAnswer && writer.stopSoFar === undefined) writer.resume();
  };

  const takeMessage = (message: JsonObject, line: LineOf, ts: string | undefined, before: Turn | undefined) => {
    const role = textIn(message['role']) ?? '(no role)';
    if (role === 'user') return takeUser(message, line, ts, before);
    if (role === 'assistant') return takeAssistant(message, line, ts, before);
    if (role === 'toolResult') {
      if (before !== undefined) takeResult(before, message['toolCallId'], message['content'], message['isError']);
    } else if (role === 'custom' || role === 'hookMessage') isBoundary = true;
    else if (!SILENT_ROLES.has(role)) world.notUnderstood(`message of ${role}`);
    return before;
  };

  /** An entry of a session's tree: it goes on from its parent, and may be a copy. */
  const takeEntry = (entry: JsonObject, line: LineOf): void => {
    const { id, parentId, timestamp } = entry;
    const message = fieldsOf(entry['message']);
    const ts = timeIn(timestamp) ?? timeIn(message['timestamp']);
    const mark = `${textIn(id) ?? ''} ${ts ?? ''} ${digestOf(message) ?? ''}`;
    const known = textIn(id) !== undefined || ts !== undefined ? seen.get(mark) : undefined;
    const before = turns[turnOfEntry.get(textIn(parentId) ?? '') ?? -1] ?? current.get(session);
    const turn = known === undefined ? takeMessage(message, line, ts, before) : turns[known - 1];
    if (known === undefined) seen.set(mark, turn === undefined ? 0 : turn.number + 1);
    if (turn === undefined) return;
    if (textIn(id) !== undefined) turnOfEntry.set(textIn(id) ?? '', turn.number);
    current.set(session, turn);
  };

  const takeStreamed = (message: JsonObject, line: LineOf): void => {
    const turn = takeMessage(message, line, timeIn(message['timestamp']), current.get(session));
    if (turn !== undefined) current.set(session, turn);
  };

  const takes: Readonly<Record<string, (record: JsonObject, line: LineOf) => void>> = {
    session({ id }) {
      session = textIn(id) ?? session;
    },
    message: takeEntry,
    message_end({ message }, line) {
      hasMessages = true;
      takeStreamed(fieldsOf(message), line);
    },
    tool_execution_start({ toolCallId, toolName, args }, line) {
      const turn = current.get(session);
      if (turn !== undefined) takeCall(turn, toolCallId, toolName, args, line);
    },
    tool_execution_end({ toolCallId, result, isError }) {
      const turn = current.get(session);
      if (turn !== undefined) takeResult(turn, toolCallId, fieldsOf(result)['content'] ?? result, isError);
    },
    agent_end({ messages, isTerminal }, line) {
      if (!hasMessages) for (const message of objectsIn(messages)) takeStreamed(message, line);
      hasMessages = false;
      const turn = current.get(session);
      if (turn === undefined) return;
      if (isTerminal === false) {
        turn.writer.resume();
        return;
      }
      // The agent may have ended after calls: it says that it stopped, and not why.
      turn.stop = { ...(turn.stop ?? recordedStop(turn.reason ?? 'agent_end')), isInferred: false };
      turn.writer.stop(line, turn.stop);
    },
    auto_retry_start() {
      current.get(session)?.writer.resume();
    },
    auto_retry_end({ success }, line) {
      const writer = current.get(session)?.writer;
      if (success === false && writer?.stopSoFar === undefined) writer?.stop(line, recordedStop('error'));
    },
  };

  return {
    startInput({ name }: { readonly name: string }): void {
      session = stemOf(name);
      hasMessages = false;
      isBoundary = false;
    },
    take(record: JsonObject, line: LineOf): void {
      const type = textIn(record['type']) ?? '(no type)';
      if (Object.hasOwn(takes, type)) takes[type]?.(record, line);
      else if (BOUNDARY.has(type)) {
        isBoundary = true;
        if (record['willRetry'] === true) current.get(session)?.writer.resume();
      } else if (!SILENT.has(type)) world.notUnderstood(type);
    },
    end: calls.end,
  };
};

const ROLES = new Set(['user', 'assistant', 'toolResult']);
const INTENT = 'oh-my-pi asks the model to say in words what each call is for';

export const pi = defineAdapter({
  id: 'pi',
  title: 'pi and oh-my-pi',
  where: '~/.pi/agent/sessions/*/*.jsonl, ~/.omp/agent/sessions/*/*.jsonl, and what pi --mode json writes',
  run: 'a turn: from a prompt to the stop before the next one; a prompt that comes while the agent works steers the turn',
  stops: 'recorded by agent_end in event streams; inferred from the stop reason of the last message in session files',
  tells: 'calls with arguments and results, which of them failed, tokens of each round',
  lacks: 'numbered iterations, exit codes, receipts, approvals',
  volatile: {
    args: ['i', '_i'].map((key) => ({ tool: '*', key, because: INTENT })),
    results: [],
  },
  recognises: (sample) =>
    sample.some(({ type, id, cwd, version, message, timestamp }) => {
      if (type === 'session') return typeof id === 'string' && (typeof cwd === 'string' || typeof version === 'number');
      const hasRole = ROLES.has(textIn(fieldsOf(message)['role']) ?? '');
      if (type === 'message') return hasRole && typeof timestamp === 'string';
      return (type === 'message_start' || type === 'message_end' || type === 'turn_end') && hasRole;
    }),
  start,
});
