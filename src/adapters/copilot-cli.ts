import { defineAdapter, goalOf, type World } from './adapter.js';
import { createCalls } from './calls.js';
import { digestOf } from './digest.js';
import { stemOf } from './file-names.js';
import { createIds } from './ids.js';
import type { LineOf, RunWriter, Stop } from './run-writer.js';
import { createTurns, inferredStop, recordedStop } from './turns.js';
import { countIn, fieldsOf, type JsonObject, objectsIn, textIn, timeIn } from './values.js';

/** Events that say nothing of a run. */
const SILENT =
  /^(session\.(info|warning|idle_notice|model_change|mode_changed|plan_changed|title_changed|context_changed|workspace_file_changed|truncation|usage_info|compaction_start|compaction_complete|handoff|permissions_changed|background_tasks_changed|tools_updated|skills_loaded|agents_loaded|mcp_servers_loaded|mcp_server_status_changed|extensions_loaded|remote_steerable_changed|import_legacy)|assistant\.(intent|reasoning|reasoning_delta|message_delta|streaming_delta|message_start)|tool\.(user_requested|execution_partial_result|execution_progress)|system\.(message|notification)|hook\.(start|end)|skill\.invoked|subagent\.(selected|deselected)|command\.\w+|commands\.\w+|pending_messages\.modified|capabilities\.changed)$/;
/** What a person is asked: permission, a question, a form, a plan. */
const ASKED = /^(permission|user_input|elicitation|exit_plan_mode)\.(requested|completed)$/;
const EXIT_CODE = /\b(?:exited|completed) with exit code (\d{1,9})\b/;
const BY_PERSON = /^user/;

/** A run: a turn of the session, or a sub-agent. */
interface Run {
  readonly writer: RunWriter;
  isInRound: boolean;
}

interface Session {
  readonly name: string;
  turn: Run | undefined;
  /** The session was opened anew: what had not stopped does not go on. */
  isResumed: boolean;
}

const stopOfError = (errorType: string | undefined): Stop =>
  recordedStop(errorType === 'context_limit' ? 'context_window_exceeded' : 'session_error', errorType);

const usageOf = ({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: JsonObject) => ({
  ...(inputTokens !== undefined && {
    in: Math.max(0, countIn(inputTokens) - countIn(cacheReadTokens)) + countIn(cacheWriteTokens),
    cached: countIn(cacheReadTokens),
  }),
  ...(outputTokens !== undefined && { out: countIn(outputTokens) }),
});

const isOfPerson = ({ source, isAutopilotContinuation }: JsonObject): boolean =>
  isAutopilotContinuation !== true && (source === undefined || source === null || source === '' || source === 'user');

const start = (world: World) => {
  const nextTurn = createTurns(world);
  const calls = createCalls(world);
  const sessions = new Map<string, Session>();
  const agents = new Map<string, Run>();
  /** The call that a sub-agent was started by. */
  const callOfAgent = new Map<string, string>();
  const seen = createIds();
  let session: Session = { name: '', turn: undefined, isResumed: false };

  const enter = (name: string): void => {
    session = sessions.get(name) ?? { name, turn: undefined, isResumed: false };
    sessions.set(name, session);
  };
  const runOf = (writer: RunWriter): Run => ({ writer, isInRound: false });
  const begin = (line: LineOf, goal: string | undefined, ts: string | undefined): Run => {
    const run = runOf(nextTurn(session.name));
    if (goal !== undefined) run.writer.start(line, goal, ts);
    session.turn = run;
    session.isResumed = false;
    return run;
  };
  const agentOf = (id: string, line: LineOf, ts: string | undefined): Run => {
    const name = `${session.name}/${callOfAgent.get(id) ?? id}`;
    const known = agents.get(name);
    if (known !== undefined) return known;
    const run = runOf(world.run(name));
    run.writer.start(line, 'a task of another agent', ts);
    agents.set(name, run);
    return run;
  };

  const round = (run: Run, line: LineOf, ts: string | undefined): void => {
    if (!run.isInRound) run.writer.round(line, {}, { ts });
    run.isInRound = true;
  };
  const call = ({ writer }: Run, id: unknown, tool: unknown, args: unknown, line: LineOf, ts?: string): void => {
    const [callId, name] = [textIn(id), textIn(tool)];
    if (callId === undefined || name === undefined) world.unusable(line, 'a tool call lacks its toolCallId or name');
    else calls.call(writer, line, { id: callId, name, args, ts, more: name === 'task' ? { effect: 'spawn' } : {} });
  };

  type Take = (data: JsonObject, line: LineOf, run: Run, ts: string | undefined) => void;
  /** What happens in a run. */
  const takes: Readonly<Record<string, Take>> = {
    'assistant.turn_start': (_, line, run, ts) => round(run, line, ts),
    'assistant.message'({ content, toolRequests, outputTokens }, line, run, ts) {
      round(run, line, ts);
      run.writer.updateRound(usageOf({ outputTokens }));
      const requests = objectsIn(toolRequests);
      for (const { toolCallId, name, arguments: args } of requests) call(run, toolCallId, name, args, line, ts);
      if (requests.length === 0 && textIn(content) !== undefined)
        run.writer.stop(line, inferredStop('stop', 'last_message'));
    },
    'assistant.usage': (data, _, run) => run.writer.updateRound(usageOf(data)),
    'assistant.turn_end'(_, __, run) {
      run.isInRound = false;
    },
    'tool.execution_start'({ toolCallId, toolName, arguments: args }, line, run, ts) {
      call(run, toolCallId, toolName, args, line, ts);
    },
    'tool.execution_complete'({ toolCallId, success, result, error }, line, run) {
      const id = textIn(toolCallId) ?? '';
      const value = fieldsOf(result)['content'] ?? result ?? fieldsOf(error)['message'];
      const exitCode = EXIT_CODE.exec(textIn(value) ?? '')?.[1];
      const isError = typeof success === 'boolean' ? !success : undefined;
      calls.result(run.writer, toolCallId, {
        value,
        isError,
        exitCode: exitCode === undefined ? undefined : Number(exitCode),
      });
      const agent = agents.get(`${session.name}/${id}`);
      if (agent !== undefined && agent.writer.stopSoFar === undefined && isError !== undefined)
        agent.writer.stop(line, inferredStop(isError ? 'error' : 'completed'));
    },
    abort({ reason }, line, run) {
      const word = textIn(reason);
      const isByPerson = word === undefined || BY_PERSON.test(word);
      run.writer.stop(
        line,
        isByPerson ? recordedStop('user_interrupt', 'user_interrupt') : recordedStop('aborted', word),
      );
    },
    'session.error': ({ errorType }, line, run) => run.writer.stop(line, stopOfError(textIn(errorType))),
    'session.task_complete'({ success }, line, run) {
      run.writer.stop(line, {
        ...recordedStop(success === false ? 'task_incomplete' : 'task_complete'),
        claim: 'goal',
      });
    },
    'session.idle'({ aborted }, line, run) {
      if (aborted === true) run.writer.stop(line, recordedStop('user_interrupt', 'user_interrupt'));
    },
    'session.shutdown'({ shutdownType }, line, run) {
      if (shutdownType === 'error' && run.writer.stopSoFar === undefined)
        run.writer.stop(line, recordedStop('session_error', 'shutdown'));
    },
    'session.snapshot_rewind'(_, line, run) {
      if (run.writer.stopSoFar === undefined) run.writer.stop(line, inferredStop('user_interrupt', 'rewound'));
    },
  };

  const takePrompt = (data: JsonObject, line: LineOf, ts: string | undefined): void => {
    const { turn, isResumed } = session;
    const isAtWork = turn !== undefined && turn.writer.stopSoFar === undefined && !isResumed && turn.writer.rounds > 0;
    // A continuation that nobody typed, or a word to the agent while it works.
    if (turn !== undefined && (!isOfPerson(data) || (isAtWork && data['delivery'] !== 'idle'))) turn.writer.resume();
    else begin(line, goalOf('user prompt', textIn(data['content']) ?? ''), ts);
  };

  const takeAgent = (
    type: string,
    { toolCallId }: JsonObject,
    agent: string | undefined,
    line: LineOf,
    ts?: string,
  ): void => {
    const id = textIn(toolCallId) ?? agent;
    if (id === undefined) {
      world.unusable(line, 'a sub-agent lacks its toolCallId');
      return;
    }
    if (agent !== undefined) callOfAgent.set(agent, id);
    const { writer } = agentOf(id, line, ts);
    if (type === 'subagent.completed') writer.stop(line, recordedStop('completed'));
    if (type === 'subagent.failed') writer.stop(line, recordedStop('turn_failed'));
  };

  return {
    startInput({ name }: { readonly name: string }): void {
      enter(stemOf(name));
    },
    take(record: JsonObject, line: LineOf): void {
      const type = textIn(record['type']) ?? '(no type)';
      const data = fieldsOf(record['data']);
      const ts = timeIn(record['timestamp']);
      const id = textIn(record['id']);
      const mark = `${id} ${digestOf([type, data]) ?? ''}`;
      if (id !== undefined) {
        if (seen.get(mark) !== undefined) return;
        seen.set(mark, 0);
      }
      const agent = textIn(record['agentId']) ?? textIn(data['parentToolCallId']);
      if (type === 'session.start' || type === 'session.resume') {
        enter(textIn(data['sessionId']) ?? session.name);
        session.isResumed = true;
        return;
      }
      if (type === 'user.message') {
        if (agent === undefined) takePrompt(data, line, ts);
        else agentOf(agent, line, ts);
        return;
      }
      if (/^subagent\.(started|completed|failed)$/.test(type)) {
        takeAgent(type, data, textIn(record['agentId']), line, ts);
        return;
      }
      const isAsked = ASKED.test(type);
      const take = Object.hasOwn(takes, type) ? takes[type] : undefined;
      if (take === undefined && !isAsked) {
        if (!SILENT.test(type)) world.notUnderstood(type);
        return;
      }
      const isWork = /^(assistant\.(turn_start|message)|tool\.execution_start)$/.test(type);
      const run =
        agent !== undefined
          ? agentOf(agent, line, ts)
          : (session.turn ?? (isWork ? begin(line, undefined, ts) : undefined));
      if (run === undefined) return;
      if (type.endsWith('.requested')) run.writer.wait(line, 'human');
      else if (isAsked && run.writer.stopSoFar === undefined) run.writer.resume();
      else take?.(data, line, run, ts);
    },
    end: calls.end,
  };
};

export const copilotCli = defineAdapter({
  id: 'copilot-cli',
  title: 'GitHub Copilot CLI events',
  where: '~/.copilot/session-state/*/events.jsonl',
  run: 'a turn: from a prompt to the last word before the next one; a sub-agent is a run of its own',
  stops:
    'recorded: task complete, abort, session error, the end of a sub-agent; else inferred from a last message without tool requests',
  tells:
    'calls with arguments and results, exit codes of shell commands, what waits for a person, tokens where recorded',
  lacks: 'numbered iterations (turnId begins anew), receipts',
  volatile: {
    args: [
      { tool: 'bash', key: 'description', because: 'the model words it anew for the same call' },
      { tool: 'report_intent', key: 'intent', because: 'it is prose of the model' },
    ],
    results: [{ pattern: /\bshellId: \S+/g, because: 'each shell has an id of its own' }],
  },
  recognises: (sample) =>
    sample.some(
      ({ type, data, timestamp }) =>
        typeof type === 'string' &&
        typeof timestamp === 'string' &&
        typeof data === 'object' &&
        data !== null &&
        /^(session\.(start|resume|shutdown)|user\.message|assistant\.(turn_start|turn_end|message)|tool\.execution_(start|complete))$/.test(
          type,
        ),
    ),
  start,
});
