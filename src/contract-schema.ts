import { z } from 'zod';
import {
  type ContractFault,
  type ContractPart,
  FIELD_NAMES,
  FIELDS,
  type FieldName,
  type FieldValue,
  LIMITS_NAMES,
  type Plain,
  type PlainName,
  PROFILES,
  RULE_ID,
  SEVERITIES,
  toPart,
  wireName,
} from './contract.js';

const plainSchema = (takes: Plain): z.ZodType => {
  if (takes.kind === 'number') return z.int().min(takes.least);
  const [only, ...others] = takes.words;
  if (takes.kind === 'word') return others.length === 0 ? z.literal(only) : z.enum(takes.words);
  const list = z.array(z.enum(takes.words));
  return takes.least === 0 ? list : list.min(takes.least);
};

const steps = { notice: z.int().min(1), halt: z.int().min(1) };
const pair = z.tuple([z.int().min(1), z.int().min(1)]);
const names = z.array(z.string().min(1));

/** Of the fields whose values are more than words. */
const STRUCTURED = {
  reasons: z.record(z.string().regex(/^[a-z][a-z0-9_]{0,63}$/), z.enum(['pass', 'fail'])),
  components: names,
  minters: names,
  receiptKeys: names.min(1),
  repeat: z.object(steps),
  failures: z.object({ call: pair, tool: pair }),
  idempotent: z.object({ ...steps, tools: names }),
  pollers: names,
  caps: z.record(z.string(), z.int().min(0)),
  retry: z.boolean(),
  guard: z.object({ hard_stop: z.boolean() }),
} satisfies { readonly [K in Exclude<FieldName, PlainName>]: z.ZodType<FieldValue<K>> };
const STRUCTURED_BY_NAME: ReadonlyMap<string, z.ZodType> = new Map(Object.entries(STRUCTURED));

/** The schema of a field's value. */
export const schemaOf = (name: FieldName): z.ZodType => {
  const described = FIELDS[name];
  return 'takes' in described ? plainSchema(described.takes) : (STRUCTURED_BY_NAME.get(name) ?? z.never());
};

const wireFields = (): Record<string, z.ZodType> =>
  Object.fromEntries(
    FIELD_NAMES.map((name) => [wireName(name), schemaOf(name).nullish().describe(FIELDS[name].meaning)]),
  );

/** What a trace may say, in its header or in a loop_start: keys that the checker does not know are let be. */
export const traceContractSchema = z.object({
  ...wireFields(),
  rules: z.record(z.string(), z.enum(SEVERITIES).nullish()).nullish().describe('severity by rule id'),
});

/** Ids of rules as schemas describe them: the known ones by name, and what a custom rule may be called. */
export const anyRuleId = (known: readonly string[]) =>
  z.union([z.enum(known), z.string().regex(RULE_ID).describe('a custom rule')]);

/** What a config file may say: only known keys and rules. */
export const configSchema = (ruleIds: readonly string[]) => configSchemaWith(z.enum(ruleIds));

/** The same for whoever does not know the custom rules. */
export const openConfigSchema = (ruleIds: readonly string[]) => configSchemaWith(anyRuleId(ruleIds));

const configSchemaWith = (ruleId: z.ZodType<string, string> & z.core.$ZodRecordKey) =>
  z.strictObject({
    $schema: z.string().optional().describe('the schema of this file, for editors'),
    profile: z.enum(PROFILES).optional().describe('a named set of rule severities'),
    limits: z.enum(LIMITS_NAMES).optional().describe('a named set of numbers'),
    ...wireFields(),
    custom_rules: z
      .array(z.string().min(1))
      .nullish()
      .describe('modules that export rules: paths from the folder of this file, or names of packages'),
    stop_reasons: z
      .record(z.string().min(1), z.string().min(1))
      .nullish()
      .describe("words of foreign formats by the reason that they stand for: a format's own as format:word"),
    volatile: z
      .strictObject({ args: z.record(z.string().min(1), names).optional(), results: names.optional() })
      .nullish()
      .describe('what digests leave out: keys of arguments by tool (* for all), and patterns of results'),
    rules: z.partialRecord(ruleId, z.enum(SEVERITIES)).optional().describe('severity by rule id'),
  });

/** What a trace's contract says that is known, as plain JSON of small depth; undefined where it cannot be read. */
export const knownContract = (value: unknown): object | undefined => traceContractSchema.safeParse(value).data;

/** Reads the contract of a header or a loop_start. Nothing of the value is quoted in a fault. */
export const readTraceContract = (value: unknown): ContractPart | ContractFault => {
  const parsed = traceContractSchema.safeParse(value);
  if (parsed.success) return toPart(parsed.data);
  const path = parsed.error.issues[0]?.path ?? [];
  const key = path[0];
  if (key === undefined) return { field: 'contract', expected: 'an object' };
  return key === 'rules'
    ? { field: 'rules', expected: `an object whose values are ${SEVERITIES.join(', ')}` }
    : { field: String(key), expected: expectedOf(String(key)) };
};

/** What the value of a contract key must be, in words. */
export const expectedOf = (key: string): string => {
  const name = FIELD_NAMES.find((candidate) => wireName(candidate) === key);
  if (name === undefined) return 'a value of another type';
  const schema = z.toJSONSchema(schemaOf(name));
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  if (schema.const !== undefined) return `"${String(schema.const)}"`;
  if (schema.type === 'array') return `a list of ${expectedItems(schema.items)}`;
  if (schema.type === 'boolean') return 'true or false';
  if (schema.type === 'object')
    return `an object such as ${JSON.stringify(FIELDS[name].fallback ?? { hard_stop: true })}`;
  return `a whole number from ${schema.minimum ?? 0}`;
};
const expectedItems = (items: unknown): string =>
  typeof items === 'object' && items !== null && 'enum' in items && Array.isArray(items.enum)
    ? items.enum.join(', ')
    : 'strings';
