import type { z } from 'zod';
import {
  DETAILED,
  detailsOf,
  fieldsOf,
  hasField,
  type LinePlace,
  NO_FIELDS,
  NO_SECRETS,
  NOTHING_RARE,
  present,
  RARE,
  type Span,
  type SpanFault,
  spanOf,
} from './span.js';
import { commonSchema, rareSchema } from './span-schema.js';

const EXPECTED: Readonly<Record<string, string>> = {
  run_id: 'a string',
  seq: 'an integer between -(2^53 - 1) and 2^53 - 1',
  iter: 'an integer from 0 to 2^53 - 1',
};

const faultOf = (value: object, field: string): SpanFault => {
  if (field === 'run_id') {
    const runId: unknown = Object.getOwnPropertyDescriptor(value, 'run_id')?.value;
    if (runId === undefined || runId === null || runId === '') return { code: 'missing-run-id' };
  }
  return { code: 'wrong-type', field, expected: EXPECTED[field] ?? 'a string' };
};

const faultIn = (value: object, { issues }: z.ZodError): SpanFault => faultOf(value, String(issues[0]?.path[0]));

/**
 * Reads one parsed JSON object as a span.
 * @param names the keys that custom rules read, beside those of the schema
 * @param secrets the credentials in its line
 * @returns the span, or the fault that makes its line unusable; it never throws.
 */
export const readSpan = (
  value: object,
  place: LinePlace,
  names: readonly string[],
  secrets: Span['secrets'] = NO_SECRETS,
): Span | SpanFault => {
  const common = commonSchema.safeParse(value);
  if (!common.success) return faultIn(value, common.error);
  const fields = names.length === 0 ? NO_FIELDS : fieldsOf(value, names);
  if (!hasField(value, RARE)) return spanOf(common.data, NOTHING_RARE, undefined, fields, secrets, place);
  const rare = rareSchema.safeParse(value);
  if (!rare.success) return faultIn(value, rare.error);
  const type = present(common.data.type);
  const details = hasField(value, DETAILED) ? detailsOf(rare.data, value, type) : undefined;
  return spanOf(common.data, rare.data, details, fields, secrets, place);
};
