import { defineAdapter, type World } from './adapter.js';
import { flatten, treeSpanOf } from './otel-span.js';
import type { LineOf } from './run-writer.js';
import { createSpanTree, instantOf, type SpanKind, type TreeSpan } from './span-tree.js';
import { countIn, fieldsOf, type JsonObject, objectsIn, textIn, timeIn } from './values.js';

const KINDS: Readonly<Record<string, SpanKind>> = { AGENT: 'agent', GENERATION: 'model', TOOL: 'tool' };
const SILENT = new Set(['SPAN', 'EVENT', 'CHAIN', 'RETRIEVER', 'EVALUATOR', 'EMBEDDING', 'GUARDRAIL']);

const start = (world: World) => {
  const tree = createSpanTree(world);
  const takeObservation = (record: JsonObject, traceId: string, session: string | undefined, line: LineOf): void => {
    const spanId = textIn(record['id']);
    if (spanId === undefined) {
      world.unusable(line, 'an observation lacks its id');
      return;
    }
    const type = textIn(record['type']) ?? '(no type)';
    // Observations that came through OpenTelemetry keep its attributes.
    const attributes = flatten(fieldsOf(fieldsOf(record['metadata'])['attributes']));
    const common = {
      traceId,
      spanId,
      parentId: textIn(record['parentObservationId']),
      name: textIn(record['name']) ?? type,
      isError: record['level'] === 'ERROR',
    };
    const otel = treeSpanOf(
      { ...common, start: record['startTime'], end: record['endTime'], attributes, events: [] },
      line,
      world,
    );
    const kind = KINDS[type] ?? otel.kind;
    if (kind === 'other' && !SILENT.has(type)) world.notUnderstood(`observation ${type}`);
    const isTool = kind === 'tool';
    const usage = fieldsOf(record['usageDetails'] ?? record['usage']);
    const found: TreeSpan = {
      ...otel,
      kind,
      name: isTool && KINDS[type] !== undefined ? common.name : otel.name,
      ts: timeIn(record['startTime']) ?? otel.ts,
      end: instantOf(record['endTime']),
      session: session ?? otel.session,
      args: isTool ? (world.digests.args(common.name, record['input']) ?? otel.args) : undefined,
      result: isTool ? world.digests.result(record['output']) : undefined,
      usage: kind === 'model' ? { in: countIn(usage['input']), out: countIn(usage['output']) } : {},
    };
    tree.add(found);
    if (kind === 'model' || kind === 'agent') world.collected();
  };
  return {
    take(record: JsonObject, line: LineOf): void {
      const trace = fieldsOf(record['trace'] ?? record);
      const session = textIn(trace['sessionId']);
      const observations = objectsIn(record['observations'] ?? trace['observations']);
      const take = (each: JsonObject, traceId: string | undefined): void => {
        if (traceId === undefined) world.unusable(line, 'an observation lacks its trace');
        else takeObservation(each, traceId, session, line);
      };
      for (const each of observations) take(each, textIn(each['traceId']) ?? textIn(trace['id']));
      if (observations.length > 0) return;
      if ('traceId' in record && 'type' in record) take(record, textIn(record['traceId']));
      else if (!('observations' in record)) world.notUnderstood('(no observations)');
    },
    end: () => tree.end(),
  };
};

const isObservation = ({ id, traceId, type, startTime }: JsonObject): boolean =>
  typeof id === 'string' &&
  typeof traceId === 'string' &&
  typeof startTime === 'string' &&
  (Object.hasOwn(KINDS, textIn(type) ?? '') || SILENT.has(textIn(type) ?? ''));

export const langfuse = defineAdapter({
  id: 'langfuse',
  title: 'Langfuse traces',
  where: 'traces with their observations, and observations, as the API and exports give them',
  run: 'what stands below one AGENT observation; without any, the trace',
  stops: 'inferred from the end of the agent observation and its level; one without an end has not stopped',
  tells: 'calls with arguments and results, rounds, tokens, failures',
  lacks: 'why a run stopped, numbered iterations, receipts, approvals',
  volatile: { args: [], results: [] },
  recognises: (sample) =>
    sample.some(
      (record) =>
        isObservation(record) ||
        objectsIn(record['observations'] ?? fieldsOf(record['trace'])['observations']).some(isObservation),
    ),
  start,
});
