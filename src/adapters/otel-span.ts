import type { World } from './adapter.js';
import type { LineOf } from './run-writer.js';
import { instantOf, type SpanKind, type TreeSpan, timeOfInstant } from './span-tree.js';
import { countIn, digitsIn, fieldsOf, isObject, type JsonObject, objectsIn, textIn } from './values.js';

/** The attributes of a span by their dotted names. */
export type Attributes = ReadonlyMap<string, unknown>;

/** A span of OpenTelemetry as one of its exporters wrote it, before its attributes are read. */
export interface OtelSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly name: string;
  readonly start: unknown;
  readonly end: unknown;
  readonly isError: boolean;
  readonly attributes: Attributes;
  readonly events: readonly JsonObject[];
}

const HEX = /^[0-9a-f]+$/i;
const BASE64 = /^[A-Za-z0-9+/]{10,22}={0,2}$/;
/** An id as lower-case hex where it is hex or base64, and as it is else; undefined of none. */
export const idOf = (value: unknown): string | undefined => {
  const text = typeof value === 'number' ? String(value) : textIn(value)?.replace(/^\0#/, '').replace(/^0x/, '');
  if (text === undefined || /^0*$/.test(text)) return undefined;
  if (HEX.test(text)) return text.toLowerCase();
  return BASE64.test(text) ? Buffer.from(text, 'base64').toString('hex') : text;
};

/** Nested attributes by dotted names: some exporters write objects. */
export const flatten = (value: JsonObject, prefix = '', found = new Map<string, unknown>(), depth = 0): Attributes => {
  for (const [key, item] of Object.entries(value)) {
    found.set(`${prefix}${key}`, item);
    if (isObject(item) && depth < 8) flatten(item, `${prefix}${key}.`, found, depth + 1);
  }
  return found;
};

const first = (attributes: Attributes, names: readonly string[]): unknown => {
  for (const name of names) {
    const value = attributes.get(name);
    if (value !== undefined && value !== null && value !== '') return value;
  }
  return undefined;
};

const OPERATIONS: Readonly<Record<string, SpanKind>> = {
  invoke_agent: 'agent',
  invoke_workflow: 'workflow',
  execute_tool: 'tool',
  chat: 'model',
  generate_content: 'model',
  text_completion: 'model',
  call_llm: 'model',
};
/** Kinds as OpenInference and OpenLLMetry write them. */
const KINDS: Readonly<Record<string, SpanKind>> = {
  agent: 'agent',
  workflow: 'workflow',
  llm: 'model',
  tool: 'tool',
};
/** Names of spans of SDKs that say no operation. */
const NAMES: readonly (readonly [RegExp, SpanKind])[] = [
  [/^invoke_agent\b|^agent run$|^agent_run\b/, 'agent'],
  [/^ai\.(?:generateText|streamText|generateObject|streamObject)$/, 'agent'],
  [/^invocation$/, 'workflow'],
  [/^ai\.\w+\.do(?:Generate|Stream)$/, 'model'],
  [/^(?:chat|call_llm)\b/, 'model'],
  [/^execute_tool\b|^running tool$|^ai\.toolCall$/, 'tool'],
];

const kindOf = (name: string, attributes: Attributes): SpanKind => {
  const operation = textIn(attributes.get('gen_ai.operation.name'));
  const known = operation !== undefined && Object.hasOwn(OPERATIONS, operation) ? OPERATIONS[operation] : undefined;
  if (known !== undefined) return known;
  const kind = textIn(
    first(attributes, ['openinference.span.kind', 'traceloop.span.kind', 'span_kind']),
  )?.toLowerCase();
  if (kind !== undefined && Object.hasOwn(KINDS, kind)) return KINDS[kind] ?? 'other';
  const byName = NAMES.find(([pattern]) => pattern.test(name))?.[1];
  if (byName !== undefined) return byName;
  // A call of a model that says what it is by what it used.
  const isModel = attributes.has('llm.request.type') || attributes.has('gen_ai.completion.0.finish_reason');
  return isModel || (attributes.has('gen_ai.request.model') && attributes.has('gen_ai.usage.output_tokens'))
    ? 'model'
    : 'other';
};

const TOOL_NAMES = [
  'gen_ai.tool.name',
  'tool.name',
  'ai.toolCall.name',
  'tool_call.function.name',
  'traceloop.entity.name',
];
const ARGUMENTS = [
  'gen_ai.tool.call.arguments',
  'gen_ai.tool.args',
  'tool_arguments',
  'ai.toolCall.args',
  'gcp.vertex.agent.tool_call_args',
  'tool_call.function.arguments',
  'input.value',
  'traceloop.entity.input',
];
const RESULTS = [
  'gen_ai.tool.call.result',
  'tool_response',
  'ai.toolCall.result',
  'gcp.vertex.agent.tool_response',
  'output.value',
  'traceloop.entity.output',
  'gen_ai.output',
];
const CALL_IDS = ['gen_ai.tool.call.id', 'tool_call.id', 'tool.id', 'ai.toolCall.id'];
const SESSIONS = [
  'gen_ai.conversation.id',
  'session.id',
  'traceloop.association.properties.session_id',
  'gcp.vertex.agent.session_id',
];
const FINISHES = [
  'gen_ai.response.finish_reasons',
  'gen_ai.completion.0.finish_reason',
  'llm.finish_reason',
  'ai.response.finishReason',
  'gen_ai.response.finish_reason',
];
const INPUT_TOKENS = [
  'gen_ai.usage.input_tokens',
  'gen_ai.usage.prompt_tokens',
  'llm.token_count.prompt',
  'ai.usage.inputTokens',
  'ai.usage.promptTokens',
];
const OUTPUT_TOKENS = [
  'gen_ai.usage.output_tokens',
  'gen_ai.usage.completion_tokens',
  'llm.token_count.completion',
  'ai.usage.outputTokens',
  'ai.usage.completionTokens',
];
const CACHED_TOKENS = [
  'gen_ai.usage.cache_read.input_tokens',
  'gen_ai.usage.cache_read_input_tokens',
  'llm.token_count.prompt_details.cache_read',
  'ai.usage.cachedInputTokens',
];

const lastText = (value: unknown): string | undefined => {
  if (Array.isArray(value)) return textIn(value.at(-1));
  const text = textIn(value);
  if (text?.startsWith('[') !== true) return text;
  try {
    return lastText(JSON.parse(text));
  } catch {
    return text;
  }
};

/** Sanitised exports write an empty object for whatever the arguments were: it tells no call from another. */
const isBlank = (value: unknown): boolean => {
  if (typeof value === 'string') return /^\s*(?:\{\s*\}|null|)\s*$/.test(value);
  return isObject(value) && Object.keys(value).length === 0;
};

/** What an SDK says of the end of an agent's run by itself. */
const stopReasonOf = (name: string, attributes: Attributes): string | undefined => {
  const said = textIn(attributes.get('gen_ai.agent.finish_reason'));
  if (said !== undefined) return said;
  const finish = /^ai\./.test(name) ? textIn(attributes.get('ai.response.finishReason')) : undefined;
  // A run that ends with calls of tools came to its cap of steps.
  return finish === 'tool-calls' ? 'max_iterations' : finish === 'unknown' || finish === 'other' ? undefined : finish;
};

const exceptionOf = (events: readonly JsonObject[]): string | undefined => {
  for (const event of events) {
    if (event['name'] !== 'exception') continue;
    const { attributes } = event;
    const type = Array.isArray(attributes)
      ? objectsIn(attributes).find(({ key }) => key === 'exception.type')
      : undefined;
    const text = textIn(fieldsOf(type?.['value'])['stringValue']) ?? textIn(fieldsOf(attributes)['exception.type']);
    // The class alone, without the module that it stands in.
    if (text !== undefined) return text.replace(/^.*[.:]/, '');
  }
  return undefined;
};

/** A span of a tree: what its attributes say of it, whichever convention they follow. */
export const treeSpanOf = (span: OtelSpan, line: LineOf, world: World): TreeSpan => {
  const { attributes, name } = span;
  const kind = kindOf(name, attributes);
  const start = instantOf(span.start) ?? '';
  const end = instantOf(span.end);
  const tool = textIn(first(attributes, TOOL_NAMES)) ?? name.replace(/^execute_tool\s+/, '');
  const args = first(attributes, ARGUMENTS);
  const isTool = kind === 'tool';
  const tokens = (names: readonly string[]): number => countIn(digitsIn(first(attributes, names)));
  const cached = tokens(CACHED_TOKENS);
  const errorType = textIn(attributes.get('error.type')) ?? (span.isError ? exceptionOf(span.events) : undefined);
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    parentId: span.parentId,
    kind,
    line,
    name: isTool ? tool : name,
    start,
    end,
    ts: timeOfInstant(start === '' ? undefined : start),
    isError: span.isError || errorType !== undefined,
    errorType,
    finishReason: kind === 'model' ? lastText(first(attributes, FINISHES)) : undefined,
    stopReason: kind === 'agent' || kind === 'workflow' ? stopReasonOf(name, attributes) : undefined,
    session: textIn(first(attributes, SESSIONS)),
    callId: isTool ? textIn(first(attributes, CALL_IDS)) : undefined,
    args: isTool && !isBlank(args) ? world.digests.args(tool, args) : undefined,
    result: isTool ? world.digests.result(first(attributes, RESULTS)) : undefined,
    usage:
      kind === 'model' ? { in: Math.max(0, tokens(INPUT_TOKENS) - cached), cached, out: tokens(OUTPUT_TOKENS) } : {},
  };
};
