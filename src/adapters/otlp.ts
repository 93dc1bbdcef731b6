import { defineAdapter, type World } from './adapter.js';
import { instantOf, instantOfAny, instantOfMicroseconds } from './instants.js';
import { LANGCHAIN_VOLATILE } from './langchain.js';
import { type Attributes, flatten, idOf, type OtelSpan, treeSpanOf } from './otel-span.js';
import type { LineOf } from './run-writer.js';
import { createSpanTree } from './span-tree.js';
import { digitsIn, fieldsOf, isObject, type JsonObject, objectsIn, textIn } from './values.js';

/** The first of an object's fields that is there: the same thing is called otherwise by other exporters. */
const field = (value: JsonObject, ...names: readonly string[]): unknown => {
  for (const name of names) if (value[name] !== undefined && value[name] !== null) return value[name];
  return undefined;
};

const DEEPEST = 16;
/** What an attribute of OTLP holds. */
const heldBy = (value: unknown, depth = 0): unknown => {
  const said = fieldsOf(value);
  if (depth > DEEPEST) return undefined;
  const list = field(said, 'arrayValue', 'array_value');
  if (isObject(list)) return objectsIn(list['values']).map((item) => heldBy(item, depth + 1));
  const fields = field(said, 'kvlistValue', 'kvlist_value');
  if (isObject(fields)) {
    const entries = objectsIn(fields['values']).flatMap(({ key, value: item }) =>
      typeof key === 'string' ? [[key, heldBy(item, depth + 1)] as const] : [],
    );
    return Object.fromEntries(entries);
  }
  return field(
    said,
    ...['stringValue', 'string_value', 'intValue', 'int_value', 'doubleValue', 'double_value'],
    ...['boolValue', 'bool_value', 'bytesValue', 'bytes_value'],
  );
};

/** Attributes as a list of keys and values, or as an object. */
export const attributesOf = (given: unknown): Attributes =>
  isObject(given)
    ? flatten(given)
    : new Map(
        objectsIn(given).flatMap(({ key, value }) => (typeof key === 'string' ? [[key, heldBy(value)] as const] : [])),
      );

const IS_ERROR = /^(?:STATUS_CODE_|StatusCode\.)?ERROR$|^2$/i;
const isError = (status: unknown): boolean =>
  isObject(status)
    ? isError(field(status, 'code', 'status_code', 'statusCode'))
    : status === 2 || IS_ERROR.test(textIn(status) ?? '');
const messageOf = (status: unknown): string | undefined => textIn(field(fieldsOf(status), 'message', 'description'));

/** Jaeger's and Zipkin's tags: a list of keys and values, or an object. */
const tagsOf = (tags: unknown): Attributes =>
  isObject(tags)
    ? flatten(tags)
    : new Map(objectsIn(tags).flatMap(({ key, value }) => (typeof key === 'string' ? [[key, value] as const] : [])));
const isErrorTag = (tags: Attributes): boolean => {
  const error = tags.get('error');
  return error === true || (textIn(error) ?? 'false') !== 'false' || isError(tags.get('otel.status_code'));
};

/** Phoenix exports what kind of span it is beside the attributes; OpenTelemetry's own kinds are others. */
const KINDS = /^(?:LLM|EMBEDDING|CHAIN|RETRIEVER|RERANKER|TOOL|AGENT|GUARDRAIL|EVALUATOR|PROMPT)$/i;
const kindBeside = (span: JsonObject): string | undefined => {
  const kind = textIn(field(span, 'span_kind', 'spanKind'));
  return kind !== undefined && KINDS.test(kind) ? kind : undefined;
};
const withKind = (attributes: Attributes, kind: string | undefined): Attributes =>
  kind === undefined ? attributes : new Map([...attributes, ['openinference.span.kind', kind]]);

const idsOf = (span: JsonObject): { readonly trace: unknown; readonly span: unknown } => {
  const context = fieldsOf(field(span, 'context', 'spanContext', 'span_context', '_spanContext'));
  return {
    trace: field(span, 'traceId', 'trace_id', 'traceID') ?? field(context, 'trace_id', 'traceId'),
    span: field(span, 'spanId', 'span_id', 'spanID') ?? field(context, 'span_id', 'spanId'),
  };
};

/** As the collector writes it, or the SDKs: by the one's names or the others'. */
const ofOtel = (span: JsonObject): Omit<OtelSpan, 'traceId' | 'spanId'> => {
  const parent = fieldsOf(field(span, 'parent', 'parentSpanContext', 'parent_span_context'));
  const ended = field(span, 'endTimeUnixNano', 'end_time_unix_nano');
  const status = field(span, 'status', 'status_code', 'statusCode');
  return {
    parentId:
      idOf(field(span, 'parentSpanId', 'parent_span_id', 'parent_id', 'parentId')) ??
      idOf(field(parent, 'span_id', 'spanId')),
    name: textIn(span['name']) ?? '',
    start:
      instantOf(field(span, 'startTimeUnixNano', 'start_time_unix_nano')) ??
      instantOfAny(field(span, 'start_time', 'startTime')),
    end: instantOf(ended) ?? instantOfAny(field(span, 'end_time', 'endTime')),
    isError: isError(status),
    message: messageOf(status) ?? textIn(span['status_message']),
    attributes: withKind(attributesOf(span['attributes']), kindBeside(span)),
    events: objectsIn(span['events']),
  };
};

/** Jaeger's and Zipkin's own: times in microseconds, a reference for the parent, tags for attributes. */
const ofMicroseconds = (span: JsonObject): Omit<OtelSpan, 'traceId' | 'spanId'> => {
  const attributes = new Map([...tagsOf(span['tags']), ...attributesOf(span['attributes'])]);
  const parent = objectsIn(span['references']).find(({ refType }) => refType === 'CHILD_OF');
  const start = digitsIn(field(span, 'startTime', 'timestamp'));
  const duration = digitsIn(span['duration']);
  return {
    parentId: idOf(parent?.['spanID']) ?? idOf(field(span, 'parentSpanID', 'parentId')),
    name: textIn(field(span, 'operationName', 'name')) ?? '',
    start: instantOfMicroseconds(start),
    end: instantOfMicroseconds(start === undefined || duration === undefined ? undefined : start + duration),
    isError: isErrorTag(attributes) || isError(span['status']),
    message: textIn(attributes.get('otel.status_description')) ?? messageOf(span['status']),
    attributes,
    events: [],
  };
};

const isInMicroseconds = (span: JsonObject): boolean =>
  'duration' in span && ('operationName' in span || 'timestamp' in span);
const isZipkin = (span: JsonObject): boolean =>
  typeof span['traceId'] === 'string' && typeof span['id'] === 'string' && isInMicroseconds(span);

const readSpan = (span: JsonObject): OtelSpan | undefined => {
  const ids = idsOf(span);
  const [traceId, spanId] = [idOf(ids.trace), idOf(ids.span ?? (isZipkin(span) ? span['id'] : undefined))];
  if (traceId === undefined || spanId === undefined) return undefined;
  return { traceId, spanId, ...(isInMicroseconds(span) ? ofMicroseconds(span) : ofOtel(span)) };
};

/** A span that stands by itself, with whatever names. */
export const isSpan = (value: JsonObject): boolean => {
  const ids = idsOf(value);
  if (isZipkin(value)) return true;
  if (ids.trace === undefined || ids.span === undefined) return false;
  if (typeof value['operationName'] === 'string') return 'startTime' in value;
  return (
    typeof value['name'] === 'string' &&
    field(value, 'startTimeUnixNano', 'start_time_unix_nano', 'start_time', 'startTime') !== undefined
  );
};

/** The lists of spans of one export, of the collector or of Tempo. */
const exportsOf = (record: JsonObject): readonly JsonObject[] => {
  const holder = isObject(record['trace']) ? record['trace'] : record;
  return ['resourceSpans', 'resource_spans', 'batches'].flatMap((name) => objectsIn(holder[name]));
};
const scopesOf = (resource: JsonObject): readonly JsonObject[] =>
  ['scopeSpans', 'scope_spans', 'instrumentationLibrarySpans'].flatMap((name) => objectsIn(resource[name]));

/** Lists of spans that stand in an object: what an SDK keeps of a trace, Jaeger's traces. */
const listsOf = ({ spans, data }: JsonObject): readonly JsonObject[] => [
  ...objectsIn(spans),
  ...objectsIn(data).flatMap((trace) => objectsIn(trace['spans'])),
];

const isOtherSignal = (record: JsonObject): boolean =>
  ['resourceLogs', 'resource_logs', 'resourceMetrics', 'resource_metrics'].some((name) => Array.isArray(record[name]));

/** The translation of spans in any of these shapes. */
export const startSpans = (world: World) => {
  const tree = createSpanTree(world);
  const add = (given: JsonObject, line: LineOf): void => {
    const span = readSpan(given);
    if (span === undefined) {
      world.unusable(line, 'a span lacks its trace id or span id');
      return;
    }
    tree.add(treeSpanOf(span, line, world));
  };
  return {
    take(record: JsonObject, line: LineOf): void {
      const resources = exportsOf(record);
      for (const scope of resources.flatMap(scopesOf)) for (const span of objectsIn(scope['spans'])) add(span, line);
      const lists = resources.length > 0 ? [] : listsOf(record);
      for (const span of lists) add(span, line);
      if (isOtherSignal(record)) world.notUnderstood('logs and metrics');
      else if (resources.length > 0 || lists.length > 0) return;
      else if (isSpan(record)) add(record, line);
      else if (!['resourceSpans', 'resource_spans', 'batches'].some((name) => Array.isArray(record[name])))
        world.notUnderstood('(no spans)');
    },
    end: () => tree.end(),
  };
};

const isExport = (record: JsonObject): boolean =>
  exportsOf(record).some((resource) => scopesOf(resource).length > 0) || Array.isArray(record['resourceSpans']);

/** Spans as OpenTelemetry exports them; how a loop says why it ended: `gen_ai.agent.finish_reason` on its agent span. */
export const otlp = defineAdapter({
  id: 'otlp',
  title: 'OpenTelemetry traces with GenAI attributes',
  where:
    'the collector’s file exporter (JSON), Tempo, Jaeger, Zipkin, and what SDKs print; GenAI conventions, OpenInference, OpenLLMetry, Pydantic AI, Google ADK, any-agent, Langfuse, Vercel AI',
  run: 'what stands below one agent span; a sub-agent is a run of its own; without any agent span, the trace',
  stops:
    'recorded by gen_ai.agent.finish_reason; else inferred from the end of the agent span, its status, and a last response that was cut off',
  tells: 'calls, arguments and results where they are recorded, rounds, tokens, failures',
  lacks: 'mostly why a run stopped; often arguments and results; numbered iterations, receipts, approvals',
  volatile: LANGCHAIN_VOLATILE,
  recognises: (sample) =>
    sample.some(
      (record) => isExport(record) || isOtherSignal(record) || isSpan(record) || listsOf(record).some(isSpan),
    ),
  start: startSpans,
});
