import { defineAdapter, type World } from './adapter.js';
import type { LineOf } from './run-writer.js';
import { createSpanTree, instantOf, type SpanKind } from './span-tree.js';
import { countIn, fieldsOf, type JsonObject, numberIn, objectsIn, textIn, timeIn } from './values.js';

const KINDS: Readonly<Record<string, SpanKind>> = { llm: 'model', tool: 'tool' };
const SILENT = new Set(['chain', 'retriever', 'prompt', 'parser', 'embedding']);
const RECURSION = /GraphRecursionError|Recursion limit of \d+ reached/;
const INTERRUPT = /GraphInterrupt|NodeInterrupt/;

const wordOf = (error: string | undefined): string | undefined => {
  if (error === undefined) return undefined;
  return RECURSION.test(error) ? 'GraphRecursionError' : 'error';
};

/** Why a response ended, where the outputs say it. */
const finishOf = (outputs: unknown): string | undefined => {
  const [generation] = objectsIn(
    Array.isArray(fieldsOf(outputs)['generations']) ? (fieldsOf(outputs)['generations'] as unknown[]).flat() : [],
  );
  const message = fieldsOf(fieldsOf(fieldsOf(generation)['message'])['kwargs']);
  const info = fieldsOf(generation?.['generation_info'] ?? message['response_metadata']);
  return textIn(info['finish_reason']) ?? textIn(info['stop_reason']);
};

const start = (world: World) => {
  const tree = createSpanTree(world);
  return {
    take(record: JsonObject, line: LineOf): void {
      const spanId = textIn(record['id']);
      const traceId = textIn(record['trace_id']) ?? spanId;
      if (spanId === undefined || traceId === undefined) {
        world.unusable(line, 'a run lacks its id');
        return;
      }
      const type = textIn(record['run_type']) ?? '(no run_type)';
      const parentId = textIn(record['parent_run_id']);
      // The root of a trace is the agent's run: a chain, or the graph.
      const kind = parentId === undefined && type === 'chain' ? 'agent' : (KINDS[type] ?? 'other');
      if (kind === 'other' && !SILENT.has(type)) world.notUnderstood(`run_type ${type}`);
      const error = textIn(record['error']);
      const isWaiting = error !== undefined && INTERRUPT.test(error);
      const metadata = fieldsOf(fieldsOf(record['extra'])['metadata']);
      const name = textIn(record['name']) ?? type;
      const isTool = kind === 'tool';
      const word = isWaiting ? undefined : wordOf(error);
      const outputs = fieldsOf(record['outputs']);
      const isPending = record['status'] === 'pending';
      const isInterrupted = isWaiting || record['status'] === 'interrupted' || '__interrupt__' in outputs;
      tree.add({
        traceId,
        spanId,
        parentId,
        kind,
        line,
        name,
        // The order that the source itself gives, where it gives one.
        start: textIn(record['dotted_order']) ?? instantOf(record['start_time']) ?? '',
        end: isPending ? undefined : instantOf(record['end_time']),
        ts: timeIn(record['start_time']) ?? timeIn(`${textIn(record['start_time'])}Z`),
        isError: word !== undefined,
        errorType: word,
        finishReason: kind === 'model' ? finishOf(outputs) : undefined,
        stopReason: kind === 'agent' && word === 'GraphRecursionError' ? word : undefined,
        isWaiting: kind === 'agent' && isInterrupted,
        session: textIn(metadata['thread_id']) ?? textIn(metadata['session_id']),
        callId: isTool ? textIn(fieldsOf(record['inputs'])['tool_call_id']) : undefined,
        args: isTool ? world.digests.args(name, record['inputs']) : undefined,
        result: isTool ? world.digests.result(record['outputs']) : undefined,
        usage:
          kind === 'model'
            ? { in: countIn(numberIn(record['prompt_tokens'])), out: countIn(numberIn(record['completion_tokens'])) }
            : {},
      });
      if (kind !== 'other') world.collected();
    },
    end: () => tree.end(),
  };
};

export const langsmith = defineAdapter({
  id: 'langsmith',
  title: 'LangSmith runs, LangGraph among them',
  where: 'runs as the LangSmith API and its exports give them',
  run: 'a trace: all below its root run',
  stops:
    'inferred from the end of the root run and its error; a recursion limit is recorded; an interrupt waits for a person',
  tells: 'calls with arguments and results, rounds, tokens, failures',
  lacks: 'why a run stopped, receipts, approvals',
  volatile: {
    args: [{ tool: '*', key: 'tool_call_id', because: 'a name of the call, not what is called' }],
    results: [],
  },
  recognises: (sample) =>
    sample.some(
      ({ id, run_type: type, trace_id: trace, dotted_order: order }) =>
        typeof id === 'string' && typeof type === 'string' && (typeof trace === 'string' || typeof order === 'string'),
    ),
  start,
});
