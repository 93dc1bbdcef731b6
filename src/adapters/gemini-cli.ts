import { defineAdapter, goalOf, type World } from './adapter.js';
import { stemOf } from './file-names.js';
import type { LineOf, RunWriter, Stop } from './run-writer.js';
import { createTurns, inferredStop } from './turns.js';
import { countIn, fieldsOf, type JsonObject, numberIn, objectsIn, proseOf, textIn, timeIn } from './values.js';

/** What the harness puts before the model in a person's place. */
const NO_PROMPT =
  /^\s*(<(session_context|state_snapshot|scratchpad|system)|This is the Gemini CLI\. We are setting up|I ran the following shell command:|System: Please continue\.)/;
const SLASH_COMMAND = /^\s*\/[a-z]/;

/** What the harness tells the person of the end of a turn. */
const NOTICES: readonly (readonly [RegExp, Stop])[] = [
  [/^Request cancelled\./, inferredStop('user_interrupt', 'user_interrupt')],
  [/reached the maximum number of turns/, inferredStop('max_turns')],
  [/potential loop was detected/, inferredStop('loop_detected')],
  [/Response truncated due to token limits/, inferredStop('max_tokens')],
  [/Response stopped due to /, inferredStop('content_filter')],
  [/^\s*\[API Error/, inferredStop('api_error')],
];
const NO_RESULT = new Set(['validating', 'scheduled', 'executing', 'awaiting_approval']);
const RESULT = new Set(['success', 'error', 'cancelled']);
const KINDS = new Set(['user', 'gemini', 'info', 'warning', 'error']);
const EXIT_CODE = /^Exit Code: (\d{1,9})$/m;
/** The call by which a sub-agent says that it is done. */
const COMPLETE = 'complete_task';

interface Turn {
  readonly writer: RunWriter;
  /** The message that it begins with. */
  readonly promptKey: string | undefined;
  /** The model's message that is the turn's last word, if it is one. */
  lastId: string | undefined;
  readonly callIds: Set<string>;
}

const partsOf = (content: unknown): readonly JsonObject[] =>
  (Array.isArray(content) ? content : [content]).map((part) =>
    typeof part === 'string' ? { text: part } : fieldsOf(part),
  );

const usageOf = (tokens: unknown) => {
  const { input, cached, output, thoughts, tool } = fieldsOf(tokens);
  return {
    in: Math.max(0, countIn(input) - countIn(cached)),
    cached: countIn(cached),
    out: countIn(output),
    aux: countIn(thoughts) + countIn(tool),
  };
};

/** A call as newer files list it, or as a part of what the model said. */
const callsIn = ({ toolCalls, content }: JsonObject): readonly JsonObject[] => {
  const listed = objectsIn(toolCalls);
  if (listed.length > 0) return listed;
  return partsOf(content).flatMap((part) => ('functionCall' in part ? [fieldsOf(part['functionCall'])] : []));
};

/** What a tool gave back, without the id of its call. */
const resultOf = (result: unknown): unknown =>
  Array.isArray(result)
    ? result.map((part) => fieldsOf(fieldsOf(part)['functionResponse'])['response'] ?? part)
    : result;

const exitCodeOf = (result: unknown): number | undefined => {
  for (const part of Array.isArray(result) ? result : [result]) {
    const { exitCode, output } = fieldsOf(fieldsOf(fieldsOf(part)['functionResponse'])['response']);
    if (numberIn(exitCode) !== undefined) return numberIn(exitCode);
    const found = EXIT_CODE.exec(textIn(output) ?? '');
    if (found !== null) return Number(found[1]);
  }
  return undefined;
};

const start = (world: World) => {
  const nextTurn = createTurns(world);
  const current = new Map<string, Turn>();
  const turnOfMessage = new Map<string, Turn>();
  /** Sessions that have had a turn. */
  const begun = new Set<string>();
  /** Prompts that only an answer makes a run: local commands. */
  const unanswered = new Set<string>();
  let session = '';

  const begin = (promptKey: string | undefined): Turn => {
    const turn: Turn = { writer: nextTurn(session), promptKey, lastId: undefined, callIds: new Set() };
    current.set(session, turn);
    begun.add(session);
    return turn;
  };

  const takePrompt = (key: string, { content, timestamp }: JsonObject, line: LineOf, isHistory: boolean): void => {
    const parts = partsOf(content);
    const turn = current.get(session);
    for (const part of parts) {
      const { id, response } = fieldsOf(part['functionResponse']);
      if ('functionResponse' in part && turn !== undefined) turn.writer.result(textIn(id) ?? '', { value: [response] });
    }
    const text = proseOf(parts);
    const isEmpty = parts.every((part) => Object.keys(part).length === 0 || part['text'] === '');
    if (isEmpty || NO_PROMPT.test(text) || parts.some((part) => 'functionResponse' in part)) return;
    const known = turnOfMessage.get(key);
    if (known !== undefined) {
      current.set(session, known);
      return;
    }
    if (SLASH_COMMAND.test(text) && !isHistory) {
      unanswered.add(session);
      return;
    }
    unanswered.delete(session);
    const next = begin(key);
    turnOfMessage.set(key, next);
    next.writer.start(line, goalOf('user prompt', text), timeIn(timestamp));
  };

  const takeCall = ({ writer, callIds }: Turn, call: JsonObject, place: string, line: LineOf): void => {
    const [id, name] = [textIn(call['id']) ?? place, textIn(call['name'])];
    const { args, agentId, timestamp, result, status } = call;
    if (name === undefined) {
      world.unusable(line, 'a tool call lacks its name');
      return;
    }
    if (!callIds.has(id)) {
      const more = agentId === undefined ? {} : { effect: 'spawn' };
      writer.call(line, { id, name, args, ts: timeIn(timestamp), more });
      callIds.add(id);
    }
    const word = textIn(status) ?? '';
    if (RESULT.has(word)) {
      writer.result(id, { value: resultOf(result), isError: word !== 'success', exitCode: exitCodeOf(result) });
    } else if (status !== undefined && !NO_RESULT.has(word)) world.notUnderstood(`tool status ${word}`);
  };

  /** What a message of the model amounts to, if nothing follows it. */
  const endWith = ({ writer }: Turn, message: JsonObject, line: LineOf): void => {
    const calls = callsIn(message);
    const all = (word: string): boolean => calls.length > 0 && calls.every(({ status }) => status === word);
    if (calls.some(({ status }) => status === 'awaiting_approval')) writer.wait(line, 'human');
    else if (all('cancelled')) writer.stop(line, inferredStop('tool_rejected', 'cancelled'));
    else if (calls.some(({ name, status }) => name === COMPLETE && status === 'success'))
      writer.stop(line, { ...inferredStop('goal', COMPLETE), claim: 'goal' });
    else if (calls.length === 0 && proseOf(partsOf(message['content'])) !== '')
      writer.stop(line, inferredStop('stop', 'last_message'));
    else writer.resume();
  };

  const takeModel = (key: string, message: JsonObject, line: LineOf, isHistory: boolean): void => {
    const known = turnOfMessage.get(key);
    // An answer to what was no prompt: the harness wrote both.
    if (isHistory && known === undefined && !current.has(session)) return;
    const isCommand = known === undefined && unanswered.delete(session);
    const turn = known ?? (isCommand ? undefined : current.get(session)) ?? begin(undefined);
    const { tokens, timestamp } = message;
    if (known === undefined) {
      if (isCommand) turn.writer.start(line, 'a slash command', timeIn(timestamp));
      turn.writer.round(line, {}, { ts: timeIn(timestamp) });
      turnOfMessage.set(key, turn);
      turn.lastId = key;
    }
    const isLast = turn.lastId === key;
    if (isLast && tokens !== undefined && tokens !== null) turn.writer.updateRound(usageOf(tokens));
    for (const [index, call] of callsIn(message).entries()) takeCall(turn, call, `${key}:${index}`, line);
    if (isLast && (turn === current.get(session) || world.unit === 'turn')) endWith(turn, message, line);
  };

  const takeNotice = ({ type, content }: JsonObject, line: LineOf): void => {
    const turn = current.get(session);
    if (turn === undefined) return;
    const text = proseOf(partsOf(content));
    // An error of another kind ends only what has not ended by itself: commands fail as well.
    const isFailure = type === 'error' && turn.writer.stopSoFar === undefined;
    const stop =
      NOTICES.find(([pattern]) => pattern.test(text))?.[1] ?? (isFailure ? inferredStop('error') : undefined);
    if (stop === undefined) return;
    turn.writer.stop(line, stop);
    turn.lastId = undefined;
  };

  const takeMessage = (message: JsonObject, line: LineOf, isHistory: boolean): void => {
    const { id, type } = message;
    const key = `${session} ${textIn(id) ?? `${line.file}:${line.line}:${turnOfMessage.size}`}`;
    if (type === 'user') takePrompt(key, message, line, isHistory);
    else if (type === 'gemini') takeModel(key, message, line, isHistory);
    else if (KINDS.has(textIn(type) ?? '')) takeNotice(message, line);
    else world.notUnderstood(textIn(type) ?? '(no type)');
  };

  /** History that is written anew has new ids: only of a session without a turn it is more than a copy. */
  const takeHistory = (messages: readonly JsonObject[], line: LineOf): void => {
    const isCopy = begun.has(session);
    for (const message of messages) {
      if (!isCopy || turnOfMessage.has(`${session} ${textIn(message['id']) ?? ''}`)) takeMessage(message, line, true);
    }
  };

  /** A person took back all from a message on: what had not ended by itself, they ended. */
  const rewind = (id: unknown, line: LineOf): void => {
    const key = `${session} ${textIn(id) ?? ''}`;
    const from = turnOfMessage.get(key);
    for (const turn of new Set([from, current.get(session)])) {
      if (turn !== undefined && turn.writer.stopSoFar === undefined)
        turn.writer.stop(line, inferredStop('user_interrupt', 'rewound'));
    }
    if (from === undefined || from.promptKey === key) current.delete(session);
    else current.set(session, from);
  };

  return {
    startInput({ name }: { readonly name: string }): void {
      session = stemOf(name);
    },
    take(record: JsonObject, line: LineOf): void {
      const { sessionId, messages, $set, $rewindTo } = record;
      if ($rewindTo !== undefined) rewind($rewindTo, line);
      else if (textIn(sessionId) !== undefined && !('type' in record)) {
        session = textIn(sessionId) ?? session;
        if (messages !== undefined) for (const message of objectsIn(messages)) takeMessage(message, line, false);
      } else if ($set !== undefined) takeHistory(objectsIn(fieldsOf($set)['messages']), line);
      else takeMessage(record, line, false);
    },
  };
};

export const geminiCli = defineAdapter({
  id: 'gemini-cli',
  title: 'Gemini CLI chats',
  where: '~/.gemini/tmp/*/chats/session-*.jsonl, or .json of older versions',
  run: 'a turn: from a prompt to the last word before the next one; a sub-agent has a file and runs of its own',
  stops:
    'inferred from the last message (text without calls), from notices (cancelled, API error, turn limit), from a call that a person declined',
  tells: 'calls with arguments and results, exit codes of shell commands, tokens, parallel calls',
  lacks: 'a record of the end, numbered iterations, receipts, approvals',
  volatile: {
    args: [{ tool: 'run_shell_command', key: 'description', because: 'the model words it anew for the same call' }],
    results: [
      { pattern: /^(Process Group PGID|Background PIDs): .*$/gm, because: 'process ids differ from call to call' },
    ],
  },
  recognises: (sample) =>
    sample.some(
      (record) =>
        (typeof record['sessionId'] === 'string' && typeof record['projectHash'] === 'string') ||
        (record['type'] === 'gemini' && typeof record['id'] === 'string' && 'content' in record),
    ),
  start,
});
