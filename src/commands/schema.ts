import type { SchemaName } from '../schema-names.js';
import { jsonSchema } from '../schemas.js';

/** `terminal-contract schema NAME`: the schema as text, the same bytes that stand in `schemas/`. */
export const schemaText = (name: SchemaName): string => `${JSON.stringify(jsonSchema(name), undefined, 2)}\n`;
