import { defineAdapter, goalOf, type World } from './adapter.js';
import { stemOf } from './file-names.js';
import type { LineOf, RunWriter } from './run-writer.js';
import { createTurns, inferredStop, recordedStop } from './turns.js';
import { countIn, fieldsOf, isObject, type JsonObject, objectsIn, proseOf, textIn, timeIn } from './values.js';

const SOURCES = new Set(['user', 'agent', 'system']);
/** Calls by which agents say that they are done. */
const COMPLETE = new Set(['mark_task_complete', 'task_complete', 'complete_task', 'finish', 'submit']);
const SUBMIT = /COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT/;
const GOES_ON = new Set(['tool_use', 'tool_calls', 'toolUse', 'tool-calls']);
/** How deep in what is around it a trajectory is looked for. */
const DEEPEST = 5;

const isTrajectory = ({ schema_version, steps }: JsonObject): boolean =>
  Array.isArray(steps) &&
  (/^ATIF/.test(textIn(schema_version) ?? '') ||
    objectsIn(steps).some((step) => 'step_id' in step && SOURCES.has(textIn(step['source']) ?? '')));

/** The trajectories in a document: it is one, or others are around it. */
const trajectoriesIn = (value: unknown, depth = 0): readonly JsonObject[] => {
  if (isObject(value) && isTrajectory(value)) return [value];
  if (depth === DEEPEST || typeof value !== 'object' || value === null) return [];
  return Object.values(value).flatMap((item) => trajectoriesIn(item, depth + 1));
};

interface Turn {
  readonly writer: RunWriter;
  hasWorked: boolean;
  isHandedOver: boolean;
}

const usageOf = (metrics: unknown) => {
  const { prompt_tokens, completion_tokens, cached_tokens } = fieldsOf(metrics);
  return {
    ...(prompt_tokens !== undefined && { in: Math.max(0, countIn(prompt_tokens) - countIn(cached_tokens)) }),
    ...(cached_tokens !== undefined && { cached: countIn(cached_tokens) }),
    ...(completion_tokens !== undefined && { out: countIn(completion_tokens) }),
  };
};

const start = (world: World) => {
  const nextTurn = createTurns(world);
  const current = new Map<string, Turn>();
  let fileName = '';

  const begin = (session: string, line: LineOf, goal: string | undefined, ts: string | undefined): Turn => {
    const turn = { writer: nextTurn(session), hasWorked: false, isHandedOver: false };
    if (goal !== undefined) turn.writer.start(line, goal, ts);
    current.set(session, turn);
    return turn;
  };

  const takeResults = (writer: RunWriter, results: readonly JsonObject[], calls: readonly string[]): void => {
    for (const { source_call_id, content, is_error, extra } of results) {
      const only = calls.length === 1 && results.length === 1 ? calls[0] : undefined;
      const failed = is_error ?? fieldsOf(extra)['is_error'];
      const isError = typeof failed === 'boolean' ? failed : undefined;
      const isAnswer = writer.result(textIn(source_call_id) ?? only ?? '', { value: content, isError });
      // What comes of a step without calls is a word of the harness to the model.
      if (!isAnswer && calls.length > 0) world.notUnderstood('(a result without its call)');
    }
  };

  const takeCalls = (writer: RunWriter, step: JsonObject, line: LineOf): readonly string[] => {
    const results = objectsIn(fieldsOf(step['observation'])['results']);
    const spawning = new Set(
      results.filter((result) => result['subagent_trajectory_ref'] !== undefined).map((each) => each['source_call_id']),
    );
    const ids: string[] = [];
    for (const { tool_call_id, function_name, arguments: args } of objectsIn(step['tool_calls'])) {
      const [id, name] = [textIn(tool_call_id), textIn(function_name)];
      if (id === undefined || name === undefined) {
        world.unusable(line, 'a tool call lacks its tool_call_id or function_name');
        continue;
      }
      ids.push(id);
      writer.call(line, { id, name, args, more: spawning.has(id) ? { effect: 'spawn' } : {} });
    }
    takeResults(writer, results, ids);
    return ids;
  };

  /** What an agent's step amounts to, if nothing follows it. */
  const endWith = (writer: RunWriter, step: JsonObject, line: LineOf): void => {
    const { message, tool_calls, observation, extra } = step;
    const { stop_reason, finish_reason } = fieldsOf(extra);
    const reason = textIn(stop_reason) ?? textIn(finish_reason);
    const calls = objectsIn(tool_calls);
    const hasCompleted = calls.some(
      ({ function_name, arguments: args }) =>
        COMPLETE.has(textIn(function_name) ?? '') || SUBMIT.test(textIn(fieldsOf(args)['command']) ?? ''),
    );
    const isAnswered = objectsIn(fieldsOf(observation)['results']).length > 0;
    if (hasCompleted) writer.stop(line, { ...inferredStop('submitted', 'complete_call'), claim: 'goal' });
    else if (calls.length > 0 || isAnswered) return;
    else if (reason !== undefined && !GOES_ON.has(reason)) writer.stop(line, recordedStop(reason));
    else if (reason === undefined && proseOf(message) !== '') writer.stop(line, inferredStop('stop', 'last_message'));
  };

  const takeAgent = (session: string, step: JsonObject, line: LineOf, hasCopies: boolean): void => {
    const ts = timeIn(step['timestamp']);
    const turn = current.get(session) ?? begin(session, line, hasCopies ? 'a task that goes on' : undefined, ts);
    turn.hasWorked = true;
    turn.isHandedOver = false;
    if (step['llm_call_count'] === 0) turn.writer.resume();
    else turn.writer.round(line, usageOf(step['metrics']), { ts });
    takeCalls(turn.writer, step, line);
    endWith(turn.writer, step, line);
  };

  const takeUser = (session: string, { message, timestamp }: JsonObject, line: LineOf): void => {
    const turn = current.get(session);
    const hasStopped = turn?.writer.stopSoFar !== undefined && !turn.isHandedOver;
    if (turn === undefined || hasStopped || !turn.hasWorked) {
      begin(session, line, goalOf('user prompt', proseOf(message)), timeIn(timestamp));
    } else turn.writer.resume();
  };

  const takeTrajectory = (trajectory: JsonObject, line: LineOf, parent: string | undefined): void => {
    const { session_id, trajectory_id, steps, continued_trajectory_ref, subagent_trajectories } = trajectory;
    const [ofSession, own] = [textIn(session_id), textIn(trajectory_id)];
    const session =
      parent === undefined ? (ofSession ?? own ?? stemOf(fileName)) : `${parent}/${own ?? ofSession ?? 'side'}`;
    let hasCopies = false;
    for (const step of objectsIn(steps)) {
      const source = textIn(step['source']) ?? '(no source)';
      if (step['is_copied_context'] === true) hasCopies = true;
      else if (source === 'user') takeUser(session, step, line);
      else if (source === 'agent') takeAgent(session, step, line, hasCopies);
      else if (source === 'system') {
        const turn = current.get(session);
        if (turn !== undefined) takeResults(turn.writer, objectsIn(fieldsOf(step['observation'])['results']), []);
      } else world.notUnderstood(`step of ${source}`);
    }
    const turn = current.get(session);
    if (textIn(continued_trajectory_ref) !== undefined && turn !== undefined && turn.writer.stopSoFar === undefined) {
      turn.writer.stop(line, recordedStop('handoff', 'continued'));
      turn.isHandedOver = true;
    }
    for (const inner of objectsIn(subagent_trajectories)) takeTrajectory(inner, line, session);
  };

  return {
    startInput({ name }: { readonly name: string }): void {
      fileName = name;
    },
    take(record: JsonObject, line: LineOf): void {
      const found = trajectoriesIn(record);
      if (found.length === 0) world.notUnderstood('no trajectory');
      for (const trajectory of found) takeTrajectory(trajectory, line, undefined);
    },
  };
};

export const atif = defineAdapter({
  id: 'atif',
  title: 'Agent Trajectory Interchange Format (ATIF)',
  where: 'trajectory.json of Harbor and others that write ATIF, by itself or with a wrapper around it',
  run: 'a turn: from a step of the user to the last step of the agent before the next one; a sub-agent is a run of its own',
  stops:
    'inferred: from a last step without calls, from a call that says the task is complete; recorded where it goes on in another file',
  tells: 'calls with arguments and observations, tokens of each step',
  lacks: 'why the agent stopped, which calls failed, numbered iterations of the model, receipts, approvals',
  volatile: { args: [], results: [] },
  recognises: (sample) => sample.some((record) => trajectoriesIn(record).length > 0),
  start,
});
