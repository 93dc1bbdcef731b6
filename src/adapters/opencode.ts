import { defineAdapter, type World } from './adapter.js';
import { stemOf } from './file-names.js';
import { createStore } from './opencode-store.js';
import { createSessions, goalOfPrompt, stopOfError, toolPartOf, usageOf } from './opencode-turns.js';
import type { LineOf } from './run-writer.js';
import { fieldsOf, type JsonObject, numberIn, objectsIn, textIn, timeIn } from './values.js';

/** Types of the run command's stream, as the parts that they hold are called. */
const STREAM = new Map([
  ['step_start', 'step-start'],
  ['step_finish', 'step-finish'],
  ['tool_use', 'tool'],
  ['text', 'text'],
  ['reasoning', 'reasoning'],
  ['error', 'error'],
]);
const SILENT = new Set(['reasoning', 'file', 'snapshot', 'patch', 'agent', 'retry', 'subtask']);
/** Events of the server that say nothing of a run. */
const SILENT_EVENT =
  /^(server|installation|lsp|file|ide|tui|todo|vcs|pty|project|mcp|command|worktree)\.|^session\.(created|updated|deleted|idle|status|compacted|diff)$|^message\.(removed|part\.removed|part\.delta)$/;
/** Parts of one prompt are made at once. */
const AT_ONCE_MS = 1000;

const isPart = (record: JsonObject): boolean =>
  typeof record['messageID'] === 'string' && typeof record['sessionID'] === 'string';
const isMessage = ({ role, sessionID, time }: JsonObject): boolean =>
  (role === 'user' || role === 'assistant') && typeof sessionID === 'string' && typeof time === 'object';
const isSession = ({ id, projectID, directory, time }: JsonObject): boolean =>
  typeof id === 'string' &&
  (typeof projectID === 'string' || typeof directory === 'string') &&
  typeof fieldsOf(time)['created'] === 'number';

const start = (world: World) => {
  const sessionOf = createSessions(world);
  const store = createStore(world);
  const seen = new Set<string>();
  let fileSession = '';
  let promptedAt: number | undefined;
  /** Whether the row before was of a message that failed: each of its rows says so. */
  let isFailing = false;

  const takePart = (type: string, part: JsonObject, line: LineOf, name: string, ts: string | undefined): void => {
    const session = sessionOf(name);
    if (type === 'step-start') session.startStep(line, ts);
    else if (type === 'step-finish') session.finishStep(line, textIn(part['reason']), usageOf(part['tokens']), ts);
    else if (type === 'text') {
      session.inStep(line, ts);
      session.say();
    } else if (type === 'tool') {
      const tool = toolPartOf(part);
      if (tool === undefined) world.unusable(line, 'a tool part lacks its callID or tool');
      else session.tool(line, tool, ts);
    } else if (type === 'compaction') session.compact(line, ts);
    else if (!SILENT.has(type)) world.notUnderstood(type);
  };

  /** A line of the run command's stream. */
  const takeStreamed = (record: JsonObject, line: LineOf): void => {
    const type = textIn(record['type']) ?? '(no type)';
    const name = textIn(record['sessionID']) ?? fileSession;
    const part = fieldsOf(record['part']);
    if (type === 'error') {
      sessionOf(name).stop(line, stopOfError(record['error']));
      return;
    }
    const id = textIn(part['id']);
    if (id !== undefined && seen.has(`${name} ${id}`)) return;
    if (id !== undefined) seen.add(`${name} ${id}`);
    takePart(STREAM.get(type) ?? type, part, line, name, timeIn(record['timestamp']));
  };

  /** A row of a recorder that writes parts with their message's role. */
  const takeRow = (row: JsonObject, line: LineOf): void => {
    const { type, text, synthetic, _role, _ts, _error } = row;
    const name = textIn(row['sessionID']) ?? textIn(row['_sessionID']) ?? fileSession;
    const [session, at, ts] = [sessionOf(name), numberIn(_ts), timeIn(_ts)];
    if (_role === 'user') {
      isFailing = false;
      if (type === 'compaction') session.compact(line, ts);
      const isSame = at !== undefined && promptedAt !== undefined && Math.abs(at - promptedAt) < AT_ONCE_MS;
      if (type !== 'text' || synthetic === true || isSame) return;
      promptedAt = at;
      session.prompt(line, goalOfPrompt(textIn(text) ?? ''), ts);
      return;
    }
    promptedAt = undefined;
    const hasFailed = _error !== undefined && _error !== null;
    if (hasFailed && isFailing) session.goOn();
    isFailing = hasFailed;
    takePart(textIn(type) ?? '(no type)', row, line, name, ts);
    if (hasFailed) session.stop(line, stopOfError(_error));
  };

  /** What the server tells its listeners. */
  const takeEvent = (type: string, properties: JsonObject, line: LineOf): void => {
    const name = textIn(properties['sessionID']) ?? fileSession;
    if (type === 'message.updated') store.message(fieldsOf(properties['info']), line);
    else if (type === 'message.part.updated') store.part(fieldsOf(properties['part']), line);
    else if (type === 'session.error') store.fail(name, properties['error'], line);
    else if (/^(permission|question)\.(asked|updated)$/.test(type)) store.wait(name, line);
    else if (/^(permission|question)\.(replied|rejected)$/.test(type)) store.wait(name, undefined);
    else if (!SILENT_EVENT.test(type)) world.notUnderstood(type);
  };

  return {
    startInput({ name }: { readonly name: string }): void {
      fileSession = stemOf(name);
      promptedAt = undefined;
    },
    take(record: JsonObject, line: LineOf): void {
      const { type, properties, messages, info, parts } = record;
      if ('_role' in record) takeRow(record, line);
      else if ('properties' in record && typeof type === 'string') takeEvent(type, fieldsOf(properties), line);
      else if (messages !== undefined && info !== undefined) store.all(objectsIn(messages), line);
      else if (parts !== undefined && info !== undefined) store.all([record], line);
      else if (isPart(record)) store.part(record, line);
      else if (isMessage(record)) store.message(record, line);
      else if (isSession(record)) world.collected();
      else takeStreamed(record, line);
    },
    end(): void {
      store.end(sessionOf);
    },
  };
};

const PART = /^(step-start|step-finish|tool|text|reasoning)$/;

export const opencode = defineAdapter({
  id: 'opencode',
  title: 'opencode',
  where:
    'what opencode run --format json writes, opencode export, and ~/.local/share/opencode/storage (session, message, part)',
  run: 'a turn: from a prompt to the last step before the next one; a sub-agent is a session of its own',
  stops: 'recorded: the reason of the last step, or an error; a call that a person declined ends a turn by inference',
  tells: 'calls with input and output, their status, exit codes of shell commands, tokens of each step',
  lacks: 'numbered iterations, receipts, approvals; the stream of run lacks the prompt',
  volatile: {
    args: ['bash', 'task'].map((tool) => ({
      tool,
      key: 'description',
      because: 'the model words it anew for the same call',
    })),
    results: [{ pattern: /^task_id: ses_\w+.*$/gm, because: 'each sub-agent has a session of its own' }],
  },
  recognises: (sample) =>
    sample.some((record) => {
      const { type, sessionID, part, error, info, messages, properties, id } = record;
      const isStreamed = typeof sessionID === 'string' && typeof type === 'string' && STREAM.has(type);
      if (isStreamed && (typeof fieldsOf(part)['messageID'] === 'string' || fieldsOf(error)['name'] !== undefined))
        return true;
      if ('_role' in record && typeof type === 'string' && PART.test(type)) return true;
      if (messages !== undefined && isSession(fieldsOf(info))) return true;
      if (type === 'message.updated' || type === 'message.part.updated') return typeof properties === 'object';
      if (isPart(record) && typeof type === 'string' && typeof id === 'string') return true;
      if (isMessage(record) && typeof id === 'string') return true;
      return isSession(record) && /^ses_/.test(textIn(id) ?? '');
    }),
  start,
});
