import type { World } from './adapter.js';
import {
  type createSessions,
  goalOfPrompt,
  stopOfError,
  type ToolPart,
  toolPartOf,
  usageOf,
} from './opencode-turns.js';
import type { Fields, LineOf, Stop, Usage } from './run-writer.js';
import { fieldsOf, type JsonObject, numberIn, objectsIn, textIn, timeIn } from './values.js';

/** What is kept of a part until all files have been read: never what a tool was given or gave back. */
type Part = { readonly line: LineOf; readonly ts: string | undefined } & (
  | { readonly kind: 'text'; readonly length: string; readonly isSynthetic: boolean }
  | { readonly kind: 'tool'; readonly tool: ToolPart }
  | { readonly kind: 'start' | 'compaction' }
  | { readonly kind: 'finish'; readonly reason: string | undefined; readonly usage: Usage }
);

interface Message {
  readonly id: string;
  readonly session: string;
  line: LineOf;
  role: string | undefined;
  created: number;
  ts: string | undefined;
  isCompleted: boolean;
  finish: string | undefined;
  usage: Usage;
  stop: Stop | undefined;
  readonly parts: Map<string, Part>;
}

const SILENT_PARTS = new Set(['reasoning', 'file', 'snapshot', 'patch', 'agent', 'retry', 'subtask']);
const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Sessions, messages and parts that stand by themselves, in any order; the last copy of each counts. */
export const createStore = (world: World) => {
  const messages = new Map<string, Message>();
  const waiting = new Map<string, LineOf>();
  const failed = new Map<string, { readonly line: LineOf; readonly stop: Stop }>();

  const messageOf = (id: string, session: string, line: LineOf): Message => {
    const known = messages.get(id);
    if (known !== undefined) return known;
    const nothing = { role: undefined, created: 0, ts: undefined, finish: undefined, stop: undefined };
    const message = { id, session, line, ...nothing, isCompleted: false, usage: {}, parts: new Map() };
    messages.set(id, message);
    return message;
  };

  const digested = (tool: ToolPart): ToolPart => {
    const { call, result } = tool;
    const args: Fields = { ...call.more, args_hash: world.digests.args(call.name, call.args) };
    if (result === undefined) return { ...tool, call: { ...call, args: undefined, more: args } };
    const { result: hash, raw } = world.digests.result(result.value);
    const more: Fields = { result_hash: hash, result_hash_raw: raw === hash ? undefined : raw };
    return {
      ...tool,
      call: { ...call, args: undefined, more: args },
      result: { ...result, value: undefined, more },
    };
  };

  const partOf = (part: JsonObject, line: LineOf): Part | undefined => {
    const type = textIn(part['type']) ?? '(no type)';
    const ts = timeIn(fieldsOf(part['time'])['start'] ?? fieldsOf(fieldsOf(part['state'])['time'])['start']);
    const at = { line, ts };
    if (type === 'text') {
      const text = textIn(part['text']) ?? '';
      return { ...at, kind: 'text', length: goalOfPrompt(text), isSynthetic: part['synthetic'] === true };
    }
    if (type === 'tool') {
      const tool = toolPartOf(part);
      if (tool === undefined) world.unusable(line, 'a tool part lacks its callID or tool');
      return tool && { ...at, kind: 'tool', tool: digested(tool) };
    }
    if (type === 'step-start') return { ...at, kind: 'start' };
    if (type === 'compaction') return { ...at, kind: 'compaction' };
    if (type === 'step-finish')
      return { ...at, kind: 'finish', reason: textIn(part['reason']), usage: usageOf(part['tokens']) };
    if (!SILENT_PARTS.has(type)) world.notUnderstood(`part ${type}`);
    return undefined;
  };

  const write = (message: Message, session: ReturnType<ReturnType<typeof createSessions>>): void => {
    const { line, ts, role, finish, usage, stop, isCompleted } = message;
    const parts = [...message.parts].toSorted(([a], [b]) => compare(a, b)).map(([, part]) => part);
    const texts = parts.filter((part) => part.kind === 'text');
    if (role === 'user') {
      const prompt = texts.find(({ isSynthetic }) => !isSynthetic);
      if (parts.some(({ kind }) => kind === 'compaction')) session.compact(line, ts);
      else if (prompt !== undefined || texts.length === 0) session.prompt(line, prompt?.length ?? goalOfPrompt(''), ts);
      return;
    }
    if (role !== 'assistant' && parts.every(({ kind }) => kind === 'text')) {
      world.notUnderstood(role === undefined ? 'part without its message' : `message of ${role}`);
      return;
    }
    const hasSteps = parts.some(({ kind }) => kind === 'start' || kind === 'finish');
    if (!hasSteps) session.startStep(line, ts);
    for (const part of parts) {
      if (part.kind === 'start') session.startStep(part.line, part.ts ?? ts);
      if (part.kind === 'text') session.say();
      if (part.kind === 'tool') session.tool(part.line, part.tool, part.ts ?? ts);
      if (part.kind === 'finish') session.finishStep(part.line, part.reason ?? finish, part.usage, part.ts);
    }
    if (stop !== undefined) session.stop(line, stop);
    else if (!hasSteps && isCompleted) session.finishStep(line, finish, usage, undefined);
  };

  return {
    message(info: JsonObject, line: LineOf): void {
      world.collected();
      const [id, session] = [textIn(info['id']), textIn(info['sessionID'])];
      if (id === undefined || session === undefined) {
        world.unusable(line, 'a message lacks its id or sessionID');
        return;
      }
      const message = messageOf(id, session, line);
      const { created, completed } = fieldsOf(info['time']);
      const error = info['error'];
      Object.assign(message, {
        line,
        role: textIn(info['role']),
        created: numberIn(created) ?? 0,
        ts: timeIn(created),
        isCompleted: completed !== undefined && completed !== null,
        finish: textIn(info['finish']),
        usage: usageOf(info['tokens']),
        stop: error === undefined || error === null ? undefined : stopOfError(error),
      });
    },
    part(part: JsonObject, line: LineOf): void {
      world.collected();
      const [id, messageId, session] = [part['id'], part['messageID'], part['sessionID']].map(textIn);
      if (id === undefined || messageId === undefined || session === undefined) {
        world.unusable(line, 'a part lacks its id, messageID or sessionID');
        return;
      }
      const read = partOf(part, line);
      if (read !== undefined) messageOf(messageId, session, line).parts.set(id, read);
    },
    /** An export: a session with its messages. */
    all(exported: readonly JsonObject[], line: LineOf): void {
      for (const { info, parts } of exported) {
        this.message(fieldsOf(info), line);
        for (const part of objectsIn(parts)) this.part(part, line);
      }
    },
    fail(session: string, error: unknown, line: LineOf): void {
      failed.set(session, { line, stop: stopOfError(error) });
    },
    wait(session: string, line: LineOf | undefined): void {
      if (line === undefined) waiting.delete(session);
      else waiting.set(session, line);
    },
    /** Writes all that has been read. */
    end(sessionOf: ReturnType<typeof createSessions>): void {
      const inOrder = [...messages.values()].toSorted((a, b) => a.created - b.created || compare(a.id, b.id));
      for (const message of inOrder) write(message, sessionOf(message.session));
      for (const [session, { line, stop }] of failed) sessionOf(session).stop(line, stop);
      for (const [session, line] of waiting) sessionOf(session).wait(line);
    },
  };
};
