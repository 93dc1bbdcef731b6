import { defineAdapter, goalOf, turnId, type World } from './adapter.js';
import type { LineOf, RunWriter, Stop } from './run-writer.js';
import { countIn, fieldsOf, type JsonObject, objectsIn, proseOf, textIn, timeIn } from './values.js';

/** Messages that say nothing of how a run goes or ends. */
const SIDE = new Set(
  `system stream_event tool_progress rate_limit_event tool_use_summary conversation_reset control_request control_response
  control_cancel_request keep_alive auth_status prompt_suggestion streamlined_text streamlined_tool_use_summary`.split(
    /\s+/,
  ),
);
const REMINDER = /<system-reminder>[\s\S]*?<\/system-reminder>/g;
const SPAWNING = new Set(['Task', 'Agent']);
const ABORTED = new Set(['aborted_streaming', 'aborted_tools']);

const blocksOf = (content: unknown): readonly JsonObject[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content);

const usageOf = (usage: unknown) => {
  const said = fieldsOf(usage);
  return {
    in: countIn(said['input_tokens']) + countIn(said['cache_creation_input_tokens']),
    cached: countIn(said['cache_read_input_tokens']),
    out: countIn(said['output_tokens']),
  };
};

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
    return result['is_error'] === true ? said('error', 'completed with an error') : said('end_turn', 'completed');
  if (terminal !== undefined) return said(terminal);
  if (subtype !== undefined && subtype !== 'success') return said(subtype);
  if (result['is_error'] === true) return said('api_error', 'success with an error');
  // A success that still wanted to call a tool is none.
  if (stopReason === 'tool_use' || stopReason === 'pause_turn') return undefined;
  return said(stopReason ?? 'success');
};

interface Turn {
  readonly writer: RunWriter;
  roundKey: string | undefined;
  isOver: boolean;
}

const start = (world: World) => {
  const ordinals = new Map<string, number>();
  const current = new Map<string, Turn>();
  /** By the call that made it, the run of a sub-agent. */
  const seenResults = new Set<string>();
  let fileName = '';

  const begin = (key: string): Turn => {
    const ordinal = (ordinals.get(key) ?? 0) + 1;
    ordinals.set(key, ordinal);
    const writer = world.run(world.unit === 'session' ? key : turnId(key, ordinal));
    const turn = { writer, roundKey: undefined, isOver: false };
    current.set(key, turn);
    return turn;
  };
  const turnOf = (key: string): Turn => {
    const known = current.get(key);
    return known === undefined || known.isOver ? begin(key) : known;
  };

  const takeUser = (record: JsonObject, key: string, line: LineOf): void => {
    const { content } = fieldsOf(record['message']);
    const ts = timeIn(record['timestamp']);
    let hasResults = false;
    for (const block of blocksOf(content)) {
      if (block['type'] !== 'tool_result') continue;
      hasResults = true;
      const id = textIn(block['tool_use_id']);
      if (id === undefined) world.unusable(line, 'a tool_result lacks its tool_use_id');
      else {
        const exitCode = fieldsOf(record['tool_use_result'])['exit_code'];
        current.get(key)?.writer.result(id, {
          value: block['content'],
          isError: block['is_error'] === true,
          exitCode: typeof exitCode === 'number' ? exitCode : undefined,
        });
      }
    }
    if (hasResults || record['isSynthetic'] === true || record['isMeta'] === true) return;
    const turn = turnOf(key);
    // A prompt within a turn steers it.
    if (turn.writer.isEmpty) turn.writer.start(line, goalOf('user prompt', proseOf(content)), ts);
  };

  const takeAssistant = (record: JsonObject, key: string, line: LineOf): void => {
    const message = fieldsOf(record['message']);
    // A placeholder of the harness: no model spoke.
    if (message['model'] === '<synthetic>') return;
    const turn = turnOf(key);
    const ts = timeIn(record['timestamp']);
    const round = textIn(message['id']) ?? `${line.file}:${line.line}`;
    if (turn.writer.isEmpty) turn.writer.start(line, 'a prompt on the command line', ts);
    if (turn.roundKey !== round) turn.writer.round(line, {}, { ts });
    turn.roundKey = round;
    if (message['usage'] !== undefined) turn.writer.updateRound(usageOf(message['usage']));
    const stopReason = textIn(message['stop_reason']);
    if (stopReason !== undefined) turn.writer.updateRound({}, { stop_reason: stopReason });
    for (const { type, id, name, input } of blocksOf(message['content'])) {
      if (!/^(server_|mcp_)?tool_use$/.test(String(type))) continue;
      const tool = textIn(name);
      if (tool === undefined) world.unusable(line, 'a tool_use lacks its name');
      else {
        turn.writer.call(line, {
          id: textIn(id),
          name: tool,
          args: input,
          ts,
          more: SPAWNING.has(tool) ? { effect: 'spawn' } : {},
        });
      }
    }
  };

  const takeResult = (record: JsonObject, session: string, line: LineOf): void => {
    // The same result twice is one: a log that holds the stream and its last line.
    const uuid = textIn(record['uuid']);
    if (uuid !== undefined && seenResults.has(uuid)) return;
    if (uuid !== undefined) seenResults.add(uuid);
    const turn = turnOf(session);
    if (turn.writer.isEmpty) {
      turn.writer.start(line, 'a prompt on the command line');
      // Of a turn without its messages, the result alone tells what it took.
      if (turn.writer.rounds === 0 && record['usage'] !== undefined) turn.writer.round(line, usageOf(record['usage']));
    }
    const stop = stopOf(record);
    if (stop !== undefined) turn.writer.stop(line, { ...stop, ts: timeIn(record['timestamp']) });
    turn.isOver = true;
    for (const [key, { writer }] of current) {
      // Sub-agents end with the turn that called them; what they gave back stands in it.
      if (!key.startsWith(`${session}/`) || stop === undefined) continue;
      if (writer.openCalls === 0 && writer.stopSoFar === undefined) {
        writer.stop(line, { value: 'end_turn', detail: 'the turn that called it ended', isInferred: true });
      }
      current.delete(key);
    }
  };

  return {
    startInput({ name }: { readonly name: string }): void {
      fileName = name.replace(/^.*[\\/]/, '').replace(/\.jsonl?$/, '');
    },
    take(record: JsonObject, line: LineOf): void {
      const session = textIn(record['session_id']) ?? textIn(record['sessionId']) ?? fileName;
      const parent = textIn(record['parent_tool_use_id']);
      const key = parent === undefined ? session : `${session}/${parent}`;
      const type = String(record['type'] ?? '(no type)');
      if (type === 'user') takeUser(record, key, line);
      else if (type === 'assistant') takeAssistant(record, key, line);
      else if (type === 'result') takeResult(record, session, line);
      else if (!SIDE.has(type)) world.notUnderstood(type);
    },
  };
};

const isMessage = (record: JsonObject): boolean => {
  const { type, message, session_id: session, subtype, is_error: isError } = record;
  // Lines of a transcript may carry the session in this spelling, too.
  if ('parentUuid' in record || 'sessionId' in record) return false;
  if (type === 'result') return typeof subtype === 'string' && typeof isError === 'boolean';
  if (type === 'system') return subtype === 'init' && typeof session === 'string';
  return (type === 'assistant' || type === 'user') && typeof session === 'string' && typeof message === 'object';
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
  volatile: {
    args: ['Agent', 'Bash', 'Monitor', 'Task'].map((tool) => ({
      tool,
      key: 'description',
      because: 'the model words it anew for the same call',
    })),
    results: [{ pattern: REMINDER, because: 'the harness adds reminders to results; the tool did not give them' }],
  },
  recognises: (sample) => sample.some(isMessage),
  start,
});
