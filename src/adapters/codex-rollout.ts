import { defineAdapter, goalOf, turnId, type World } from './adapter.js';
import { markOf, type ResultDigests } from './digest.js';
import { stemOf } from './file-names.js';
import { createIds } from './ids.js';
import type { LineOf, RunWriter, Stop, Usage } from './run-writer.js';
import { countIn, fieldsOf, isObject, type JsonObject, numberIn, proseOf, textIn, timeIn } from './values.js';
import { CLOCKS } from './volatile-texts.js';

const EXIT_CODE = /^(?:Process exited with code|Exit code:) (-?\d+)/m;
const FAILED =
  /^(aborted|rejected by user|exec_command failed|apply_patch verification failed|execution error|failed|error)\b/i;
const CALL = /^(function|custom_tool|local_shell|web_search|tool_search|image_generation|tool)_call$/;
const OUTPUT = /(_output|^tool_result)$/;
/** What the harness writes in the user's role. */
const NOTE =
  /^\s*(<(environment_context|user_instructions|turn_aborted|user_shell_command|skill|subagent_notification|hook_prompt)\b|# AGENTS\.md instructions|<INSTRUCTIONS>)/;
const SPENT = /token budget exhausted/;
const WRAPPED = new Set(['session_meta', 'response_item', 'event_msg']);
/** Lines and items that say nothing of a run. */
const SIDE = new Set([
  'turn_context',
  'compacted',
  'world_state',
  'inter_agent_communication',
  'inter_agent_communication_metadata',
  'state',
]);
const ITEMS = new Set([
  'message',
  'reasoning',
  'ghost_snapshot',
  'compaction',
  'compaction_summary',
  'context_compaction',
  'other',
]);
const EVENTS = new Set(
  `user_message agent_message agent_reasoning agent_reasoning_raw_content agent_reasoning_section_break token_count
  context_compacted entered_review_mode exited_review_mode item_completed item_started thread_name_updated undo_completed
  thread_goal_updated thread_rolled_back exec_command_end patch_apply_end mcp_tool_call_end web_search_end error warning
  stream_error background_event view_image_tool_call image_generation_end plan_update turn_diff`.split(/\s+/),
);

interface Call {
  readonly id: string;
  readonly name: string;
  readonly args: string | undefined;
  readonly line: LineOf;
  readonly ts: string | undefined;
  digests: ResultDigests | undefined;
  isError: boolean | undefined;
  exitCode: number | undefined;
}

interface Round {
  readonly line: LineOf;
  readonly calls: Call[];
  usage: Usage | undefined;
}

interface Session {
  id: string;
  parent: string | undefined;
  isKnown: boolean;
}

interface Turn {
  readonly session: Session;
  readonly id: string | undefined;
  readonly line: LineOf;
  readonly ts: string | undefined;
  /** Whether the harness said that it began. */
  readonly isStarted: boolean;
  /** Marks the prompt, and says how long it is. */
  prompt: string | undefined;
  goal: string | undefined;
  readonly rounds: Round[];
  /** Calls by id and arguments, and those that have no result. */
  readonly called: Set<string>;
  readonly open: Map<string, Call>;
  isRoundOpen: boolean;
  isAnswered: boolean;
  stop: { readonly stop: Stop; readonly line: LineOf } | undefined;
}

const exitCodeIn = (value: unknown, text: string): number | undefined => {
  const fields = fieldsOf(value);
  const said = numberIn(fieldsOf(fields['metadata'])['exit_code']) ?? numberIn(fields['exitCode']);
  const inText = EXIT_CODE.exec(text)?.[1];
  return said ?? (inText === undefined ? undefined : Number(inText));
};

const parsed = (value: unknown): unknown => {
  try {
    return typeof value === 'string' && value.startsWith('{') ? JSON.parse(value) : value;
  } catch {
    return value;
  }
};

/** What a call gave back, whether it failed, and its exit code: nothing flags a failure, so the text has to tell. */
const resultOf = (raw: unknown) => {
  const value = parsed(raw);
  const fields = fieldsOf(value);
  const inner = fields['output'] ?? fields['content'] ?? raw;
  const [header = '', ...body] = proseOf(inner).split(/^Output:$/m);
  // Without that mark, all but the first line is what the tool said.
  const exitCode = exitCodeIn(value, body.length > 0 ? header : (header.split('\n')[0] ?? ''));
  const isError = exitCode === undefined ? fields['success'] === false || FAILED.test(header) : exitCode !== 0;
  return { value: inner, isError, exitCode };
};

const stopOf = ({ type, reason, error }: JsonObject): Stop => {
  const isAborted = type === 'turn_aborted';
  if (!isAborted && !isObject(error)) return { value: 'task_complete', isInferred: false };
  const { codex_error_info: info, message } = fieldsOf(error);
  const named = textIn(info) ?? Object.keys(fieldsOf(info))[0];
  const word = isAborted ? (textIn(reason) ?? 'turn_aborted') : (named ?? 'turn_failed');
  if (word === 'interrupted') return { value: 'user_interrupt', detail: 'user_interrupt', isInferred: false };
  const isSpent = SPENT.test(textIn(message) ?? '');
  return { value: isSpent ? 'budget_limited' : word, detail: word, isInferred: false };
};

const weightOf = ({ rounds, called, open, stop }: Turn): number =>
  rounds.length + 2 * called.size - open.size + (stop === undefined ? 0 : 1);

/** Version 7 ids begin with their time: a turn that is older than its session was copied from the parent. */
const UUID_V7 = /^[0-9a-f]{8}-[0-9a-f]{4}-7/;
const isInherited = ({ id = '', session }: Turn): boolean =>
  UUID_V7.test(id) && UUID_V7.test(session.id) && id.slice(0, 13) < session.id.slice(0, 13);
/** Of other ids one cannot tell. */
const mayBeInherited = (turn: Turn): boolean =>
  isInherited(turn) || (turn.session.parent !== undefined && !UUID_V7.test(turn.id ?? ''));

const FILE_ID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const start = (world: World) => {
  /** Turns of the input at hand. */
  let turns: Turn[] = [];
  let session: Session = { id: '', parent: undefined, isKnown: false };
  let ancestors = new Set<unknown>();
  let isOrphan = false;
  let hasLifecycle = false;
  let byId = new Map<string, Turn>();
  let turn: Turn | undefined;
  let lastTotal = '';

  /** Old rollouts have no line for the end of a turn; that a prompt follows the answer shows that it had ended. */
  const closeImplied = (line: LineOf): void => {
    if (turn?.isAnswered !== true || turn.stop !== undefined || hasLifecycle) return;
    turn.stop = { stop: { value: 'task_complete', detail: 'answered', isInferred: true }, line };
  };
  const begin = (id: string | undefined, line: LineOf, ts: string | undefined, isStarted = true): Turn => {
    closeImplied(line);
    const state = {
      prompt: undefined,
      goal: undefined,
      rounds: [],
      called: new Set<string>(),
      isRoundOpen: false,
      isAnswered: false,
      stop: undefined,
    };
    turn = { session, id, line, ts, isStarted, open: new Map(), ...state };
    turns.push(turn);
    if (id !== undefined) byId.set(id, turn);
    return turn;
  };

  const takeSession = (meta: JsonObject, line: LineOf): void => {
    const id = textIn(meta['id']) ?? textIn(meta['session_id']);
    if (id === undefined) {
      world.unusable(line, 'a session_meta has no id');
      return;
    }
    const { subagent } = fieldsOf(meta['source']);
    const spawned = fieldsOf(fieldsOf(subagent)['thread_spawn']);
    const parent = [meta['forked_from_id'], meta['parent_thread_id'], spawned['parent_thread_id']]
      .map(textIn)
      .find((each) => each !== undefined);
    // A fork and a sub-agent start with the parent's lines, its header among them; any other header is a new session.
    const isCopy = session.isKnown && (id === session.id || ancestors.has(id) || isOrphan);
    if (isCopy) {
      ancestors.add(parent);
      return;
    }
    closeImplied(line);
    if (session.isKnown) {
      session = { id, parent, isKnown: true };
      turn = undefined;
      hasLifecycle = false;
    }
    Object.assign(session, { id, parent, isKnown: true });
    ancestors = new Set([parent]);
    isOrphan = parent === undefined && subagent !== undefined;
  };

  const takePrompt = (text: string, line: LineOf, ts: string | undefined): void => {
    if (text === '' || NOTE.test(text)) return;
    // One prompt stands twice, as an item and as a message for the screen; one within a started turn steers it.
    const mark = markOf(text.trim());
    const isSame = turn?.rounds.length === 0 && (turn.prompt ?? mark) === mark;
    const isGoingOn = turn !== undefined && turn.stop === undefined && (isSame || hasLifecycle);
    const target = isGoingOn && turn !== undefined ? turn : begin(undefined, line, ts);
    target.prompt ??= mark;
    target.goal ??= goalOf('user prompt', text);
  };

  const goOn = (line: LineOf, ts: string | undefined): { current: Turn; round: Round } => {
    const current = turn ?? begin(undefined, line, ts, false);
    const last = current.isRoundOpen ? current.rounds.at(-1) : undefined;
    const round = last ?? { line, calls: [], usage: undefined };
    if (last === undefined) current.rounds.push(round);
    Object.assign(current, { isRoundOpen: true, isAnswered: false });
    return { current, round };
  };

  const takeCall = (item: JsonObject, line: LineOf, ts: string | undefined): void => {
    const type = textIn(item['type']) ?? '';
    const tool = textIn(item['name']) ?? textIn(fieldsOf(item['function'])['name']) ?? type.replace(/_call$/, '');
    const id = textIn(item['call_id']) ?? textIn(item['id']) ?? tool;
    const name = textIn(item['namespace']) === undefined ? tool : `${item['namespace']}.${tool}`;
    const args = world.digests.args(name, item['arguments'] ?? item['input'] ?? item['action']);
    const key = `${id} ${args}`;
    if (turn?.called.has(key) && item['call_id'] !== undefined) return;
    const { current, round } = goOn(line, ts);
    const call = { id, name, args, line, ts, digests: undefined, isError: undefined, exitCode: undefined };
    round.calls.push(call);
    current.called.add(key);
    current.open.set(id, call);
    // A call after the end: the turn had not ended.
    current.stop = undefined;
  };

  const takeOutput = (item: JsonObject): void => {
    const id = textIn(item['call_id']) ?? textIn(item['name']);
    // A command may end in a later turn than the one that began it.
    const owner = turns.findLast(({ open }) => id !== undefined && open.has(id));
    const call = owner?.open.get(id ?? '');
    if (owner === undefined || call === undefined) {
      world.notUnderstood('(a result without its call)');
      return;
    }
    owner.open.delete(call.id);
    const { value, isError, exitCode } = resultOf(item['output'] ?? item['result']);
    Object.assign(call, { digests: world.digests.result(value), isError, exitCode });
    owner.isRoundOpen = false;
  };

  const takeTokens = (info: JsonObject): void => {
    const total = JSON.stringify(info['total_token_usage']);
    const round = turn?.rounds.at(-1);
    // The same total again is news on rate limits, not another response.
    const isNew = total !== undefined && total !== lastTotal;
    if (isNew) lastTotal = total;
    if (!isNew || turn === undefined || round === undefined) return;
    const last = fieldsOf(info['last_token_usage']);
    const [input, cached] = [countIn(last['input_tokens']), countIn(last['cached_input_tokens'])];
    const { in: fresh = 0, cached: read = 0, out = 0 } = round.usage ?? {};
    round.usage = {
      in: fresh + Math.max(0, input - cached),
      cached: read + cached,
      out: out + countIn(last['output_tokens']),
    };
    turn.isRoundOpen = false;
  };

  const takeItem = (item: JsonObject, line: LineOf, ts: string | undefined): void => {
    const type = textIn(item['type']) ?? '';
    if (type === 'message' && item['role'] === 'user') takePrompt(proseOf(item['content']), line, ts);
    else if (type === 'reasoning') goOn(line, ts);
    else if (type === 'message' && item['role'] === 'assistant') goOn(line, ts).current.isAnswered = true;
    else if (CALL.test(type)) takeCall(item, line, ts);
    else if (OUTPUT.test(type)) takeOutput(item);
    else if (!ITEMS.has(type)) world.notUnderstood(type === '' ? '(no type)' : type);
  };

  /** A person has undone the last turns: one that was going on has stopped by that. */
  const takeRollback = (count: number, line: LineOf): void => {
    for (const each of turns.slice(Math.max(0, turns.length - count))) {
      const stop = { value: 'user_interrupt', detail: 'rolled_back', isInferred: true };
      each.stop ??= { stop, line };
    }
  };

  const takeEvent = (event: JsonObject, line: LineOf, ts: string | undefined): void => {
    const type = textIn(event['type']) ?? '';
    const id = textIn(event['turn_id']);
    const item = fieldsOf(event['item']);
    if (type === 'user_message') takePrompt(proseOf(event['message']), line, ts);
    // Newer rollouts have items in place of messages for the screen.
    else if (type === 'item_completed' && item['type'] === 'UserMessage')
      takePrompt(proseOf(item['content']), line, ts);
    else if (type === 'thread_rolled_back') takeRollback(countIn(event['num_turns']), line);
    else if (type === 'token_count') takeTokens(fieldsOf(event['info']));
    else if (type === 'task_started' || type === 'turn_started') {
      begin(id, line, ts);
      hasLifecycle = true;
    } else if (/^((task|turn)_complete|turn_aborted)$/.test(type)) {
      const named = id === undefined ? undefined : byId.get(id);
      const going = turn?.stop === undefined ? turn : undefined;
      const ended = named ?? going ?? begin(id, line, ts, false);
      ended.stop = { stop: { ...stopOf(event), ts }, line };
      if (id !== undefined) byId.set(id, ended);
    } else if (!EVENTS.has(type)) world.notUnderstood(type === '' ? '(no type)' : type);
  };

  const ordinals = new Map<string, number>();
  const writerFor = (each: Turn): RunWriter => {
    const owner = (isInherited(each) ? each.session.parent : undefined) ?? each.session.id;
    const ordinal = (ordinals.get(owner) ?? 0) + 1;
    ordinals.set(owner, ordinal);
    return world.run(world.unit === 'session' ? owner : turnId(owner, ordinal));
  };
  const write = (each: Turn, writer: RunWriter): void => {
    const { rounds, goal, stop, line, ts, isStarted } = each;
    // What stopped goes on with another turn.
    writer.resume();
    if (goal !== undefined) writer.start(line, goal, ts);
    else if (isStarted) writer.start(line, 'turn without a prompt', ts);
    for (const round of rounds) {
      writer.round(round.line, round.usage ?? {});
      for (const { id, name, args, line: at, ts: time, digests, isError, exitCode } of round.calls) {
        const effect = name === 'spawn_agent' ? 'spawn' : undefined;
        const more = { args_hash: args, result_hash: digests?.result, result_hash_raw: digests?.raw, effect };
        writer.done(at, { id, name, ts: time, more }, { isError, exitCode });
      }
    }
    if (stop !== undefined) writer.stop(stop.line, stop.stop);
  };

  /** Turns that are written, and those that wait for a fuller copy in another input, each with its run where it has one. */
  const written = createIds();
  const held = new Map<string, { turn: Turn; readonly writer: RunWriter | undefined }>();
  /** Forks replay turns under the same id; ids of different turns can be the same, so the prompt has to agree, too. */
  const keyOf = ({ id, session: { id: of }, prompt }: Turn, nth: number): string =>
    id === undefined ? `${of} ${nth} ${prompt}` : `${id} ${prompt}`;

  const settle = (each: Turn, key: string): void => {
    const rival = held.get(key);
    if (rival !== undefined) {
      world.collected();
      if (weightOf(each) > weightOf(rival.turn)) rival.turn = each;
      // What was copied gets its place from the parent's own file.
      if (rival.writer === undefined && !mayBeInherited(each)) held.delete(key);
      else return;
    }
    if (mayBeInherited(each)) {
      held.set(key, { turn: each, writer: undefined });
      world.collected();
      return;
    }
    const writer = writerFor(each);
    const best = rival?.turn ?? each;
    if (best.stop === undefined && world.unit === 'turn') held.set(key, { turn: best, writer });
    else {
      write(best, writer);
      written.set(key, 0);
    }
  };

  return {
    startInput({ name }: { readonly name: string }): void {
      const stem = stemOf(name);
      session = { id: FILE_ID.exec(stem)?.[0] ?? stem, parent: undefined, isKnown: false };
      ancestors = new Set();
      isOrphan = false;
      hasLifecycle = false;
      byId = new Map();
      turn = undefined;
      lastTotal = '';
    },
    take(record: JsonObject, line: LineOf): void {
      const { payload } = record;
      const type = textIn(record['type']);
      const ts = timeIn(record['timestamp']);
      const item = isObject(payload) ? payload : undefined;
      if (WRAPPED.has(type ?? '') && item === undefined) {
        world.unusable(line, 'the payload is no object');
        return;
      }
      // The oldest rollouts have bare items, and a first line without a type that names the session.
      const isBareHeader = type === undefined && record['record_type'] === undefined;
      if (type === 'session_meta' || isBareHeader) takeSession(item ?? record, line);
      else if (type === 'event_msg' && item !== undefined) takeEvent(item, line, ts);
      else if (type === 'response_item' && item !== undefined) takeItem(item, line, ts);
      else if (item === undefined && record['record_type'] === undefined) takeItem(record, line, ts);
      else if (type !== undefined && !SIDE.has(type)) world.notUnderstood(type);
    },
    endInput(): void {
      let nameless = 0;
      for (const each of turns) {
        if (each.id === undefined) nameless += 1;
        const key = keyOf(each, nameless);
        if (written.get(key) === undefined) settle(each, key);
        else world.collected();
      }
      turns = [];
    },
    end(): void {
      for (const { turn: each, writer } of held.values()) {
        // What a fork cut is left to the parent.
        if (each.stop !== undefined || !isInherited(each)) write(each, writer ?? writerFor(each));
        else world.notUnderstood('(a turn that a fork has copied in part)');
      }
    },
  };
};

const VOLATILE_LINE =
  /^(?:Chunk ID|Wall time|Original token count|Total output lines|Process running with session ID)\b.*\n?/gm;

export const codexRollout = defineAdapter({
  id: 'codex-rollout',
  title: 'Codex rollouts',
  where: '~/.codex/sessions/*/*/*/rollout-*.jsonl',
  run: 'a turn: from task_started to task_complete or turn_aborted; before those were written, from a prompt to the next',
  stops: 'recorded by task_complete and turn_aborted; inferred from the next prompt where a rollout has neither',
  tells: 'calls with arguments and results, rounds, tokens, exit codes where the output says them',
  lacks: 'numbered iterations, a flag of failure, receipts, approvals',
  volatile: {
    args: [
      { tool: '*', key: 'justification', because: 'the model words it anew for the same call' },
      ...['max_output_tokens', 'timeout_ms', 'yield_time_ms'].map((key) => ({
        tool: '*',
        key,
        because: 'a limit of how much is shown or waited for, not what is called',
      })),
    ],
    results: [{ pattern: VOLATILE_LINE, because: 'clocks, counters and ids in front of an output' }, ...CLOCKS],
  },
  recognises: (sample) =>
    sample.some(
      ({ type, payload, record_type: recordType, id, instructions }) =>
        (WRAPPED.has(textIn(type) ?? '') && isObject(payload)) ||
        recordType === 'state' ||
        (type === undefined && typeof id === 'string' && instructions !== undefined),
    ),
  start,
});
