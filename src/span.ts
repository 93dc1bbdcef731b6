import type { Common, Rare, RareKey } from './span-schema.js';

export type { CommonKey, RareKey, WireSpan } from './span-schema.js';

/** Why a loop stopped: the only reasons that a terminal span may give. */
export const REASONS = ['done', 'rejected', 'budget', 'blocked', 'handoff'] as const;
export type Reason = (typeof REASONS)[number];

export const TOKEN_KINDS = ['in', 'cached', 'out', 'aux'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

/** Where a line stands: `file` indexes the inputs, `line` counts from 1 in it, `position` from 1 over all inputs. */
export interface LinePlace {
  readonly file: number;
  readonly line: number;
  readonly position: number;
}

/** A credential in a line: never what it is. */
export interface Secret {
  /** What its detector calls it: `github/GITHUB_TOKEN`. */
  readonly kind: string;
  /** Where it stands first, from the line's outermost object; undefined where only the line as it is written shows it. */
  readonly field: string | undefined;
}

/** Finds the credentials in a line: each kind once. `value` is what the line says as JSON, undefined if it is none. */
export type SecretsIn = (text: string, value: unknown) => readonly Secret[];

/** What is wanted of a line beside the fields of the schema. */
export interface Wanted {
  /** The keys that custom rules read. */
  readonly fields: readonly string[];
  /** Undefined where nobody asks for credentials. */
  readonly secretsIn: SecretsIn | undefined;
}
export const NO_SECRETS: readonly Secret[] = [];
export const NOTHING_MORE: Wanted = { fields: [], secretsIn: undefined };

/** A span behind the door: every field present, null and missing both `undefined`. */
export interface Span extends LinePlace {
  readonly runId: string;
  /** What orders the run; where it is missing, `position` stands in. */
  readonly seq: number | undefined;
  /** Empty when the line names none: an unknown type. */
  readonly type: string;
  readonly iter: number | undefined;
  readonly name: string | undefined;
  /** Digests of the canonical arguments, and of the normalised result. */
  readonly argsHash: string | undefined;
  readonly resultHash: string | undefined;
  /** As it is written; RFC 3339 where the emitter keeps to the schema. */
  readonly ts: string | undefined;
  /** Milliseconds of the emitter's own clock. */
  readonly monoMs: number | undefined;
  readonly spanId: string | undefined;
  readonly hasGoal: boolean;
  /** What a loop_start gives as its contract, unread. */
  readonly contract: unknown;
  readonly status: string | undefined;
  readonly exitCode: number | undefined;
  readonly effect: string | undefined;
  readonly retry: number | undefined;
  readonly round: string | number | undefined;
  readonly emitter: string | undefined;
  /** What the terminal gives, cut to 64 characters; of a value that is no string, its type in brackets. */
  readonly reason: string | undefined;
  readonly successorRun: string | undefined;
  readonly detail: string | undefined;
  readonly claim: string | undefined;
  readonly isInferred: boolean;
  readonly lastSeq: number | undefined;
  readonly count: number | undefined;
  /** What the spans of receipts, rails, checkpoints and guards carry; undefined on a span without any of it. */
  readonly details: Details | undefined;
  /** Tokens by kind; 0 where the line names none. */
  readonly tokensIn: number;
  readonly tokensCached: number;
  readonly tokensOut: number;
  readonly tokensAux: number;
  /** What the line gives for the keys that custom rules named; empty where no rule named one. */
  readonly fields: Fields;
  /** Credentials in the line; empty where nobody asks for them. */
  readonly secrets: readonly Secret[];
}

/** What a key of a line may hold for a custom rule; null and any other value are as good as missing. */
export type FieldValue = string | number | boolean | readonly string[];
export type Fields = Readonly<Record<string, FieldValue | undefined>>;
/** One for all spans: most traces are judged without custom rules. */
export const NO_FIELDS: Fields = Object.freeze(Object.create(null));

/** A span that says nothing. What most spans say little of stands last: rows that list values in this order end early. */
export const NO_SPAN: Omit<Span, 'runId'> = {
  position: 0,
  file: 0,
  line: 0,
  seq: undefined,
  type: '',
  iter: undefined,
  name: undefined,
  argsHash: undefined,
  resultHash: undefined,
  status: undefined,
  ts: undefined,
  monoMs: undefined,
  spanId: undefined,
  tokensIn: 0,
  tokensCached: 0,
  tokensOut: 0,
  tokensAux: 0,
  round: undefined,
  emitter: undefined,
  effect: undefined,
  retry: undefined,
  exitCode: undefined,
  reason: undefined,
  hasGoal: false,
  contract: undefined,
  successorRun: undefined,
  detail: undefined,
  claim: undefined,
  isInferred: false,
  lastSeq: undefined,
  count: undefined,
  details: undefined,
  fields: NO_FIELDS,
  secrets: NO_SECRETS,
};

/** Fields that only some families of rules read, each under its wire name in camel case. */
export interface Details {
  readonly turn: string | number | undefined;
  readonly worktree: string | undefined;
  readonly resultHashRaw: string | undefined;
  readonly normaliser: string | undefined;
  readonly callId: string | undefined;
  readonly gate: string | undefined;
  readonly actionHash: string | undefined;
  readonly outcome: string | undefined;
  readonly command: string | undefined;
  readonly stopReason: string | undefined;
  readonly action: string | undefined;
  readonly code: string | undefined;
  readonly childRun: string | undefined;
  readonly on: string | undefined;
  readonly guardCode: string | undefined;
  readonly receiptIds: readonly string[] | undefined;
  readonly items: readonly string[] | undefined;
  readonly verifyId: string | undefined;
  readonly item: string | undefined;
  readonly component: string | undefined;
  readonly commandHash: string | undefined;
  readonly scope: string | undefined;
  readonly receiptId: string | undefined;
  readonly verifyIds: readonly string[] | undefined;
  readonly ttlMs: number | undefined;
  readonly signature: string | undefined;
  readonly requestId: string | undefined;
  readonly decision: string | undefined;
  readonly actor: string | undefined;
  readonly stateHash: string | undefined;
  readonly satisfied: boolean | undefined;
  readonly predicateId: string | undefined;
  /** Of a receipt, the whole object as JSON: its signature covers every key. Undefined if it is nested too deep. */
  readonly receipt: string | undefined;
}

/** The value, null and missing both `undefined`. */
export const present = <T>(value: T | null | undefined): T | undefined => value ?? undefined;
// JSON has a negative zero; as a position in an order it is the other one.
const unsignedZero = (value: number | undefined): number | undefined => (value === 0 ? 0 : value);

export const REASON_LENGTH = 64;
const reasonText = (reason: unknown): string | undefined => {
  if (typeof reason === 'string') return reason.slice(0, REASON_LENGTH);
  if (reason === undefined || reason === null) return undefined;
  return `(${Array.isArray(reason) ? 'array' : typeof reason})`;
};

/** The value as JSON; undefined where it is nested deeper than the stack can hold. */
const jsonOf = (value: object): string | undefined => {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
};

export const detailsOf = (rare: Rare, value: object, type: string | undefined): Details => ({
  turn: present(rare.turn),
  worktree: present(rare.worktree),
  resultHashRaw: present(rare.result_hash_raw),
  normaliser: present(rare.normaliser),
  callId: present(rare.call_id),
  gate: present(rare.gate),
  actionHash: present(rare.action_hash),
  outcome: present(rare.outcome),
  command: present(rare.command),
  stopReason: present(rare.stop_reason),
  action: present(rare.action),
  code: present(rare.code),
  childRun: present(rare.child_run),
  on: present(rare.on),
  guardCode: present(rare.guard_code),
  receiptIds: present(rare.receipt_ids),
  items: present(rare.items),
  verifyId: present(rare.verify_id),
  item: present(rare.item),
  component: present(rare.component),
  commandHash: present(rare.command_hash),
  scope: present(rare.scope),
  receiptId: present(rare.receipt_id),
  verifyIds: present(rare.verify_ids),
  ttlMs: present(rare.ttl_ms),
  signature: present(rare.signature),
  requestId: present(rare.request_id),
  decision: present(rare.decision),
  actor: present(rare.actor),
  stateHash: present(rare.state_hash),
  satisfied: present(rare.satisfied),
  predicateId: present(rare.predicate_id),
  receipt: type === 'receipt' ? jsonOf(value) : undefined,
});

const isFieldValue = (value: unknown): value is FieldValue => {
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string');
  // JSON can write numbers that no double holds.
  return typeof value === 'number' ? Number.isFinite(value) : typeof value === 'string' || typeof value === 'boolean';
};

/** Takes the named keys out of a line; what a name may be has been seen to where rules are read. */
export const fieldsOf = (value: object, names: readonly string[]): Fields => {
  const given = names.flatMap((name) => {
    const field: unknown = Object.getOwnPropertyDescriptor(value, name)?.value;
    return isFieldValue(field) ? [[name, field === 0 ? 0 : field] as const] : [];
  });
  return given.length === 0 ? NO_FIELDS : Object.fromEntries(given);
};

export const hasField = (value: object, fields: ReadonlySet<string>): boolean => {
  for (const key in value) if (fields.has(key)) return true;
  return false;
};

/** The span of a line whose values have their types; `rare` is what only some lines carry, and `details` what of it is told apart. */
export const spanOf = (
  wire: Common,
  rare: Rare,
  details: Details | undefined,
  fields: Span['fields'],
  secrets: Span['secrets'],
  place: LinePlace,
): Span => ({
  file: place.file,
  line: place.line,
  position: place.position,
  runId: wire.run_id,
  seq: unsignedZero(present(wire.seq)),
  type: wire.type ?? '',
  iter: unsignedZero(present(wire.iter)),
  name: present(wire.name),
  argsHash: present(wire.args_hash),
  resultHash: present(wire.result_hash),
  ts: present(wire.ts),
  monoMs: present(wire.mono_ms),
  spanId: present(wire.span_id),
  hasGoal: (wire.goal ?? '') !== '',
  contract: wire.type === 'loop_start' ? present(wire.contract) : undefined,
  status: present(wire.status),
  exitCode: present(rare.exit_code),
  effect: present(rare.effect),
  retry: present(rare.retry),
  round: present(rare.round),
  emitter: present(rare.emitter),
  reason: reasonText(wire.reason),
  successorRun: present(rare.successor_run),
  detail: present(rare.detail),
  claim: present(rare.claim),
  isInferred: rare.inferred === true,
  lastSeq: present(rare.last_seq),
  count: present(rare.count),
  tokensIn: wire.tokens_in ?? 0,
  tokensCached: wire.tokens_cached ?? 0,
  tokensOut: wire.tokens_out ?? 0,
  tokensAux: wire.tokens_aux ?? 0,
  details,
  fields,
  secrets,
});

/** Of a line that carries nothing rare. */
export const NOTHING_RARE: Rare = {};

const textIn = (value: unknown) => (typeof value === 'string' ? value : undefined);
const numberIn = (value: unknown) => (typeof value === 'number' && Number.isFinite(value) ? value : undefined);
const integerIn = (value: unknown) => (typeof value === 'number' && Number.isSafeInteger(value) ? value : undefined);
const flagIn = (value: unknown) => (typeof value === 'boolean' ? value : undefined);
const countIn = (value: unknown) => {
  const number = integerIn(value);
  return number !== undefined && number >= 0 ? number : undefined;
};
const countOrTextIn = (value: unknown) => textIn(value) ?? countIn(value);
const textsIn = (value: unknown) =>
  Array.isArray(value) && value.every((item) => typeof item === 'string') ? (value as string[]) : undefined;

// As the schema reads them, where the types of those that decide are known to be right.
const RARE_READERS = {
  parent_id: textIn,
  exit_code: numberIn,
  effect: textIn,
  retry: numberIn,
  round: countOrTextIn,
  turn: countOrTextIn,
  emitter: textIn,
  worktree: textIn,
  result_hash_raw: textIn,
  normaliser: textIn,
  call_id: textIn,
  gate: textIn,
  action_hash: textIn,
  outcome: textIn,
  command: textIn,
  stop_reason: textIn,
  action: textIn,
  code: textIn,
  child_run: textIn,
  on: textIn,
  summary: textIn,
  successor_run: textIn,
  detail: textIn,
  guard_code: textIn,
  receipt_ids: textsIn,
  items: textsIn,
  claim: textIn,
  inferred: flagIn,
  last_seq: integerIn,
  count: countIn,
  verify_id: textIn,
  item: textIn,
  component: textIn,
  command_hash: textIn,
  scope: textIn,
  receipt_id: textIn,
  verify_ids: textsIn,
  ttl_ms: numberIn,
  signature: textIn,
  request_id: textIn,
  decision: textIn,
  actor: textIn,
  state_hash: textIn,
  satisfied: flagIn,
  predicate_id: textIn,
} satisfies { [Key in RareKey]: (value: unknown) => Rare[Key] };
const READERS: ReadonlyMap<string, (value: unknown) => unknown> = new Map(Object.entries(RARE_READERS));

// The rare fields that stand in a span itself.
const FLAT: readonly string[] = [
  'exit_code',
  'effect',
  'retry',
  'round',
  'emitter',
  'successor_run',
  'detail',
  'claim',
  'inferred',
  'last_seq',
  'count',
] satisfies readonly RareKey[];
/** Keys of the fields that only some lines carry, and of those among them that stand in a span's details. */
export const RARE: ReadonlySet<string> = new Set(READERS.keys());
export const DETAILED: ReadonlySet<string> = new Set([...RARE].filter((field) => !FLAT.includes(field)));

/**
 * The span of a line that a scanner has read: it has no contract, and its common keys and those that decide have
 * their types.
 * @param hasRare whether it has rare keys other than `exit_code`, `effect` and `emitter`
 */
export const scannedSpan = (
  line: Common & Rare,
  hasRare: boolean,
  place: LinePlace,
  names: readonly string[],
  secrets: Span['secrets'] = NO_SECRETS,
): Span => {
  const fields = names.length === 0 ? NO_FIELDS : fieldsOf(line, names);
  if (!hasRare) return spanOf(line, line, undefined, fields, secrets, place);
  const rare: Record<string, unknown> = {};
  let hasDetails = false;
  for (const key in line) {
    const read = READERS.get(key);
    if (read === undefined) continue;
    rare[key] = read((line as Readonly<Record<string, unknown>>)[key]);
    hasDetails ||= DETAILED.has(key);
  }
  const details = hasDetails ? detailsOf(rare, line, present(line.type)) : undefined;
  return spanOf(line, rare, details, fields, secrets, place);
};

/** What made a JSON object no span: its code, and for `wrong-type` the field and what it must be. */
export type SpanFault =
  | { readonly code: 'missing-run-id' }
  | { readonly code: 'wrong-type'; readonly field: string; readonly expected: string };

export const isSpan = (read: Span | SpanFault): read is Span => 'runId' in read;

/** A tool span failed when it says a status other than ok, or an exit code other than 0. */
export const hasFailed = (span: Span): boolean =>
  (span.status !== undefined && span.status !== 'ok') || (span.exitCode !== undefined && span.exitCode !== 0);

/** The digest that tells a call from another; an empty one tells nothing. */
export const argsOf = (span: Span): string | undefined => (span.argsHash === '' ? undefined : span.argsHash);

/** What orders a span in its run: its seq, or the position of its line where it has none. */
export const orderKey = (span: Span): number => span.seq ?? span.position;
