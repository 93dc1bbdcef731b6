import { defineAdapter, goalOf, type World } from './adapter.js';
import { commandsIn } from './command-blocks.js';
import { createFileNames, createRunIds } from './file-names.js';
import type { LineOf, RunWriter, Stop } from './run-writer.js';
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

const LANGUAGES = new Set(['bash', 'mswea_bash_command']);
const SUBMITS = /\b(?:COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT|MINI_SWE_AGENT_FINAL_OUTPUT)\b/;
const RETURN_CODE = /^\s*<returncode>(-?\d{1,9})<\/returncode>/;
const TIMED_OUT = /^\s*The (?:last )?command .{0,2000}timed out/s;
const INTERRUPTS = new Set(['UserInterruption', 'KeyboardInterrupt']);
const EXCEPTION = /^[A-Z]\w*(?:Error|Exception|Timeout|Failure|Exit)$/;
/** Errors that the table of reasons knows by their names. */
const KNOWN_ERRORS = new Set(['RepeatedFormatError', 'ContextWindowExceededError']);

interface Run {
  readonly writer: RunWriter;
  isStarted: boolean;
  rounds: number;
  /** Calls without a result, in the order in which they were made. */
  open: { readonly id: string; readonly isSubmission: boolean }[];
  line: LineOf;
  exitStatus: string | undefined;
  /** What it gave out as its work was taken for it: only the oldest format leaves it at that. */
  isSubmitted: boolean;
}

const stopOf = (status: string): Stop => {
  if (INTERRUPTS.has(status)) return { value: 'user_interrupt', detail: 'user_interrupt', isInferred: false };
  const isError = EXCEPTION.test(status) && !KNOWN_ERRORS.has(status);
  return { value: isError ? 'error' : status, detail: status, isInferred: false, claim: 'goal' };
};

interface Action {
  readonly id: string | undefined;
  readonly name: string;
  readonly args: unknown;
  readonly command: string;
}

const bash = (command: string, id?: string): Action => ({ id, name: 'bash', args: command, command });

/** What a message of the model has run: as it was understood, as it was called, or as it stands in the text. */
const actionsIn = (message: JsonObject): readonly Action[] => {
  const actions = fieldsOf(message['extra'])['actions'];
  if (Array.isArray(actions)) {
    return actions.map((action) => {
      const { command, tool_call_id: id } = isObject(action) ? action : fieldsOf({ command: action });
      return bash(textIn(command) ?? '', textIn(id));
    });
  }
  const called = objectsIn(message['tool_calls']);
  if (called.length > 0) {
    return called.map((call) => {
      const { name, arguments: args } = fieldsOf(call['function']);
      const command = textIn(fieldsOf(parsedIn(args))['command']);
      if (command !== undefined) return bash(command, textIn(call['id']));
      return { id: textIn(call['id']), name: textIn(name) ?? 'bash', args, command: '' };
    });
  }
  // More than one block is refused, and none is run.
  const commands = commandsIn(proseOf(message['content']), LANGUAGES);
  return commands.length === 1 ? commands.map((command) => bash(command)) : [];
};

const usageOf = ({ extra, usage }: JsonObject) => {
  const said = fieldsOf(usage ?? fieldsOf(fieldsOf(extra)['response'])['usage']);
  const cached = countIn(fieldsOf(said['prompt_tokens_details'])['cached_tokens']);
  const all = countIn(said['prompt_tokens'] ?? said['input_tokens']);
  const out = countIn(said['completion_tokens'] ?? said['output_tokens']);
  return all + out === 0 ? {} : { in: Math.max(0, all - cached), cached, out };
};

const start = (world: World) => {
  const nameOf = createFileNames();
  const runIdOf = createRunIds();
  let name = '';
  /** The run whose messages stand in the input one by one. */
  let bare: Run | undefined;

  const begin = (runId: string, line: LineOf): Run => ({
    writer: world.run(runIdOf(runId)),
    isStarted: false,
    rounds: 0,
    open: [],
    line,
    exitStatus: undefined,
    isSubmitted: false,
  });

  const startOnce = (run: Run, line: LineOf, goal: string | undefined, ts?: string): void => {
    if (!run.isStarted) run.writer.start(line, goal, ts);
    run.isStarted = true;
  };

  const takeModel = (run: Run, message: JsonObject, line: LineOf): void => {
    const ts = timeIn(fieldsOf(message['extra'])['timestamp']);
    startOnce(run, line, undefined, ts);
    run.writer.round(line, usageOf(message), { ts });
    run.rounds += 1;
    run.isSubmitted = false;
    run.open = actionsIn(message).map(({ id: said, name: tool, args, command }, index) => {
      const id = said ?? `${run.rounds}.${index}`;
      run.writer.call(line, { id, name: tool, args, ts });
      return { id, isSubmission: SUBMITS.test(command) };
    });
  };

  const takeAnswer = (run: Run, message: JsonObject, line: LineOf): void => {
    const extra = fieldsOf(message['extra']);
    const text = proseOf(message['content'] ?? message['output']);
    startOnce(run, line, goalOf('task', text), timeIn(extra['timestamp']));
    const id = textIn(message['tool_call_id']) ?? textIn(message['call_id']);
    const at = id === undefined ? 0 : run.open.findIndex((each) => each.id === id);
    const [call] = at < 0 ? [] : run.open.splice(at, 1);
    if (call === undefined) return;
    // What a person says in between answers no call.
    if (textIn(extra['interrupt_type']) !== undefined) return;
    const code = numberIn(extra['returncode']) ?? numberIn(Number(RETURN_CODE.exec(text)?.[1] ?? Number.NaN));
    const isError = code !== undefined ? code !== 0 : TIMED_OUT.test(text) ? true : undefined;
    run.writer.result(call.id, { value: extra['raw_output'] ?? text, isError, exitCode: code });
    run.isSubmitted = call.isSubmission && isError === undefined;
  };

  const takeMessage = (run: Run, message: JsonObject, line: LineOf): void => {
    const role = textIn(message['role']);
    run.line = line;
    if (role === 'assistant' || message['object'] === 'response') takeModel(run, message, line);
    else if (role === 'user' || role === 'tool' || message['type'] === 'function_call_output') {
      takeAnswer(run, message, line);
    } else if (role === 'exit') {
      const extra = fieldsOf(message['extra']);
      run.exitStatus = textIn(extra['exit_status']);
      if (run.open.length === 1 && run.open[0]?.isSubmission === true && textIn(extra['submission']) !== undefined) {
        run.writer.result(run.open[0].id, { value: extra['submission'] });
      }
    } else if (role !== 'system' && role !== 'developer') {
      world.notUnderstood(role ?? textIn(message['type']) ?? '(no role)');
    }
  };

  const finish = (run: Run, said: string | undefined, isBare: boolean): void => {
    startOnce(run, run.line, undefined);
    const status = said ?? run.exitStatus;
    if (status !== undefined) run.writer.stop(run.line, stopOf(status));
    else if (isBare && run.isSubmitted) {
      run.writer.stop(run.line, { value: 'Submitted', isInferred: true, claim: 'goal' });
    }
  };

  const takeTrajectory = (record: JsonObject, messages: readonly unknown[], line: LineOf): void => {
    const run = begin(textIn(record['instance_id']) ?? name, line);
    for (const message of messages) {
      if (isObject(message)) takeMessage(run, message, line);
      else world.unusable(line, 'a message of the trajectory is no object');
    }
    finish(run, textIn(fieldsOf(record['info'])['exit_status']), false);
  };

  return {
    startInput(input: { readonly file: number; readonly name: string }): void {
      name = nameOf(input.file, input.name);
      bare = undefined;
    },
    take(record: JsonObject, line: LineOf): void {
      const { messages } = record;
      if (Array.isArray(messages)) takeTrajectory(record, messages, line);
      else if ('role' in record) {
        bare ??= begin(name, line);
        takeMessage(bare, record, line);
      } else world.notUnderstood(textIn(record['type']) ?? '(no messages)');
    },
    endInput(): void {
      if (bare !== undefined) finish(bare, undefined, true);
      bare = undefined;
    },
  };
};

const BLOCK = /```mswea_bash_command\s/;

export const miniSweAgent = defineAdapter({
  id: 'mini-swe-agent',
  title: 'mini-SWE-agent trajectories',
  where: '*.traj.json; of the oldest versions bare lists of messages',
  run: 'a trajectory; it is named after its instance or its file',
  stops: 'recorded: exit_status; in a bare list inferred from the submission',
  tells: 'commands with what they printed, exit codes, rounds, tokens where the responses are kept',
  lacks: 'times and tokens in old versions, approvals, receipts',
  volatile: { args: [], results: [] },
  recognises: (sample) =>
    sample.some((record) => {
      const { role, content, messages, info, trajectory_format: format } = record;
      if (Array.isArray(messages)) {
        const isKnown = 'exit_status' in fieldsOf(info) || 'mini_version' in fieldsOf(info);
        return (
          textIn(format)?.startsWith('mini-swe-agent') === true ||
          (isKnown && objectsIn(messages).some((m) => 'role' in m))
        );
      }
      const text = proseOf(content);
      return (role === 'user' && RETURN_CODE.test(text)) || (role === 'assistant' && BLOCK.test(text));
    }),
  start,
});
