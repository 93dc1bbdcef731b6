import { defineAdapter, goalOf, type World } from './adapter.js';
import { digestOf } from './digest.js';
import { stemOf } from './file-names.js';
import type { LineOf, RunWriter, Stop } from './run-writer.js';
import { createTurns, inferredStop } from './turns.js';
import { fieldsOf, type JsonObject, objectsIn, proseOf, textIn, timeIn } from './values.js';

const RETURN_CODE = /^returncode: (\d{1,9})$/m;
const CANCELLED = /<user_cancellation>/;
/** What the harness says when it stops the agent. */
const STOPPED = /<vibe_stop_event>([\s\S]*?)<\/vibe_stop_event>/;
const isMessage = (record: JsonObject): boolean =>
  typeof record['role'] === 'string' && 'injected' in record && ('message_id' in record || 'tool_call_id' in record);

const endOf = (text: string): Stop => {
  const event = STOPPED.exec(text)?.[1];
  if (event === undefined) return inferredStop('stop', 'last_message');
  return inferredStop(/limit/i.test(event) ? 'budget_exhausted' : 'stopped_by_harness');
};

const start = (world: World) => {
  const nextTurn = createTurns(world);
  const seen = new Set<string>();
  let session = '';
  let run: RunWriter | undefined;

  const takeAssistant = ({ content, tool_calls }: JsonObject, line: LineOf, ts: string | undefined): void => {
    run ??= nextTurn(session);
    run.round(line, {}, { ts });
    const calls = objectsIn(tool_calls);
    for (const { id, function: called } of calls) {
      const [callId, name] = [textIn(id), textIn(fieldsOf(called)['name'])];
      if (callId === undefined || name === undefined) world.unusable(line, 'a tool call lacks its id or name');
      else run.call(line, { id: callId, name, args: fieldsOf(called)['arguments'] });
    }
    const text = proseOf(content);
    if (calls.length === 0 && text !== '') run.stop(line, endOf(text));
  };

  const takeTool = ({ content, tool_call_id }: JsonObject, line: LineOf): void => {
    const text = proseOf(content);
    const code = RETURN_CODE.exec(text)?.[1];
    const isCancelled = CANCELLED.test(text);
    run?.result(textIn(tool_call_id) ?? '', {
      value: content,
      isError: isCancelled || /^<tool_error>/.test(text) || undefined,
      exitCode: code === undefined ? undefined : Number(code),
    });
    if (isCancelled) run?.stop(line, inferredStop('user_interrupt', 'user_interrupt'));
  };

  const takeMessage = (message: JsonObject, line: LineOf): void => {
    const { role, content, injected, tool_calls, tool_call_id } = message;
    const id = textIn(message['message_id']) ?? textIn(tool_call_id);
    const mark = `${id} ${digestOf([role, content, tool_calls]) ?? ''}`;
    if (id !== undefined && seen.has(mark)) return;
    seen.add(mark);
    const ts = timeIn(message['timestamp']);
    if (role === 'assistant') takeAssistant(message, line, ts);
    else if (role === 'tool') takeTool(message, line);
    else if (role === 'user') {
      // What the harness puts in goes on with the turn.
      if (injected === true && run !== undefined) run.resume();
      else {
        run = nextTurn(session);
        run.start(line, goalOf('user prompt', proseOf(content)), ts);
      }
    } else if (role !== 'system') world.notUnderstood(`message of ${textIn(role) ?? '(no role)'}`);
  };

  return {
    startInput({ name }: { readonly name: string }): void {
      session = stemOf(name);
      run = undefined;
    },
    take(record: JsonObject, line: LineOf): void {
      if (!Array.isArray(record['messages'])) {
        takeMessage(record, line);
        return;
      }
      session = textIn(fieldsOf(record['metadata'])['session_id']) ?? session;
      for (const message of objectsIn(record['messages'])) takeMessage(message, line);
    },
  };
};

export const mistralVibe = defineAdapter({
  id: 'mistral-vibe',
  title: 'Mistral Vibe sessions',
  where: '~/.vibe/logs/session/*/messages.jsonl',
  run: 'a turn: from a prompt to the last word before the next one',
  stops: 'inferred: from a last message without calls, from a call that a person cancelled',
  tells: 'calls with arguments and results, exit codes of shell commands',
  lacks: 'a record of the end, tokens, times, which calls failed, numbered iterations, receipts, approvals',
  volatile: { args: [], results: [] },
  recognises: (sample) =>
    sample.some((record) => isMessage(record) || objectsIn(record['messages']).some((message) => isMessage(message))),
  start,
});
