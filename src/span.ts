import { z } from 'zod';

/** Why a loop stopped: the only reasons that a terminal span may give. */
export const REASONS = ['done', 'rejected', 'budget', 'blocked', 'handoff'] as const;
export type Reason = (typeof REASONS)[number];

export const TOKEN_KINDS = ['in', 'cached', 'out', 'aux'] as const;
export type TokenKind = (typeof TOKEN_KINDS)[number];

// A field that decides a verdict must have its type, or the line is unusable.
const decides = <T extends z.ZodType>(schema: T) => schema.nullish();
// A field that only informs is as good as missing when it has another type.
const informs = <T extends z.ZodType>(schema: T) => schema.nullish().catch(undefined);
const count = z.int().min(0);

/**
 * One native line, as it is written: flat keys in snake_case, unknown keys allowed.
 * This schema alone says what a span is; every reader is held to it.
 */
export const wireSpanSchema = z.object({
  run_id: z.string().min(1).describe('which run; not empty'),
  seq: decides(z.int()).describe('the order that the emitter observed'),
  type: decides(z.string()).describe('loop_start, model, tool, terminal, …'),
  iter: decides(count).describe('the iteration'),
  name: decides(z.string()).describe('the tool'),
  args_hash: decides(z.string()).describe('digest of the canonical arguments'),
  result_hash: decides(z.string()).describe('digest of the normalised result'),
  ts: informs(z.string()).describe('RFC 3339; never orders anything'),
  mono_ms: informs(z.number()).describe("the emitter's monotonic clock, in milliseconds"),
  span_id: informs(z.string()).describe('identity of the span'),
  parent_id: informs(z.string()).describe('span_id of the enclosing span'),
  goal: informs(z.string()).describe('loop_start: what done will mean'),
  contract: z.unknown().optional().describe('loop_start: the numbers of this run'),
  status: informs(z.string()).describe('tool, terminal: ok, error, …'),
  exit_code: informs(z.number()).describe('tool: the exit code of the command'),
  effect: informs(z.string()).describe('tool: read, write, wait, spawn or external'),
  retry: informs(z.number()).describe("tool: the attempt's number; 2 and above repeat a failed attempt"),
  round: informs(z.union([count, z.string()])).describe('one model response'),
  emitter: informs(z.string()).describe('agent, harness, verifier, human or collector'),
  reason: z.unknown().optional().describe('terminal: done, rejected, budget, blocked or handoff'),
  summary: informs(z.string()).describe('terminal: free text; never decides anything'),
  successor_run: informs(z.string()).describe('terminal: the run that takes over after a handoff'),
  claim: informs(z.string()).describe('terminal: goal or turn_ended'),
  inferred: informs(z.boolean()).describe('terminal: the stop was inferred, not recorded'),
  last_seq: informs(z.int()).describe('trace_end: the greatest seq that was written'),
  count: informs(count).describe('trace_end: how many spans the run has, this one included'),
  tokens_in: informs(count).describe('uncached input tokens'),
  tokens_cached: informs(count).describe('input tokens read from a cache'),
  tokens_out: informs(count).describe('output tokens'),
  tokens_aux: informs(count).describe('tokens of auxiliary models'),
});
export type WireSpan = z.input<typeof wireSpanSchema>;

/** Where a line stands: `file` indexes the inputs, `line` counts from 1 in it, `position` from 1 over all inputs. */
export interface LinePlace {
  readonly file: number;
  readonly line: number;
  readonly position: number;
}

/** A span behind the door: every field present, null and missing both `undefined`. */
export interface Span extends LinePlace {
  readonly runId: string;
  readonly seq: number | undefined;
  /** Empty when the line names none: an unknown type. */
  readonly type: string;
  readonly iter: number | undefined;
  readonly name: string | undefined;
  readonly argsHash: string | undefined;
  readonly resultHash: string | undefined;
  readonly ts: string | undefined;
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
  readonly claim: string | undefined;
  readonly isInferred: boolean;
  readonly lastSeq: number | undefined;
  readonly count: number | undefined;
  readonly tokensIn: number;
  readonly tokensCached: number;
  readonly tokensOut: number;
  readonly tokensAux: number;
}

/** What made a JSON object no span: its code, and for `wrong-type` the field and what it must be. */
export type SpanFault =
  | { readonly code: 'missing-run-id' }
  | { readonly code: 'wrong-type'; readonly field: string; readonly expected: string };

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

const present = <T>(value: T | null | undefined): T | undefined => value ?? undefined;
// JSON has a negative zero; as a position in an order it is the other one.
const unsignedZero = (value: number | undefined): number | undefined => (value === 0 ? 0 : value);

const REASON_LENGTH = 64;
const reasonText = (reason: unknown): string | undefined => {
  if (typeof reason === 'string') return reason.slice(0, REASON_LENGTH);
  if (reason === undefined || reason === null) return undefined;
  return `(${Array.isArray(reason) ? 'array' : typeof reason})`;
};

/**
 * Reads one parsed JSON object as a span.
 * @returns the span, or the fault that makes its line unusable; it never throws.
 */
export const readSpan = (value: object, place: LinePlace): Span | SpanFault => {
  const parsed = wireSpanSchema.safeParse(value);
  if (!parsed.success) return faultOf(value, String(parsed.error.issues[0]?.path[0] ?? 'run_id'));
  const wire = parsed.data;
  return {
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
    exitCode: present(wire.exit_code),
    effect: present(wire.effect),
    retry: present(wire.retry),
    round: present(wire.round),
    emitter: present(wire.emitter),
    reason: reasonText(wire.reason),
    successorRun: present(wire.successor_run),
    claim: present(wire.claim),
    isInferred: wire.inferred === true,
    lastSeq: present(wire.last_seq),
    count: present(wire.count),
    tokensIn: wire.tokens_in ?? 0,
    tokensCached: wire.tokens_cached ?? 0,
    tokensOut: wire.tokens_out ?? 0,
    tokensAux: wire.tokens_aux ?? 0,
  };
};

export const isSpan = (read: Span | SpanFault): read is Span => 'runId' in read;

/** A tool span failed when it says a status other than ok, or an exit code other than 0. */
export const hasFailed = (span: Span): boolean =>
  (span.status !== undefined && span.status !== 'ok') || (span.exitCode !== undefined && span.exitCode !== 0);

/** What orders a span in its run: its seq, or the position of its line where it has none. */
export const orderKey = (span: Span): number => span.seq ?? span.position;
