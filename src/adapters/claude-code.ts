import { defineAdapter, goalOf, turnId, type World } from './adapter.js';
import { ASKING, blocksOf, kindOf, resultOf, SPAWNING, usageOf, VOLATILE } from './claude-messages.js';
import { markOf } from './digest.js';
import { createEarlyResults } from './early-results.js';
import { createIds, keyOf } from './ids.js';
import { type Key, keyedHashOf } from './keyed-hash.js';
import type { LineOf, RunWriter, Stop } from './run-writer.js';
import { fieldsOf, type JsonObject, labelIn, proseOf, textIn, timeIn } from './values.js';

const CHAIN = new Set(['user', 'assistant', 'system', 'attachment', 'progress']);
/** Lines beside the conversation that say nothing of a run. */
const SIDE = new Set(
  `summary file-history-snapshot queue-operation last-prompt permission-mode mode ai-title custom-title agent-name tag
  worktree-state atis-latch pr-link frame-link bridge-session started result relocated`.split(/\s+/),
);
const SUBTYPES = new Set(
  `turn_duration stop_hook_summary api_error api_refusal error compact_boundary microcompact_boundary local_command
  away_summary model_refusal_fallback session_start informational init`.split(/\s+/),
);
const NOT_STOPPED = new Set(['tool_use', 'pause_turn']);
const INTERRUPTED = /^\[Request interrupted by user(?: for tool use)?\]\s*$/;
const REJECTED =
  /^(User rejected tool use|User declined to answer|The user doesn't want to (proceed with this tool use|take this action))/;
const NOT_GRANTED = /^(Error: )?Claude requested permissions? to .* haven't granted/s;
const TOO_LONG = /^Prompt is too long/;
const SLASH_COMMAND = /^\s*<command-(name|message|args)>/;
const LOCAL = /^\s*(<(local-command|bash-(input|stdout|stderr))|Caveat: The messages below)/;
const GOES_ON = /^\s*(<task-notification>|Stop hook feedback)/;
/** What a turn's last word is so far. */
type Ending =
  | { readonly by: 'nothing' }
  /** The harness has asked a person for leave, and told the model that there is none yet. */
  | { readonly by: 'question'; readonly line: LineOf }
  | { readonly by: 'round'; readonly line: LineOf; stopReason: string | undefined }
  | { readonly by: 'stop'; readonly line: LineOf; readonly stop: Stop };

interface Turn {
  readonly index: number;
  readonly session: string;
  readonly isSide: boolean;
  readonly isCommand: boolean;
  /** Undefined until something of the turn is written: a slash command that no model answers is no run. */
  writer: RunWriter | undefined;
  ending: Ending;
  roundKey: string | undefined;
  /** Calls of the round at hand that have no result, with the lines of those that a person must answer. */
  open: Map<string, LineOf | undefined> | undefined;
  /** Marks the last text of the model. */
  lastText: string | undefined;
  isGoalMet: boolean;
}

/** What tells a record from all others: under its own id, and at its time. */
interface CopyKeys {
  readonly byUuid: Key | undefined;
  readonly byTime: Key | undefined;
}

const NOTHING: Ending = { by: 'nothing' };
const endingOf = (line: LineOf, value: string, detail?: string): Ending => ({
  by: 'stop',
  line,
  stop: { value, detail, isInferred: true },
});

/** Lines with one message id are one response. Gateways reuse message ids; the request tells those apart. */
const roundKeyOf = ({ uuid, requestId, message }: JsonObject): string =>
  `${textIn(fieldsOf(message)['id']) ?? textIn(uuid) ?? ''} ${textIn(requestId) ?? ''}`;

const start = (world: World) => {
  const turns: Turn[] = [];
  /** By ids of lines, calls and rounds, which turn they are of; and what parents quote. */
  const ids = createIds();
  const turnAt = (key: string | Key): Turn | undefined => turns[ids.get(key) ?? -1];
  /** Runs of each session so far. */
  const ordinals = new Map<string, number>();
  const current = new Map<string, Turn>();
  const earlyResults = createEarlyResults(world);
  let latest: Turn | undefined;
  let fileSession = '';

  const writerOf = (turn: Turn): RunWriter => {
    if (turn.writer !== undefined) return turn.writer;
    const ordinal = (ordinals.get(turn.session) ?? 0) + 1;
    ordinals.set(turn.session, ordinal);
    turn.writer = world.run(world.unit === 'session' ? turn.session : turnId(turn.session, ordinal));
    return turn.writer;
  };

  const begin = (session: string, isSide: boolean, isCommand = false): Turn => {
    const turn: Turn = {
      index: turns.length,
      session,
      isSide,
      isCommand,
      writer: undefined,
      ending: NOTHING,
      roundKey: undefined,
      open: undefined,
      lastText: undefined,
      isGoalMet: false,
    };
    turns.push(turn);
    return turn;
  };

  /** Old versions write no stop reason for a sub-agent; that its parent was given its last text shows that it ended. */
  const isQuoted = ({ lastText }: Turn): boolean =>
    lastText !== undefined && ids.get(`quoted ${lastText}`) !== undefined;

  /** The stop that a turn's last word amounts to; undefined where it has not stopped. */
  const stopOf = (turn: Turn): Stop | undefined => {
    const { ending, open, isSide, isGoalMet } = turn;
    if (ending.by === 'stop') return ending.stop;
    if (ending.by !== 'round' || open !== undefined) return undefined;
    const { stopReason } = ending;
    if (stopReason === undefined) {
      return isSide && isQuoted(turn) ? { value: 'end_turn', detail: 'quoted_by_parent', isInferred: true } : undefined;
    }
    if (NOT_STOPPED.has(stopReason)) return undefined;
    return { value: stopReason, isInferred: true, ...(isGoalMet && { claim: 'goal' as const }) };
  };
  const isStopped = (turn: Turn | undefined): boolean => turn !== undefined && stopOf(turn) !== undefined;

  interface Taken {
    readonly record: JsonObject;
    readonly line: LineOf;
    readonly session: string;
    readonly isSide: boolean;
    readonly ts: string | undefined;
  }
  /** Takes a record of the turn before it; the turn that it is of. */
  type Take = (taken: Taken, turn: Turn | undefined) => Turn | undefined;

  const prompt = ({ line, session, isSide, ts }: Taken, what: string, text: string): Turn => {
    const isCommand = SLASH_COMMAND.test(text) || (what === 'queued prompt' && text.startsWith('/'));
    const turn = begin(session, isSide, isCommand);
    // A slash command may be a local one that no model answers: its run begins with the answer.
    if (!isCommand) writerOf(turn).start(line, goalOf(what, text), ts);
    return turn;
  };

  /** What the model is told without a person goes on with the turn, unless a person had ended it. */
  const goOn = (taken: Taken, turn: Turn | undefined, text: string): Turn => {
    if (turn === undefined || stopOf(turn)?.detail === 'user_interrupt') return prompt(taken, 'notification', text);
    turn.ending = NOTHING;
    return turn;
  };

  const addCall = (turn: Turn, { id, name, input }: JsonObject, { line, ts }: Taken): void => {
    const [callId, tool] = [textIn(id), textIn(name)];
    if (callId === undefined || tool === undefined) {
      world.unusable(line, 'a tool_use lacks its id or name');
      return;
    }
    const copyKey = `call ${turn.index} ${callId} ${markOf(input)}`;
    if (ids.get(copyKey) !== undefined) return;
    ids.set(copyKey, turn.index);
    ids.set(`call ${callId}`, turn.index);
    const isSpawn = SPAWNING.has(tool);
    if (isSpawn) ids.set(`spawn ${callId}`, turn.index);
    writerOf(turn).call(line, { id: callId, name: tool, args: input, ts, more: isSpawn ? { effect: 'spawn' } : {} });
    const early = earlyResults.take(callId);
    if (early !== undefined) {
      writerOf(turn).result(callId, early);
      return;
    }
    turn.open ??= new Map();
    turn.open.set(callId, ASKING.has(tool) ? line : undefined);
  };

  /** Gives a call its result. The turn whose call was waiting for it. */
  const addResult = (block: JsonObject, line: LineOf): Turn | undefined => {
    const id = textIn(block['tool_use_id']);
    if (id === undefined) {
      world.unusable(line, 'a tool_result lacks its tool_use_id');
      return undefined;
    }
    if (ids.get(`spawn ${id}`) !== undefined) {
      for (const { text } of blocksOf(block['content'])) ids.set(`quoted ${markOf(textIn(text)?.trim())}`, 0);
    }
    const result = resultOf(block);
    const turn = turnAt(`call ${id}`);
    if (turn === undefined) {
      earlyResults.hold(id, result);
      return undefined;
    }
    if (!writerOf(turn).result(id, result)) return undefined;
    turn.open?.delete(id);
    if (turn.open?.size === 0) turn.open = undefined;
    return turn;
  };

  const takeResults = ({ record, line }: Taken, results: readonly JsonObject[], turn: Turn | undefined): void => {
    const { toolUseResult } = record;
    for (const block of results) {
      const answered = addResult(block, line);
      if (turn === undefined) continue;
      if (answered === turn && turn.ending.by === 'round') turn.ending = NOTHING;
      if (fieldsOf(toolUseResult)['interrupted'] === true) {
        turn.ending = endingOf(line, 'user_interrupt', 'user_interrupt');
      }
      if (block['is_error'] !== true) continue;
      const said = [toolUseResult, block['content']].map(proseOf);
      if (said.some((text) => REJECTED.test(text))) turn.ending = endingOf(line, 'tool_rejected');
      if (said.some((text) => NOT_GRANTED.test(text))) turn.ending = { by: 'question', line };
    }
  };

  const takeUser: Take = (taken, turn) => {
    const { record, line } = taken;
    const { content } = fieldsOf(record['message']);
    if (typeof content !== 'string' && !Array.isArray(content)) {
      world.unusable(line, 'a user line has no message');
      return turn;
    }
    const blocks = blocksOf(content);
    const results = blocks.filter(({ type }) => type === 'tool_result');
    takeResults(taken, results, turn);
    const said = blocks.filter(({ text }) => !INTERRUPTED.test(textIn(text) ?? ''));
    const isInterrupt = textIn(record['interruptedMessageId']) !== undefined || said.length < blocks.length;
    if (isInterrupt && turn !== undefined) turn.ending = endingOf(line, 'user_interrupt', 'user_interrupt');
    const text = proseOf(said);
    if (results.length > 0 || (isInterrupt && text === '')) return turn;
    const kind = fieldsOf(record['origin'])['kind'] ?? 'human';
    if (kind !== 'human' || record['promptSource'] === 'system' || GOES_ON.test(text)) return goOn(taken, turn, text);
    if (LOCAL.test(text)) return turn;
    const isAside =
      record['isMeta'] ||
      record['isCompactSummary'] ||
      record['isVisibleInTranscriptOnly'] ||
      record['sourceToolUseID'];
    if (!isAside) return prompt(taken, 'user prompt', text);
    // The model is told to go on after a response that was cut off.
    if (record['isMeta'] === true && turn?.ending.by === 'round' && turn.ending.stopReason === 'max_tokens') {
      turn.ending = NOTHING;
    }
    return turn;
  };

  const apiErrorOf = ({ record, line }: Taken): Ending => {
    const error = labelIn(record['error']);
    if (error === 'max_output_tokens') return endingOf(line, error);
    if (TOO_LONG.test(proseOf(fieldsOf(record['message'])['content']))) return endingOf(line, 'prompt_too_long');
    return endingOf(line, 'api_error', error);
  };

  /** The last copy of a message has its stop reason and its full usage. */
  const refresh = (turn: Turn, key: string, message: JsonObject): void => {
    const stopReason = textIn(message['stop_reason']);
    if (turn.roundKey !== key) return;
    if (stopReason !== undefined && turn.ending.by === 'round') turn.ending.stopReason = stopReason;
    const usage = message['usage'] === undefined ? {} : usageOf(message['usage']);
    writerOf(turn).updateRound(usage, { stop_reason: stopReason });
  };

  const beginRound = (turn: Turn, key: string, { line, ts }: Taken): void => {
    const writer = writerOf(turn);
    if (writer.isEmpty && turn.isCommand) writer.start(line, 'a slash command', ts);
    writer.round(line, {}, { ts });
    ids.set(`round ${turn.index} ${key}`, turn.index);
    turn.roundKey = key;
    turn.open = undefined;
    turn.lastText = undefined;
  };

  const takeAssistant: Take = (taken, before) => {
    const { record, line, session, isSide } = taken;
    const message = fieldsOf(record['message']);
    const { content } = message;
    if (typeof content !== 'string' && !Array.isArray(content)) {
      world.unusable(line, 'an assistant line has no message');
      return before;
    }
    const turn = before ?? begin(session, isSide);
    const isRefused = turn.ending.by === 'round' && turn.ending.stopReason === 'refusal';
    if (record['isApiErrorMessage'] === true && !isRefused) turn.ending = apiErrorOf(taken);
    // A placeholder of the harness: no model spoke.
    if (record['isApiErrorMessage'] === true || message['model'] === '<synthetic>') return turn;
    const key = roundKeyOf(record);
    const isKnown = ids.get(`round ${turn.index} ${key}`) !== undefined;
    if (!isKnown) beginRound(turn, key, taken);
    // What still comes of a response that a person has interrupted does not take the interrupt back.
    if (!isKnown || turn.ending.by !== 'stop') {
      const stopReason = isKnown && turn.ending.by === 'round' ? turn.ending.stopReason : undefined;
      turn.ending = { by: 'round', line, stopReason };
    }
    refresh(turn, key, message);
    for (const block of blocksOf(content)) {
      const kind = kindOf(block);
      if (kind === 'call') addCall(turn, block, taken);
      else if (kind === 'result') addResult(block, line);
      else if (kind === 'unknown') world.notUnderstood(`block ${textIn(block['type']) ?? '(no type)'}`);
      else if (block['type'] === 'text') turn.lastText = markOf(textIn(block['text'])?.trim());
    }
    return turn;
  };

  const takeSystem: Take = ({ record, line }, turn) => {
    const { preventedContinuation, retryAttempt, maxRetries } = record;
    const subtype = textIn(record['subtype']) ?? '(no subtype)';
    if (!SUBTYPES.has(subtype)) world.notUnderstood(`system ${subtype}`);
    if (turn === undefined) return undefined;
    if (subtype === 'api_refusal' && !isStopped(turn)) turn.ending = endingOf(line, 'refusal');
    // While the line itself announces another try, the turn has not stopped; without one, the error is its end.
    const isLastTry = typeof retryAttempt === 'number' && typeof maxRetries === 'number' && retryAttempt >= maxRetries;
    if (subtype === 'api_error' && isLastTry && !isStopped(turn)) turn.ending = endingOf(line, 'api_error');
    if (subtype === 'stop_hook_summary' && preventedContinuation === true) {
      turn.ending = endingOf(line, 'stop_hook_prevented');
    }
    // Old versions write no stop reason; then the harness's own word on the end of the turn has to do.
    if (!(subtype === 'turn_duration' || subtype === 'stop_hook_summary') || turn.ending.by !== 'round') return turn;
    if (turn.ending.stopReason === undefined && turn.open === undefined)
      turn.ending = endingOf(line, 'end_turn', subtype);
    return turn;
  };

  const takeAttachment: Take = (taken, turn) => {
    const { line, record } = taken;
    const { type, prompt: queued, commandMode, failed, met, hookEvent, toolUseID } = fieldsOf(record['attachment']);
    const text = proseOf(queued);
    if (type === 'queued_command' && commandMode === 'task-notification') return goOn(taken, turn, text);
    // A queued prompt steers the turn that is going on; after a stop it begins the next one.
    if (type === 'queued_command' && (turn === undefined || isStopped(turn))) {
      return prompt(taken, 'queued prompt', text);
    }
    if (turn === undefined) return undefined;
    if (type === 'max_turns_reached') turn.ending = endingOf(line, 'max_turns');
    if (type === 'goal_status' && failed === true) turn.ending = endingOf(line, 'turn_failed', 'goal_failed');
    if (type === 'goal_status' && met === true) turn.isGoalMet = true;
    const call = textIn(toolUseID);
    if (hookEvent === 'PermissionRequest' && call !== undefined && turn.open?.has(call)) turn.open.set(call, line);
    return turn;
  };

  const takes = new Map<unknown, Take>([
    ['user', takeUser],
    ['assistant', takeAssistant],
    ['system', takeSystem],
    ['attachment', takeAttachment],
  ]);

  /** The turn that was going on before a record: of what it answers, else of its session. */
  const turnBefore = (record: JsonObject, session: string, isSide: boolean): Turn | undefined => {
    const parent = textIn(record['parentUuid']);
    const answered = parent === undefined ? undefined : turnAt(keyOf('line', parent));
    if (answered !== undefined && answered.isSide === isSide && (!isSide || answered.session === session)) {
      return answered;
    }
    return current.get(session) ?? (isSide ? undefined : latest);
  };

  /** Resume, fork and rewind copy history: under its ids, or under new ones into another session. */
  const keysOf = (record: JsonObject, uuid: string | undefined): CopyKeys => {
    const message = record['message'];
    const { id, content } = fieldsOf(message);
    const mark = keyedHashOf([record['type'], id, content, record['attachment'], record['subtype']]);
    const time = textIn(record['timestamp']);
    return {
      byUuid: uuid === undefined ? undefined : keyOf('uuid', uuid, mark),
      byTime: time === undefined || message === undefined ? undefined : keyOf('time', time, mark),
    };
  };
  const originalOf = ({ byUuid, byTime }: CopyKeys, session: string): Turn | undefined => {
    const same = byUuid && turnAt(byUuid);
    if (same !== undefined) return same;
    const atThatTime = byTime && turnAt(byTime);
    return atThatTime === undefined || atThatTime.session === session ? undefined : atThatTime;
  };
  const remember = (key: Key | undefined, turn: Turn): void => {
    if (key !== undefined && ids.get(key) === undefined) ids.set(key, turn.index);
  };

  return {
    startInput({ name }: { readonly name: string }): void {
      fileSession = name.replace(/^.*[\\/]/, '').replace(/\.jsonl?$/, '') || 'session';
      latest = undefined;
    },
    take(record: JsonObject, line: LineOf): void {
      const take = takes.get(record['type']);
      const uuid = textIn(record['uuid']);
      if (take === undefined) {
        const type = textIn(record['type']) ?? '(no type)';
        if (!CHAIN.has(type) && !SIDE.has(type)) world.notUnderstood(type);
        if (uuid === undefined) return;
      }
      const isSide = record['isSidechain'] === true;
      const of = textIn(record['sessionId']) ?? fileSession;
      const session = isSide ? `${of}/${textIn(record['agentId']) ?? 'side'}` : of;
      const keys = keysOf(record, uuid);
      const original = originalOf(keys, session);
      const before = turnBefore(record, session, isSide);
      const taken = { record, line, session, isSide, ts: timeIn(record['timestamp']) };
      const turn = original ?? take?.(taken, before) ?? before;
      if (turn === undefined) return;
      // A file of copies alone goes on with runs of other files.
      if (original !== undefined) world.collected();
      if (original !== undefined && record['type'] === 'assistant') {
        refresh(turn, roundKeyOf(record), fieldsOf(record['message']));
      }
      remember(keys.byUuid, turn);
      remember(keys.byTime, turn);
      if (uuid !== undefined) ids.set(keyOf('line', uuid), turn.index);
      if (turn.isSide !== isSide) return;
      current.set(session, turn);
      if (!isSide) latest = turn;
    },
    end(): void {
      earlyResults.end();
      /** The last turn of each run: what those before it ended with does not end a session. */
      const last = new Map<RunWriter, Turn>();
      for (const turn of turns) {
        const stop = stopOf(turn);
        // A slash command that no model answered has no run; one that failed has.
        if (turn.writer === undefined && (stop === undefined || stop.value === 'user_interrupt')) continue;
        last.set(writerOf(turn), turn);
      }
      for (const [writer, turn] of last) {
        const stop = stopOf(turn);
        const { ending, open } = turn;
        const asked = ending.by === 'question' ? ending.line : [...(open?.values() ?? [])].find((line) => line);
        if (stop !== undefined && 'line' in ending) writer.stop(ending.line, stop);
        else if (asked !== undefined) writer.wait(asked, 'human');
      }
    },
  };
};

export const claudeCode = defineAdapter({
  id: 'claude-code',
  title: 'Claude Code transcripts',
  where: '~/.claude/projects/*/*.jsonl, and the subagents folders beside them',
  run: 'a turn: from a prompt to the last word of the model before the next one; a sub-agent has runs of its own',
  stops: 'inferred: the stop reason of the last response, an interrupt, a rejected tool, an API error',
  tells:
    'calls with arguments and results, rounds, tokens, failures, exit codes of failed commands, waits for a person',
  lacks: 'numbered iterations, receipts, approvals, a record of the end',
  volatile: VOLATILE,
  recognises: (sample) =>
    sample.some((record) => {
      const { type, uuid, sessionId } = record;
      if (type === 'summary') return typeof record['leafUuid'] === 'string';
      if (type === 'file-history-snapshot') return 'snapshot' in record;
      if (type === 'permission-mode' || type === 'last-prompt') return typeof sessionId === 'string';
      return (
        CHAIN.has(textIn(type) ?? '') &&
        typeof uuid === 'string' &&
        ('sessionId' in record || 'parentUuid' in record) &&
        !('parent_tool_use_id' in record)
      );
    }),
  start,
});
