import { defineAdapter, goalOf, type World } from './adapter.js';
import { stemOf } from './file-names.js';
import type { LineOf, RunWriter } from './run-writer.js';
import { createTurns, inferredStop } from './turns.js';
import { type JsonObject, objectsIn, textIn, timeIn } from './values.js';

const EXIT_CODE = /exit code: (\d{1,9})\b/i;
const DONE = 'DONE';
const FAILED = /^(ERROR|FAILED|INVALID)$/;
const CANCELLED = /^CANCELL?ED$/;
const WAITING = /^WAITING/;
const ENVELOPE = /<USER_REQUEST>\s*([\s\S]*?)\s*<\/USER_REQUEST>/;
/** Steps of the harness that say nothing of a run. */
const SILENT = new Set(['CONVERSATION_HISTORY', 'EPHEMERAL_MESSAGE', 'CHECKPOINT', 'KNOWLEDGE_ARTIFACTS']);
const SOURCES = /^(USER_\w+|MODEL|SYSTEM)$/;

const start = (world: World) => {
  const nextTurn = createTurns(world);
  const seen = new Set<string>();
  let session = '';
  let run: RunWriter | undefined;
  /** Calls that no step has answered: steps name no call, they come in its order. */
  let unanswered: string[] = [];

  const takeResponse = (step: JsonObject, line: LineOf, key: string): void => {
    const { content, tool_calls, status, created_at } = step;
    run ??= nextTurn(session);
    if (!seen.has(key)) {
      run.round(line, {}, { ts: timeIn(created_at) });
      unanswered = [];
    }
    const calls = objectsIn(tool_calls);
    for (const [index, { name, args }] of calls.entries()) {
      const tool = textIn(name);
      const id = `${key}:${index}`;
      if (tool === undefined) world.unusable(line, 'a tool call lacks its name');
      else if (!seen.has(id)) {
        seen.add(id);
        unanswered.push(id);
        run.call(line, { id, name: tool, args });
      }
    }
    const word = textIn(status) ?? DONE;
    if (CANCELLED.test(word)) run.stop(line, inferredStop('user_interrupt', 'user_interrupt'));
    else if (FAILED.test(word)) run.stop(line, inferredStop('error'));
    else if (word === DONE && calls.length === 0 && textIn(content) !== undefined)
      run.stop(line, inferredStop('stop', 'last_message'));
  };

  const takeResult = ({ content, status }: JsonObject, line: LineOf): void => {
    const word = textIn(status) ?? DONE;
    if (WAITING.test(word)) run?.wait(line, 'human');
    const isCancelled = CANCELLED.test(word);
    if (word !== DONE && !FAILED.test(word) && !isCancelled) return;
    const id = unanswered.shift();
    if (id === undefined) return;
    const code = EXIT_CODE.exec(textIn(content) ?? '')?.[1];
    const exitCode = code === undefined ? undefined : Number(code);
    run?.result(id, { value: content, isError: word === DONE ? undefined : true, exitCode });
    if (isCancelled) run?.stop(line, inferredStop('user_interrupt', 'user_interrupt'));
    else if (run?.stopSoFar === undefined) run?.resume();
  };

  return {
    startInput({ name }: { readonly name: string }): void {
      session = stemOf(name);
      run = undefined;
      unanswered = [];
    },
    take(step: JsonObject, line: LineOf): void {
      const { source, content, status, created_at } = step;
      const type = textIn(step['type']) ?? '(no type)';
      const index = step['step_index'];
      const key = `${session} ${typeof index === 'number' ? index : line.line} ${type}`;
      const copy = `${key} ${textIn(status) ?? ''}`;
      if (seen.has(copy)) return;
      if (type === 'USER_INPUT') {
        if (!seen.has(key)) {
          const text = textIn(content) ?? '';
          run = nextTurn(session);
          run.start(line, goalOf('user prompt', ENVELOPE.exec(text)?.[1] ?? text), timeIn(created_at));
        }
      } else if (type === 'PLANNER_RESPONSE') takeResponse(step, line, key);
      else if (type === 'ERROR_MESSAGE') {
        if (run?.stopSoFar === undefined) run?.stop(line, inferredStop('error'));
      } else if (source === 'MODEL') takeResult(step, line);
      else if (!SILENT.has(type)) world.notUnderstood(type);
      seen.add(key).add(copy);
    },
  };
};

export const antigravity = defineAdapter({
  id: 'antigravity',
  title: 'Antigravity transcripts',
  where: 'transcript.jsonl of a conversation of Antigravity and its command line',
  run: 'a turn: from what the user typed to the last word before the next input',
  stops:
    'inferred: from a last response without calls, from a step that was cancelled, from an error message at the end',
  tells: 'calls with arguments and results, exit codes of shell commands',
  lacks: 'a record of the end, ids of calls (results are told by their order), tokens, receipts, approvals',
  volatile: {
    args: ['toolAction', 'toolSummary', 'WaitMsBeforeAsync'].map((key) => ({
      tool: '*',
      key,
      because: 'the model chooses it anew for the same call',
    })),
    results: [{ pattern: /^(Created|Completed) At: .*$/gm, because: 'the harness puts times before results' }],
  },
  recognises: (sample) =>
    sample.some(
      ({ step_index, source, type, status }) =>
        typeof step_index === 'number' &&
        typeof type === 'string' &&
        typeof status === 'string' &&
        SOURCES.test(textIn(source) ?? ''),
    ),
  start,
});
