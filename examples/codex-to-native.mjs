// Codex rollouts to native spans: a run is a turn, from task_started to task_complete or turn_aborted.
import { basename } from 'node:path';
import * as native from './native.mjs';

const { countOf, digest, fieldsOf, goalOf, isProse, labelOf, proseOf, textOf, unusable } = native;

/** @typedef {native.Fields} Fields */
/** @typedef {{ id: string, parent: string | undefined, isKnown: boolean }} Session */
/** @typedef {Omit<native.Turn, 'session' | 'goal'> & { session: Session, id: string | undefined, isStarted: boolean, prompt: string | undefined, isRoundOpen: boolean, isAnswered: boolean }} Turn */

// Limits and prose that the model words anew for the same call. The directory stays: elsewhere it is another call.
const VOLATILE = ['justification', 'max_output_tokens', 'timeout_ms', 'yield_time_ms'];
const VOLATILE_LINE = /^(Chunk ID|Wall time|Original token count|Total output lines|Process running with session ID)\b/;
const EXIT_CODE = /^(?:Process exited with code|Exit code:) (-?\d+)/m;
const FAILED =
  /^(aborted|rejected by user|exec_command failed|apply_patch verification failed|execution error|failed|error)\b/i;
const CALL = /^(function|custom_tool|local_shell|web_search|tool_search|image_generation|tool)_call$/;
// What the harness writes in the user's role.
const NOTE =
  /^\s*(<(environment_context|user_instructions|turn_aborted|user_shell_command|skill|subagent_notification|hook_prompt)\b|# AGENTS\.md instructions|<INSTRUCTIONS>)/;
// The reasons of turn_aborted, and the errors of task_complete that are not `blocked`.
const REASONS = new Map([
  ['interrupted', 'rejected'],
  ['replaced', 'rejected'],
  ['review_ended', 'rejected'],
  ['budget_limited', 'budget'],
  ['context_window_exceeded', 'budget'],
  ['session_budget_exceeded', 'budget'],
  ['cyber_policy', 'rejected'],
]);

const parsed = (/** @type {unknown} */ value) => {
  try {
    return typeof value === 'string' ? JSON.parse(value) : value;
  } catch {
    return value;
  }
};
// Nothing flags a failure; exit codes stand in the text. What differs each time is left out of the digest.
const resultOf = (/** @type {unknown} */ raw) => {
  const fields = fieldsOf(typeof raw === 'string' && raw.startsWith('{') ? parsed(raw) : raw);
  const inner = fields.output ?? fields.content ?? raw;
  const [header = '', ...body] = isProse(inner) ? proseOf(inner).split(/^Output:$/m) : [];
  const lines = header.split('\n');
  const said = EXIT_CODE.exec(body.length > 0 ? header : (lines[0] ?? ''))?.[1];
  const exitCode = Number(fieldsOf(fields.metadata).exit_code ?? fields.exitCode ?? said ?? 0);
  const kept = [lines.filter((line) => !VOLATILE_LINE.test(line)).join('\n'), ...body];
  const hasFailed = exitCode !== 0 || fields.success === false || FAILED.test(header);
  return { resultHash: digest(isProse(inner) ? kept : inner), status: hasFailed ? 'error' : 'ok' };
};
/** @returns {native.Stop} */
const stopOf = (/** @type {Fields} */ { type, reason, error }) => {
  const isAborted = type === 'turn_aborted';
  if (!isAborted && !error) return { reason: 'done', detail: undefined, isInferred: false };
  const { codex_error_info: info, message } = fieldsOf(error);
  const label = labelOf(isAborted ? reason : typeof info === 'string' ? info : Object.keys(fieldsOf(info))[0]);
  const isSpent = /token budget exhausted/.test(textOf(message) ?? '');
  const known = isSpent ? 'budget' : REASONS.get(label);
  const detail = label === 'interrupted' ? 'user_interrupt' : label;
  return { reason: known ?? (isAborted ? label : 'blocked'), detail, isInferred: false };
};

/** @type {Turn[]} */
const turns = [];
let orphanResults = 0;

const open = (/** @type {string} */ file) => {
  const name = basename(file, '.jsonl');
  const nameId = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.exec(name)?.[0] ?? name;
  /** @type {Session} */
  let session = { id: nameId, parent: undefined, isKnown: false };
  /** @type {Set<unknown>} */
  let ancestors = new Set();
  let isOrphan = false;
  let hasLifecycle = false;
  /** @type {Map<string, Turn>} */
  const byId = new Map();
  /** @type {Turn | undefined} */
  let turn;
  let lastTotal = '';

  // Old rollouts have no line for the end of a turn; that a prompt follows the answer shows that it had ended.
  const closeImplied = () => {
    const isImplied = turn?.isAnswered && turn.stop === undefined && !hasLifecycle;
    if (turn && isImplied) turn.stop = { reason: 'done', detail: undefined, isInferred: true };
  };
  const begin = (/** @type {string | undefined} */ id, isStarted = true) => {
    closeImplied();
    const state = { isStarted, isRoundOpen: false, isAnswered: false };
    turn = { file, session, id, prompt: undefined, rounds: [], stop: undefined, ...state };
    turns.push(turn);
    if (id !== undefined) byId.set(id, turn);
    return turn;
  };
  const takeSession = (/** @type {Fields} */ meta) => {
    const id = textOf(meta.id) ?? textOf(meta.session_id) ?? unusable('wrong-type', 'session_meta has no id');
    const { subagent } = fieldsOf(meta.source);
    const spawned = fieldsOf(fieldsOf(subagent).thread_spawn);
    const parent = [meta.forked_from_id, meta.parent_thread_id, spawned.parent_thread_id].find(textOf);
    // A fork and a sub-agent start with the parent's lines, its header among them; any other header is a new session.
    const isCopy = session.isKnown && (id === session.id || ancestors.has(id) || isOrphan);
    if (isCopy) ancestors.add(parent);
    if (isCopy) return;
    closeImplied();
    if (session.isKnown) {
      session = { id, parent, isKnown: true };
      turn = undefined;
      hasLifecycle = false;
    }
    Object.assign(session, { id, parent, isKnown: true });
    ancestors = new Set([parent]);
    isOrphan = parent === undefined && subagent !== undefined;
  };
  const takePrompt = (/** @type {string} */ text) => {
    if (NOTE.test(text)) return;
    // One prompt stands twice, as an item and as a message for the screen; one within a started turn steers it.
    const isSame = turn?.rounds.length === 0 && (turn.prompt ?? text) === text;
    const target = turn?.stop === undefined && (isSame || hasLifecycle) ? turn : undefined;
    (target ?? begin(undefined)).prompt ??= text;
  };
  const goOn = () => {
    const current = turn ?? begin(undefined, false);
    const last = current.isRoundOpen ? current.rounds.at(-1) : undefined;
    const round = last ?? native.newRound();
    if (last === undefined) current.rounds.push(round);
    Object.assign(current, { isRoundOpen: true, isAnswered: false });
    return { current, round };
  };
  const takeCall = (/** @type {Fields} */ item) => {
    const tool = textOf(item.name) ?? textOf(fieldsOf(item.function).name) ?? item.type.replace(/_call$/, '');
    const id = textOf(item.call_id) ?? textOf(item.id) ?? tool;
    const argsHash = native.digestWithout(parsed(item.arguments) ?? item.input ?? item.action, VOLATILE);
    const isCopy = turn?.rounds.some(({ calls }) => calls.some((call) => call.id === id && call.argsHash === argsHash));
    if (isCopy && item.call_id) return;
    const { current, round } = goOn();
    const fullName = textOf(item.namespace) ? `${item.namespace}.${tool}` : tool;
    round.calls.push({ id, name: fullName, argsHash, resultHash: undefined, status: undefined });
    // A call after the end: the turn had not ended.
    current.stop = undefined;
  };
  const takeOutput = (/** @type {Fields} */ item) => {
    const id = textOf(item.call_id) ?? textOf(item.name);
    const pending = turn?.rounds.flatMap(({ calls }) => calls.filter(({ resultHash }) => resultHash === undefined));
    const call = pending?.find((other) => other.id === id);
    if (call === undefined) orphanResults += 1;
    else Object.assign(call, resultOf(item.output ?? item.result));
    if (turn && call) turn.isRoundOpen = false;
  };
  const takeTokens = (/** @type {Fields} */ info) => {
    const total = JSON.stringify(info.total_token_usage);
    const round = turn?.rounds.at(-1);
    // The same total again is news on rate limits, not another response.
    const isNew = total !== undefined && total !== lastTotal;
    if (isNew) lastTotal = total;
    if (!isNew || turn === undefined || round === undefined) return;
    const { input_tokens: input, cached_input_tokens: cached, output_tokens: out } = fieldsOf(info.last_token_usage);
    const spent = round.tokens ?? { in: 0, cached: 0, out: 0 };
    const fresh = Math.max(0, countOf(input) - countOf(cached));
    round.tokens = { in: spent.in + fresh, cached: spent.cached + countOf(cached), out: spent.out + countOf(out) };
    turn.isRoundOpen = false;
  };
  const takeItem = (/** @type {Fields} */ item) => {
    if (item.type === 'message' && item.role === 'user') takePrompt(proseOf(item.content));
    if (item.type === 'reasoning') goOn();
    if (item.type === 'message' && item.role === 'assistant') goOn().current.isAnswered = true;
    if (CALL.test(item.type)) takeCall(item);
    if (/(_output|^tool_result)$/.test(item.type)) takeOutput(item);
  };
  const takeMessage = (/** @type {Fields} */ message) => {
    const id = textOf(message.turn_id);
    if (message.type === 'user_message') takePrompt(proseOf(message.message));
    if (message.type === 'token_count') takeTokens(fieldsOf(message.info));
    if (/^(task|turn)_started$/.test(message.type)) {
      begin(id);
      hasLifecycle = true;
    }
    if (/^((task|turn)_complete|turn_aborted)$/.test(message.type)) {
      const named = id === undefined ? undefined : byId.get(id);
      const going = turn?.stop === undefined ? turn : undefined;
      const ended = named ?? going ?? begin(id, false);
      ended.stop = stopOf(message);
      if (id !== undefined) byId.set(id, ended);
    }
  };

  return (/** @type {Fields} */ line) => {
    const { type, payload } = line;
    const isWrapped = ['session_meta', 'response_item', 'event_msg'].includes(type);
    const hasPayload = payload !== null && typeof payload === 'object';
    if (isWrapped && !hasPayload) unusable('wrong-type', 'the payload is no object');
    // The oldest rollouts have bare items, and a first line without a type that names the session.
    const isBareHeader = type === undefined && line.record_type === undefined;
    if (type === 'session_meta' || isBareHeader) takeSession(hasPayload ? payload : line);
    else if (type === 'event_msg') takeMessage(payload);
    else if (type === 'response_item' || payload === undefined) takeItem(hasPayload ? payload : line);
  };
};

// Version 7 ids begin with their time: a turn that is older than its session was copied from the parent.
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7/;
const isInherited = (/** @type {Turn} */ { id = '', session }) =>
  UUID_V7.test(id) && UUID_V7.test(session.id) && id.slice(0, 13) < session.id.slice(0, 13);
const weightOf = (/** @type {Turn} */ { rounds, stop }) => {
  const calls = rounds.flatMap((round) => round.calls);
  return rounds.length + calls.length + calls.filter(({ resultHash }) => resultHash).length + (stop ? 1 : 0);
};

const finish = () => {
  // Forks replay turns under the same id; ids of different turns can be the same, so the prompt has to agree, too.
  /** @type {Map<unknown, Turn>} */
  const fullest = new Map();
  for (const turn of turns) {
    const key = turn.id === undefined ? turn : `${turn.id} ${turn.prompt}`;
    const rival = fullest.get(key);
    if (rival === undefined || weightOf(turn) > weightOf(rival)) fullest.set(key, turn);
  }
  const kept = [...fullest.values()].filter((turn) => turn.stop !== undefined || !isInherited(turn));
  const runs = kept.map((turn) => {
    const goal = turn.isStarted ? 'turn without a prompt' : undefined;
    const session = (isInherited(turn) && turn.session.parent) || turn.session.id;
    return { ...turn, session, goal: turn.prompt === undefined ? goal : goalOf('user prompt', turn.prompt) };
  });
  const copies = turns.length - fullest.size;
  const cut = fullest.size - kept.length;
  const leftOut = { 'copies of turns': copies, 'turns of a parent that a fork cut': cut };
  return { turns: runs, leftOut: { ...leftOut, 'results without an open call': orphanResults } };
};

await native.convert('codex-to-native', open, finish);
