import { defineAdapter, type World } from './adapter.js';
import { wordOfError } from './error-words.js';
import { instantOfAny, timeOfInstant } from './instants.js';
import { argumentsIn, finishIn, LANGCHAIN_VOLATILE, resultIn } from './langchain.js';
import { argumentsPart } from './otel-span.js';
import type { LineOf, Usage } from './run-writer.js';
import { createSpanTree } from './span-tree.js';
import type { SpanKind } from './tree-span.js';
import { countIn, fieldsOf, isObject, type JsonObject, labelIn, objectsIn, textIn } from './values.js';

const KINDS: ReadonlyMap<string, SpanKind> = new Map([
  ['llm', 'model'],
  ['tool', 'tool'],
]);
const SILENT = new Set(['chain', 'retriever', 'prompt', 'parser', 'embedding']);
const UNENDED = new Set(['pending', 'running']);

/** The root of a trace is the agent's run, where something is done below it: a chain, or the graph. */
const kindOf = (type: string, parentId: string | undefined): SpanKind =>
  parentId === undefined && type === 'chain' ? 'workflow' : (KINDS.get(type) ?? 'other');

/** The trace that a place in the order begins with. */
const traceOf = (order: unknown): string | undefined => /^\d{8}T\d+Z([\da-f-]{36})/.exec(textIn(order) ?? '')?.[1];

const usageOf = ({ prompt_tokens: fresh, completion_tokens: out }: JsonObject): Usage => ({
  ...(typeof fresh === 'number' && { in: countIn(fresh) }),
  ...(typeof out === 'number' && { out: countIn(out) }),
});

/** A tool's arguments: by their names, or all of them as one text. */
const inputsOf = (inputs: unknown): unknown => {
  const said = fieldsOf(inputs);
  return Object.keys(said).length === 1 && isObject(said['input']) ? argumentsIn(said['input']) : argumentsIn(inputs);
};

/** A run and the id of the one that holds it. */
interface Held {
  readonly run: JsonObject;
  readonly parent: string | undefined;
}
/** Runs may hold their children, as deep as it may be. */
const allIn = (record: JsonObject): readonly Held[] => {
  const found: Held[] = [{ run: record, parent: undefined }];
  for (const { run } of found) {
    for (const child of objectsIn(run['child_runs'])) found.push({ run: child, parent: textIn(run['id']) });
  }
  return found;
};

const start = (world: World) => {
  const tree = createSpanTree(world);
  const takeRun = (record: JsonObject, trace: string | undefined, parent: string | undefined, line: LineOf): void => {
    const spanId = textIn(record['id']);
    const traceId = textIn(record['trace_id']) ?? traceOf(record['dotted_order']) ?? trace ?? spanId;
    if (spanId === undefined || traceId === undefined) {
      world.unusable(line, 'a run lacks its id');
      return;
    }
    const { status, error, outputs, inputs, extra } = record;
    const type = textIn(record['run_type']) ?? '(no run_type)';
    const parentId = textIn(record['parent_run_id']) ?? parent;
    const kind = kindOf(type, parentId);
    if (kind === 'other' && !SILENT.has(type)) world.notUnderstood(`run_type ${labelIn(type) ?? '(no word)'}`);
    const name = textIn(record['name']) ?? type;
    const metadata = fieldsOf(fieldsOf(extra)['metadata']);
    const word = wordOfError(error);
    const isTool = kind === 'tool';
    const { value, isError: hasFailed } = isTool ? resultIn(outputs) : {};
    const started = instantOfAny(record['start_time']);
    const isWaiting = word === 'GraphInterrupt' || status === 'interrupted' || '__interrupt__' in fieldsOf(outputs);
    tree.add({
      traceId,
      spanId,
      parentId,
      kind,
      line,
      name,
      start: started ?? '',
      order: textIn(record['dotted_order']),
      end: UNENDED.has(textIn(status) ?? '') ? undefined : instantOfAny(record['end_time']),
      ts: timeOfInstant(started),
      isError: (textIn(error) !== undefined && !isWaiting) || status === 'error' || hasFailed === true,
      errorType: textIn(error) === undefined ? undefined : (word ?? 'error'),
      finishReason: kind === 'model' ? finishIn(outputs) : undefined,
      stopReason: kind === 'workflow' && word !== 'user_interrupt' ? (word ?? unknownStatus(status)) : undefined,
      isWaiting: kind === 'workflow' && isWaiting,
      session: textIn(metadata['thread_id']) ?? textIn(metadata['session_id']),
      callId: isTool ? textIn(fieldsOf(inputs)['tool_call_id']) : undefined,
      args: undefined,
      ...(isTool && argumentsPart(name, inputsOf(inputs), world)),
      result: isTool ? world.digests.result(value) : undefined,
      usage: kind === 'model' ? usageOf(record) : {},
    });
  };
  return {
    take(record: JsonObject, line: LineOf): void {
      const runs = Array.isArray(record['runs']) ? objectsIn(record['runs']) : [record];
      for (const run of runs) {
        if (!isRun(run)) world.notUnderstood('(no run)');
        else {
          const trace = textIn(run['trace_id']) ?? textIn(run['id']);
          for (const held of allIn(run)) takeRun(held.run, trace, held.parent, line);
        }
      }
    },
    end: () => tree.end(),
  };
};

const STATUSES = new Set(['success', 'error', 'pending', 'interrupted']);
/** A status that is none of those of LangSmith: not guessed at. */
const unknownStatus = (status: unknown): string | undefined => {
  const said = textIn(status);
  return said === undefined || STATUSES.has(said) || UNENDED.has(said) ? undefined : said;
};

const isRun = ({ id, run_type: type }: JsonObject): boolean => typeof id === 'string' && typeof type === 'string';
const isOfTrace = (run: JsonObject): boolean =>
  isRun(run) && ['trace_id', 'dotted_order', 'parent_run_id', 'child_runs'].some((name) => name in run);

export const langsmith = defineAdapter({
  id: 'langsmith',
  title: 'LangSmith runs, LangGraph among them',
  where: 'runs as the LangSmith API and its exports give them',
  run: 'a trace: all below its root run',
  stops:
    'inferred from the end of the root run and its error; a recursion limit is recorded; an interrupt waits for a person',
  tells: 'calls with arguments and results, rounds, tokens, failures',
  lacks: 'why a run stopped, receipts, approvals',
  volatile: LANGCHAIN_VOLATILE,
  recognises: (sample) => sample.some((record) => isOfTrace(record) || objectsIn(record['runs']).some(isOfTrace)),
  start,
});
