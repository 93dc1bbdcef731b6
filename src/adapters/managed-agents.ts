import { defineAdapter, goalOf, type World } from './adapter.js';
import { createCalls } from './calls.js';
import { digestOf } from './digest.js';
import { stemOf } from './file-names.js';
import { createIds } from './ids.js';
import type { LineOf, RunWriter, Stop } from './run-writer.js';
import { createTurns, inferredStop, recordedStop } from './turns.js';
import { countIn, fieldsOf, type JsonObject, objectsIn, proseOf, textIn, timeIn } from './values.js';

/** What says nothing of a run: words of the agent, and what else a client of the service records. */
const SILENT =
  /^(agent\.(message|thinking|thread_context_compacted|thread_message_sent|thread_message_received)|session\.(status_rescheduled|status_rescheduling|thread_created|thread_status_\w+|deleted|updated|archived|outcome_evaluated)|span\.outcome_evaluation_(start|ongoing)|event_(start|delta)|agent|environment|vault|file|model|deployment)$/;
const CALL = /^agent\.(tool_use|mcp_tool_use|custom_tool_use)$/;
const RESULT = /^(agent\.(tool_result|mcp_tool_result)|user\.(custom_tool_result|tool_result))$/;
const RETRYING = 'retrying';
/** What an outcome came to, where it is more than that the turn is over. */
const OUTCOMES: ReadonlyMap<string, Stop> = new Map([
  ['satisfied', { ...recordedStop('end_turn', 'outcome_satisfied'), claim: 'goal' }],
  ['max_iterations_reached', recordedStop('max_iterations_reached')],
  ['failed', recordedStop('outcome_failed')],
]);

interface Run {
  readonly writer: RunWriter;
  isInRound: boolean;
  /** Model requests are recorded: rounds need not be told from what came of them. */
  hasRequests: boolean;
  /** The stop that stands whatever the status says: an interrupt, an error without another try, an outcome. */
  ending: Stop | undefined;
}

const usageOf = (usage: unknown) => {
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = fieldsOf(usage);
  return {
    in: countIn(input_tokens) + countIn(cache_creation_input_tokens),
    cached: countIn(cache_read_input_tokens),
    out: countIn(output_tokens),
  };
};

const start = (world: World) => {
  const nextTurn = createTurns(world);
  const calls = createCalls(world);
  const turns = new Map<string, Run>();
  const threads = new Map<string, Run>();
  const seen = createIds();
  let session = '';

  const begin = (line: LineOf, goal: string | undefined, ts: string | undefined): Run => {
    const run = { writer: nextTurn(session), isInRound: false, hasRequests: false, ending: undefined };
    if (goal !== undefined) run.writer.start(line, goal, ts);
    turns.set(session, run);
    return run;
  };
  const threadOf = (thread: string, line: LineOf, ts: string | undefined): Run => {
    const name = `${session}/${thread}`;
    const known = threads.get(name);
    if (known !== undefined) return known;
    const run = { writer: world.run(name), isInRound: false, hasRequests: false, ending: undefined };
    run.writer.start(line, 'a task of another agent', ts);
    threads.set(name, run);
    return run;
  };
  const round = (run: Run, line: LineOf, ts: string | undefined): void => {
    if (!run.isInRound) run.writer.round(line, {}, { ts });
    run.isInRound = true;
    run.ending = undefined;
  };

  const takePrompt = (goal: string, line: LineOf, ts: string | undefined): void => {
    const run = turns.get(session);
    const isAtWork = run !== undefined && run.writer.stopSoFar === undefined && run.writer.rounds > 0;
    // A message to an agent at work steers it.
    if (isAtWork && run.ending === undefined) run.writer.resume();
    else begin(line, goal, ts);
  };

  const takeCall = (event: JsonObject, line: LineOf, run: Run, ts: string | undefined): void => {
    const [id, tool, server] = [event['id'], event['name'], event['mcp_server_name']].map(textIn);
    if (id === undefined || tool === undefined) {
      world.unusable(line, 'a tool use lacks its id or name');
      return;
    }
    if (!run.hasRequests) round(run, line, ts);
    const name = server === undefined ? tool : `mcp__${server}__${tool}`;
    calls.call(run.writer, line, { id, name, args: event['input'], ts });
  };

  const takeResult = (event: JsonObject, run: Run): void => {
    const { tool_use_id, mcp_tool_use_id, custom_tool_use_id, content, is_error } = event;
    const id = [tool_use_id, mcp_tool_use_id, custom_tool_use_id].map(textIn).find((each) => each !== undefined);
    const isAnswer = calls.result(run.writer, id, { value: content, isError: is_error === true });
    run.isInRound = false;
    if (isAnswer && run.writer.stopSoFar === undefined) run.writer.resume();
  };

  const takeIdle = ({ stop_reason }: JsonObject, line: LineOf, run: Run, ts: string | undefined): void => {
    const type = textIn(fieldsOf(stop_reason)['type']) ?? textIn(stop_reason);
    run.isInRound = false;
    if (type === 'requires_action') run.writer.wait(line, 'human');
    else if (run.ending !== undefined) run.writer.stop(line, { ...run.ending, ts });
    else run.writer.stop(line, { ...(type === undefined ? inferredStop('end_turn', 'idle') : recordedStop(type)), ts });
  };

  type Take = (event: JsonObject, line: LineOf, run: Run, ts: string | undefined) => void;
  const endWith = (run: Run, line: LineOf, stop: Stop): void => {
    run.ending = stop;
    run.writer.stop(line, stop);
  };
  const takes: Readonly<Record<string, Take>> = {
    'user.interrupt': (_, line, run) => endWith(run, line, recordedStop('user_interrupt', 'user_interrupt')),
    'user.tool_confirmation'(_, __, run) {
      if (run.writer.stopSoFar === undefined) run.writer.resume();
    },
    'span.model_request_start'(_, line, run, ts) {
      run.hasRequests = true;
      run.isInRound = false;
      round(run, line, ts);
    },
    'span.model_request_end'({ model_usage }, _, run) {
      run.writer.updateRound(usageOf(model_usage));
      run.isInRound = false;
    },
    'span.outcome_evaluation_end'({ result }, _, run) {
      run.ending = OUTCOMES.get(textIn(result) ?? '');
    },
    'session.status_running'(_, __, run) {
      if (run.writer.stopSoFar === undefined) run.writer.resume();
    },
    'session.status_idle': takeIdle,
    'session.error'({ error }, line, run) {
      const { type, retry_status } = fieldsOf(error);
      if (fieldsOf(retry_status)['type'] === RETRYING || retry_status === RETRYING) return;
      endWith(run, line, recordedStop('session_error', textIn(type)));
    },
    'session.status_terminated'(_, line, run) {
      if (run.writer.stopSoFar === undefined) run.writer.stop(line, recordedStop('session_terminated'));
    },
  };

  const takeThread = (type: string, thread: string, event: JsonObject, line: LineOf, ts: string | undefined): void => {
    const run = threads.get(`${session}/${thread}`);
    if (run !== undefined && type === 'session.thread_status_idle') takeIdle(event, line, run, ts);
    if (run?.writer.stopSoFar === undefined && type === 'session.thread_status_terminated')
      run?.writer.stop(line, recordedStop('session_terminated'));
  };

  const take = (event: JsonObject, line: LineOf): void => {
    const type = textIn(event['type']) ?? '(no type)';
    if (type === 'session') {
      session = textIn(event['id']) ?? session;
      return;
    }
    const { id, content, input, result, stop_reason, error } = event;
    const mark = `${textIn(id)} ${digestOf([type, content, input, result, stop_reason, error]) ?? ''}`;
    if (textIn(id) !== undefined) {
      if (seen.get(mark) !== undefined) return;
      seen.set(mark, 0);
    }
    const ts = timeIn(event['processed_at']) ?? timeIn(event['created_at']);
    if (type === 'user.message') takePrompt(goalOf('user prompt', proseOf(content)), line, ts);
    else if (type === 'user.define_outcome')
      takePrompt(goalOf('outcome', textIn(event['description']) ?? ''), line, ts);
    else {
      const thread = textIn(event['session_thread_id']);
      if (thread !== undefined && type.startsWith('session.thread_')) takeThread(type, thread, event, line, ts);
      const isKnown = Object.hasOwn(takes, type) || CALL.test(type) || RESULT.test(type);
      if (!isKnown) {
        if (!SILENT.test(type)) world.notUnderstood(type);
        if (type !== 'agent.message') return;
      }
      const isWork = CALL.test(type) || type === 'span.model_request_start' || type === 'agent.message';
      const run =
        thread !== undefined
          ? threadOf(thread, line, ts)
          : (turns.get(session) ?? (isWork ? begin(line, undefined, ts) : undefined));
      if (run === undefined) return;
      if (type === 'agent.message') {
        if (!run.hasRequests) round(run, line, ts);
      } else if (CALL.test(type)) takeCall(event, line, run, ts);
      else if (RESULT.test(type)) takeResult(event, run);
      else takes[type]?.(event, line, run, ts);
    }
  };

  return {
    startInput({ name }: { readonly name: string }): void {
      session = stemOf(name);
    },
    take(record: JsonObject, line: LineOf): void {
      const { type, data, events } = record;
      if (typeof type === 'string') take(record, line);
      else if (Array.isArray(data)) for (const event of objectsIn(data)) take(event, line);
      // What is sent comes back among what is read.
      else if (!Array.isArray(events)) world.notUnderstood('(no type)');
    },
    end: calls.end,
  };
};

const EVENT = /^(session\.(status|thread|error)|agent\.|span\.model_request_|user\.)/;

export const managedAgents = defineAdapter({
  id: 'managed-agents',
  title: 'Claude Managed Agents events',
  where: 'what the events of a session list or stream, one a line, in lists, or labelled with the call of the client',
  run: 'a turn: from a message of the user to the idle state that says why; a thread of another agent is a run of its own',
  stops:
    'recorded: the stop reason of the idle status, an interrupt, an error without another try, the end of an outcome',
  tells: 'calls with input and results, what waits for a person, tokens of each model request',
  lacks: 'numbered iterations, exit codes, receipts',
  volatile: { args: [], results: [] },
  recognises: (sample) =>
    sample.some(({ type, id, processed_at, data }) => {
      const isEvent = (kind: unknown, at: unknown, name: unknown): boolean =>
        typeof kind === 'string' && EVENT.test(kind) && (at !== undefined || /^sevt_/.test(textIn(name) ?? ''));
      if (Array.isArray(data))
        return objectsIn(data).some((each) => isEvent(each['type'], each['processed_at'], each['id']));
      return data === undefined && isEvent(type, processed_at, id);
    }),
  start,
});
