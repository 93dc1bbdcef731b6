import { defineAdapter, type World } from './adapter.js';
import { wordOfError } from './error-words.js';
import { instantOfAny } from './instants.js';
import { argumentsIn, LANGCHAIN_VOLATILE, resultIn } from './langchain.js';
import { argumentsPart, flatten, treeSpanOf } from './otel-span.js';
import type { LineOf, Usage } from './run-writer.js';
import { createSpanTree } from './span-tree.js';
import type { SpanKind } from './tree-span.js';
import { countIn, fieldsOf, type JsonObject, labelIn, objectsIn, parsedIn, textIn } from './values.js';

const KINDS: ReadonlyMap<string, SpanKind> = new Map([
  ['AGENT', 'agent'],
  ['GENERATION', 'model'],
  ['TOOL', 'tool'],
]);
const SILENT = new Set(['SPAN', 'EVENT', 'CHAIN', 'RETRIEVER', 'EVALUATOR', 'EMBEDDING', 'GUARDRAIL']);
const isType = (type: unknown): boolean => KINDS.has(textIn(type) ?? '') || SILENT.has(textIn(type) ?? '');

/** What the API calls so, and what exports of its store do. */
const named = (record: JsonObject, name: string): unknown =>
  record[name] ?? record[name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)];

const CACHED = ['input_cached_tokens', 'cache_read_input_tokens', 'input_cache_read'];
const usageOf = (record: JsonObject): Usage => {
  const usage = fieldsOf(parsedIn(named(record, 'usageDetails') ?? record['usage']));
  const cached = CACHED.map((name) => usage[name]).find((count) => count !== undefined);
  return {
    ...('input' in usage && { in: countIn(usage['input']) }),
    ...(cached !== undefined && { cached: countIn(cached) }),
    ...('output' in usage && { out: countIn(usage['output']) }),
  };
};

const start = (world: World) => {
  const tree = createSpanTree(world);
  const takeObservation = (record: JsonObject, ofTrace: string | undefined, line: LineOf): void => {
    const [spanId, traceId] = [textIn(record['id']), textIn(named(record, 'traceId')) ?? ofTrace];
    if (spanId === undefined || traceId === undefined) {
      world.unusable(line, 'an observation lacks its id or traceId');
      return;
    }
    const type = textIn(record['type']) ?? '(no type)';
    const name = textIn(record['name']) ?? type;
    const message = textIn(named(record, 'statusMessage'));
    const isError = record['level'] === 'ERROR';
    // Observations that came through OpenTelemetry keep its attributes.
    const otel = treeSpanOf(
      {
        traceId,
        spanId,
        parentId: textIn(named(record, 'parentObservationId')),
        name,
        start: instantOfAny(named(record, 'startTime')),
        end: instantOfAny(named(record, 'endTime')),
        isError,
        message,
        attributes: flatten(fieldsOf(parsedIn(fieldsOf(parsedIn(record['metadata']))['attributes']))),
        events: [],
      },
      line,
      world,
    );
    const kind = KINDS.get(type) ?? otel.kind;
    if (kind === 'other' && !isType(type)) world.notUnderstood(`observation ${labelIn(type) ?? '(no word)'}`);
    const isTool = kind === 'tool';
    const tool = KINDS.has(type) ? name : otel.name;
    const { value, isError: hasFailed } = resultIn(parsedIn(record['output']) ?? record['output']);
    const own = isTool
      ? argumentsPart(tool, argumentsIn(parsedIn(record['input']) ?? record['input']), world)
      : undefined;
    const usage = kind === 'model' ? usageOf(record) : {};
    tree.add({
      ...otel,
      kind,
      isGuess: otel.isGuess === true && !KINDS.has(type),
      name: isTool ? tool : name,
      isError: otel.isError || (isTool && hasFailed === true),
      errorType: otel.errorType ?? (isError ? (wordOfError(message) ?? 'error') : undefined),
      ...(own?.args !== undefined && own),
      ...(isTool && value !== undefined && value !== null && { result: world.digests.result(value) }),
      usage: Object.keys(usage).length > 0 ? usage : otel.usage,
    });
  };
  const isObservationOf = (record: JsonObject): boolean =>
    textIn(named(record, 'traceId')) !== undefined && typeof record['type'] === 'string';
  const take = (record: JsonObject, line: LineOf): void => {
    const trace = fieldsOf(record['trace'] ?? record);
    const traceId = textIn(trace['id']);
    const session = textIn(named(trace, 'sessionId'));
    const observations = record['observations'] ?? trace['observations'];
    if (Array.isArray(observations)) {
      tree.inSession(traceId, session);
      const held = objectsIn(observations);
      // A list of traces has only the ids of what stands in them.
      if (held.length < observations.length) world.notUnderstood('observation by its id');
      for (const each of held) takeObservation(each, traceId, line);
    } else if (isObservationOf(record)) takeObservation(record, undefined, line);
    else world.notUnderstood('(no observations)');
  };
  return {
    take(record: JsonObject, line: LineOf): void {
      // A page of the API is a list of either.
      if (Array.isArray(record['data'])) for (const item of objectsIn(record['data'])) take(item, line);
      else take(record, line);
    },
    end: () => tree.end(),
  };
};

const isObservation = (record: JsonObject): boolean =>
  typeof record['id'] === 'string' &&
  typeof named(record, 'traceId') === 'string' &&
  typeof named(record, 'startTime') === 'string' &&
  isType(record['type']);

const holdsObservations = (record: JsonObject): boolean =>
  isObservation(record) ||
  objectsIn(record['observations'] ?? fieldsOf(record['trace'])['observations']).some(isObservation);

export const langfuse = defineAdapter({
  id: 'langfuse',
  title: 'Langfuse traces',
  where: 'traces with their observations, and observations, as the API and exports give them',
  run: 'what stands below one AGENT observation; without any, the trace',
  stops: 'inferred from the end of the agent observation and its level; one without an end has not stopped',
  tells: 'calls with arguments and results, rounds, tokens, failures',
  lacks: 'why a run stopped, numbered iterations, receipts, approvals',
  volatile: LANGCHAIN_VOLATILE,
  recognises: (sample) =>
    sample.some((record) => holdsObservations(record) || objectsIn(record['data']).some(holdsObservations)),
  start,
});
