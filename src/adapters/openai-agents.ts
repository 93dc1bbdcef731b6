import { defineAdapter, type World } from './adapter.js';
import { wordOfError } from './error-words.js';
import { instantOfAny, timeOfInstant } from './instants.js';
import { argumentsPart } from './otel-span.js';
import type { LineOf, Usage } from './run-writer.js';
import { createSpanTree } from './span-tree.js';
import type { SpanKind } from './tree-span.js';
import { countIn, fieldsOf, type JsonObject, labelIn, numberIn, objectsIn, textIn } from './values.js';

const KINDS: ReadonlyMap<string, SpanKind> = new Map([
  ['agent', 'agent'],
  ['generation', 'model'],
  ['response', 'model'],
  ['function', 'tool'],
  ['handoff', 'handoff'],
]);
/** Kinds that can say why the run around them ended. */
const SPEAKING = new Set(['agent', 'guardrail', 'task', 'turn']);
/** Kinds that hold others, or say nothing of how a run goes. */
const SILENT = new Set(['guardrail', 'custom', 'mcp_tools', 'task', 'turn', 'transcription', 'speech', 'speech_group']);

const usageOf = (given: unknown): Usage => {
  const { input_tokens, output_tokens, input_tokens_details } = fieldsOf(given);
  const cached = numberIn(fieldsOf(input_tokens_details)['cached_tokens']);
  return {
    ...(input_tokens !== undefined && { in: Math.max(0, countIn(input_tokens) - countIn(cached)) }),
    ...(cached !== undefined && { cached: countIn(cached) }),
    ...(output_tokens !== undefined && { out: countIn(output_tokens) }),
  };
};

const start = (world: World) => {
  const tree = createSpanTree(world);
  const takeSpan = (record: JsonObject, line: LineOf): void => {
    const [traceId, spanId] = [textIn(record['trace_id']), textIn(record['id'])];
    if (traceId === undefined || spanId === undefined) {
      world.unusable(line, 'a trace.span lacks its id or trace_id');
      return;
    }
    const data = fieldsOf(record['span_data']);
    const { error } = record;
    const type = textIn(data['type']) ?? '(no type)';
    const kind = KINDS.get(type) ?? 'other';
    if (kind === 'other' && !SILENT.has(type)) world.notUnderstood(`span ${labelIn(type) ?? '(no word)'}`);
    const name = textIn(data['name']) ?? type;
    const isError = error !== undefined && error !== null;
    const isTripped = type === 'guardrail' && data['triggered'] === true;
    const word = isTripped ? 'guardrail' : wordOfError(fieldsOf(error)['message']);
    const started = instantOfAny(record['started_at']);
    tree.add({
      traceId,
      spanId,
      parentId: textIn(record['parent_id']),
      // A handoff that names nobody has not happened.
      kind: kind === 'handoff' && textIn(data['to_agent']) === undefined ? 'other' : kind,
      line,
      name,
      start: started ?? '',
      end: instantOfAny(record['ended_at']),
      ts: timeOfInstant(started),
      isError,
      errorType: isError ? (word ?? 'error') : undefined,
      finishReason: undefined,
      stopReason: SPEAKING.has(type) ? word : undefined,
      session: undefined,
      callId: undefined,
      args: undefined,
      ...(kind === 'tool' && argumentsPart(name, data['input'], world)),
      result: kind === 'tool' ? world.digests.result(data['output']) : undefined,
      usage: kind === 'model' ? usageOf(data['usage']) : {},
    });
  };
  const take = (record: JsonObject, line: LineOf): void => {
    const { object, data } = record;
    // What is sent to the collector is a list of both.
    if (Array.isArray(data)) for (const item of objectsIn(data)) takeItem(item, line);
    else if (object === 'trace' || object === 'trace.span') takeItem(record, line);
    else world.notUnderstood(labelIn(object) ?? '(no object)');
  };
  const takeItem = (item: JsonObject, line: LineOf): void => {
    const { object } = item;
    if (object === 'trace.span') takeSpan(item, line);
    else if (object === 'trace') tree.inSession(textIn(item['id']), textIn(item['group_id']));
    else world.notUnderstood(labelIn(object) ?? '(no object)');
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
