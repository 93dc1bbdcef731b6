import { defineAdapter, goalOf, type World } from './adapter.js';
import { digestOf } from './digest.js';
import { stemOf } from './file-names.js';
import type { LineOf, RunWriter } from './run-writer.js';
import { createTurns, inferredStop } from './turns.js';
import { fieldsOf, type JsonObject, objectsIn, textIn, timeIn } from './values.js';

const CANCELLED = /Tool uses? (was|were) (cancelled|interrupted)/;
const EXIT_STATUS = /^exit (?:status|code): (\d{1,9})$/;

const blocksOf = (content: unknown, kind: string): readonly unknown[] =>
  objectsIn(content).flatMap((block) => (block['kind'] === kind ? [block['data']] : []));
const textOf = (content: unknown): string => blocksOf(content, 'text').map(textIn).join('');

const exitCodeOf = (content: unknown): number | undefined => {
  for (const data of blocksOf(content, 'json')) {
    const found = EXIT_STATUS.exec(textIn(fieldsOf(data)['exit_status']) ?? '');
    if (found !== null) return Number(found[1]);
  }
  return undefined;
};

const start = (world: World) => {
  const nextTurn = createTurns(world);
  const seen = new Set<string>();
  let session = '';
  let run: RunWriter | undefined;

  type Take = (data: JsonObject, line: LineOf) => void;
  const takes: Readonly<Record<string, Take>> = {
    Prompt({ content, meta }, line) {
      run = nextTurn(session);
      run.start(line, goalOf('user prompt', textOf(content)), timeIn(fieldsOf(meta)['timestamp']));
    },
    AssistantMessage({ content }, line) {
      run ??= nextTurn(session);
      run.round(line);
      const calls = blocksOf(content, 'toolUse');
      for (const data of calls) {
        const { toolUseId, name, input } = fieldsOf(data);
        const [id, tool] = [textIn(toolUseId), textIn(name)];
        if (id === undefined || tool === undefined) world.unusable(line, 'a toolUse lacks its toolUseId or name');
        else run.call(line, { id, name: tool, args: input });
      }
      if (calls.length === 0 && textOf(content) !== '') run.stop(line, inferredStop('stop', 'last_message'));
    },
    ToolResults({ content }, line) {
      let isCancelled = false;
      for (const data of blocksOf(content, 'toolResult')) {
        const { toolUseId, content: said, status } = fieldsOf(data);
        isCancelled ||= status === 'error' && CANCELLED.test(textOf(said));
        const isError = textIn(status) === undefined ? undefined : status !== 'success';
        run?.result(textIn(toolUseId) ?? '', { value: said, isError, exitCode: exitCodeOf(said) });
      }
      if (isCancelled) run?.stop(line, inferredStop('user_interrupt', 'user_interrupt'));
    },
  };

  return {
    startInput({ name }: { readonly name: string }): void {
      session = stemOf(name);
      run = undefined;
    },
    take(record: JsonObject, line: LineOf): void {
      const kind = textIn(record['kind']) ?? '(no kind)';
      const data = fieldsOf(record['data']);
      if (!Object.hasOwn(takes, kind)) {
        world.notUnderstood(kind);
        return;
      }
      const id = textIn(data['message_id']);
      const mark = `${id} ${digestOf([kind, data['content']]) ?? ''}`;
      if (id !== undefined && seen.has(mark)) return;
      seen.add(mark);
      takes[kind]?.(data, line);
    },
  };
};

export const kiroCli = defineAdapter({
  id: 'kiro-cli',
  title: 'Kiro CLI sessions',
  where: '~/.kiro/sessions/cli/*.jsonl',
  run: 'a turn: from a prompt to the last word before the next one',
  stops: 'inferred: from a last message without calls, from calls that a person cancelled',
  tells: 'calls with input and results, exit codes of shell commands',
  lacks: 'a record of the end, tokens, times of answers, numbered iterations, receipts, approvals',
  volatile: {
    args: [{ tool: '*', key: '__tool_use_purpose', because: 'the model words it anew for the same call' }],
    results: [],
  },
  recognises: (sample) =>
    sample.some(
      ({ version, kind, data }) =>
        typeof version === 'string' &&
        /^(Prompt|AssistantMessage|ToolResults)$/.test(textIn(kind) ?? '') &&
        Array.isArray(fieldsOf(data)['content']),
    ),
  start,
});
