import { defineAdapter } from './adapter.js';
import { LANGCHAIN_VOLATILE } from './langchain.js';
import { attributesOf, isSpan, startSpans } from './otlp.js';
import { type JsonObject, textIn } from './values.js';

const KINDS = /^(?:LLM|EMBEDDING|CHAIN|RETRIEVER|RERANKER|TOOL|AGENT|GUARDRAIL|EVALUATOR|PROMPT)$/i;

const isOpenInference = (record: JsonObject): boolean =>
  isSpan(record) &&
  [record['span_kind'], attributesOf(record['attributes']).get('openinference.span.kind')].some((kind) =>
    KINDS.test(textIn(kind) ?? ''),
  );

/** Phoenix's export: a list of spans with OpenInference attributes, dotted or nested. */
export const openinference = defineAdapter({
  id: 'openinference',
  title: 'OpenInference spans, as Phoenix exports them',
  where: 'Arize Phoenix, and SDKs that print OpenInference spans; as OTLP they are read by otlp',
  run: 'what stands below one AGENT span; a sub-agent is a run of its own; without any AGENT span, the trace',
  stops: 'inferred from the end of the agent span, its status, and a last response that was cut off',
  tells: 'calls with arguments and results, rounds, tokens, failures',
  lacks: 'why a run stopped, numbered iterations, receipts, approvals',
  volatile: LANGCHAIN_VOLATILE,
  recognises: (sample) => sample.some(isOpenInference),
  start: startSpans,
});
