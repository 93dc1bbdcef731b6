import { z } from 'zod';

// A field that decides a verdict must have its type, or the line is unusable.
const decides = <T extends z.ZodType>(schema: T) => schema.nullish();
// A field that only informs is as good as missing when it has another type.
const informs = <T extends z.ZodType>(schema: T) => schema.nullish().catch(undefined);
const count = z.int().min(0);

// What most lines carry.
const commonFields = {
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
  goal: informs(z.string()).describe('loop_start: what done will mean'),
  contract: z.unknown().optional().describe('loop_start: the numbers of this run'),
  status: informs(z.string()).describe('tool, terminal: ok, error, …'),
  reason: z
    .unknown()
    .optional()
    .describe('terminal: done, rejected, budget, blocked or handoff; child_end: why it ended'),
  tokens_in: informs(count).describe('uncached input tokens'),
  tokens_cached: informs(count).describe('input tokens read from a cache'),
  tokens_out: informs(count).describe('output tokens'),
  tokens_aux: informs(count).describe('tokens of auxiliary models'),
};

const ids = z.array(z.string());

// What only some lines carry.
const rareFields = {
  parent_id: informs(z.string()).describe('span_id of the enclosing span'),
  exit_code: informs(z.number()).describe('tool, verify: the exit code of the command'),
  effect: informs(z.string()).describe('tool: read, write, wait, spawn or external'),
  retry: informs(z.number()).describe("tool: the attempt's number; 2 and above repeat a failed attempt"),
  round: informs(z.union([count, z.string()])).describe('one model response'),
  turn: informs(z.union([count, z.string()])).describe('one turn of the conversation'),
  emitter: informs(z.string()).describe('agent, harness, verifier, human or collector'),
  worktree: decides(z.string()).describe('fingerprint of the worktree'),
  result_hash_raw: decides(z.string()).describe('tool: digest of the result before normalising'),
  normaliser: informs(z.string()).describe('tool: what normalised the result'),
  call_id: informs(z.string()).describe('tool: identity of the call'),
  gate: informs(z.string()).describe('tool: the class of irreversible action'),
  action_hash: decides(z.string()).describe('tool, checkpoint_request, checkpoint_resolve: digest of the exact action'),
  outcome: informs(z.string()).describe('tool: executed or blocked'),
  command: informs(z.string()).describe('tool: the command, where the trace carries it'),
  stop_reason: informs(z.string()).describe('model: why the response ended'),
  action: informs(z.string()).describe('guard: warn, block or halt'),
  code: informs(z.string()).describe('guard: what it answered to'),
  child_run: informs(z.string()).describe('child_start, child_end: run_id of the child'),
  on: informs(z.string()).describe('wait_start, wait_end: child, human, process or timer'),
  summary: informs(z.string()).describe('terminal: free text; never decides anything'),
  successor_run: informs(z.string()).describe('terminal: the run that takes over after a handoff'),
  guard_code: informs(z.string()).describe('terminal: the code of the guard that stopped the run'),
  receipt_ids: informs(ids).describe('terminal: the receipts that done stands on'),
  items: informs(ids).describe('terminal: the items that done is claimed for'),
  claim: informs(z.string()).describe('terminal: goal or turn_ended'),
  detail: informs(z.string()).describe("terminal: the source's own word for why the run stopped"),
  inferred: informs(z.boolean()).describe('terminal: the stop was inferred, not recorded'),
  last_seq: informs(z.int()).describe('trace_end: the greatest seq that was written'),
  count: informs(count).describe(
    'trace_end: how many spans the run has, this one included; guard, spawning tool: how many',
  ),
  verify_id: informs(z.string()).describe('verify: its identity'),
  item: informs(z.string()).describe('verify, receipt, complete: what is verified'),
  component: informs(z.string()).describe('verify: which part of the verification'),
  command_hash: decides(z.string()).describe('verify: digest of the command'),
  scope: informs(z.string()).describe('verify: full or targeted; checkpoint_resolve: once or session'),
  receipt_id: informs(z.string()).describe('receipt, complete: identity of the receipt'),
  verify_ids: informs(ids).describe('receipt: the verify spans that it stands on'),
  ttl_ms: informs(z.number()).describe('receipt: how long it holds'),
  signature: informs(z.string()).describe('receipt: Ed25519 over its canonical JSON without signature, in base64'),
  request_id: informs(z.string()).describe('checkpoint_request, checkpoint_resolve: identity of the request'),
  decision: informs(z.string()).describe('checkpoint_resolve: approved or denied'),
  actor: informs(z.string()).describe('checkpoint_resolve: human, agent or policy'),
  state_hash: decides(z.string()).describe('state: digest of the state'),
  satisfied: informs(z.boolean()).describe('goal_check: whether the goal is reached'),
  predicate_id: informs(z.string()).describe('goal_check, loop_start: what decides that the goal is reached'),
};

/**
 * One native line, as it is written: flat keys in snake_case, unknown keys allowed.
 * This schema alone says what a span is; every reader is held to it.
 */
export const wireSpanSchema = z.object({ ...commonFields, ...rareFields });
export type WireSpan = z.input<typeof wireSpanSchema>;

// The same fields in two parts: most lines need not pay for what they do not carry.
export const commonSchema = z.object(commonFields);
export const rareSchema = z.object(rareFields);
export type Common = z.output<typeof commonSchema>;
export type Rare = z.output<typeof rareSchema>;

/** Keys of the lines: of what most carry, and of what only some do. */
export type CommonKey = keyof typeof commonFields;
export type RareKey = keyof typeof rareFields;
