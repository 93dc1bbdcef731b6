import { defineAdapter, type World } from './adapter.js';
import type { LineOf } from './run-writer.js';
import { createSpanTree, instantOf, type SpanKind } from './span-tree.js';
import { countIn, fieldsOf, type JsonObject, objectsIn, textIn, timeIn } from './values.js';

const KINDS: Readonly<Record<string, SpanKind>> = {
  agent: 'agent',
  generation: 'model',
  response: 'model',
  function: 'tool',
};
/** Kinds that hold others, or say nothing of how a run goes. */
const SILENT = new Set(['custom', 'mcp_tools', 'task', 'turn', 'transcription', 'speech', 'speech_group']);
/** What the SDK says of an error, by the word for it. */
const ERRORS: readonly (readonly [RegExp, string])[] = [
  [/^Max turns exceeded/i, 'MaxTurnsExceeded'],
  [/tripwire/i, 'guardrail'],
];

const wordOf = (error: unknown): string | undefined => {
  const message = textIn(fieldsOf(error)['message']);
  if (message === undefined) return undefined;
  return ERRORS.find(([pattern]) => pattern.test(message))?.[1] ?? 'error';
};

const start = (world: World) => {
  const tree = createSpanTree(world);
  const sessions = new Map<string, string>();
  const takeSpan = (record: JsonObject, line: LineOf): void => {
    const [traceId, spanId] = [textIn(record['trace_id']), textIn(record['id'])];
    if (traceId === undefined || spanId === undefined) {
      world.unusable(line, 'a trace.span lacks its id or trace_id');
      return;
    }
    const data = fieldsOf(record['span_data']);
    const type = textIn(data['type']) ?? '(no type)';
    const isHandoff = type === 'handoff' && textIn(data['to_agent']) !== undefined;
    const isTripped = type === 'guardrail' && data['triggered'] === true;
    const kind = KINDS[type] ?? 'other';
    if (kind === 'other' && !SILENT.has(type) && type !== 'handoff' && type !== 'guardrail')
      world.notUnderstood(`span ${type}`);
    const name = textIn(data['name']) ?? type;
    const usage = fieldsOf(data['usage']);
    const word = wordOf(record['error']) ?? (isTripped ? 'guardrail' : undefined);
    const isTool = kind === 'tool';
    tree.add({
      traceId,
      spanId,
      parentId: textIn(record['parent_id']),
      kind: isHandoff ? 'handoff' : kind,
      line,
      name: isHandoff ? `handoff to ${data['to_agent']}` : name,
      start: instantOf(record['started_at']) ?? '',
      end: instantOf(record['ended_at']),
      ts: timeIn(record['started_at']),
      isError: word !== undefined,
      errorType: word,
      finishReason: undefined,
      // What the agent itself failed with is why it ended.
      stopReason: kind === 'agent' && word !== undefined && word !== 'error' ? word : undefined,
      session: sessions.get(traceId),
      callId: undefined,
      args: isTool ? world.digests.args(name, data['input']) : undefined,
      result: isTool ? world.digests.result(data['output']) : undefined,
      usage: { in: countIn(usage['input_tokens']), out: countIn(usage['output_tokens']) },
    });
    if (kind !== 'other') world.collected();
  };
  const take = (record: JsonObject, line: LineOf): void => {
    // What is sent to the collector is a list of both.
    if (Array.isArray(record['data'])) for (const item of objectsIn(record['data'])) take(item, line);
    else if (record['object'] === 'trace.span') takeSpan(record, line);
    else if (record['object'] === 'trace') {
      const [id, group] = [textIn(record['id']), textIn(record['group_id'])];
      if (id !== undefined && group !== undefined) sessions.set(id, group);
    } else world.notUnderstood(textIn(record['object']) ?? '(no object)');
  };
  return { take, end: () => tree.end() };
};

const isTrace = (record: JsonObject): boolean =>
  record['object'] === 'trace.span' ||
  (record['object'] === 'trace' && 'workflow_name' in record) ||
  objectsIn(record['data']).some(({ object }) => object === 'trace.span');

export const openaiAgents = defineAdapter({
  id: 'openai-agents',
  title: 'OpenAI Agents SDK traces',
  where: 'what the SDK’s trace processors export: trace and trace.span objects',
  run: 'what stands below one agent span; an agent that is handed to is a run of its own',
  stops:
    'recorded where an agent span says max turns, a tripwire or an error; a handoff as the last act; else inferred from its end',
  tells: 'calls with arguments and results, rounds, tokens, failures',
  lacks: 'why a run stopped, numbered iterations, receipts, approvals',
  volatile: { args: [], results: [] },
  recognises: (sample) => sample.some(isTrace),
  start,
});
