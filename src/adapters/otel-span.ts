import type { World } from './adapter.js';
import { wordOfError } from './error-words.js';
import { timeOfInstant } from './instants.js';
import { argumentsIn, finishIn, resultIn } from './langchain.js';
import type { LineOf, Usage } from './run-writer.js';
import type { SpanKind, TreeSpan } from './tree-span.js';
import { fieldsOf, isObject, type JsonObject, labelIn, objectsIn, parsedIn, textIn } from './values.js';

/** The attributes of a span by their dotted names. */
export type Attributes = ReadonlyMap<string, unknown>;

/** A span of OpenTelemetry as one of its exporters wrote it, before its attributes are read. */
export interface OtelSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly name: string;
  readonly start: string | undefined;
  readonly end: string | undefined;
  readonly isError: boolean;
  /** What its status says of an error. */
  readonly message: string | undefined;
  readonly attributes: Attributes;
  readonly events: readonly JsonObject[];
}

const HEX = /^[0-9a-f]+$/i;
/** 8 or 16 bytes. */
const BASE64 = /^(?:[A-Za-z0-9+/]{11}=|[A-Za-z0-9+/]{22}==)$/;
/** An id as lower-case hex where it is hex or base64, and as it is else; undefined of none. */
export const idOf = (value: unknown): string | undefined => {
  const text = typeof value === 'number' ? String(value) : textIn(value)?.replace(/^\0#/, '').replace(/^0x/, '');
  if (text === undefined || /^0*$/.test(text)) return undefined;
  if (HEX.test(text)) return text.toLowerCase();
  return BASE64.test(text) ? Buffer.from(text, 'base64').toString('hex') : text;
};

const DEEPEST = 8;
/** Nested attributes by dotted names: some exporters write objects. */
export const flatten = (value: JsonObject, prefix = '', found = new Map<string, unknown>(), depth = 0): Attributes => {
  for (const [key, item] of Object.entries(value)) {
    found.set(`${prefix}${key}`, item);
    if (isObject(item) && depth < DEEPEST) flatten(item, `${prefix}${key}.`, found, depth + 1);
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

/** `gen_ai.operation.name`, as the conventions and their dialects write it. */
const OPERATIONS: ReadonlyMap<string, SpanKind> = new Map([
  ['invoke_agent', 'agent'],
  ['invoke_workflow', 'workflow'],
  ['execute_tool', 'tool'],
  ['chat', 'model'],
  ['generate_content', 'model'],
  ['text_completion', 'model'],
  ['call_llm', 'model'],
]);
/** Kinds as OpenInference, OpenLLMetry and Langfuse write them. */
const KINDS: ReadonlyMap<string, SpanKind> = new Map([
  ['agent', 'agent'],
  ['workflow', 'workflow'],
  ['llm', 'model'],
  ['generation', 'model'],
  ['tool', 'tool'],
  ['handoff', 'handoff'],
]);
/** Operations and kinds that say nothing of how a run goes. */
const SILENT = new Set(
  `embeddings retrieval create_agent plan agent_step chain retriever embedding reranker guardrail evaluator prompt unknown task span
  event`.split(/\s+/),
);
const KIND_NAMES = ['openinference.span.kind', 'traceloop.span.kind', 'langfuse.observation.type'];
/** Names of spans of SDKs that say no operation. */
const NAMES: readonly (readonly [RegExp, SpanKind])[] = [
  [/^invoke_agent\b|^agent run$|^agent_run\b/, 'agent'],
  [/^ai\.(?:generateText|streamText|generateObject|streamObject)$/, 'agent'],
  [/^invocation$/, 'workflow'],
  [/^ai\.\w+\.do(?:Generate|Stream)$|^call_llm\b/, 'model'],
  [/^execute_tool\b|^running tool$|^ai\.toolCall$/, 'tool'],
];
/** What a call of a model has, whatever it is called. */
const MODEL_MARKS = ['llm.request.type', 'gen_ai.completion.0.finish_reason', 'gen_ai.response.finish_reasons'];

const kindOf = (
  name: string,
  attributes: Attributes,
  world: World,
): { readonly kind: SpanKind; readonly isGuess: boolean } => {
  const operation = textIn(attributes.get('gen_ai.operation.name')) ?? '';
  const ofDialect = textIn(first(attributes, KIND_NAMES))?.toLowerCase() ?? '';
  const said = OPERATIONS.get(operation) ?? KINDS.get(ofDialect);
  const kind = said ?? NAMES.find(([pattern]) => pattern.test(name))?.[1];
  const unknown =
    said === undefined ? [operation, ofDialect].find((word) => word !== '' && !SILENT.has(word)) : undefined;
  if (unknown !== undefined) world.notUnderstood(`operation ${labelIn(unknown) ?? '(no word)'}`);
  if (kind !== undefined) return { kind, isGuess: false };
  const isModel =
    MODEL_MARKS.some((mark) => attributes.has(mark)) ||
    (attributes.has('gen_ai.request.model') && attributes.has('gen_ai.usage.output_tokens'));
  return { kind: isModel ? 'model' : 'other', isGuess: isModel };
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
  'ai.toolCall.input',
  'gcp.vertex.agent.tool_call_args',
  'tool_call.function.arguments',
  'input.value',
  'langfuse.observation.input',
];
const RESULTS = [
  'gen_ai.tool.call.result',
  'tool_response',
  'ai.toolCall.result',
  'ai.toolCall.output',
  'gcp.vertex.agent.tool_response',
  'output.value',
  'langfuse.observation.output',
  'gen_ai.output',
];
const CALL_IDS = ['gen_ai.tool.call.id', 'tool_call.id', 'tool.id', 'ai.toolCall.id'];
const SESSIONS = [
  'gen_ai.conversation.id',
  'session.id',
  'traceloop.association.properties.session_id',
  'traceloop.association.properties.thread_id',
  'gcp.vertex.agent.session_id',
];
const FINISHES = [
  'gen_ai.response.finish_reasons',
  'gen_ai.response.finish_reason',
  'gen_ai.completion.0.finish_reason',
  'llm.finish_reason',
  'ai.response.finishReason',
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
const TOOL_FAILURES = ['gen_ai.tool.status', 'tool.status'];

/** A count as a number or as its digits. */
const tokensIn = (attributes: Attributes, names: readonly string[]): number | undefined => {
  const value = first(attributes, names);
  const count = typeof value === 'string' && /^\d{1,15}$/.test(value) ? Number(value) : value;
  return Number.isSafeInteger(count) ? Math.max(0, Number(count)) : undefined;
};

/** Tokens of a response: those that were read from a cache are among those of its input. */
const usageOf = (attributes: Attributes): Usage => {
  const [fresh, cached, out] = [INPUT_TOKENS, CACHED_TOKENS, OUTPUT_TOKENS].map((names) => tokensIn(attributes, names));
  return {
    ...(fresh !== undefined && { in: Math.max(0, fresh - (cached ?? 0)) }),
    ...(cached !== undefined && { cached }),
    ...(out !== undefined && { out }),
  };
};

/** The last word of a list, which may stand there as JSON. */
const lastText = (value: unknown): string | undefined => {
  const list = textIn(value)?.startsWith('[') === true ? (parsedIn(value) ?? value) : value;
  return textIn(Array.isArray(list) ? list.at(-1) : list);
};

const FROM_GENERATIONS = /"generations"/;
/** Why a response ended: in a word of its own, or within what is kept of the response. */
const finishOf = (attributes: Attributes): string | undefined => {
  const said = lastText(first(attributes, FINISHES));
  if (said !== undefined) return said;
  const google = attributes.get('gcp.vertex.agent.llm_response');
  if (google !== undefined) return textIn(fieldsOf(parsedIn(google))['finish_reason']);
  const output = textIn(attributes.get('output.value'));
  return output !== undefined && FROM_GENERATIONS.test(output) ? finishIn(parsedIn(output)) : undefined;
};

/** What was called. OpenLLMetry's LangChain handler puts what the graph knows beside the arguments. */
const argumentsOf = (attributes: Attributes): unknown => {
  const given = first(attributes, ARGUMENTS);
  if (given !== undefined) return argumentsIn(given);
  const entity = attributes.get('traceloop.entity.input');
  const said = fieldsOf(parsedIn(entity));
  return said['inputs'] ?? said['input_str'] ?? entity;
};

/** What an SDK says of the end of an agent's run by itself. */
const stopReasonOf = (name: string, attributes: Attributes): string | undefined => {
  const said = textIn(attributes.get('gen_ai.agent.finish_reason'));
  if (said !== undefined) return said;
  const finish = name.startsWith('ai.') ? textIn(attributes.get('ai.response.finishReason')) : undefined;
  // A run that ends with calls of tools came to its cap of steps.
  return finish === 'tool-calls' ? 'max_iterations' : finish;
};

/** The class alone, without the module that it stands in; a sentence is none. */
const classOf = (text: string): string => (/^[\w.:]+$/.test(text) ? (text.split(/[.:]+/).at(-1) ?? '') : 'error');

const typeOfException = (event: JsonObject): string | undefined => {
  const { name, attributes } = event;
  if (name !== 'exception') return undefined;
  const type = Array.isArray(attributes)
    ? fieldsOf(objectsIn(attributes).find(({ key }) => key === 'exception.type')?.['value'])['stringValue']
    : fieldsOf(attributes)['exception.type'];
  return textIn(type);
};

const errorTypeOf = ({ attributes, events, isError, message }: OtelSpan): string | undefined => {
  const type =
    textIn(attributes.get('error.type')) ?? (isError ? events.map(typeOfException).findLast(Boolean) : undefined);
  const name = type === undefined ? undefined : classOf(type);
  return wordOfError(name) ?? (isError ? wordOfError(message) : undefined) ?? name;
};

/** A span that Logfire sends when another one begins: what it says is said of that one. */
const pendingOf = (span: OtelSpan): OtelSpan => {
  const { attributes, parentId } = span;
  if (attributes.get('logfire.span_type') !== 'pending_span' || parentId === undefined) return span;
  return { ...span, spanId: parentId, parentId: idOf(attributes.get('logfire.pending_parent_id')), end: undefined };
};

const toolPart = (attributes: Attributes, name: string, world: World) => {
  const args = argumentsOf(attributes);
  const { value, isError } = resultIn(first(attributes, RESULTS) ?? outputOfEntity(attributes));
  const hasFailed = isError === true || textIn(first(attributes, TOOL_FAILURES)) === 'error';
  return {
    name,
    callId: textIn(first(attributes, CALL_IDS)),
    ...argumentsPart(name, args, world),
    result: world.digests.result(value),
    ...(hasFailed && { isError: true }),
  };
};
const outputOfEntity = (attributes: Attributes): unknown => {
  const entity = attributes.get('traceloop.entity.output');
  return fieldsOf(parsedIn(entity))['output'] ?? entity;
};

const NO_ARGUMENTS = /^\s*(?:null|None)?\s*$/;
const BLANK = /^\s*\{\s*\}\s*$/;
/** The digest of arguments, and whether they are an empty object. */
export const argumentsPart = (name: string, args: unknown, world: World) => {
  if (typeof args === 'string' && NO_ARGUMENTS.test(args)) return { args: undefined, isBlank: false };
  const isBlank = typeof args === 'string' ? BLANK.test(args) : isObject(args) && Object.keys(args).length === 0;
  return { args: world.digests.args(name, args), isBlank };
};

const NO_TOOL = { callId: undefined, args: undefined, result: undefined };

/** A span of a tree: what its attributes say of it, whichever convention they follow. */
export const treeSpanOf = (given: OtelSpan, line: LineOf, world: World): TreeSpan => {
  const span = pendingOf(given);
  const { traceId, spanId, parentId, name, start, end, attributes } = span;
  const { kind, isGuess } = kindOf(name, attributes, world);
  const tool = textIn(first(attributes, TOOL_NAMES)) ?? name.replace(/^execute_tool\s+/, '');
  const errorType = errorTypeOf(span);
  return {
    traceId,
    spanId,
    parentId,
    kind,
    isGuess,
    line,
    name,
    start: start ?? '',
    end,
    ts: timeOfInstant(start),
    isError: span.isError || errorType !== undefined || attributes.get('langfuse.observation.level') === 'ERROR',
    errorType,
    finishReason: kind === 'model' ? finishOf(attributes) : undefined,
    stopReason: kind === 'agent' || kind === 'workflow' ? stopReasonOf(name, attributes) : undefined,
    session: textIn(first(attributes, SESSIONS)),
    usage: kind === 'model' ? usageOf(attributes) : {},
    ...(kind === 'tool' ? toolPart(attributes, tool, world) : NO_TOOL),
  };
};
