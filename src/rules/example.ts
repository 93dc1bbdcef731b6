import type { ExampleSpan } from './rule.js';

type More = Partial<ExampleSpan>;

const DIGEST_LENGTH = 16;
/** A digest that a reader can tell from another: the word's letters as hex, repeated to full length. */
export const digest = (word: string): string =>
  Buffer.from(word).toString('hex').repeat(DIGEST_LENGTH).slice(0, DIGEST_LENGTH);

export const start = (more: More = {}): ExampleSpan => ({ type: 'loop_start', iter: 0, goal: 'tests pass', ...more });
export const tool = (iter: number, args: string, more: More = {}): ExampleSpan => ({
  type: 'tool',
  iter,
  name: 'edit_file',
  args_hash: digest(args),
  status: 'ok',
  ...more,
});
export const stop = (iter: number, reason: unknown = 'done', more: More = {}): ExampleSpan => ({
  type: 'terminal',
  iter,
  reason,
  status: 'ok',
  ...more,
});

/** A full verification that passed, by the verifier. */
export const verify = (id: string, more: More = {}): ExampleSpan => ({
  type: 'verify',
  verify_id: id,
  exit_code: 0,
  scope: 'full',
  emitter: 'verifier',
  ...more,
});
export const receipt = (id: string, verifyIds: readonly string[], more: More = {}): ExampleSpan => ({
  type: 'receipt',
  receipt_id: id,
  verify_ids: [...verifyIds],
  emitter: 'verifier',
  ...more,
});

export const model = (iter: number, more: More = {}): ExampleSpan => ({ type: 'model', iter, ...more });
export const check = (iter: number, satisfied: boolean, more: More = {}): ExampleSpan => ({
  type: 'goal_check',
  iter,
  satisfied,
  predicate_id: 'tests',
  emitter: 'harness',
  ...more,
});
export const state = (iter: number, word: string): ExampleSpan => ({ type: 'state', iter, state_hash: digest(word) });
export const childStart = (iter: number, childRun: string): ExampleSpan => ({
  type: 'child_start',
  iter,
  child_run: childRun,
});
export const childEnd = (iter: number, childRun: string): ExampleSpan => ({
  type: 'child_end',
  iter,
  child_run: childRun,
  reason: 'done',
});

/** A gated action that ran, named by what it does. */
export const gated = (iter: number, action: string, more: More = {}): ExampleSpan =>
  tool(iter, action, { gate: 'push', action_hash: digest(action), outcome: 'executed', ...more });
export const ask = (iter: number, action: string, more: More = {}): ExampleSpan => ({
  type: 'checkpoint_request',
  iter,
  request_id: 'ask_1',
  action_hash: digest(action),
  ...more,
});
export const answer = (iter: number, action: string, more: More = {}): ExampleSpan => ({
  type: 'checkpoint_resolve',
  iter,
  request_id: 'ask_1',
  action_hash: digest(action),
  decision: 'approved',
  actor: 'human',
  scope: 'once',
  ...more,
});

/** The example as native lines of one run, seq counted from 1 where the span says none. */
export const exampleLines = (spans: readonly ExampleSpan[], runId = 'run_example'): readonly string[] =>
  spans.map((span, index) => JSON.stringify({ run_id: runId, seq: index + 1, ...span }));
