import type { ContractPart } from '../contract.js';
import { knownContract, readTraceContract } from '../contract-schema.js';
import { readSpan } from '../read-span.js';
import type { FaultCode } from '../report.js';
import { isSpan, type LinePlace, NOTHING_MORE, type Span, type SpanFault, type Wanted } from '../span.js';
import { faultColumn, valueColumn } from './json-place.js';

/** What keeps a line from being used; `subject` is the field it is about, for messages. */
export interface LineFault {
  readonly code: FaultCode;
  readonly column: number;
  readonly message: string;
}

export type Read =
  | { readonly kind: 'span'; readonly span: Span }
  | { readonly kind: 'header'; readonly part: ContractPart }
  | { readonly kind: 'fault'; readonly fault: LineFault };

const MESSAGES = {
  'invalid-json': 'not JSON from here on; write one JSON object a line',
  'not-an-object': 'JSON, but no object; write one JSON object a line',
  'missing-run-id': 'no run_id; give every span the id of its run',
} as const satisfies Partial<Record<FaultCode, string>>;

const fault = (code: keyof typeof MESSAGES, column: number): Read => ({
  kind: 'fault',
  fault: { code, column, message: MESSAGES[code] },
});

const wrongType = (text: string, key: string, field: string, expected: string): Read => ({
  kind: 'fault',
  fault: {
    code: 'wrong-type',
    column: valueColumn(text, key),
    message: `${field} must be ${expected}`,
  },
});

const spanFault = (text: string, problem: SpanFault): Read =>
  problem.code === 'missing-run-id'
    ? fault('missing-run-id', 1)
    : wrongType(text, problem.field, problem.field, `${problem.expected}; null counts as missing`);

const isHeader = (value: object): boolean =>
  'type' in value && value.type === 'contract' && (!('run_id' in value) || value.run_id === null);

export const parse = (text: string): { readonly value: unknown } | undefined => {
  try {
    return { value: JSON.parse(text) };
  } catch {
    return undefined;
  }
};

/**
 * Reads one line of native input: JSON.parse and the schema, which alone say what a span is.
 * @param mayBeHeader whether the line is the first of its input that is not blank, where a contract may stand
 */
export const readLine = (
  text: string,
  place: LinePlace,
  mayBeHeader: boolean,
  { fields, secretsIn }: Wanted = NOTHING_MORE,
): Read => {
  const parsed = parse(text);
  if (parsed === undefined) return fault('invalid-json', faultColumn(text));
  const { value } = parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return fault('not-an-object', 1);
  if (mayBeHeader && isHeader(value)) {
    const part = readTraceContract(value);
    return 'field' in part ? wrongType(text, part.field, part.field, part.expected) : { kind: 'header', part };
  }
  const span = readSpan(value, place, fields, secretsIn?.(text, value));
  if (!isSpan(span)) return spanFault(text, span);
  if (span.contract === undefined) return { kind: 'span', span };
  const own = readTraceContract(span.contract);
  return 'field' in own
    ? wrongType(text, 'contract', own.field === 'contract' ? 'contract' : `contract.${own.field}`, own.expected)
    : { kind: 'span', span: { ...span, contract: knownContract(span.contract) } };
};
