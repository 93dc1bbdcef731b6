import { z } from 'zod';
import { openConfigSchema, traceContractSchema } from './contract-schema.js';
import { reportLineSchema, reportSchema } from './report-schema.js';
import { RULES } from './rules/index.js';
import type { SchemaName } from './schema-names.js';
import { REASONS } from './span.js';
import { wireSpanSchema } from './span-schema.js';

const ruleIds = RULES.map(({ id }) => id);

// What a trace should say is stricter than what is read: a reason of another kind reaches bad-terminal.
const emittedSpan = wireSpanSchema.extend({
  reason: z.enum(REASONS).nullish().describe('terminal: why the loop stopped'),
  contract: traceContractSchema.nullish().describe('loop_start: the numbers of this run'),
});

const SCHEMAS = {
  span: { schema: emittedSpan, title: 'A span of a native trace: one line' },
  contract: { schema: traceContractSchema, title: 'The contract that a header or a loop_start carries' },
  config: { schema: openConfigSchema(ruleIds), title: 'The config file' },
  report: { schema: reportSchema, title: 'The report of --format json' },
  'report-line': { schema: reportLineSchema, title: 'A line of --format ndjson' },
} as const satisfies Record<SchemaName, { schema: z.ZodType; title: string }>;

/** A JSON Schema (draft 2020-12), generated from the schema that the checker itself reads and writes by. */
export const jsonSchema = (name: SchemaName): object => {
  const { schema, title } = SCHEMAS[name];
  const { $schema, ...rest } = z.toJSONSchema(schema, { io: 'input' });
  return { $schema, title, ...rest };
};
