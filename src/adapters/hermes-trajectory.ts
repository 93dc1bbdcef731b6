import { defineAdapter, goalOf, turnId, type World } from './adapter.js';
import { createFileNames } from './file-names.js';
import { HERMES_VOLATILE, readToolMessage, writeGuarding } from './hermes-results.js';
import type { LineOf, RunWriter } from './run-writer.js';
import { fieldsOf, isObject, type JsonObject, parsedIn, textIn, timeIn } from './values.js';

/** What stands between the marks of a tag, mark for mark. */
const blocksIn = (text: string, tag: string): readonly string[] => {
  const [opens, closes] = [`<${tag}>`, `</${tag}>`];
  const blocks: string[] = [];
  for (let from = text.indexOf(opens); from >= 0; ) {
    const to = text.indexOf(closes, from);
    if (to < 0) break;
    blocks.push(text.slice(from + opens.length, to));
    from = text.indexOf(opens, to);
  }
  return blocks;
};

const objectsOf = (text: string, tag: string): readonly JsonObject[] =>
  blocksIn(text, tag)
    .map((block) => parsedIn(block.trim()))
    .filter(isObject);

/** What a model thinks aloud calls nothing. */
const withoutThoughts = (text: string): string => {
  const end = text.lastIndexOf('</think>');
  return end < 0 ? text : text.slice(end);
};

interface Message {
  readonly from: string | undefined;
  readonly value: string;
}

/** The calls that a message makes. Those that the next message does not answer are words about calls. */
const callsIn = ({ value }: Message, next: Message | undefined, isOver: boolean): readonly JsonObject[] => {
  const said = objectsOf(withoutThoughts(value), 'tool_call').filter(({ name }) => textIn(name) !== undefined);
  if (next === undefined) return isOver ? [] : said;
  if (next.from !== 'tool') return [];
  const answered = objectsOf(next.value, 'tool_response').map(({ name }) => name);
  return said.filter(({ name }) => {
    const at = answered.indexOf(name);
    if (at >= 0) answered.splice(at, 1);
    return at >= 0;
  });
};

interface Open {
  readonly id: string;
  readonly name: string;
  readonly digest: string | undefined;
}

/** Gives the calls of a round their results, by name in their order. */
const answer = (writer: RunWriter, line: LineOf, { value }: Message, open: Open[]): void => {
  for (const response of objectsOf(value, 'tool_response')) {
    const at = open.findIndex(({ name }) => name === response['name']);
    const [call] = at < 0 ? [] : open.splice(at, 1);
    if (call === undefined) continue;
    const { result, guarding } = readToolMessage(response['content']);
    writer.result(call.id, result);
    if (guarding !== undefined) writeGuarding(writer, line, guarding, call);
  }
};

/** What a trajectory says of its end; undefined where it says nothing. */
const endOf = ({ completed, partial, error }: JsonObject): string | undefined => {
  if (completed === true) return 'completed';
  if (partial === true) return 'interrupted';
  if (textIn(error) !== undefined) return 'error';
  // Its writer cannot tell a used up budget from a failure.
  return completed === false ? 'not_completed' : undefined;
};

const messagesIn = (record: JsonObject): readonly Message[] =>
  (Array.isArray(record['conversations']) ? record['conversations'] : []).map((message) => {
    const { from, value } = fieldsOf(message);
    return { from: textIn(from), value: typeof value === 'string' ? value : '' };
  });

const start = (world: World) => {
  const nameOf = createFileNames();
  let name = '';
  let count = 0;

  const takeRound = (writer: RunWriter, line: LineOf, calls: readonly JsonObject[], rounds: number): Open[] => {
    writer.round(line);
    return calls.map((call, index) => {
      const [tool, args] = [textIn(call['name']) ?? '', call['arguments']];
      const open = { id: `${rounds}.${index}`, name: tool, digest: world.digests.args(tool, args) };
      writer.call(line, { id: open.id, name: open.name, args });
      return open;
    });
  };

  return {
    startInput(input: { readonly file: number; readonly name: string }): void {
      name = nameOf(input.file, input.name);
      count = 0;
    },
    take(record: JsonObject, line: LineOf): void {
      if (!Array.isArray(record['conversations'])) {
        world.notUnderstood(textIn(record['type']) ?? '(no conversations)');
        return;
      }
      count += 1;
      const messages = messagesIn(record);
      const writer = world.run(turnId(name, count));
      const prompt = messages.find(({ from }) => from === 'human');
      const end = endOf(record);
      writer.start(line, prompt && goalOf('user prompt', prompt.value));
      let open: Open[] = [];
      for (const [index, message] of messages.entries()) {
        const isOver = end !== undefined;
        if (message.from === 'gpt') {
          open = takeRound(writer, line, callsIn(message, messages[index + 1], isOver), writer.rounds + 1);
        } else if (message.from === 'tool') answer(writer, line, message, open);
        else if (message.from !== 'human' && message.from !== 'system') {
          world.notUnderstood(message.from ?? '(no from)');
        }
      }
      if (end !== undefined) writer.stop(line, { value: end, isInferred: false, ts: timeIn(record['timestamp']) });
    },
  };
};

const isTrajectory = (record: JsonObject): boolean => {
  const messages = record['conversations'];
  if (!Array.isArray(messages) || !('completed' in record || 'api_calls' in record)) return false;
  return messages.some((message) => isObject(message) && 'from' in message && 'value' in message);
};

export const hermesTrajectory = defineAdapter({
  id: 'hermes-trajectory',
  title: 'Hermes Agent trajectories',
  where: 'trajectory_samples.jsonl, failed_trajectories.jsonl, what its batch runner writes',
  run: 'a trajectory; it is named after its file and its place there',
  stops: 'recorded: completed or partial; that it was not completed tells no reason',
  tells: 'calls with arguments and results, exit codes, failures, rounds',
  lacks: 'ids of calls, times, tokens, whether a budget or a failure ended it',
  volatile: { args: [], results: HERMES_VOLATILE },
  recognises: (sample) => sample.some(isTrajectory),
  start,
});
