import { defineAdapter, goalOf, turnId, type World } from './adapter.js';
import { digestOf } from './digest.js';
import { createEarlyResults } from './early-results.js';
import { createFileNames } from './file-names.js';
import { HERMES_VOLATILE, readToolMessage, writeGuarding } from './hermes-results.js';
import type { LineOf, RunWriter } from './run-writer.js';
import {
  countIn,
  fieldsOf,
  isObject,
  type JsonObject,
  numberIn,
  objectsIn,
  parsedIn,
  proseOf,
  textIn,
  timeIn,
} from './values.js';

const ROLES = new Set(['user', 'assistant', 'tool', 'system', 'session_meta']);
/** What the harness says in the user's place about the conversation itself. */
const ASIDE = /^(?:\[CONTEXT (?:COMPACTION|SUMMARY)|\[Your active task list was preserved|<system-reminder>)/;
const AT_CAP = /^You've reached the maximum number of tool-calling iterations/;
const INTERRUPTED = /^Operation interrupted\b/;
/** Written where the model answered nothing to the last of several tries. */
const NO_ANSWER = '(empty)';
const SPAWNING = 'delegate_task';
const ASKING = 'clarify';

interface Turn {
  readonly writer: RunWriter;
  readonly calls: Map<string, { readonly name: string; readonly digest: string | undefined }>;
  rounds: number;
  /** The harness told the model that its iterations are used up. */
  isCapped: boolean;
  last: 'prompt' | 'round' | 'result';
  line: LineOf;
}

interface Session {
  readonly id: string;
  maxIterations: number | undefined;
  /** A compression ended it: another session goes on. */
  isCompressed: boolean;
  child: Session | undefined;
  turns: number;
  turn: Turn | undefined;
  /** What stands in it: the marks of its messages. */
  readonly seen: Set<string>;
  /** Texts that a compaction archived, and that may stand in it once more: how often each. */
  readonly archived: Map<string, number>;
  readonly callIds: Set<string>;
}

/** The calls of a message: a list, or JSON of one. */
const callsIn = (message: JsonObject): readonly JsonObject[] => objectsIn(parsedIn(message['tool_calls']));
const callIdOf = (call: JsonObject): string | undefined => textIn(call['id']) ?? textIn(call['call_id']);

const isSession = (record: JsonObject): boolean => Array.isArray(record['messages']);

const start = (world: World) => {
  const sessions = new Map<string, Session>();
  const nameOf = createFileNames();
  const early = createEarlyResults(world);
  let fileSession = '';
  /** How often each message stands in the input, or the session of it, that is being read. */
  let copies = new Map<string, number>();

  const sessionOf = (id: string, parentId?: string): Session => {
    const known = sessions.get(id);
    if (known !== undefined) return known;
    const parent = sessions.get(parentId ?? '');
    const session: Session = {
      id,
      maxIterations: undefined,
      isCompressed: false,
      child: undefined,
      turns: 0,
      turn: undefined,
      // A session that goes on with another begins with a copy of what that one said last.
      seen: parent?.seen ?? new Set(),
      archived: parent?.archived ?? new Map(),
      callIds: parent?.callIds ?? new Set(),
    };
    sessions.set(id, session);
    // The last of them: those before it are sub-agents of its own.
    if (parent !== undefined) parent.child = session;
    return session;
  };
  const runIdOf = ({ id }: Session, turn: number): string => (world.unit === 'session' ? id : turnId(id, turn));

  const begin = (session: Session, line: LineOf, goal: string | undefined, ts: string | undefined): Turn => {
    session.turns += 1;
    const writer = world.run(runIdOf(session, session.turns));
    writer.resume();
    writer.start(line, goal, ts);
    const turn: Turn = { writer, calls: new Map(), rounds: 0, isCapped: false, last: 'prompt', line };
    session.turn = turn;
    return turn;
  };

  /** Whether a message has been taken already: of an earlier export, or from before a compaction. */
  const isCopy = (session: Session, message: JsonObject): boolean => {
    const { role, content, tool_call_id: answers, compacted } = message;
    const said = digestOf([role, content, callsIn(message).map(callIdOf), answers]) ?? '';
    const [id, time] = [message['id'], message['timestamp']].map((each) => textIn(each) ?? numberIn(each));
    const mark = `${said} ${id ?? time}`;
    const nth = (copies.get(`${session.id} ${mark}`) ?? 0) + 1;
    copies.set(`${session.id} ${mark}`, nth);
    // Where rows say whether they are active, ids alone tell them apart.
    const isByTime = id !== undefined && time !== undefined && message['active'] === undefined;
    const marks = [`${mark} ${nth}`, ...(isByTime ? [`${said} at ${time}`] : [])];
    const isKnown = marks.some((each) => session.seen.has(each));
    for (const each of marks) session.seen.add(each);
    const archived = session.archived.get(said) ?? 0;
    if (compacted === 1 || compacted === true) {
      if (!isKnown) session.archived.set(said, archived + 1);
      return isKnown;
    }
    if (archived > 0) session.archived.set(said, archived - 1);
    return isKnown || archived > 0;
  };

  const takeUser = (session: Session, message: JsonObject, line: LineOf): void => {
    const text = proseOf(message['content']);
    const { turn } = session;
    if (AT_CAP.test(text) && turn !== undefined) turn.isCapped = true;
    const kind = textIn(message['display_kind']);
    const isObserved = message['observed'] === 1 || message['observed'] === true;
    if (AT_CAP.test(text) || ASIDE.test(text) || isObserved || kind === 'model_switch') return;
    const ts = timeIn(message['timestamp']);
    // What nobody typed goes on with what has not stopped.
    if (kind !== undefined && turn !== undefined && turn.writer.stopSoFar === undefined) return;
    begin(session, line, goalOf(kind === undefined ? 'user prompt' : 'notification', text), ts);
  };

  const isAtCap = ({ maxIterations }: Session, { isCapped, rounds }: Turn): boolean =>
    isCapped || (maxIterations !== undefined && rounds >= maxIterations);
  const stopFor = (session: Session, turn: Turn, said: string, line: LineOf, ts?: string): void => {
    const value = said === 'stop' && isAtCap(session, turn) ? 'max_iterations_reached' : said;
    turn.writer.stop(line, { value, isInferred: true, ts });
  };

  const addCall = (session: Session, turn: Turn, call: JsonObject, line: LineOf, ts: string | undefined): void => {
    const { name, arguments: args } = fieldsOf(call['function']);
    const [id, tool] = [callIdOf(call), textIn(name) ?? textIn(call['name'])];
    if (tool === undefined) {
      world.unusable(line, 'a call lacks the name of its function');
      return;
    }
    if (id !== undefined && session.callIds.has(id)) return;
    const given = args ?? call['arguments'];
    const tasks = tool === SPAWNING ? fieldsOf(parsedIn(given))['tasks'] : undefined;
    const more = tool === SPAWNING ? { effect: 'spawn', ...(Array.isArray(tasks) && { count: tasks.length }) } : {};
    turn.writer.call(line, { id, name: tool, args: given, ts, more });
    if (id === undefined) return;
    session.callIds.add(id);
    const result = early.take(id);
    if (result === undefined) turn.calls.set(id, { name: tool, digest: world.digests.args(tool, given) });
    else turn.writer.result(id, result);
  };

  const takeAssistant = (session: Session, message: JsonObject, line: LineOf): void => {
    const ts = timeIn(message['timestamp']);
    const calls = callsIn(message);
    // After a compaction the calls stand there once more, with their ids.
    const isAgain = (call: JsonObject): boolean => session.callIds.has(callIdOf(call) ?? '');
    if (calls.length > 0 && calls.every(isAgain)) return;
    const turn = session.turn ?? begin(session, line, undefined, ts);
    const text = proseOf(message['content']);
    if (INTERRUPTED.test(text)) {
      turn.writer.stop(line, { value: 'user_interrupt', detail: 'user_interrupt', isInferred: true, ts });
      return;
    }
    const reason = textIn(message['finish_reason']);
    const out = countIn(message['token_count']);
    turn.writer.round(line, out > 0 ? { out } : {}, { ts, stop_reason: reason });
    turn.rounds += 1;
    turn.last = 'round';
    turn.line = line;
    for (const call of calls) addCall(session, turn, call, line, ts);
    if (calls.length > 0 || reason === undefined || reason === 'tool_calls') return;
    stopFor(session, turn, text === NO_ANSWER && reason === 'stop' ? 'empty_response_exhausted' : reason, line, ts);
  };

  const takeTool = (session: Session, message: JsonObject, line: LineOf): void => {
    const { turn } = session;
    const id = textIn(message['tool_call_id']);
    if (id === undefined) {
      world.unusable(line, 'a tool message lacks its tool_call_id');
      return;
    }
    const call = turn?.calls.get(id);
    const { result: said, guarding, isInterrupted, isWaiting } = readToolMessage(message['content']);
    const result = message['finish_reason'] === 'error' ? { ...said, isError: true } : said;
    if (!session.callIds.has(id)) early.hold(id, result);
    if (turn === undefined || call === undefined || !turn.writer.result(id, result)) return;
    turn.calls.delete(id);
    turn.last = 'result';
    turn.line = line;
    if (guarding !== undefined) writeGuarding(turn.writer, line, guarding, call);
    if (isWaiting) turn.writer.wait(line, 'human');
    if (!isInterrupted) return;
    turn.writer.stop(line, { value: 'user_interrupt', detail: 'user_interrupt', isInferred: true });
  };

  const takeMessage = (session: Session, message: JsonObject, line: LineOf): void => {
    const role = textIn(message['role']);
    if (role === undefined || !ROLES.has(role)) {
      world.notUnderstood(role ?? '(no role)');
      return;
    }
    // Taken back by the user: neither in the conversation nor archived by a compaction.
    const isActive = message['active'] !== 0 && message['active'] !== false;
    if (!isActive && message['compacted'] !== 1 && message['compacted'] !== true) return;
    if (isCopy(session, message)) return;
    if (role === 'user') takeUser(session, message, line);
    if (role === 'assistant') takeAssistant(session, message, line);
    if (role === 'tool') takeTool(session, message, line);
  };

  const takeSession = (record: JsonObject, line: LineOf): void => {
    const id = textIn(record['id']) ?? textIn(record['session_id']) ?? fileSession;
    const session = sessionOf(id, textIn(record['parent_session_id']));
    session.isCompressed = record['end_reason'] === 'compression';
    const cap = numberIn(fieldsOf(parsedIn(record['model_config']))['max_iterations']);
    if (cap !== undefined && cap > 0) session.maxIterations = cap;
    copies = new Map();
    for (const message of Array.isArray(record['messages']) ? record['messages'] : []) {
      if (isObject(message)) takeMessage(session, message, line);
      else world.unusable(line, 'a message of the session is no object');
    }
  };

  /** What can be said of a turn whose last message is no stop. */
  const endOpen = (session: Session, turn: Turn): void => {
    const { writer, calls, last, line } = turn;
    if (last === 'round' && [...calls.values()].at(-1)?.name === ASKING) writer.wait(line, 'human');
    // With its last iteration the loop is over, whatever the model still says.
    if (last === 'result' && writer.openCalls === 0 && isAtCap(session, turn)) stopFor(session, turn, 'stop', line);
  };

  return {
    startInput({ file, name }: { readonly file: number; readonly name: string }): void {
      fileSession = nameOf(file, name);
      copies = new Map();
    },
    take(record: JsonObject, line: LineOf): void {
      if (isSession(record)) takeSession(record, line);
      else if ('role' in record) takeMessage(sessionOf(textIn(record['session_id']) ?? fileSession), record, line);
      else world.notUnderstood(textIn(record['type']) ?? '(no role)');
    },
    end(): void {
      early.end();
      for (const session of sessions.values()) {
        const { turn, isCompressed, child } = session;
        if (turn !== undefined && turn.writer.stopSoFar === undefined) endOpen(session, turn);
        if (turn === undefined || turn.writer.stopSoFar !== undefined) continue;
        if (!isCompressed || child === undefined || child.turns === 0) continue;
        const more = { successor_run: runIdOf(child, 1) };
        turn.writer.stop(turn.line, { value: 'handoff', detail: 'compression', isInferred: true, more });
      }
    },
  };
};

const isRow = (record: JsonObject): boolean =>
  ROLES.has(textIn(record['role']) ?? '') &&
  'tool_calls' in record &&
  'tool_call_id' in record &&
  'finish_reason' in record;

export const hermes = defineAdapter({
  id: 'hermes',
  title: 'Hermes Agent sessions',
  where: 'hermes sessions export, rows of the messages table of ~/.hermes/state.db, ~/.hermes/sessions',
  run: 'a turn: from a prompt to the last answer before the next one; what the user took back is left out',
  stops: 'inferred: the finish reason of the last message, the cap on iterations, an interrupt',
  tells: 'calls with arguments and results, exit codes, failures, rounds, what its loop detector did',
  lacks: 'why the loop ended (kept in its log only), tokens of a round, receipts, approvals',
  volatile: { args: [], results: HERMES_VOLATILE },
  recognises: (sample) =>
    sample.some((record) =>
      isSession(record)
        ? ('end_reason' in record && 'source' in record) ||
          (typeof record['session_id'] === 'string' && ('session_start' in record || 'platform' in record))
        : record['role'] === 'session_meta' || isRow(record),
    ),
  start,
});
