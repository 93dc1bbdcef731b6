import { expect, test } from 'vitest';
import { schemaText } from '../src/commands/schema.js';
import { SCHEMA_NAMES } from '../src/schema-names.js';

// `npm run schemas` writes them anew.
test.each(SCHEMA_NAMES)('schemas/%s.schema.json is what the code says', async (name) => {
  await expect(schemaText(name)).toMatchFileSnapshot(`../schemas/${name}.schema.json`);
});
