import { describe, expect, test } from 'vitest';
import { FAMILIES } from '../src/contract.js';
import { RULES } from '../src/rules/index.js';
import { type Rule, unjudgedText } from '../src/rules/rule.js';
import { check, foundRules, onlyRun } from './judge.js';
import { CHECKPOINT_ROWS } from './rows-checkpoints.js';
import { EDGE_ROWS } from './rows-edges.js';
import { GUARD_ROWS } from './rows-guards.js';
import { RAILS_ROWS } from './rows-rails.js';
import { RECEIPT_ROWS } from './rows-receipts.js';
import { lines, many } from './trace-words.js';

const ALL: readonly Rule[] = RULES;
const EVERY_FAMILY = { require: FAMILIES };
const kept = 'verify:v1 receipt:r1,verify_ids=v1';

interface Case {
  readonly rule: string;
  readonly words: string;
  readonly settings: { readonly config?: object; readonly partial?: boolean };
}
type Said = readonly [words: string, config?: object | 'partial'];
const cases = (rule: string, ...all: readonly Said[]): readonly Case[] =>
  all.map(([words, how]) => ({
    rule,
    words,
    settings: how === undefined ? {} : how === 'partial' ? { partial: true } : { config: how },
  }));

const polls = many(6, (index) => `tool@${index + 1}:a${index % 2},name=x${index % 2}_poll`);
const MS = { max_ms: 1000 };
const TTL = { receipt_ttl_ms: 1000 };

/** A trace for each sentence of each page. */
const CASES: readonly Case[] = [
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
  ...cases('open-loop', ['tool@1:a', 'partial']),
  ...cases('missing-goal', ['tool@1:a', 'partial']),
  ...cases('open-handoff', ['start@0 stop@0:handoff,successor_run=other']),
  ...cases(
    'false-budget',
    ['tool@1:a stop@1:budget'],
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

const saidOf = async (words: string, settings: Case['settings']): Promise<readonly (readonly [string, string])[]> =>
  onlyRun(await check(lines(words), settings)).unverifiable.map(({ rule, because }) => [rule, because]);

describe('what a page says cannot be judged, is not', () => {
  test.each(CASES)('$rule of $words under $settings', async ({ rule, words, settings }) => {
    const run = onlyRun(await check(lines(words), settings));
    expect(run.unverifiable.map((unverifiable) => unverifiable.rule)).toContain(rule);
    expect(foundRules(run)).not.toContain(rule);
  });
});

/** What the verdict says of any rule of a required family that saw nothing: no page has to. */
const isGeneral = (rule: string, because: string): boolean =>
  ALL.some(({ id, needs }) => id === rule && because === `the run carries no ${needs}`);

test('and every rule that is ever not judged by its own account has a page that says so, and no other', async () => {
  const traces = [...CHECKPOINT_ROWS, ...EDGE_ROWS, ...GUARD_ROWS, ...RAILS_ROWS, ...RECEIPT_ROWS, ...CASES];
  const said = new Set<string>();
  for (const words of new Set(traces.map((trace) => trace.words))) {
    for (const settings of [{ partial: true }, { config: EVERY_FAMILY }, { config: { ...MS, max_tokens: 100 } }]) {
      for (const [rule, because] of await saidOf(words, settings)) if (!isGeneral(rule, because)) said.add(rule);
    }
  }
  for (const { rule, words, settings } of CASES) {
    for (const [id, because] of await saidOf(words, settings)) if (!isGeneral(id, because)) said.add(id);
    expect(said).toContain(rule);
  }
  const described = ALL.filter(({ unjudged }) => unjudged !== undefined).map(({ id }) => id);
  expect([...said].toSorted()).toEqual(described.toSorted());
});

test('a rule that needs evidence says so where its family is required', () => {
  const needing = ALL.filter(({ needs }) => needs !== undefined);
  for (const rule of needing) expect(unjudgedText(rule)).toContain(`the run carries no ${rule.needs}`);
});

describe('a claim without a receipt leaves the same rules unjudged, however it lacks it', () => {
  const ABOUT_RECEIPTS = ['partial-verify', 'stale-receipt', 'forged-receipt'];
  test.each([
    ['nothing was minted', 'verify:v1 stop:done'],
    ['a receipt is named that the run did not mint', `${kept} stop:done,receipt_ids=r1|r2`],
    ['a complete names it', `${kept} complete:a,receipt_id=r2`],
    ['it is for another item', `${kept},item=a complete:b,receipt_id=r1`],
    ['one of two items has none', `${kept},item=a verify:v2,item=b stop:done`],
    ['it comes after done', `stop:done ${kept}`],
    ['only the verify comes after done', 'stop:done verify:v1'],
  ])('%s', async (_how, words) => {
    const about = (await saidOf(words, {})).map(([rule]) => rule).filter((rule) => /-receipt$|^partial/.test(rule));
    expect(about).toEqual(ABOUT_RECEIPTS);
    const limited = (await saidOf(words, { config: TTL })).map(([rule]) => rule);
    expect(limited).toContain('expired-receipt');
  });
});

describe('a run whose spans carry no iteration', () => {
  const ABOUT_ITERATIONS = ['bad-clock', 'over-budget', 'iter-backwards', 'iter-stuck'];

  test('passes, and says what was not judged', async () => {
    const run = onlyRun(await check(lines('start tool:a tool:b stop:done')));
    expect([run.verdict, run.fails, run.findings]).toEqual(['closed_ok', false, []]);
    expect(run.unverifiable.map(({ rule }) => rule)).toEqual(ABOUT_ITERATIONS);
  });

  test('under strict too', async () => {
    expect(onlyRun(await check(lines('start tool:a tool:b stop:done'), { config: { profile: 'strict' } })).fails).toBe(
      false,
    );
  });

  test('is not told of rounds that it does not have', async () => {
    const run = onlyRun(await check(lines('start stop:done')));
    expect(run.unverifiable.map(({ rule }) => rule)).toEqual(ABOUT_ITERATIONS.slice(0, -1));
  });

  test('fails where order is required', async () => {
    const run = onlyRun(await check(lines('start tool:a stop:done'), { config: { require: ['order'] } }));
    expect([run.fails, run.required]).toEqual([true, ['iter-backwards', 'iter-stuck']]);
  });
});

test('a list of reading tools in the contract of the run clears no call of a receipt', async () => {
  const trace = lines(`start@0 ${kept} tool:a stop:done`);
  const contract = { idempotent: { notice: 2, halt: 5, tools: ['edit_file', 'read_file'] } };
  const own = trace.map((line, index) => (index === 0 ? JSON.stringify({ ...JSON.parse(line), contract }) : line));
  const header = [JSON.stringify({ type: 'contract', ...contract }), ...trace];
  const doubts = async (text: readonly string[]) =>
    onlyRun(await check(text)).unverifiable.some(({ rule }) => rule === 'stale-receipt');
  expect([await doubts(own), await doubts(header)]).toEqual([true, false]);
});

test('a guard that should have refused a call is told apart from one that should have halted after it', async () => {
  const config = { guard: { hard_stop: true }, caps: { web_search: 1 } };
  const messageOf = async (words: string) =>
    onlyRun(await check(lines(words), { config })).findings.find(({ rule }) => rule === 'guard-missed')?.message;
  expect(await messageOf('tool@1:a,name=web_search tool@2:b,name=web_search stop@2:done')).toBe(
    'the guard should have refused this call (over-cap); calls made from it on: 1',
  );
  expect(await messageOf('tool@1:a guard@1,action=halt tool@2:b stop@2:rejected')).toBe(
    'the guard should have halted the run here (guard); calls made after it: 1',
  );
});
