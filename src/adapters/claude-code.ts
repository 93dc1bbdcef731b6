import { defineAdapter, goalOf, turnId, type World } from './adapter.js';
import { digestOf } from './digest.js';
import type { LineOf, RunWriter, Stop } from './run-writer.js';
import { countIn, fieldsOf, type JsonObject, objectsIn, proseOf, textIn, timeIn } from './values.js';

const CHAIN = new Set(['user', 'assistant', 'system', 'attachment', 'progress']);
/** Lines beside the conversation that say nothing of a run. */
const SIDE = new Set(
  `summary file-history-snapshot queue-operation last-prompt permission-mode mode ai-title custom-title agent-name tag
  worktree-state atis-latch pr-link frame-link bridge-session started result relocated`.split(/\s+/),
);
const NOT_STOPPED = new Set(['tool_use', 'pause_turn']);
const INTERRUPTED = /^\[Request interrupted by user/;
const REJECTED = /^(User rejected tool use|The user doesn't want to proceed with this tool use)/;
const SLASH_COMMAND = /^\s*<command-(name|message|args)>/;
const LOCAL = /^\s*(<(local-command|bash-(input|stdout|stderr))|Caveat: The messages below)/;
const GOES_ON = /^\s*(<task-notification>|Stop hook feedback)/;
const SPAWNING = new Set(['Task', 'Agent']);

/** What a turn's last word is so far. */
type Ending =
  | { readonly by: 'waiting' }
  | { readonly by: 'round'; readonly line: LineOf; stopReason: string | undefined; readonly calls: Set<string> }
  | { readonly by: 'stop'; readonly line: LineOf; readonly stop: Stop };

interface Turn {
  readonly session: string;
  /** Undefined until something of the turn is written: a slash command that no model answers is no run. */
  writer: RunWriter | undefined;
  ending: Ending;
  roundKey: string | undefined;
  readonly roundKeys: Set<string>;
}

const inferred = (value: string, detail?: string): Stop => ({ value, detail, isInferred: true });

const endingOf = (line: LineOf, value: string, detail?: string): Ending => ({
  by: 'stop',
  line,
  stop: inferred(value, detail),
});

/** The stop that a turn's last word amounts to; undefined where it has not stopped. */
const stopOf = ({ ending }: Turn): Stop | undefined => {
  if (ending.by === 'waiting') return undefined;
  if (ending.by === 'stop') return ending.stop;
  const { stopReason, calls } = ending;
  if (calls.size > 0 || stopReason === undefined || NOT_STOPPED.has(stopReason)) return undefined;
  return inferred(stopReason);
};

const blocksOf = (content: unknown): readonly JsonObject[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content);

/** Lines with one message id are one response. Gateways reuse message ids; the request tells those apart. */
const roundKeyOf = ({ uuid, requestId, message }: JsonObject): string =>
  `${textIn(fieldsOf(message)['id']) ?? textIn(uuid) ?? ''} ${textIn(requestId) ?? ''}`;

const usageOf = (usage: unknown) => {
  const said = fieldsOf(usage);
  return {
    in: countIn(said['input_tokens']) + countIn(said['cache_creation_input_tokens']),
    cached: countIn(said['cache_read_input_tokens']),
    out: countIn(said['output_tokens']),
  };
};

const start = (world: World) => {
  const turnByUuid = new Map<unknown, Turn>();
  const seen = new Map<string, { readonly turn: Turn | undefined; readonly session: string }>();
  /** Runs of each session so far. */
  const ordinals = new Map<string, number>();
  const current = new Map<string, Turn>();
  const callTurns = new Map<string, Turn>();
  const earlyResults = new Map<string, Parameters<RunWriter['result']>[1]>();
  const turns = new Set<Turn>();
  let latest: Turn | undefined;
  let fileSession = '';

  const writerOf = (turn: Turn): RunWriter => {
    if (turn.writer !== undefined) return turn.writer;
    const ordinal = (ordinals.get(turn.session) ?? 0) + 1;
    ordinals.set(turn.session, ordinal);
    turn.writer = world.run(world.unit === 'session' ? turn.session : turnId(turn.session, ordinal));
    return turn.writer;
  };

  const begin = (session: string, line: LineOf, goal: string | undefined, ts: string | undefined): Turn => {
    const turn: Turn = {
      session,
      writer: undefined,
      ending: { by: 'waiting' },
      roundKey: undefined,
      roundKeys: new Set(),
    };
    turns.add(turn);
    if (goal !== undefined) writerOf(turn).start(line, goal, ts);
    return turn;
  };

  /** What the model is told without a person goes on with the turn, unless a person had ended it. */
  const goOn = (session: string, turn: Turn | undefined, text: string, line: LineOf, ts: string | undefined): Turn => {
    if (turn === undefined || stopOf(turn)?.detail === 'user_interrupt') {
      return begin(session, line, goalOf('notification', text), ts);
    }
    turn.ending = { by: 'waiting' };
    return turn;
  };

  const addCall = (turn: Turn, { id, name, input }: JsonObject, line: LineOf, ts: string | undefined): void => {
    const [callId, tool] = [textIn(id), textIn(name)];
    if (callId === undefined || tool === undefined) {
      world.unusable(line, 'a tool_use lacks its id or name');
      return;
    }
    if (callTurns.get(callId) === turn) return;
    const more = SPAWNING.has(tool) ? { effect: 'spawn' } : {};
    writerOf(turn).call(line, { id: callId, name: tool, args: input, ts, more });
    callTurns.set(callId, turn);
    const early = earlyResults.get(callId);
    if (early === undefined) {
      if (turn.ending.by === 'round') turn.ending.calls.add(callId);
      return;
    }
    earlyResults.delete(callId);
    writerOf(turn).result(callId, early);
  };

  /** Gives a call its result. Whether a call of the turn was waiting for it. */
  const addResult = (block: JsonObject, line: LineOf): Turn | undefined => {
    const id = textIn(block['tool_use_id']);
    if (id === undefined) {
      world.unusable(line, 'a tool_result lacks its tool_use_id');
      return undefined;
    }
    const result = { value: block['content'], isError: block['is_error'] === true };
    const turn = callTurns.get(id);
    if (turn === undefined) {
      earlyResults.set(id, result);
      return undefined;
    }
    if (!writerOf(turn).result(id, result)) return undefined;
    if (turn.ending.by === 'round') turn.ending.calls.delete(id);
    return turn;
  };

  type Take = (record: JsonObject, line: LineOf, session: string, turn: Turn | undefined) => Turn | undefined;

  const takeUser: Take = (record, line, session, turn) => {
    const blocks = blocksOf(fieldsOf(record['message'])['content']);
    const ts = timeIn(record['timestamp']);
    const results = blocks.filter(({ type }) => type === 'tool_result');
    for (const block of results) {
      const answered = addResult(block, line);
      if (turn === undefined) continue;
      if (answered === turn && turn.ending.by === 'round') turn.ending = { by: 'waiting' };
      const said = [record['toolUseResult'], block['content']].map(proseOf);
      if (block['is_error'] === true && said.some((text) => REJECTED.test(text))) {
        turn.ending = endingOf(line, 'tool_rejected');
      }
    }
    const isInterrupt =
      textIn(record['interruptedMessageId']) !== undefined ||
      blocks.some(({ text }) => INTERRUPTED.test(textIn(text) ?? ''));
    if (isInterrupt && turn !== undefined) turn.ending = endingOf(line, 'user_interrupt', 'user_interrupt');
    if (isInterrupt || results.length > 0) return turn;
    const text = proseOf(fieldsOf(record['message'])['content']);
    const kind = fieldsOf(record['origin'])['kind'] ?? 'human';
    if (kind !== 'human' || record['promptSource'] === 'system' || GOES_ON.test(text)) {
      return goOn(session, turn, text, line, ts);
    }
    const isAside =
      record['isMeta'] ||
      record['isCompactSummary'] ||
      record['isVisibleInTranscriptOnly'] ||
      record['sourceToolUseID'];
    if (isAside || LOCAL.test(text)) return turn;
    // A slash command may be a local one that no model answers: its run begins with the answer.
    return begin(session, line, SLASH_COMMAND.test(text) ? undefined : goalOf('user prompt', text), ts);
  };

  const takeAssistant: Take = (record, line, session, before) => {
    const turn = before ?? begin(session, line, undefined, undefined);
    const ts = timeIn(record['timestamp']);
    const message = fieldsOf(record['message']);
    if (record['isApiErrorMessage'] === true) {
      const isTooLong = record['error'] === 'max_output_tokens';
      turn.ending = isTooLong
        ? endingOf(line, 'max_output_tokens')
        : endingOf(line, 'api_error', textIn(record['error']) ?? 'api_error');
    }
    // A placeholder of the harness: no model spoke.
    if (record['isApiErrorMessage'] === true || message['model'] === '<synthetic>') return turn;
    const key = roundKeyOf(record);
    const isKnown = turn.roundKeys.has(key);
    if (!isKnown) {
      const writer = writerOf(turn);
      if (writer.isEmpty) writer.start(line, 'a slash command', ts);
      writer.round(line, {}, { ts });
      turn.roundKeys.add(key);
      turn.roundKey = key;
    }
    if (!isKnown || turn.ending.by !== 'stop') {
      const calls = turn.ending.by === 'round' && isKnown ? turn.ending.calls : new Set<string>();
      turn.ending = { by: 'round', line, stopReason: undefined, calls };
    }
    refresh(turn, key, message);
    for (const block of blocksOf(message['content'])) {
      const type = textIn(block['type']) ?? '';
      if (/^(server_|mcp_)?tool_use$/.test(type)) addCall(turn, block, line, ts);
      if (/_tool_result$/.test(type)) addResult(block, line);
    }
    return turn;
  };

  /** The last copy of a message has its stop reason and its full usage. */
  const refresh = (turn: Turn, key: string, message: JsonObject): void => {
    const stopReason = textIn(message['stop_reason']);
    if (stopReason !== undefined && turn.ending.by === 'round') turn.ending.stopReason = stopReason;
    if (turn.roundKey !== key) return;
    writerOf(turn).updateRound(message['usage'] === undefined ? {} : usageOf(message['usage']), {
      stop_reason: stopReason,
    });
  };

  const takeSystem: Take = (record, line, _session, turn) => {
    if (turn === undefined) return undefined;
    const { subtype, preventedContinuation, retryAttempt, maxRetries } = record;
    // While the line itself announces another try, the turn has not stopped; without one, the error is its end.
    const isLastTry = typeof retryAttempt === 'number' && typeof maxRetries === 'number' && retryAttempt >= maxRetries;
    if (subtype === 'api_error' && isLastTry && stopOf(turn) === undefined) turn.ending = endingOf(line, 'api_error');
    const isPrevented = subtype === 'stop_hook_summary' && preventedContinuation === true;
    if (isPrevented) turn.ending = endingOf(line, 'stop_hook_prevented');
    // Old versions write no stop reason; then the harness's own word on the end of the turn has to do.
    if (subtype !== 'turn_duration' || turn.ending.by !== 'round') return turn;
    if (turn.ending.stopReason === undefined && turn.ending.calls.size === 0)
      turn.ending = endingOf(line, 'end_turn', 'turn_duration');
    return turn;
  };

  const takeAttachment: Take = (record, line, session, turn) => {
    const { type, prompt, commandMode, failed } = fieldsOf(record['attachment']);
    const ts = timeIn(record['timestamp']);
    const text = proseOf(prompt);
    if (type === 'queued_command' && commandMode === 'task-notification') return goOn(session, turn, text, line, ts);
    // A queued prompt steers the turn that is going on; after a stop it begins the next one.
    if (type === 'queued_command' && (turn === undefined || stopOf(turn) !== undefined)) {
      return begin(session, line, text.startsWith('/') ? undefined : goalOf('user prompt', text), ts);
    }
    if (type === 'max_turns_reached' && turn !== undefined) turn.ending = endingOf(line, 'max_turns');
    if (type === 'goal_status' && failed === true && turn !== undefined) {
      turn.ending = endingOf(line, 'turn_failed', 'goal_failed');
    }
    return turn;
  };

  const takes = new Map<unknown, Take>([
    ['user', takeUser],
    ['assistant', takeAssistant],
    ['system', takeSystem],
    ['attachment', takeAttachment],
  ]);

  const sessionOf = (record: JsonObject): string => {
    const session = textIn(record['sessionId']) ?? fileSession;
    if (record['isSidechain'] !== true) return session;
    return `${session}/${textIn(record['agentId']) ?? 'side'}`;
  };

  return {
    startInput({ name }: { readonly name: string }): void {
      fileSession = name.replace(/^.*[\\/]/, '').replace(/\.jsonl$/, '');
      latest = undefined;
    },
    take(record: JsonObject, line: LineOf): void {
      const take = takes.get(record['type']);
      if (take === undefined) {
        const type = textIn(record['type']) ?? '(no type)';
        if (!CHAIN.has(type) && !SIDE.has(type)) world.notUnderstood(type);
        if (textIn(record['uuid']) === undefined) return;
      }
      const session = sessionOf(record);
      const message = fieldsOf(record['message']);
      const { id, content } = message;
      const mark = digestOf([record['type'], id, content, record['attachment'], record['subtype']]) ?? '';
      const isMessage = record['message'] !== undefined;
      const [byUuid, byTime] = [record['uuid'], isMessage ? record['timestamp'] : undefined].map((key) =>
        textIn(key) === undefined ? undefined : `${textIn(key)} ${mark}`,
      );
      const sameUuid = seen.get(byUuid ?? '');
      const sameTime = seen.get(byTime ?? '');
      // Resume, fork and rewind copy history: under its ids, or under new ones into another session.
      const copy = sameUuid ?? (sameTime?.session === session ? undefined : sameTime);
      const isSide = record['isSidechain'] === true;
      const before = turnByUuid.get(record['parentUuid']) ?? current.get(session) ?? (isSide ? undefined : latest);
      const turn = copy === undefined ? (take?.(record, line, session, before) ?? before) : copy.turn;
      if (copy?.turn?.roundKeys.has(roundKeyOf(record))) refresh(copy.turn, roundKeyOf(record), message);
      for (const key of [byUuid, byTime]) if (key !== undefined && !seen.has(key)) seen.set(key, { turn, session });
      if (turn === undefined) return;
      if (textIn(record['uuid']) !== undefined) turnByUuid.set(record['uuid'], turn);
      current.set(session, turn);
      if (!isSide) latest = turn;
    },
    end(): void {
      for (const turn of turns) {
        const stop = stopOf(turn);
        if (stop === undefined || turn.ending.by === 'waiting') continue;
        // A slash command that no model answered has no run; one that failed has.
        if (turn.writer === undefined && stop.value === 'user_interrupt') continue;
        writerOf(turn).stop(turn.ending.line, stop);
      }
    },
  };
};

const REMINDER = /<system-reminder>[\s\S]*?<\/system-reminder>/g;

export const claudeCode = defineAdapter({
  id: 'claude-code',
  title: 'Claude Code transcripts',
  where: '~/.claude/projects/*/*.jsonl, and the subagents folders beside them',
  run: 'a turn: from a prompt to the last word of the model before the next one; a sub-agent is a run of its own',
  stops: 'inferred: the stop reason of the last response, an interrupt, a rejected tool, an API error',
  tells: 'calls with arguments and results, rounds, tokens, failures',
  lacks: 'numbered iterations, exit codes, receipts, approvals, a record of the end',
  volatile: {
    args: ['Agent', 'Bash', 'Monitor', 'Task'].map((tool) => ({
      tool,
      key: 'description',
      because: 'the model words it anew for the same call',
    })),
    results: [{ pattern: REMINDER, because: 'the harness adds reminders to results; the tool did not give them' }],
  },
  recognises: (sample) =>
    sample.some(
      (record) =>
        CHAIN.has(textIn(record['type']) ?? '') &&
        typeof record['uuid'] === 'string' &&
        ('sessionId' in record || 'parentUuid' in record) &&
        !('parent_tool_use_id' in record),
    ),
  start,
});
