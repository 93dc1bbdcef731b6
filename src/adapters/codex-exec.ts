import { defineAdapter, turnId, type World } from './adapter.js';
import { stemOf } from './file-names.js';
import type { LineOf, RunWriter } from './run-writer.js';
import { countIn, fieldsOf, type JsonObject, numberIn, textIn } from './values.js';
import { CLOCKS } from './volatile-texts.js';

/** Items that are calls of a tool; others are words of the model. */
const WORDS = new Set(['agent_message', 'assistant_message', 'reasoning', 'todo_list', 'plan', 'error']);
const SIDE = new Set(['item.updated', 'item.plan.delta', 'error']);
const SPENT = /token budget exhausted/;
const FAILED = new Set(['failed', 'declined', 'rejected', 'error']);

/** What an item calls, and with what; undefined of one that calls nothing. */
const callOf = (item: JsonObject): { name: string; args: unknown; value: unknown; isNew?: boolean } | undefined => {
  const type = textIn(item['type']) ?? textIn(item['item_type']) ?? '';
  if (type === 'command_execution') return { name: type, args: item['command'], value: item['aggregated_output'] };
  if (type === 'file_change') {
    // What is changed is not recorded, only where: two changes of one file are not the same call.
    return { name: type, args: undefined, value: undefined };
  }
  if (type === 'mcp_tool_call') {
    const name = [item['server'], item['tool']]
      .map(textIn)
      .filter((part) => part !== undefined)
      .join('.');
    return { name: name === '' ? type : name, args: item['arguments'] ?? {}, value: item['result'] ?? item['error'] };
  }
  if (type === 'collab_tool_call')
    return { name: textIn(item['tool']) ?? type, args: item['prompt'], value: item['agents_states'] };
  if (type === 'web_search') return { name: type, args: item['query'], value: undefined };
  return WORDS.has(type) || type === '' ? undefined : { name: type, args: undefined, value: undefined, isNew: true };
};

const start = (world: World) => {
  const ordinals = new Map<string, number>();
  let thread = '';
  let fileName = '';
  let writer: RunWriter | undefined;
  let isOver = false;
  /** A result has come since the last call: the next one is of another response. */
  let hasResult = true;

  const begin = (line: LineOf): RunWriter => {
    const ordinal = (ordinals.get(thread) ?? 0) + 1;
    ordinals.set(thread, ordinal);
    writer = world.run(world.unit === 'session' ? thread : turnId(thread, ordinal));
    if (writer.isEmpty) writer.start(line, 'a prompt on the command line');
    isOver = false;
    hasResult = true;
    return writer;
  };
  const going = (line: LineOf): RunWriter => (writer === undefined || isOver ? begin(line) : writer);

  const respond = (run: RunWriter, line: LineOf): void => {
    if (hasResult) run.round(line);
    hasResult = false;
  };

  const takeItem = (item: JsonObject, isDone: boolean, line: LineOf): void => {
    const type = textIn(item['type']) ?? textIn(item['item_type']) ?? '';
    const run = going(line);
    const call = callOf(item);
    const id = textIn(item['id']);
    if (call === undefined) {
      if (type === '') world.notUnderstood('(an item without a type)');
      if (type === 'agent_message' || type === 'assistant_message' || type === 'reasoning') respond(run, line);
      return;
    }
    const isStarted = isDone && id !== undefined && started.has(id);
    if (!isStarted) {
      if (call.isNew === true) world.notUnderstood(`item ${type}`);
      respond(run, line);
      run.call(line, { id, name: call.name, args: call.args });
      if (id !== undefined) started.add(id);
    }
    if (!isDone || id === undefined) return;
    const status = textIn(item['status']);
    const exitCode = numberIn(item['exit_code']);
    const hasFailed = FAILED.has(status ?? '') || (item['error'] !== undefined && item['error'] !== null);
    run.result(id, {
      value: call.value,
      isError: status === undefined && !hasFailed ? undefined : hasFailed,
      exitCode,
    });
    started.delete(id);
    hasResult = true;
  };
  let started = new Set<string>();

  const takeEnd = (record: JsonObject, type: string, line: LineOf): void => {
    const run = going(line);
    const usage = fieldsOf(record['usage']);
    const [input, cached] = [countIn(usage['input_tokens']), countIn(usage['cached_input_tokens'])];
    const spent = { in: Math.max(0, input - cached), cached, out: countIn(usage['output_tokens']) };
    // The tokens of all of the turn are said at its end.
    if (record['usage'] !== undefined) {
      if (run.rounds === 0) run.round(line);
      run.updateRound(spent);
    }
    const message = textIn(fieldsOf(record['error'])['message']) ?? '';
    if (type === 'turn.completed') run.stop(line, { value: 'task_complete', detail: type, isInferred: false });
    else
      run.stop(line, {
        value: SPENT.test(message) ? 'budget_limited' : 'turn_failed',
        detail: type,
        isInferred: false,
      });
    isOver = true;
  };

  return {
    startInput({ name }: { readonly name: string }): void {
      fileName = stemOf(name);
      thread = fileName;
      writer = undefined;
      started = new Set();
    },
    take(record: JsonObject, line: LineOf): void {
      const type = textIn(record['type']) ?? '(no type)';
      if (type === 'thread.started') {
        // The thread is named in its first line alone; another one begins another run.
        thread = textIn(record['thread_id']) ?? fileName;
        writer = undefined;
        started = new Set();
      } else if (type === 'turn.started') begin(line);
      else if (type === 'turn.completed' || type === 'turn.failed') takeEnd(record, type, line);
      else if (type === 'item.started' || type === 'item.completed') {
        takeItem(fieldsOf(record['item']), type === 'item.completed', line);
      } else if (type === 'request_user_input') going(line).wait(line, 'human');
      else if (!SIDE.has(type)) world.notUnderstood(type);
    },
  };
};

export const codexExec = defineAdapter({
  id: 'codex-exec',
  title: 'codex exec --json',
  where: 'the standard output of codex exec --json',
  run: 'a turn: from turn.started to turn.completed or turn.failed',
  stops: 'recorded by turn.completed and turn.failed; an interrupted turn writes nothing more',
  tells: 'calls with arguments and results, failures, exit codes, the tokens of a turn',
  lacks: 'times, prompts, numbered iterations, receipts, approvals',
  volatile: { args: [], results: CLOCKS },
  recognises: (sample) =>
    sample.some(
      ({ type, thread_id: thread, item }) =>
        (type === 'thread.started' && typeof thread === 'string') ||
        (/^item\.(?:started|completed)$/.test(textIn(type) ?? '') && typeof fieldsOf(item)['id'] === 'string'),
    ),
  start,
});
