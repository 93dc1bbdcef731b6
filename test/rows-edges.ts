import { many, type Row } from './trace-words.js';

const rows = (rule: string, more: Partial<Row>, cases: Readonly<Record<string, string>>): readonly Row[] =>
  Object.entries(cases).map(([shows, words]) => ({ rule, shows, words, finds: false, ...more }));

const found = { finds: true };
const severities = (rules: object) => ({ config: { rules } });
const OFF = 'off';
const TOKENS = { config: { max_tokens: 100 } };
const MS = { config: { max_ms: 1000 } };
const TREES = { config: { unchanged_worktrees: 2 } };
const BUDGET = { config: { budget: 5 } };

const denied = 'start@0 ask@1:a no@1:a gated@1:a stop@1:done';
const mismatched = 'start@0 ask@1:a yes@1:a gated@1:b stop@1:done';
const reused = 'start@0 ask@1:a yes@1:a gated@1:a gated@2:a stop@2:done';
const deniedAfterUse = 'start@0 ask@1:a yes@1:a gated@1:a no@1:a gated@2:a stop@2:done';
const deniedBesideOther = 'start@0 no@1:a ask@1:b yes@1:b gated@1:a stop@1:done';

const kept = 'verify:v1 receipt:r1,verify_ids=v1';
const edges = 'emitter=harness';

/** Where two rules meet, or where a field is missing that one of them needs. */
export const EDGE_ROWS: readonly Row[] = [
  // An execution is told by the most precise rule that is in force.
  ...rows('unapproved-action', {}, { denied, mismatched, reused }),
  ...rows('unapproved-action', { ...found, ...severities({ 'denied-then-run': OFF }) }, { denied }),
  ...rows('unapproved-action', { ...found, ...severities({ 'approval-mismatch': OFF }) }, { mismatched }),
  ...rows('unapproved-action', { ...found, ...severities({ 'approval-reuse': OFF }) }, { reused }),
  ...rows('unapproved-action', severities({ 'denied-then-run': OFF }), { deniedAfterUse, deniedBesideOther }),
  ...rows('approval-reuse', severities({ 'denied-then-run': OFF }), { denied }),
  ...rows('approval-reuse', { ...found, ...severities({ 'denied-then-run': OFF }) }, { deniedAfterUse }),
  ...rows('approval-mismatch', { ...found, ...severities({ 'denied-then-run': OFF }) }, { deniedBesideOther }),
  ...rows('approval-mismatch', severities({ 'denied-then-run': OFF }), { denied, deniedAfterUse }),
  ...rows(
    'unapproved-action',
    { ...found, ...severities({ 'denied-then-run': OFF, 'approval-reuse': OFF }) },
    { deniedAfterUse },
  ),
  ...rows(
    'unapproved-action',
    { ...found, ...severities({ 'denied-then-run': OFF, 'approval-mismatch': OFF }) },
    { deniedBesideOther },
  ),
  ...rows(
    'denied-then-run',
    { ...found, ...severities({ 'unapproved-action': OFF, 'approval-reuse': OFF }) },
    { deniedAfterUse },
  ),
  ...rows('unapproved-action', severities({ 'unapproved-action': OFF, 'denied-then-run': OFF }), { denied }),
  ...rows(
    'unapproved-action',
    { ...found, ...severities({ 'denied-then-run': OFF }), partial: true },
    {
      'a denial is the last word in a window too': 'ask@4:a no@4:a gated@4:a stop@4:done',
    },
  ),

  // Work after the tokens were passed, whatever it carries.
  ...rows(
    'rail-ignored',
    { ...found, ...TOKENS },
    {
      'a call without tokens in a later iteration': 'model@1,tokens_in=101 tool@2:a check@2 stop@2:done',
      'a model round without tokens in a later iteration': 'model@1,tokens_in=101 model@2 check@2 stop@2:done',
      'the iteration is that of the last span with one': 'tool@1:a note,tokens_in=101 tool@2:b check@2 stop@2:done',
      'tokens after the rail on the terminal': 'model@1,tokens_in=100 check@1 stop@1:done,tokens_in=1',
      'work of no iteration, and no check': 'model@1,tokens_in=101 tool:a stop:done',
      'a receipt by nobody named': 'model@1,tokens_in=101 receipt@1,emitter=null stop@1:done',
      'a check by nobody named': 'model@1,tokens_in=101 check@1,emitter=null stop@1:done',
    },
  ),
  ...rows('rail-ignored', TOKENS, {
    'a call without tokens in the same iteration': 'model@1,tokens_in=101 tool@1:a check@1 stop@1:done',
    'no work in a later iteration': 'model@1,tokens_in=101 note@2 check@2 stop@2:done',
    'work after tokens that are used up exactly': 'model@1,tokens_in=100 tool@2:a stop@2:done',
    'work of no iteration after the rail': 'model@1,tokens_in=101 tool:a check@1 stop@1:done',
  }),
  ...rows('rail-ignored', BUDGET, { 'no iteration': 'tool:a stop:done' }),
  ...rows(
    'over-tokens',
    { ...found, ...TOKENS },
    {
      'the terminal spends more': 'model@1,tokens_in=101 stop@1:budget,tokens_out=1',
      'a footer spends more in a run without a terminal': 'model@1,tokens_in=101 end@1,tokens_out=1',
    },
  ),
  ...rows('over-tokens', TOKENS, {
    'the terminal uses them up': 'model@1,tokens_in=50 stop@1:budget,tokens_in=51',
    'a footer after the terminal': 'model@1,tokens_in=100 stop@1:budget end@1,tokens_in=100',
  }),

  // Caps are measured as the rules about them measure.
  ...rows(
    'false-budget',
    { ...found, ...MS },
    {
      'a declared wait took the time':
        'start@0,mono_ms=0 wait@1,mono_ms=100 waited@1,mono_ms=5000 stop@1:budget,mono_ms=5100',
      'clocks of two emitters':
        'start@0,mono_ms=0,emitter=agent tool@1:a,mono_ms=10,emitter=agent tool@1:b,mono_ms=9000,emitter=harness stop@1:budget',
      'time after the terminal': 'start@0,mono_ms=0 tool@1:a,mono_ms=10 stop@1:budget note@1,mono_ms=5000',
    },
  ),
  ...rows('false-budget', MS, {
    'time that was worked': 'start@0,mono_ms=0 tool@1:a,mono_ms=1000 stop@1:budget',
    'time that the terminal shows': 'start@0,mono_ms=0 tool@1:a stop@1:budget,mono_ms=1000',
    'a wait of unknown length': 'start@0,mono_ms=0 tool@1:a,effect=wait,mono_ms=5000 stop@1:budget,mono_ms=5001',
    'no clock': 'start@0 stop@1:budget',
  }),
  ...rows(
    'false-budget',
    { ...found, ...TREES },
    {
      'a worktree that moves': 'start@0 tool@1:a,worktree=x tool@2:b,worktree=y stop@2:budget',
      'a worktree that stands too late':
        'start@0 tool@1:a,worktree=x stop@1:budget tool@2:b,worktree=x tool@3:c,worktree=x',
    },
  ),
  ...rows('false-budget', TREES, {
    'a worktree that stands': 'start@0 tool@1:a,worktree=x tool@2:b,worktree=x stop@2:budget',
    'no fingerprint': 'start@0 tool@1:a stop@1:budget',
  }),
  ...rows(
    'false-budget',
    { config: { unchanged_worktrees: 3, budget: 9 } },
    {
      'one of two caps is not recorded': 'start@0 tool@1:a stop@1:budget',
    },
  ),
  ...rows('false-budget', BUDGET, { 'no iteration': 'tool:a stop:budget' }),
  ...rows('false-budget', {}, { 'the default budget is reached': 'tool@24:a stop@24:budget' }),

  // Receipts that come after done.
  ...rows('no-receipt', found, {
    'a verify after done': 'stop:done verify:v1',
    'a receipt after done': `stop:done ${kept}`,
    'a complete after done': `stop:done ${kept} complete,receipt_id=r1`,
    'a second terminal that names a receipt': 'stop:done stop:done,receipt_ids=r1',
  }),
  ...rows(
    'no-receipt',
    {},
    {
      'a verify after another reason': 'stop:blocked verify:v1',
      'a receipt before done, and one after': `${kept} stop:done verify:v2 receipt:r2,verify_ids=v2`,
    },
  ),
  ...rows('no-receipt', { partial: true }, { 'a verify after done in a window': 'stop:done verify:v1' }),

  // A call that only reads changes no code.
  ...rows('stale-receipt', {}, { 'a reading tool after the verify': `${kept} tool:a,name=read_file stop:done` }),
  ...rows('stale-receipt', found, {
    'a reading tool that says it writes': `${kept} tool:a,name=read_file,effect=write stop:done`,
  }),

  // Polls.
  ...rows('call-cycle', found, {
    'pollers whose results stay the same': many(
      6,
      (index) => `tool@${index + 1}:a${index % 2}=x,name=x${index % 2}_poll`,
    ),
  }),
  ...rows(
    'call-cycle',
    {},
    {
      'pollers of which one says nothing': many(6, (index) =>
        index % 2 === 0 ? `tool@${index + 1}:a=x,name=x_poll` : `tool@${index + 1}:b,name=y_poll`,
      ),
    },
  ),
  ...rows(
    'repeated-call',
    {},
    {
      'a result between steps without one': 'tool@1:a tool@2:a=x tool@3:a tool@4:a=x tool@5:b stop@5:done',
    },
  ),

  // Predicates.
  ...rows(
    'unproven-done',
    {},
    {
      'a check without a predicate after one of it': `start@0,predicate_id=p check@1,predicate_id=p,satisfied=false,${edges} check@1 stop@1:done`,
      'an empty predicate that nobody checks': 'start@0,predicate_id= tool@1:a stop@1:done',
      'a check with an empty predicate': 'start@0,predicate_id=p check@1,predicate_id= stop@1:done',
    },
  ),
  ...rows('unproven-done', found, {
    'a check without a predicate that takes one of it back':
      'start@0,predicate_id=p check@1,predicate_id=p check@1,satisfied=false stop@1:done',
    'an unsatisfied check where nothing is declared': 'check@1,satisfied=false stop@1:done',
  }),
  ...rows(
    'ran-past-goal',
    {},
    {
      'a check of the agent after one of the harness':
        'check@1,satisfied=false check@1,emitter=agent tool@2:a stop@2:blocked',
    },
  ),
  ...rows(
    'error-ignored',
    {},
    {
      'an empty predicate makes no loop': 'start@0,predicate_id= tool@1:a!error tool@2:b stop@2:blocked',
    },
  ),
  ...rows(
    'error-ignored',
    { ...found, config: { require: ['loop'] } },
    {
      'a required family needs no span of a loop': 'start@0 tool@1:a!error tool@2:b stop@2:blocked',
    },
  ),

  // Iterations, order and digests.
  ...rows(
    'seq-gap',
    { ...found, config: { seq_scope: 'run' } },
    {
      'a span without seq fills no hole': 'start@0#1 tool@1:a#2 tool@1:b#- stop@1:done#4',
    },
  ),
  ...rows('iter-stuck', found, {
    'tool spans of no round are rounds of their own': many(33, () => 'tool@1:a'),
  }),
  ...rows(
    'short-digest',
    {},
    {
      'sixteen characters of any alphabet': 'tool@1,args_hash=zz-ZZ_zz+ZZ/zz~~ stop@1:done',
      'an empty result digest': 'tool@1:a,result_hash= stop@1:done',
    },
  ),
  ...rows(
    'activity-after-terminal',
    {},
    {
      'a second terminal and the footers': 'start@0 stop@0:done stop@0:budget child@0 end@0',
    },
  ),
  ...rows('unchanged-worktree', TREES, {
    'iteration 0 with its loop_start': 'start@0,worktree=x tool@1:a,worktree=x stop@1:blocked',
  }),
  ...rows(
    'unchanged-worktree',
    { ...found, ...TREES },
    {
      'iteration 0 with a call': 'start@0,worktree=x tool@0:z tool@1:a,worktree=x stop@1:blocked',
    },
  ),

  // One clock that reached the limit is enough, whatever another one leaves open.
  ...rows('false-budget', MS, {
    'another clock has a wait of unknown length after it': `start@0,mono_ms=0,emitter=x note@1,emitter=x,mono_ms=1100
       note@1,emitter=y,mono_ms=0 tool@1:a,effect=wait,emitter=y,mono_ms=1100 stop@1:budget`,
  }),

  // A budget that nobody declared is no rail, whatever other one is watched; the terminal's own iteration counts.
  ...rows('rail-ignored', TOKENS, {
    'beyond the default budget': 'model@25,tokens_in=1 stop@25:done',
  }),
  ...rows('rail-ignored', BUDGET, { 'no iteration but the terminal has one': 'tool:a stop@1:done' }),
  ...rows('rail-ignored', { ...found, ...BUDGET }, { 'only the terminal is beyond it': 'tool:a stop@6:done' }),

  ...rows(
    'stale-receipt',
    { config: { idempotent: { notice: 2, halt: 5, tools: ['edit_file'] } } },
    {
      'a call of a tool that the config says only reads': `${kept} tool:a stop:done`,
    },
  ),
  ...rows('expired-receipt', {}, { 'a limit on what is no receipt': 'verify:v1,ttl_ms=5 stop:done' }),
  ...rows(
    'expired-receipt',
    { config: { require: ['receipts'] } },
    {
      'a claim without a receipt beside one that has one':
        'verify:v1,item=a receipt:r1,verify_ids=v1,item=a complete:b stop:handoff',
    },
  ),
  ...rows('expired-receipt', found, {
    'an old receipt, then a claim without one':
      'verify:v1,item=a receipt:r1,verify_ids=v1,item=a,ttl_ms=5,mono_ms=1 complete:a,emitter=verifier,mono_ms=9 complete:b stop:handoff',
  }),
];
