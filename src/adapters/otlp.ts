import { defineAdapter, type World } from './adapter.js';
import { type Attributes, flatten, idOf, type OtelSpan, treeSpanOf } from './otel-span.js';
import type { LineOf } from './run-writer.js';
import { createSpanTree } from './span-tree.js';
import { digitsIn, fieldsOf, isObject, type JsonObject, objectsIn, textIn } from './values.js';

const DEEPEST = 16;
/** What an attribute of OTLP holds. */
const heldBy = (value: unknown, depth = 0): unknown => {
  const said = fieldsOf(value);
  if (depth > DEEPEST) return undefined;
  if ('intValue' in said) return digitsIn(said['intValue']);
  if (isObject(said['arrayValue']))
    return objectsIn(said['arrayValue']['values']).map((item) => heldBy(item, depth + 1));
  if (isObject(said['kvlistValue'])) {
    return Object.fromEntries(
      objectsIn(said['kvlistValue']['values']).map(({ key, value: item }) => [
        textIn(key) ?? '',
        heldBy(item, depth + 1),
      ]),
    );
  }
  return said['stringValue'] ?? said['doubleValue'] ?? said['boolValue'] ?? said['bytesValue'];
};

/** Attributes as a list of keys and values, or as an object. */
export const attributesOf = (given: unknown): Attributes =>
  isObject(given)
    ? flatten(given)
    : new Map(
        objectsIn(given).flatMap(({ key, value }) => (typeof key === 'string' ? [[key, heldBy(value)] as const] : [])),
      );

const isErrorStatus = (status: unknown): boolean => {
  const code = fieldsOf(status)['code'] ?? fieldsOf(status)['status_code'];
  return code === 2 || (typeof code === 'string' && /^(?:STATUS_CODE_|StatusCode\.)?ERROR$/i.test(code));
};

/** The lists of spans of one export, of the collector or of Tempo. */
const exportsOf = (record: JsonObject): readonly JsonObject[] => {
  const holder = isObject(record['trace']) ? record['trace'] : record;
  return [...objectsIn(holder['resourceSpans']), ...objectsIn(holder['batches'])];
};

/** A span as the SDKs print it: with a context, by their own names. */
export const isSdkSpan = (value: JsonObject): boolean => {
  const context = fieldsOf(value['context']);
  return typeof value['name'] === 'string' && context['trace_id'] !== undefined && context['span_id'] !== undefined;
};

const ofCollector = (span: JsonObject): OtelSpan | undefined => {
  const [traceId, spanId] = [idOf(span['traceId']), idOf(span['spanId'])];
  if (traceId === undefined || spanId === undefined) return undefined;
  return {
    traceId,
    spanId,
    parentId: idOf(span['parentSpanId']),
    name: textIn(span['name']) ?? '',
    start: span['startTimeUnixNano'],
    end: span['endTimeUnixNano'],
    isError: isErrorStatus(span['status']),
    attributes: attributesOf(span['attributes']),
    events: objectsIn(span['events']),
  };
};

const ofSdk = (span: JsonObject): OtelSpan | undefined => {
  const context = fieldsOf(span['context']);
  const [traceId, spanId] = [idOf(context['trace_id']), idOf(context['span_id'])];
  if (traceId === undefined || spanId === undefined) return undefined;
  return {
    traceId,
    spanId,
    parentId: idOf(span['parent_id']) ?? idOf(fieldsOf(span['parent'])['span_id']),
    name: textIn(span['name']) ?? '',
    start: span['start_time'],
    end: span['end_time'],
    isError: isErrorStatus(span['status']) || /^ERROR$/i.test(textIn(span['status_code']) ?? ''),
    attributes: withKind(attributesOf(span['attributes']), span['span_kind']),
    events: objectsIn(span['events']),
  };
};

/** Phoenix exports what kind of span it is beside the attributes. */
const withKind = (attributes: Attributes, kind: unknown): Attributes =>
  textIn(kind) === undefined ? attributes : new Map([...attributes, ['openinference.span.kind', kind]]);

/** Jaeger's own: times in microseconds, a reference for the parent, tags for attributes. */
const ofJaeger = (span: JsonObject): OtelSpan | undefined => {
  const [traceId, spanId] = [idOf(span['traceID']), idOf(span['spanID'])];
  if (traceId === undefined || spanId === undefined) return undefined;
  const attributes = new Map(objectsIn(span['tags']).map(({ key, value }) => [textIn(key) ?? '', value] as const));
  const parent = objectsIn(span['references']).find(({ refType }) => refType === 'CHILD_OF');
  const [start, duration] = [digitsIn(span['startTime']), digitsIn(span['duration'])];
  const nanoseconds = (time: number | undefined): string | undefined =>
    time !== undefined && time > 0 ? `${Math.round(time)}000` : undefined;
  return {
    traceId,
    spanId,
    parentId: idOf(parent?.['spanID']),
    name: textIn(span['operationName']) ?? '',
    start: nanoseconds(start),
    end: nanoseconds(start === undefined || duration === undefined ? undefined : start + duration),
    isError: attributes.get('error') === true || attributes.get('otel.status_code') === 'ERROR',
    attributes,
    events: [],
  };
};

/** The translation of spans in any of these shapes. */
export const startSpans = (world: World) => {
  const tree = createSpanTree(world);
  const add = (span: OtelSpan | undefined, line: LineOf): void => {
    if (span === undefined) {
      world.unusable(line, 'a span lacks its trace id or span id');
      return;
    }
    const found = treeSpanOf(span, line, world);
    tree.add(found);
    if (found.kind === 'model' || found.kind === 'agent') world.collected();
  };
  const takeExport = (resource: JsonObject, line: LineOf): void => {
    const scopes = [...objectsIn(resource['scopeSpans']), ...objectsIn(resource['instrumentationLibrarySpans'])];
    for (const { spans } of scopes) for (const span of objectsIn(spans)) add(ofCollector(span), line);
  };
  return {
    take(record: JsonObject, line: LineOf): void {
      const resources = exportsOf(record);
      for (const resource of resources) takeExport(resource, line);
      if (resources.length > 0) return;
      if (isSdkSpan(record)) add(ofSdk(record), line);
      else if (Array.isArray(record['spans']))
        for (const span of objectsIn(record['spans']))
          add(isSdkSpan(span) ? ofSdk(span) : (ofCollector(span) ?? ofJaeger(span)), line);
      else if (Array.isArray(record['data'])) {
        for (const trace of objectsIn(record['data']))
          for (const span of objectsIn(trace['spans'])) add(ofJaeger(span), line);
      } else if ('resourceLogs' in record || 'resourceMetrics' in record) world.notUnderstood('logs and metrics');
      else if (!('resourceSpans' in record || 'batches' in record)) world.notUnderstood('(no spans)');
    },
    end: () => tree.end(),
  };
};

const hasSpans = (record: JsonObject): boolean => {
  const { spans, data } = record;
  if (exportsOf(record).length > 0 || isSdkSpan(record)) return true;
  if (Array.isArray(spans))
    return objectsIn(spans).some((span) => isSdkSpan(span) || 'traceID' in span || 'traceId' in span);
  return objectsIn(data).some((trace) => objectsIn(trace['spans']).some((span) => 'traceID' in span));
};

/** Spans as OpenTelemetry exports them; how a loop says why it ended: `gen_ai.agent.finish_reason` on its agent span. */
export const otlp = defineAdapter({
  id: 'otlp',
  title: 'OpenTelemetry traces with GenAI attributes',
  where:
    'the collector’s file exporter (JSON), Tempo, Jaeger, and what SDKs print; GenAI conventions, OpenInference, OpenLLMetry, Pydantic AI, Google ADK, any-agent, Vercel AI',
  run: 'what stands below one agent span; a sub-agent is a run of its own; without any agent span, the trace',
  stops:
    'recorded by gen_ai.agent.finish_reason; else inferred from the end of the agent span, its status, and a last response that was cut off',
  tells: 'calls, arguments and results where they are recorded, rounds, tokens, failures',
  lacks: 'mostly why a run stopped; often arguments and results; numbered iterations, receipts, approvals',
  volatile: { args: [], results: [] },
  recognises: (sample) => sample.some(hasSpans),
  start: startSpans,
});
