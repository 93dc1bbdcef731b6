import { TOKEN_KINDS, type TokenKind } from './span.js';
import type { Window } from './window.js';

export const FAMILIES = ['termination', 'order', 'receipts', 'rails', 'checkpoints', 'loop', 'guardrails'] as const;
export type Family = (typeof FAMILIES)[number];

export const SEVERITIES = ['off', 'warn', 'error'] as const;
export type Severity = (typeof SEVERITIES)[number];

export const PROFILES = ['classic', 'terminal', 'strict'] as const;
export type Profile = (typeof PROFILES)[number];

/** A value of one word on a command line: a whole number from `least` on, one of some words, or a list of them. */
export type Plain =
  | { readonly kind: 'number'; readonly least: number }
  | { readonly kind: 'word'; readonly words: readonly string[] }
  | { readonly kind: 'list'; readonly words: readonly string[]; readonly least: number };

interface Field<T> {
  /** The value where nobody says one. */
  readonly fallback: T;
  /** Whether a run that says `own` grants itself more than `allowed`. */
  readonly isLooser: (own: T, allowed: T) => boolean;
  /** A run's own contract may not loosen it, even where nobody stands above it: it decides what counts as evidence. */
  readonly isTrusted?: boolean;
  readonly meaning: string;
}

interface PlainField<T> extends Field<T> {
  readonly takes: Plain;
}

const field = <T>(description: Field<T>): Field<T> => description;
const plainField = <T>(description: PlainField<T>): PlainField<T> => description;
const wholeNumber = (least: number): Plain => ({ kind: 'number', least });
const oneOf = (words: readonly string[]): Plain => ({ kind: 'word', words });
const listOf = (words: readonly string[], least: number): Plain => ({ kind: 'list', words, least });
const isGreater = (own: number | undefined, allowed: number | undefined): boolean =>
  own !== undefined && allowed !== undefined && own > allowed;
const lacksSome = <T>(own: readonly T[], allowed: readonly T[]): boolean => allowed.some((item) => !own.includes(item));

const hasOther = <T>(own: readonly T[], allowed: readonly T[]): boolean => lacksSome(allowed, own);
const isAnyGreater = (own: Readonly<Record<string, number>>, allowed: Readonly<Record<string, number>>): boolean =>
  Object.keys(allowed).some((key) => !Object.hasOwn(own, key) || (own[key] ?? 0) > (allowed[key] ?? 0));

/** From how many repetitions a run is told, and from how many it is halted. */
export interface Steps {
  readonly notice: number;
  readonly halt: number;
}
const isLaterStep = (own: Steps, allowed: Steps): boolean => own.notice > allowed.notice || own.halt > allowed.halt;
type Pair = readonly [notice: number, halt: number];
const isLaterPair = (own: Pair, allowed: Pair): boolean => own[0] > allowed[0] || own[1] > allowed[1];

/** Tools that only read, by the names that agents give them. */
const READING_TOOLS = [
  'read_file',
  'list_files',
  'list_directory',
  'search_files',
  'grep',
  'glob',
  'web_search',
  'web_extract',
];

/** Every number and choice of a contract, by its name in code; its wire name is the same in snake_case. */
export const FIELDS = {
  budget: plainField({
    takes: wholeNumber(0),
    fallback: 24,
    isLooser: isGreater,
    meaning: 'iterations that a run may take',
  }),
  noProgressWindow: plainField({
    takes: wholeNumber(1),
    fallback: 3,
    isLooser: isGreater,
    meaning: 'how many last steps that make one same call are no progress',
  }),
  noProgressKey: plainField<'args' | 'args+result'>({
    takes: oneOf(['args', 'args+result']),
    fallback: 'args',
    isLooser: (own, allowed) => own === 'args+result' && allowed === 'args',
    meaning: 'what makes two steps the same: the call alone, or its result as well',
  }),
  maxMs: plainField<number | undefined>({
    takes: wholeNumber(1),
    fallback: undefined,
    isLooser: isGreater,
    meaning: 'milliseconds that a run may take; not given: no such rail',
  }),
  maxTokens: plainField<number | undefined>({
    takes: wholeNumber(1),
    fallback: undefined,
    isLooser: isGreater,
    meaning: 'tokens that a run may spend, of the kinds in token_kinds; not given: no such rail',
  }),
  tokenKinds: plainField<readonly TokenKind[]>({
    takes: listOf(TOKEN_KINDS, 1),
    fallback: TOKEN_KINDS,
    isLooser: lacksSome,
    meaning: 'which token counts max_tokens adds up',
  }),
  unchangedWorktrees: plainField<number | undefined>({
    takes: wholeNumber(1),
    fallback: undefined,
    isLooser: isGreater,
    meaning: 'iterations in a row that may leave the worktree as it is; not given: no such rail',
  }),
  seqScope: plainField<'run' | undefined>({
    takes: oneOf(['run']),
    fallback: undefined,
    isLooser: () => false,
    meaning: 'run: each run counts its spans densely, so a hole is a lost line; not given: seq only orders',
  }),
  clock: plainField<'recorded' | 'derived'>({
    takes: oneOf(['recorded', 'derived']),
    fallback: 'recorded',
    isLooser: (own, allowed) => own === 'derived' && allowed === 'recorded',
    isTrusted: true,
    meaning: 'whether the emitter numbered the iterations, or whoever translated the trace counted them',
  }),
  require: plainField<readonly Family[]>({
    takes: listOf(FAMILIES, 0),
    fallback: [],
    isLooser: lacksSome,
    meaning: 'families of rules whose evidence must be there',
  }),
  reasons: field<Readonly<Record<string, 'pass' | 'fail'>>>({
    fallback: {},
    isLooser: (own, allowed) =>
      Object.entries(own).some(([reason, end]) => end === 'pass' && allowed[reason] !== 'pass'),
    isTrusted: true,
    meaning:
      'further reasons to stop, each pass or fail; the run is then closed_<reason>, and fail fails it by this verdict, ' +
      'without a finding',
  }),
  components: field<readonly string[]>({
    fallback: [],
    isLooser: lacksSome,
    isTrusted: true,
    meaning:
      'what a full verification consists of: the receipts of a claim must together stand on a verify of full scope of ' +
      'each; empty: one verify of full scope is enough',
  }),
  minters: field<readonly string[]>({
    fallback: ['verifier', 'harness'],
    isLooser: hasOther,
    isTrusted: true,
    meaning: 'emitters that may mint receipts; an agent never may, even where it is named here',
  }),
  receiptTtlMs: plainField<number | undefined>({
    takes: wholeNumber(1),
    fallback: undefined,
    isLooser: isGreater,
    meaning:
      'how long a receipt holds, in milliseconds, where it has no ttl_ms of its own; not given: it does not expire',
  }),
  receiptKeys: field<readonly string[] | undefined>({
    fallback: undefined,
    isLooser: (own, allowed) => allowed !== undefined && own !== undefined && hasOther(own, allowed),
    isTrusted: true,
    meaning:
      'Ed25519 public keys in PEM; given: a receipt without a valid signature by one of them (standard base64, over the ' +
      'RFC 8785 form of the span without signature) is forged',
  }),
  repeat: field<Steps>({
    fallback: { notice: 3, halt: 5 },
    isLooser: isLaterStep,
    meaning: 'same steps in a row, or laps of a cycle, that are told and that halt a run',
  }),
  failures: field<{ readonly call: Pair; readonly tool: Pair }>({
    fallback: { call: [2, 5], tool: [3, 8] },
    isLooser: (own, allowed) => isLaterPair(own.call, allowed.call) || isLaterPair(own.tool, allowed.tool),
    meaning: 'failures in a row of one call, and of one tool, that are told and that halt a run',
  }),
  idempotent: field<Steps & { readonly tools: readonly string[] }>({
    fallback: { notice: 2, halt: 5, tools: READING_TOOLS },
    isLooser: (own, allowed) => isLaterStep(own, allowed) || lacksSome(own.tools, allowed.tools),
    meaning: 'same results of one read-only call that are told and that halt a run; a call of effect read is one too',
  }),
  pollers: field<readonly string[]>({
    fallback: ['*_poll', '*_get_result', 'process_manage'],
    isLooser: hasOther,
    meaning: 'tools whose repetition is waiting, not stalling; * stands for any characters at the start',
  }),
  caps: field<Readonly<Record<string, number>>>({
    fallback: { web_search: 50, subagent: 50 },
    isLooser: isAnyGreater,
    meaning: 'calls a turn by tool name; subagent: sub-agents spawned',
  }),
  retry: field<boolean>({
    fallback: false,
    isLooser: (own, allowed) => own && !allowed,
    meaning: 'a failed step may be followed by another without a declared retry',
  }),
  guard: field<{ readonly hard_stop: boolean } | undefined>({
    fallback: undefined,
    isLooser: (own, allowed) => allowed?.hard_stop === true && own?.hard_stop !== true,
    meaning: 'a guard that stops the run stands over it',
  }),
};

export type FieldName = keyof typeof FIELDS;
/** The fields whose values are words or numbers alone. */
export type PlainName = {
  [K in FieldName]: (typeof FIELDS)[K] extends { readonly takes: Plain } ? K : never;
}[FieldName];
export type FieldValue<K extends FieldName> = (typeof FIELDS)[K]['fallback'];
type Values = { readonly [K in FieldName]: FieldValue<K> };

// Object.keys forgets the key type that the table has.
export const FIELD_NAMES = Object.keys(FIELDS) as readonly FieldName[];

export const wireName = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Named sets of numbers, after the systems that ship with them. */
export const LIMITS = {
  'terminal-span': { budget: 24, noProgressWindow: 3 },
  'loop-contract': { budget: 8, maxMs: 20 * 60_000, maxTokens: 200_000, unchangedWorktrees: 3 },
  'iterated-loop': { budget: 10, maxMs: 30_000 },
  hermes: {
    repeat: { notice: 3, halt: 5 },
    failures: { call: [2, 5], tool: [3, 8] },
    idempotent: FIELDS.idempotent.fallback,
    caps: { web_search: 50, subagent: 50 },
  },
} as const satisfies Record<string, Partial<Values>>;
export type LimitsName = keyof typeof LIMITS;
export const LIMITS_NAMES = Object.keys(LIMITS) as readonly LimitsName[];

/** What one source of the contract says; what it does not say is left out. */
export interface ContractPart {
  readonly values: Partial<Values>;
  readonly rules: ReadonlyMap<string, Severity>;
}
export const EMPTY_PART: ContractPart = { values: {}, rules: new Map() };

/** What the id of a rule looks like: kebab-case. */
export const RULE_ID = /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/;

/** What kept a trace's contract from being read: the key and what it must be. */
export interface ContractFault {
  readonly field: string;
  readonly expected: string;
}

/** Whether a value is one that a field takes. */
export const isTaken = (takes: Plain, value: unknown): boolean => {
  if (takes.kind === 'number') return Number.isSafeInteger(value) && Number(value) >= takes.least;
  const isKnown = (word: unknown): boolean => takes.words.some((known) => known === word);
  if (takes.kind === 'word') return isKnown(value);
  return Array.isArray(value) && value.length >= takes.least && value.every(isKnown);
};

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
  /** Whether the command line or the config file chose the severity that a rule has; a trace may then not lower it. */
  readonly isChosen: (ruleId: string) => boolean;
  readonly isPartial: boolean;
  /** The time that is asked about; undefined: any. */
  readonly window?: Window | undefined;
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
      const isTooLow = source === 'header' && terms.isChosen(id) && strength(severity) < strength(fallback);
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
    // One field's own and allowed value have one type, which the table's union cannot say.
    const isLooser = FIELDS[name].isLooser as (own: unknown, allowed: unknown) => boolean;
    const ranked = layers.find((candidate) => candidate.values[name] !== undefined);
    const wanted = own.values[name];
    const isOverreach =
      ranked?.source === 'run' && FIELDS[name].isTrusted === true && isLooser(wanted, FIELDS[name].fallback);
    const layer = isOverreach ? undefined : ranked;
    const value = layer?.values[name] ?? FIELDS[name].fallback;
    if (isOverreach || (layer?.source !== 'run' && wanted !== undefined && isLooser(wanted, value))) {
      loosened.push(wireName(name));
    }
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
