// Claude Code transcripts to native spans: a run is a turn, from a prompt to the stop that the transcript lets one infer.
import { basename } from 'node:path';
import * as native from './native.mjs';

const { countOf, digest, fieldsOf, goalOf, isProse, proseOf, textOf, unusable } = native;

/** @typedef {native.Fields} Fields */
/** @typedef {native.Round} Round */
/** @typedef {{ by: 'waiting' } | { by: 'round', round: Round } | { by: 'stop', stop: native.Stop }} Ending the last word so far */
/** @typedef {Omit<native.Turn, 'rounds' | 'stop'> & { rounds: Map<string, Round>, isCommand: boolean, ending: Ending }} Turn */
/** @typedef {(line: Fields, session: string, turn: Turn | undefined) => Turn | undefined} Take gives the turn of the line */

// Prose that the model words anew for the same call.
const PROSE = new Map(['Agent', 'Bash', 'Monitor', 'Task'].map((tool) => [tool, ['description']]));
const REASONS = new Map([
  ['end_turn', 'done'],
  ['stop_sequence', 'done'],
  ['max_tokens', 'budget'],
  ['model_context_window_exceeded', 'budget'],
  ['refusal', 'rejected'],
]);
const INTERRUPTED = /^\[Request interrupted by user/;
const REJECTED = /^(User rejected tool use|The user doesn't want to proceed with this tool use)/;
const SLASH_COMMAND = /^\s*<command-(name|message|args)>/;
const LOCAL = /^\s*(<(local-command|bash-(input|stdout|stderr))|Caveat: The messages below)/;
const GOES_ON = /^\s*(<task-notification>|Stop hook feedback)/;
const REMINDER = /<system-reminder>[\s\S]*?<\/system-reminder>/g;

const stopped = (/** @type {string} */ reason, /** @type {string | undefined} */ detail = undefined) =>
  /** @type {const} */ ({ by: 'stop', stop: { reason, detail, isInferred: true } });
const stopOf = (/** @type {Turn | undefined} */ turn) => {
  if (turn === undefined || turn.ending.by === 'waiting') return undefined;
  if (turn.ending.by === 'stop') return turn.ending.stop;
  const { calls, stopReason = 'unknown' } = turn.ending.round;
  const isPending = calls.some(({ resultHash }) => resultHash === undefined);
  if (isPending || ['unknown', 'tool_use', 'pause_turn'].includes(stopReason)) return undefined;
  const reason = REASONS.get(stopReason) ?? stopReason;
  return stopped(reason, reason === 'done' ? undefined : stopReason).stop;
};
const blocksOf = (/** @type {unknown} */ content) => {
  if (typeof content === 'string') return [fieldsOf({ type: 'text', text: content })];
  if (Array.isArray(content)) return content.map(fieldsOf);
  return unusable('wrong-type', 'the message is neither text nor blocks');
};
// The harness adds reminders to a result; they say nothing of what the tool gave.
const resultHashOf = (/** @type {unknown} */ content) =>
  digest(isProse(content) ? proseOf(content).replace(REMINDER, '').trim() : content);
// Lines with one message id are one response. Gateways reuse message ids; the request tells those apart.
const roundKeyOf = (/** @type {Fields} */ { uuid, requestId, message }) =>
  `${fieldsOf(message).id ?? uuid} ${requestId ?? ''}`;

/** @type {Turn[]} */
const turns = [];
/** @type {Map<unknown, Turn>} */
const turnByUuid = new Map();
/** @type {Map<string, { turn: Turn | undefined, session: string }>} */
const seen = new Map();
/** @type {Map<string, native.Call>} */
const calls = new Map();
/** @type {Map<string, native.Result>} */
const earlyResults = new Map();
let subAgentLines = 0;

const begin = (/** @type {Omit<Turn, 'rounds' | 'ending'>} */ start) => {
  /** @type {Turn} */
  const turn = { ...start, rounds: new Map(), ending: { by: 'waiting' } };
  turns.push(turn);
  return turn;
};
const addCall = (/** @type {Round} */ round, /** @type {Fields} */ { id, name, input }) => {
  if (!textOf(id) || !textOf(name)) unusable('wrong-type', 'a tool_use lacks its id or name');
  const argsHash = native.digestWithout(input, PROSE.get(name) ?? []);
  if (round.calls.some((other) => other.id === id && other.argsHash === argsHash)) return;
  const call = { id, name, argsHash, resultHash: undefined, status: undefined, ...earlyResults.get(id) };
  earlyResults.delete(id);
  calls.set(id, call);
  round.calls.push(call);
};
const addResult = (/** @type {Fields} */ { tool_use_id: id, content, is_error: isError }) => {
  if (!textOf(id)) unusable('wrong-type', 'a tool_result lacks its tool_use_id');
  /** @type {native.Result} */
  const result = { resultHash: resultHashOf(content), status: isError === true ? 'error' : 'ok' };
  const call = calls.get(id);
  if (call === undefined) earlyResults.set(id, result);
  else if (call.resultHash === undefined) Object.assign(call, result);
  return call;
};
// The last copy of a message has its stop reason and its full usage.
const refresh = (/** @type {Round} */ round, /** @type {Fields} */ { stop_reason: stopReason, usage }) => {
  if (textOf(stopReason)) round.stopReason = native.labelOf(stopReason);
  if (!usage) return;
  const fresh = countOf(usage.input_tokens) + countOf(usage.cache_creation_input_tokens);
  round.tokens = { in: fresh, cached: countOf(usage.cache_read_input_tokens), out: countOf(usage.output_tokens) };
};

const open = (/** @type {string} */ file) => {
  /** @type {Map<string, Turn>} */
  const current = new Map();
  /** @type {Turn | undefined} */
  let latest;
  // What the model is told without a person goes on with the turn, unless a person had ended it.
  const goOn = (/** @type {string} */ session, /** @type {Turn | undefined} */ turn, /** @type {string} */ text) => {
    const isOver = turn === undefined || stopOf(turn)?.detail === 'user_interrupt';
    if (isOver) return begin({ file, session, goal: goalOf('notification', text), isCommand: false });
    turn.ending = { by: 'waiting' };
    return turn;
  };
  /** @type {Take} */
  const takeUser = (line, session, turn) => {
    const blocks = blocksOf(fieldsOf(line.message).content);
    const results = blocks.filter(({ type }) => type === 'tool_result');
    for (const block of results) {
      const call = addResult(block);
      const said = [line.toolUseResult, block.content].map(proseOf);
      if (turn === undefined) continue;
      if (turn.ending.by === 'round' && call && turn.ending.round.calls.includes(call)) turn.ending = { by: 'waiting' };
      const isRejected = block.is_error === true && said.some((text) => REJECTED.test(text));
      if (isRejected) turn.ending = stopped('rejected', 'tool_rejected');
    }
    const isInterrupt = line.interruptedMessageId || blocks.some(({ text }) => INTERRUPTED.test(textOf(text) ?? ''));
    if (isInterrupt && turn !== undefined) turn.ending = stopped('rejected', 'user_interrupt');
    if (isInterrupt || results.length > 0) return turn;
    const text = proseOf(blocks);
    const { kind = 'human' } = fieldsOf(line.origin);
    if (kind !== 'human' || line.promptSource === 'system' || GOES_ON.test(text)) return goOn(session, turn, text);
    const isAside = line.isMeta || line.isCompactSummary || line.isVisibleInTranscriptOnly || line.sourceToolUseID;
    if (isAside || LOCAL.test(text)) return turn;
    return begin({ file, session, goal: goalOf('user prompt', text), isCommand: SLASH_COMMAND.test(text) });
  };
  /** @type {Take} */
  const takeAssistant = (line, session, before) => {
    const turn = before ?? begin({ file, session, goal: undefined, isCommand: false });
    const message = fieldsOf(line.message);
    const blocks = blocksOf(message.content);
    const isTooLong = line.error === 'max_output_tokens';
    const failed = isTooLong ? stopped('budget', line.error) : stopped('blocked', 'api_error');
    if (line.isApiErrorMessage === true) turn.ending = failed;
    // A placeholder of the harness: no model spoke.
    if (line.isApiErrorMessage === true || message.model === '<synthetic>') return turn;
    const known = turn.rounds.get(roundKeyOf(line));
    const round = known ?? native.newRound();
    turn.rounds.set(roundKeyOf(line), round);
    if (known === undefined || turn.ending.by !== 'stop') turn.ending = { by: 'round', round };
    refresh(round, message);
    for (const block of blocks) {
      if (/^(server_|mcp_)?tool_use$/.test(block.type)) addCall(round, block);
      if (/_tool_result$/.test(block.type)) addResult(block);
    }
    return turn;
  };
  /** @type {Take} */
  const takeSystem = ({ subtype, preventedContinuation, retryAttempt, maxRetries }, _session, turn) => {
    if (turn === undefined) return undefined;
    // While the line itself announces another try, the turn has not stopped; without one, the error is its end.
    const isLastTry = typeof retryAttempt === 'number' && typeof maxRetries === 'number' && retryAttempt >= maxRetries;
    if (subtype === 'api_error' && isLastTry && stopOf(turn) === undefined)
      turn.ending = stopped('blocked', 'api_error');
    const isPrevented = subtype === 'stop_hook_summary' && preventedContinuation === true;
    if (isPrevented) turn.ending = stopped('rejected', 'stop_hook_prevented');
    // Old versions write no stop reason; then the harness's own word on the end of the turn has to do.
    const round = subtype === 'turn_duration' && turn.ending.by === 'round' ? turn.ending.round : undefined;
    if (round?.stopReason === undefined && round?.calls.length === 0) turn.ending = stopped('done');
    return turn;
  };
  /** @type {Take} */
  const takeAttachment = ({ attachment }, session, turn) => {
    const { type, prompt, commandMode, failed } = fieldsOf(attachment);
    const text = proseOf(prompt);
    if (type === 'queued_command' && commandMode === 'task-notification') return goOn(session, turn, text);
    // A queued prompt steers the turn that is going on; after a stop it begins the next one.
    if (type === 'queued_command' && (turn === undefined || stopOf(turn) !== undefined)) {
      return begin({ file, session, goal: goalOf('user prompt', text), isCommand: text.startsWith('/') });
    }
    if (type === 'max_turns_reached' && turn !== undefined) turn.ending = stopped('budget', 'max_turns');
    const isGoalFailed = type === 'goal_status' && failed === true;
    if (isGoalFailed && turn !== undefined) turn.ending = stopped('blocked', 'goal_failed');
    return turn;
  };
  /** @type {Map<unknown, Take>} */
  const takes = new Map(
    Object.entries({ user: takeUser, assistant: takeAssistant, system: takeSystem, attachment: takeAttachment }),
  );

  return (/** @type {Fields} */ line) => {
    const take = takes.get(line.type);
    if (take === undefined && !textOf(line.uuid)) return;
    if (line.isSidechain === true) {
      subAgentLines += 1;
      return;
    }
    const session = textOf(line.sessionId) ?? basename(file, '.jsonl');
    const { id, content } = fieldsOf(line.message);
    const mark = digest([line.type, id, content, line.attachment, line.subtype]);
    const keys = [line.uuid, line.message && line.timestamp].map((key) => (textOf(key) ? `${key} ${mark}` : undefined));
    const [sameUuid, sameTime] = keys.map((key) => (key === undefined ? undefined : seen.get(key)));
    // Resume, fork and rewind copy history: under its ids, or under new ones into another session.
    const copy = sameUuid ?? (sameTime?.session === session ? undefined : sameTime);
    const before = turnByUuid.get(line.parentUuid) ?? current.get(session) ?? latest;
    const turn = copy === undefined ? (take?.(line, session, before) ?? before) : copy.turn;
    const copied = copy?.turn?.rounds.get(roundKeyOf(line));
    if (copied !== undefined) refresh(copied, fieldsOf(line.message));
    for (const key of keys) if (key !== undefined && !seen.has(key)) seen.set(key, { turn, session });
    if (turn === undefined) return;
    if (textOf(line.uuid)) turnByUuid.set(line.uuid, turn);
    current.set(session, turn);
    latest = turn;
  };
};

const finish = () => {
  const ended = turns.map((turn) => ({ ...turn, rounds: [...turn.rounds.values()], stop: stopOf(turn) }));
  // A slash command that no model answered was a local one, such as /clear.
  const isRun = (/** @type {(typeof ended)[number]} */ { isCommand, rounds, stop }) =>
    !isCommand || rounds.length > 0 || stop?.reason === 'blocked';
  const leftOut = { 'lines of sub-agents': subAgentLines, 'results without a call': earlyResults.size };
  return { turns: ended.filter(isRun), leftOut };
};

await native.convert('claude-code-to-native', open, finish);
