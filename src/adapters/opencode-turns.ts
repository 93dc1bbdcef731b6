import { goalOf, type World } from './adapter.js';
import type { Call, LineOf, Result, RunWriter, Stop, Usage } from './run-writer.js';
import { createTurns, inferredStop, recordedStop } from './turns.js';
import { countIn, fieldsOf, type JsonObject, numberIn, textIn } from './values.js';

/** The model goes on after these: with the results of its calls, or because nothing was said. */
const GOES_ON = new Set(['tool-calls', 'unknown']);
const REJECTED = /^(Error: )?(The user (rejected|dismissed)|Permission rejected|Question (rejected|dismissed))/;
const ABORTED = 'MessageAbortedError';
/** Errors that say more than that something failed. */
const OWN_REASON = new Set(['MessageOutputLengthError', 'ContextOverflowError', 'ContentFilterError']);

export const usageOf = (tokens: unknown): Usage => {
  const { input, output, reasoning, cache } = fieldsOf(tokens);
  const { read, write } = fieldsOf(cache);
  if (input === undefined && output === undefined) return {};
  return { in: countIn(input) + countIn(write), cached: countIn(read), out: countIn(output), aux: countIn(reasoning) };
};

/** How a session or a message failed, in the name of its error. */
export const stopOfError = (error: unknown): Stop => {
  const name = textIn(fieldsOf(error)['name']) ?? 'error';
  if (name === ABORTED) return recordedStop('user_interrupt', 'user_interrupt');
  return recordedStop(OWN_REASON.has(name) ? name : 'error', name);
};

/** A part that is a call, and its result where it has one. */
export interface ToolPart {
  readonly call: Call;
  readonly result: Result | undefined;
  /** A person declined it, and the model is not asked again. */
  readonly isRejected: boolean;
}

/** Reads a tool part; undefined where it lacks what a call must have. */
export const toolPartOf = ({ callID, tool, state }: JsonObject): ToolPart | undefined => {
  const [id, name] = [textIn(callID), textIn(tool)];
  if (id === undefined || name === undefined) return undefined;
  const { status, input, output, error, metadata } = fieldsOf(state);
  const { exit, exitCode, sessionId } = fieldsOf(metadata);
  const isError = status === 'error';
  const call = { id, name, args: input, more: name === 'task' || sessionId !== undefined ? { effect: 'spawn' } : {} };
  if (status !== 'completed' && !isError) return { call, result: undefined, isRejected: false };
  return {
    call,
    result: { value: output ?? error, isError, exitCode: numberIn(exit) ?? numberIn(exitCode) },
    isRejected: isError && REJECTED.test(textIn(error) ?? textIn(output) ?? ''),
  };
};

interface Prompt {
  readonly line: LineOf;
  readonly goal: string;
  readonly ts: string | undefined;
}

/** A session, step by step: its prompts open turns, and a prompt that comes while a turn works waits for its end. */
const createSession = (name: string, nextTurn: ReturnType<typeof createTurns>) => {
  let writer: RunWriter | undefined;
  let hasStopped = false;
  let hasWorked = false;
  let isCompacting = false;
  let queued: Prompt | undefined;
  /** Of the step at hand: what it holds, and whether it has ended. */
  let step = { isOpen: false, hasText: false, hasCall: false, isRejected: false };

  const begin = (prompt: Prompt | undefined): RunWriter => {
    const next = nextTurn(name);
    if (prompt !== undefined) next.start(prompt.line, prompt.goal, prompt.ts);
    writer = next;
    [hasStopped, hasWorked, isCompacting, queued] = [false, false, false, undefined];
    return next;
  };
  const open = (): RunWriter => (writer === undefined || hasStopped ? begin(queued) : writer);
  const stop = (line: LineOf, how: Stop): void => {
    (writer ?? begin(undefined)).stop(line, how);
    hasStopped = true;
    step.isOpen = false;
  };
  const startStep = (line: LineOf, ts: string | undefined): RunWriter => {
    const at = open();
    at.round(line, {}, { ts });
    queued = undefined;
    hasWorked = true;
    step = { isOpen: true, hasText: false, hasCall: false, isRejected: false };
    return at;
  };

  return {
    prompt(line: LineOf, goal: string, ts: string | undefined): void {
      const isAtWork = hasWorked && !hasStopped && writer?.openCalls === 0 && writer.stopSoFar === undefined;
      if (isAtWork) queued = { line, goal, ts };
      else begin({ line, goal, ts });
    },
    startStep,
    /** Something of a step: its start may not be recorded. */
    inStep(line: LineOf, ts: string | undefined): RunWriter {
      return step.isOpen && writer !== undefined && !hasStopped ? writer : startStep(line, ts);
    },
    say(): void {
      step.hasText = true;
    },
    tool(line: LineOf, { call, result, isRejected }: ToolPart, ts: string | undefined): void {
      const at = this.inStep(line, ts);
      step.hasCall = true;
      step.isRejected ||= isRejected;
      if (result === undefined) at.call(line, { ...call, ts });
      else at.done(line, { ...call, ts }, result);
    },
    /** A step has ended; the reason may not be recorded. */
    finishStep(line: LineOf, reason: string | undefined, usage: Usage, ts: string | undefined): void {
      const at = this.inStep(line, ts);
      at.updateRound(usage, { stop_reason: reason });
      step.isOpen = false;
      if (step.isRejected) stop(line, inferredStop('tool_rejected'));
      else if (reason === undefined && step.hasText && !step.hasCall) stop(line, inferredStop('stop', 'last_message'));
      else if (reason !== undefined && !GOES_ON.has(reason)) stop(line, { ...recordedStop(reason), ts });
      // The step after it, if there is one, belongs to the turn: some providers say stop although results are awaited,
      // a call may be declined with a word to the model, and work goes on after a compaction in its midst.
      if (step.hasCall || isCompacting) hasStopped = false;
      isCompacting = false;
    },
    /** What a message says of itself once its steps are known. */
    stop,
    /** More of what has been said to have stopped. */
    goOn(): void {
      hasStopped = false;
      step.isOpen = writer !== undefined;
    },
    /** It goes on where it has not stopped; where it has, this is a turn of its own. */
    compact(line: LineOf, ts: string | undefined): void {
      if (writer === undefined || writer.stopSoFar !== undefined) begin({ line, goal: 'a compaction', ts });
      else isCompacting = true;
    },
    wait(line: LineOf): void {
      if (!hasStopped) writer?.wait(line, 'human');
    },
  };
};
export type OpencodeSession = ReturnType<typeof createSession>;

/** The sessions by their names. */
export const createSessions = (world: World) => {
  const nextTurn = createTurns(world);
  const sessions = new Map<string, OpencodeSession>();
  return (name: string): OpencodeSession => {
    const session = sessions.get(name) ?? createSession(name, nextTurn);
    sessions.set(name, session);
    return session;
  };
};

export const goalOfPrompt = (text: string): string => goalOf('user prompt', text);
