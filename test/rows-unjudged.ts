import { FAMILIES } from '../src/contract.js';
import { many } from './trace-words.js';

export const EVERY_FAMILY = { require: FAMILIES };
const kept = 'verify:v1 receipt:r1,verify_ids=v1';

export interface Unjudged {
  readonly rule: string;
  readonly words: string;
  readonly settings: { readonly config?: object; readonly partial?: boolean };
}
type Said = readonly [words: string, config?: object | 'partial'];
const cases = (rule: string, ...all: readonly Said[]): readonly Unjudged[] =>
  all.map(([words, how]) => ({
    rule,
    words,
    settings: how === undefined ? {} : how === 'partial' ? { partial: true } : { config: how },
  }));

const polls = many(6, (index) => `tool@${index + 1}:a${index % 2},name=x${index % 2}_poll`);
export const MS = { max_ms: 1000 };
export const TTL = { receipt_ttl_ms: 1000 };

/** A trace for each sentence of each page that says when its rule cannot be judged. */
export const UNJUDGED: readonly Unjudged[] = [
  ...cases('bad-clock', ['tool:a stop:done']),
  ...cases('over-budget', ['tool:a stop:done']),
  ...cases('iter-backwards', ['tool:a stop:done']),
  ...cases('iter-stuck', ['tool:a stop:done'], ['model stop:done'], ['start@0 tool:a stop@1:done']),
  ...cases(
    'no-progress',
    ['wait@1 tool@1:a tool@2:a tool@3:a stop@3:done'],
    ['tool@1 tool@2 tool@3 stop@3:done'],
    ['tool@1:a tool@2:a tool@3:a stop@3:done', { no_progress_key: 'args+result' }],
  ),
  ...cases('leaked-secret', ['start@0,contract={"rules":{"leaked-secret":"warn"}} stop@0:done']),
  ...cases('open-loop', ['tool@1:a', 'partial']),
  ...cases('missing-goal', ['tool@1:a', 'partial']),
  ...cases('open-handoff', ['start@0 stop@0:handoff,successor_run=other']),
  ...cases(
    'false-budget',
    ['tool@1:a stop@1:budget'],
    ['stop@1:budget', MS],
    ['stop@1:budget', { unchanged_worktrees: 5 }],
    ['tool:a stop:budget', { budget: 3 }],
    ['start@0 stop@1:budget', MS],
    ['start@0,mono_ms=0 tool@1:a,effect=wait,mono_ms=5000 stop@1:budget,mono_ms=5001', MS],
    ['tool@1:a stop@1:budget', { max_tokens: 5 }],
    ['tool@1:a stop@1:budget', { unchanged_worktrees: 5 }],
  ),
  ...cases('no-receipt', ['stop:done,receipt_ids=r0', 'partial'], ['stop:done verify:v1', 'partial']),
  ...cases(
    'failed-verify',
    ['receipt:r1 stop:done'],
    ['verify:v1,exit_code=null stop:done'],
    ['verify:v1,item=a complete:b'],
    ['stop:done verify:v1'],
  ),
  ...cases(
    'partial-verify',
    ['verify:v1 stop:done'],
    [`${kept} stop:done,receipt_ids=r1|r2`],
    ['receipt:r1 stop:done'],
    ['receipt:r1,verify_ids=v1 stop:done'],
    ['verify:v1,scope=null receipt:r1,verify_ids=v1 stop:done'],
    [`stop:done ${kept}`],
  ),
  ...cases(
    'stale-receipt',
    ['verify:v1 stop:done'],
    [`${kept} stop:done,receipt_ids=r1|r2`],
    [`${kept} tool:a stop:done`],
    [`start,contract={"idempotent":{"notice":2,"halt":5,"tools":["edit_file"]}} ${kept} tool:a stop:done`],
    [`${kept} tool:a,name=read_file,effect=spawn stop:done`],
    [`${kept} tool:a,name=job_poll stop:done`],
    [`stop:done ${kept}`],
  ),
  ...cases(
    'expired-receipt',
    ['verify:v1 stop:done', TTL],
    [`${kept},ttl_ms=5,mono_ms=1 stop:done,mono_ms=2`],
    [`${kept},item=a,ttl_ms=5,mono_ms=1,emitter=harness stop:done,items=a|b,mono_ms=2,emitter=harness`],
    [`stop:done ${kept},ttl_ms=5`],
    [`stop:done ${kept}`, TTL],
    ['verify:v1 stop:done', { require: ['receipts'] }],
  ),
  ...cases(
    'forged-receipt',
    ['verify:v1 stop:done'],
    [`${kept} stop:done,receipt_ids=r1|r2`],
    [`${kept},item=a complete:b,receipt_id=r1`],
    ['receipt:r1,verify_ids=v0', 'partial'],
    [`stop:done ${kept}`],
  ),
  ...cases('receipt-reuse', ['stop:done,receipt_ids=r1']),
  ...cases(
    'over-time',
    ['start@0 tool@1:a stop@1:budget', MS],
    ['start@0,mono_ms=0 tool@1:a,effect=wait,mono_ms=900 tool@2:b,mono_ms=1100', MS],
    ['start@0,mono_ms=0 tool@1:a,mono_ms=1100 tool:b', MS],
    ['start@0,mono_ms=0 tool@1:a tool@2:b stop@2:budget,mono_ms=9000', MS],
  ),
  ...cases(
    'over-tokens',
    ['tool@1:a stop@1:budget', { max_tokens: 100 }],
    ['tool@1:a stop@1:budget end@1,tokens_in=500', { max_tokens: 100 }],
  ),
  ...cases('unchanged-worktree', ['tool@1:a tool@2:b', { unchanged_worktrees: 2 }]),
  ...cases(
    'rail-ignored',
    ['tool:a stop:done', { budget: 5 }],
    ['start@0 tool@1:a stop@1:done', MS],
    ['start@0,mono_ms=0 tool@1:a,mono_ms=1001 tool:b check@1 stop@1:done', MS],
    ['tool@1:a stop@1:done', { max_tokens: 100 }],
    ['model@1,tokens_in=101 tool:a check@1 stop@1:done', { max_tokens: 100 }],
    ['model,tokens_in=101 tool@1:a check@1 stop@1:done', { max_tokens: 100 }],
    ['tool@1:a stop@1:done', { unchanged_worktrees: 2 }],
  ),
  ...cases(
    'unapproved-action',
    ['ask:a yes:a gated stop:done'],
    ['yes gated:a stop:done'],
    ['gated@2:a stop@2:done', 'partial'],
  ),
  ...cases('approval-mismatch', ['yes@2:a gated@2:b stop@2:done', 'partial']),
  ...cases('approval-reuse', ['yes@2:a gated@2:a gated@2:a stop@2:done', 'partial']),
  ...cases('open-checkpoint', ['ask@1:a', 'partial']),
  ...cases(
    'ran-past-goal',
    ['start@0,predicate_id=p tool@1:a stop@1:blocked'],
    ['check@1,satisfied=null tool@2:a stop@2:blocked'],
    ['check@1,emitter=agent tool@2:a stop@2:blocked'],
    ['check@1,emitter=null tool@2:a stop@2:blocked'],
    ['start@0,predicate_id=p check@1,predicate_id=q tool@2:a stop@2:blocked'],
  ),
  ...cases(
    'repeated-call',
    [many(4, (index) => `tool@${index + 1}:a,name=job_poll`)],
    ['tool@1 tool@2 tool@3 tool@4:b'],
    ['tool@1 stop@1:done', EVERY_FAMILY],
  ),
  ...cases(
    'call-cycle',
    [polls],
    [`${polls} stop@6:done`],
    [`${polls} stop@6:done tool@7:a`],
    [`${polls} stop@6:done stop@6:done tool@7:a tool@8:b stop@8:done`],
    ['tool@1 stop@1:done', EVERY_FAMILY],
  ),
  ...cases('idempotent-no-progress', ['tool@1:a,name=grep stop@1:done', EVERY_FAMILY]),
  ...cases('guard-missed', ['tool@1:a stop@1:done', EVERY_FAMILY]),
  ...cases('warn-ignored', ['tool@1 guard@1,action=warn tool@2']),
];
