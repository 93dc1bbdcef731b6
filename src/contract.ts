import { z } from 'zod';
import { TOKEN_KINDS, type TokenKind } from './span.js';

export const FAMILIES = ['termination', 'order'] as const;
export type Family = (typeof FAMILIES)[number];

export const SEVERITIES = ['off', 'warn', 'error'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const PROFILES = ['classic', 'terminal', 'strict'] as const;
export type Profile = (typeof PROFILES)[number];

interface Field<T> {
  readonly schema: z.ZodType<T>;
  /** The value where nobody says one. */
  readonly fallback: T;
  /** Whether a run that says `own` grants itself more than `allowed`. */
  readonly isLooser: (own: T, allowed: T) => boolean;
  readonly meaning: string;
}

const field = <T>(description: Field<T>): Field<T> => description;
const wholeNumber = (least: number) => z.int().min(least);
const isGreater = (own: number | undefined, allowed: number | undefined): boolean =>
  own !== undefined && allowed !== undefined && own > allowed;
const lacksSome = <T>(own: readonly T[], allowed: readonly T[]): boolean => allowed.some((item) => !own.includes(item));

/** Every number and choice of a contract, by its name in code; its wire name is the same in snake_case. */
export const FIELDS = {
  budget: field({
    schema: wholeNumber(0),
    fallback: 24,
    isLooser: isGreater,
    meaning: 'iterations that a run may take',
  }),
  noProgressWindow: field({
    schema: wholeNumber(1),
    fallback: 3,
    isLooser: isGreater,
    meaning: 'how many last steps that make one same call are no progress',
  }),
  noProgressKey: field<'args' | 'args+result'>({
    schema: z.enum(['args', 'args+result']),
    fallback: 'args',
    isLooser: (own, allowed) => own === 'args+result' && allowed === 'args',
    meaning: 'what makes two steps the same: the call alone, or its result as well',
  }),
  maxMs: field<number | undefined>({
    schema: wholeNumber(1),
    fallback: undefined,
    isLooser: isGreater,
    meaning: 'milliseconds that a run may take; not given: no such rail',
  }),
  maxTokens: field<number | undefined>({
    schema: wholeNumber(1),
    fallback: undefined,
    isLooser: isGreater,
    meaning: 'tokens that a run may spend, of the kinds in token_kinds; not given: no such rail',
  }),
  tokenKinds: field<readonly TokenKind[]>({
    schema: z.array(z.enum(TOKEN_KINDS)).min(1),
    fallback: TOKEN_KINDS,
    isLooser: lacksSome,
    meaning: 'which token counts max_tokens adds up',
  }),
  seqScope: field<'run' | undefined>({
    schema: z.literal('run'),
    fallback: undefined,
    isLooser: () => false,
    meaning: 'run: each run counts its spans densely, so a hole is a lost line; not given: seq only orders',
  }),
  require: field<readonly Family[]>({
    schema: z.array(z.enum(FAMILIES)),
    fallback: [],
    isLooser: lacksSome,
    meaning: 'families of rules whose evidence must be there',
  }),
};

export type FieldName = keyof typeof FIELDS;
type FieldValue<K extends FieldName> = (typeof FIELDS)[K]['fallback'];
type Values = { readonly [K in FieldName]: FieldValue<K> };

// Object.keys forgets the key type that the table has.
export const FIELD_NAMES = Object.keys(FIELDS) as readonly FieldName[];

export const wireName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Named sets of numbers, after the systems that ship with them. */
export const LIMITS = {
  'terminal-span': { budget: 24, noProgressWindow: 3 },
  'loop-contract': { budget: 8, maxMs: 20 * 60_000, maxTokens: 200_000 },
  'iterated-loop': { budget: 10, maxMs: 30_000 },
  hermes: {},
} as const satisfies Record<string, Partial<Values>>;
export type LimitsName = keyof typeof LIMITS;
export const LIMITS_NAMES = Object.keys(LIMITS) as readonly LimitsName[];

/** What one source of the contract says; what it does not say is left out. */
export interface ContractPart {
  readonly values: Partial<Values>;
  readonly rules: ReadonlyMap<string, Severity>;
}
export const EMPTY_PART: ContractPart = { values: {}, rules: new Map() };

const wireFields = (): Record<string, z.ZodType> =>
  Object.fromEntries(
    FIELD_NAMES.map((name) => [wireName(name), FIELDS[name].schema.nullish().describe(FIELDS[name].meaning)]),
  );

/** What a trace may say, in its header or in a loop_start: keys that the checker does not know are let be. */
export const traceContractSchema = z.object({
  ...wireFields(),
  rules: z.record(z.string(), z.enum(SEVERITIES).nullish()).nullish().describe('severity by rule id'),
});

/** What a config file may say: only known keys and rules. */
export const configSchema = (ruleIds: readonly string[]) =>
  z.strictObject({
    $schema: z.string().optional().describe('the schema of this file, for editors'),
    profile: z.enum(PROFILES).optional().describe('a named set of rule severities'),
    limits: z.enum(LIMITS_NAMES).optional().describe('a named set of numbers'),
    ...wireFields(),
    rules: z.partialRecord(z.enum(ruleIds), z.enum(SEVERITIES)).optional().describe('severity by rule id'),
  });

/** Turns what a contract schema let through into a part; null counts as not said. */
export const toPart = (wire: object): ContractPart => {
  const said = new Map<string, unknown>(Object.entries(wire));
  const values = FIELD_NAMES.flatMap((name) => {
    const value = said.get(wireName(name)) ?? undefined;
    return value === undefined ? [] : [[name, value] as const];
  });
  const rules = Object.entries(said.get('rules') ?? {}).filter(([, severity]) => severity !== null);
  return {
    // The schema that the caller ran has given every entry the type of its field.
    values: Object.fromEntries(values) as Partial<Values>,
    rules: new Map(rules as readonly [string, Severity][]),
  };
};

/** What kept a trace's contract from being read: the key and what it must be. */
export interface ContractFault {
  readonly field: string;
  readonly expected: string;
}

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
  const schema = z.toJSONSchema(FIELDS[name].schema);
  if (schema.enum !== undefined) return `one of ${schema.enum.join(', ')}`;
  if (schema.const !== undefined) return `"${String(schema.const)}"`;
  if (schema.type === 'array') return `a list of ${expectedItems(schema.items)}`;
  return `a whole number from ${schema.minimum ?? 0}`;
};
const expectedItems = (items: unknown): string =>
  typeof items === 'object' && items !== null && 'enum' in items && Array.isArray(items.enum)
    ? items.enum.join(', ')
    : 'strings';

/** Where a value in force comes from, the strongest first. */
export const SOURCES = ['command line', 'config file', 'header', 'run', 'default'] as const;
type Source = (typeof SOURCES)[number];

/** The contract that one run is held to: its values, who decided each, and where the run asked for more. */
export interface Contract extends Values {
  readonly profile: Profile;
  readonly isPartial: boolean;
  readonly sources: { readonly [K in FieldName]: Source };
  /** Severities that someone set; a rule that is not here has its profile's. */
  readonly rules: ReadonlyMap<string, { readonly severity: Severity; readonly source: Source }>;
  /** Wire names of the fields, and ids of the rules, that the run's own contract tried to loosen. */
  readonly loosened: readonly string[];
}

/** What holds for all runs of a trace before the trace itself is asked. */
export interface Terms {
  readonly profile: Profile;
  /** Whether the command line or the config file chose the profile; a trace may then not lower a severity of it. */
  readonly isProfileChosen: boolean;
  readonly isPartial: boolean;
  readonly commandLine: ContractPart;
  readonly config: ContractPart;
  /** The severity that the profile gives a rule; undefined for an id that is no rule. */
  readonly severityOf: (ruleId: string) => Severity | undefined;
}

type Layer = ContractPart & { readonly source: Source };

const strength = (severity: Severity): number => SEVERITIES.indexOf(severity);

const resolveRules = (terms: Terms, layers: readonly Layer[], own: ContractPart) => {
  const rules = new Map<string, { severity: Severity; source: Source }>();
  const loosened: string[] = [];
  for (const { rules: wanted, source } of layers) {
    for (const [id, severity] of wanted) {
      const fallback = terms.severityOf(id);
      if (fallback === undefined || rules.has(id)) continue;
      const isTooLow = source === 'header' && terms.isProfileChosen && strength(severity) < strength(fallback);
      if (isTooLow) loosened.push(id);
      else rules.set(id, { severity, source });
    }
  }
  // A run may hold itself to more than it must; a severity that it lowers is one that it grants itself.
  for (const [id, severity] of own.rules) {
    const inForce = rules.get(id)?.severity ?? terms.severityOf(id);
    if (inForce === undefined || severity === inForce) continue;
    if (strength(severity) < strength(inForce)) loosened.push(id);
    else if (!rules.has(id)) rules.set(id, { severity, source: 'run' });
  }
  return { rules, loosened };
};

/** Leaves out what names no rule: a trace may say more than the checker asks, but not be asked again for every run. */
export const withKnownRules = (part: ContractPart, terms: Terms): ContractPart => ({
  ...part,
  rules: new Map([...part.rules].filter(([id]) => terms.severityOf(id) !== undefined)),
});

/** Of several contracts that one run brings, the strictest number of each field. */
export const strictest = (parts: readonly ContractPart[]): ContractPart =>
  parts.reduce((kept, part) => ({
    values: stricterValues(kept.values, part.values),
    rules: stricterRules(kept, part),
  }));

const stricterValues = (left: Partial<Values>, right: Partial<Values>): Partial<Values> => {
  const entries = FIELD_NAMES.flatMap((name) => {
    const [one, other] = [left[name], right[name]];
    // One field's two values have one type, which the table's union cannot say.
    const isLooser = FIELDS[name].isLooser as (own: unknown, allowed: unknown) => boolean;
    const value = one === undefined || (other !== undefined && isLooser(one, other)) ? other : one;
    return value === undefined ? [] : [[name, value] as const];
  });
  // Each value stands under the field that it was read from.
  return Object.fromEntries(entries) as Partial<Values>;
};

const stricterRules = (left: ContractPart, right: ContractPart): ReadonlyMap<string, Severity> => {
  const rules = new Map(left.rules);
  for (const [id, severity] of right.rules) {
    const kept = rules.get(id);
    if (kept === undefined || strength(severity) > strength(kept)) rules.set(id, severity);
  }
  return rules;
};

/** Wire names of the fields of which `part` asks more than `allowed` does. */
export const looserFields = (part: ContractPart, allowed: ContractPart): readonly string[] =>
  FIELD_NAMES.filter((name) => {
    const [wanted, value] = [part.values[name], allowed.values[name]];
    const isLooser = FIELDS[name].isLooser as (own: unknown, allowed: unknown) => boolean;
    return wanted !== undefined && value !== undefined && isLooser(wanted, value);
  }).map(wireName);

/** Settles who decides: the command line, then the config file, the header, the run, the default. */
export const resolveContract = (terms: Terms, header: ContractPart, own: ContractPart): Contract => {
  const above: readonly Layer[] = [
    { source: 'command line', ...terms.commandLine },
    { source: 'config file', ...terms.config },
    { source: 'header', ...header },
  ];
  const layers: readonly Layer[] = [...above, { source: 'run', ...own }];
  const loosened: string[] = [];
  const settled = FIELD_NAMES.map((name) => {
    const layer = layers.find((candidate) => candidate.values[name] !== undefined);
    const value = layer?.values[name] ?? FIELDS[name].fallback;
    const wanted = own.values[name];
    // One field's own and allowed value have one type, which the table's union cannot say.
    const isLooser = FIELDS[name].isLooser as (own: unknown, allowed: unknown) => boolean;
    if (layer?.source !== 'run' && wanted !== undefined && isLooser(wanted, value)) loosened.push(wireName(name));
    return { name, value, source: layer?.source ?? ('default' as const) };
  });
  const rules = resolveRules(terms, above, own);
  return {
    // Every field of the table stands in `settled`, with the value type that the table gives it.
    ...(Object.fromEntries(settled.map(({ name, value }) => [name, value])) as unknown as Values),
    profile: terms.profile,
    isPartial: terms.isPartial,
    sources: Object.fromEntries(settled.map(({ name, source }) => [name, source])) as Contract['sources'],
    rules: rules.rules,
    loosened: [...loosened, ...rules.loosened],
  };
};
