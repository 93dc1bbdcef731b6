/** The JSON Schemas that can be asked for. */
export const SCHEMA_NAMES = ['span', 'contract', 'config', 'report', 'report-line'] as const;
export type SchemaName = (typeof SCHEMA_NAMES)[number];
