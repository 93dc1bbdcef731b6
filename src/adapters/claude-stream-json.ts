import { defineAdapter, goalOf, turnId, type World } from './adapter.js';
import { ASKING, blocksOf, kindOf, resultOf, SPAWNING, usageOf, VOLATILE } from './claude-messages.js';
import { markOf } from './digest.js';
import { stemOf } from './file-names.js';
import { createIds } from './ids.js';
import type { LineOf, RunWriter, Stop } from './run-writer.js';
import { fieldsOf, type JsonObject, numberIn, proseOf, textIn, timeIn } from './values.js';

/** Messages that say nothing of how a run goes or ends. */
const SIDE = new Set(
  `stream_event tool_progress rate_limit_event tool_use_summary conversation_reset control_response
  control_cancel_request keep_alive auth_status prompt_suggestion streamlined_text streamlined_tool_use_summary`.split(
    /\s+/,
  ),
);
const SUBTYPES = new Set(
  `init status hook_started hook_progress hook_response api_retry api_error compact_boundary microcompact_boundary
  task_started task_progress task_updated task_notification permission_denied thinking_tokens session_state_changed
  mirror_error session_writes_lost worker_shutting_down files_persisted local_command local_command_output
  turn_duration stop_hook_summary informational elicitation_complete post_turn_summary`.split(/\s+/),
);
const ABORTED = new Set(['aborted_streaming', 'aborted_tools']);

/** Why the turn ended, the most precise word first: terminal_reason, subtype, stop_reason, is_error. */
const stopOf = (result: JsonObject): Stop | undefined => {
  const [terminal, subtype, stopReason] = [result['terminal_reason'], result['subtype'], result['stop_reason']].map(
    textIn,
  );
  const said = (value: string, detail = value): Stop => ({ value, detail, isInferred: false });
  // A refusal is told as an error of the interface.
  if (stopReason === 'refusal') return said('refusal');
  if (terminal !== undefined && ABORTED.has(terminal)) return said('user_interrupt', 'user_interrupt');
  if (terminal === 'completed')
    return result['is_error'] === true ? said('error', terminal) : said('end_turn', terminal);
  if (terminal !== undefined) return said(terminal);
  const isDenied = Array.isArray(result['permission_denials']) && result['permission_denials'].length > 0;
  if (subtype === 'error_during_execution' && isDenied) return said('permission_denied', subtype);
  if (subtype !== undefined && subtype !== 'success') return said(subtype);
  if (result['is_error'] === true) return said('api_error', subtype);
  // A success that still wanted to call a tool is none.
  if (stopReason === 'tool_use' || stopReason === 'pause_turn') return undefined;
  return said(stopReason ?? 'success');
};

interface Turn {
  readonly index: number;
  readonly writer: RunWriter;
  /** Where the stream says that it begins, before anything is said in it. */
  readonly line: LineOf;
  roundKey: string | undefined;
  isOver: boolean;
}

const ON_THE_COMMAND_LINE = 'a prompt on the command line';

const start = (world: World) => {
  const ordinals = new Map<string, number>();
  /** By session, and by the call that made a sub-agent. */
  const current = new Map<string, Turn>();
  /** What was told already, by ids and content. */
  const told = createIds();
  const isNew = (key: string): boolean => {
    if (told.get(key) !== undefined) return false;
    told.set(key, 0);
    return true;
  };
  let turns = 0;
  let latest = '';

  const begin = (key: string, line: LineOf): Turn => {
    const ordinal = (ordinals.get(key) ?? 0) + 1;
    ordinals.set(key, ordinal);
    const writer = world.run(world.unit === 'session' ? key : turnId(key, ordinal));
    // What stopped goes on with another turn.
    writer.resume();
    turns += 1;
    const turn = { index: turns, writer, line, roundKey: undefined, isOver: false };
    current.set(key, turn);
    return turn;
  };
  const turnOf = (key: string, line: LineOf): Turn => {
    const known = current.get(key);
    return known === undefined || known.isOver ? begin(key, line) : known;
  };

  /** What a sub-agent gave back ends it, unless it goes on behind; work that follows takes the end back. */
  const endSubAgent = (key: string, record: JsonObject, isError: boolean, line: LineOf): void => {
    const child = current.get(key);
    const { isAsync, status } = fieldsOf(record['tool_use_result']);
    if (child === undefined || isAsync === true || status === 'async_launched' || child.writer.openCalls > 0) return;
    child.writer.stop(line, { value: isError ? 'error' : 'end_turn', detail: 'quoted_by_parent', isInferred: true });
  };

  const takeUser = (record: JsonObject, key: string, session: string, line: LineOf): void => {
    const { content } = fieldsOf(record['message']);
    const ts = timeIn(record['timestamp']);
    let hasResults = false;
    for (const block of blocksOf(content)) {
      if (block['type'] !== 'tool_result') continue;
      hasResults = true;
      const id = textIn(block['tool_use_id']);
      if (id === undefined) {
        world.unusable(line, 'a tool_result lacks its tool_use_id');
        continue;
      }
      const said = resultOf(block);
      const exitCode = numberIn(fieldsOf(record['tool_use_result'])['exit_code']) ?? said.exitCode;
      const isOpen = current.get(key)?.writer.result(id, { ...said, exitCode });
      if (isOpen !== true) world.notUnderstood('(a result without an open call)');
      endSubAgent(`${session}/${id}`, record, said.isError === true, line);
    }
    if (hasResults || record['isSynthetic'] === true || record['isMeta'] === true) return;
    const turn = turnOf(key, line);
    // A prompt within a turn steers it.
    if (turn.writer.isEmpty) turn.writer.start(line, goalOf('user prompt', proseOf(content)), ts);
  };

  const takeAssistant = (record: JsonObject, key: string, line: LineOf): void => {
    const message = fieldsOf(record['message']);
    // A placeholder of the harness: no model spoke.
    if (message['model'] === '<synthetic>') return;
    const turn = turnOf(key, line);
    const ts = timeIn(record['timestamp']);
    const round = textIn(message['id']) ?? `${line.file}:${line.line}`;
    if (turn.writer.isEmpty) turn.writer.start(line, ON_THE_COMMAND_LINE, ts);
    if (isNew(`round ${turn.index} ${round}`)) {
      turn.writer.round(line, {}, { ts });
      turn.roundKey = round;
    }
    if (turn.roundKey === round) {
      const usage = message['usage'] === undefined ? {} : usageOf(message['usage']);
      turn.writer.updateRound(usage, { stop_reason: textIn(message['stop_reason']) });
    }
    let question = false;
    for (const block of blocksOf(message['content'])) {
      const { id, name, input } = block;
      const kind = kindOf(block);
      if (kind === 'unknown') world.notUnderstood(`block ${textIn(block['type']) ?? '(no type)'}`);
      if (kind === 'result') turn.writer.result(textIn(block['tool_use_id']) ?? '', resultOf(block));
      if (kind !== 'call') continue;
      const tool = textIn(name);
      if (tool === undefined) {
        world.unusable(line, 'a tool_use lacks its name');
        continue;
      }
      const call = textIn(id);
      if (call !== undefined && !isNew(`call ${turn.index} ${call} ${markOf(input)}`)) continue;
      const more = SPAWNING.has(tool) ? { effect: 'spawn' } : {};
      turn.writer.call(line, { id: call, name: tool, args: input, ts, more });
      question ||= ASKING.has(tool);
    }
    if (question) turn.writer.wait(line, 'human');
  };

  const takeSystem = (record: JsonObject, session: string, line: LineOf): void => {
    const subtype = textIn(record['subtype']) ?? '(no subtype)';
    if (!SUBTYPES.has(subtype)) world.notUnderstood(`system ${subtype}`);
    // A stream that ends behind its first line was killed before the model spoke.
    if (subtype === 'init' && !current.has(session)) begin(session, line);
    const known = current.get(session);
    if (subtype === 'session_state_changed' && known?.isOver === false) {
      if (record['state'] === 'requires_action') known.writer.wait(line, 'human');
      else if (record['state'] === 'running') known.writer.resume();
    }
    const call = textIn(record['tool_use_id']);
    if (subtype !== 'task_notification' || call === undefined) return;
    const child = current.get(`${session}/${call}`);
    const status = textIn(record['status']);
    const word = status === 'completed' ? 'end_turn' : status === 'stopped' ? 'cancelled' : 'error';
    child?.writer.stop(line, { value: word, detail: status, isInferred: false });
  };

  const takeResult = (record: JsonObject, session: string, line: LineOf): void => {
    const turn = turnOf(session, line);
    if (turn.writer.isEmpty) {
      turn.writer.start(line, ON_THE_COMMAND_LINE);
      // Of a turn without its messages, the result alone tells what it took.
      if (record['usage'] !== undefined) turn.writer.round(line, usageOf(record['usage']));
    }
    const stop = stopOf(record);
    if (stop !== undefined) turn.writer.stop(line, { ...stop, ts: timeIn(record['timestamp']) });
    turn.isOver = true;
  };

  return {
    startInput({ name }: { readonly name: string }): void {
      latest = stemOf(name);
    },
    take(record: JsonObject, line: LineOf): void {
      const session = textIn(record['session_id']) ?? textIn(record['sessionId']) ?? latest;
      latest = session;
      const parent = textIn(record['parent_tool_use_id']);
      const key = parent === undefined ? session : `${session}/${parent}`;
      const type = textIn(record['type']) ?? '(no type)';
      const uuid = textIn(record['uuid']);
      // The same message twice is one: a log that holds the stream and its last line, a stream that replays another.
      const mark = uuid === undefined ? '' : markOf([type, record['message'], record['subtype']]);
      if (uuid !== undefined && !isNew(`uuid ${uuid} ${mark}`)) {
        world.collected();
        return;
      }
      if (type === 'user') takeUser(record, key, session, line);
      else if (type === 'assistant') takeAssistant(record, key, line);
      else if (type === 'result') takeResult(record, session, line);
      else if (type === 'system') takeSystem(record, session, line);
      else if (type === 'control_request') {
        if (fieldsOf(record['request'])['subtype'] === 'can_use_tool') current.get(session)?.writer.wait(line, 'human');
      } else if (!SIDE.has(type)) world.notUnderstood(type);
    },
    end(): void {
      for (const { writer, line } of current.values()) if (writer.isEmpty) writer.start(line, ON_THE_COMMAND_LINE);
    },
  };
};

const isMessage = (record: JsonObject): boolean => {
  const { type, message, session_id: session, subtype, is_error: isError } = record;
  // Lines of a transcript may carry the session in this spelling, too.
  if ('parentUuid' in record || 'sessionId' in record) return false;
  if (type === 'result') return typeof subtype === 'string' && typeof isError === 'boolean';
  if (typeof session !== 'string') return false;
  if (type === 'system') return typeof subtype === 'string';
  if (type === 'stream_event') return typeof record['event'] === 'object';
  return (type === 'assistant' || type === 'user') && typeof message === 'object';
};

export const claudeStreamJson = defineAdapter({
  id: 'claude-stream-json',
  title: 'Claude Code stream-json and agent SDK messages',
  where: 'claude -p --output-format stream-json or json; the messages of the agent SDK, also as one list',
  run: 'a turn: up to its result; what a sub-agent says under the id of the call that made it is a run of its own',
  stops:
    'recorded by the result: terminal_reason, then subtype, stop_reason and is_error; a stream without one was killed',
  tells: 'calls with arguments and results, rounds, tokens, failures',
  lacks: 'numbered iterations, receipts, approvals',
  volatile: VOLATILE,
  recognises: (sample) => sample.some(isMessage),
  start,
});
