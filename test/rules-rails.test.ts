import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { check, foundRules, onlyRun } from './judge.js';
import { run } from './run-main.js';
import { lines } from './trace-words.js';

const words = (length: number, word: (number: number) => string): string =>
  Array.from({ length }, (_, index) => word(index + 1)).join(' ');

describe('what could not be judged is said', () => {
  const MS = { max_ms: 1000 };
  test.each([
    ['over-time', 'no clock', 'start@0 tool@1:a stop@1:budget', MS],
    ['over-time', 'a clock that is read once', 'start@0,mono_ms=0 tool@1:a stop@1:budget', MS],
    ['over-time', 'clocks of emitters that read them once', 'start@0,mono_ms=0,emitter=x tool@1:a,mono_ms=9999', MS],
    ['over-time', 'times without an offset', 'start@0,ts=2026-01-01T00:00:00 tool@1:a,ts=2026-01-01T00:00:09', MS],
    [
      'over-time',
      'a wait of unknown length',
      'start@0,mono_ms=0 tool@1:a,effect=wait,mono_ms=900 tool@2:b,mono_ms=1100',
      MS,
    ],
    ['over-time', 'a wait that nobody timed', 'start@0,mono_ms=0 wait@1 waited@1 tool@1:a,mono_ms=1100 tool@2:b', MS],
    [
      'over-time',
      'a wait that another emitter timed',
      `start@0,mono_ms=0,emitter=agent wait@1,emitter=harness,mono_ms=7 waited@1,emitter=harness,mono_ms=1600
       tool@1:a,mono_ms=1700,emitter=agent`,
      MS,
    ],
    ['over-time', 'work without iter', 'start@0,mono_ms=0 tool@1:a,mono_ms=1100 tool:b', MS],
    ['over-time', 'iterations without a reading', 'start@0,mono_ms=0 tool@1:a tool@2:b stop@2:budget,mono_ms=9000', MS],
    ['over-tokens', 'no tokens', 'tool@1:a stop@1:budget', { max_tokens: 100 }],
    [
      'over-tokens',
      'no tokens of the kinds that count',
      'model@1,tokens_cached=500 model@2,tokens_cached=500',
      { max_tokens: 100, token_kinds: ['in', 'out'] },
    ],
    ['unchanged-worktree', 'no fingerprint', 'tool@1:a tool@2:b tool@3:c', { unchanged_worktrees: 3 }],
    ['unchanged-worktree', 'no iter', 'tool:a,worktree=x tool:b,worktree=x', { unchanged_worktrees: 2 }],
    ['rail-ignored', 'no clock', 'start@0 tool@1:a stop@1:done', MS],
    ['rail-ignored', 'a wait of unknown length', 'start@0,mono_ms=0 wait@1 waited@1 stop@1:done,mono_ms=1100', MS],
    ['rail-ignored', 'no tokens', 'tool@1:a stop@1:done', { max_tokens: 100 }],
    ['rail-ignored', 'no fingerprint', 'tool@1:a stop@1:done', { unchanged_worktrees: 3 }],
    ['ran-past-goal', 'checks that do not say', 'check@1,satisfied=null tool@2:a stop@2:blocked', {}],
    ['ran-past-goal', 'a check by nobody named', 'tool@1:a check@1,emitter=null tool@2:b stop@2:blocked', {}],
  ])('%s of %s', async (rule, _shows, trace, config) => {
    const report = onlyRun(await check(lines(trace), { config }));
    expect(report.unverifiable.map((unverifiable) => unverifiable.rule)).toContain(rule);
    expect(foundRules(report)).not.toContain(rule);
  });

  test.each([
    ['a clock in every iteration', 'start@0,mono_ms=0 tool@1:a,mono_ms=900 stop@1:done,mono_ms=1100', MS],
    ['a wait within the limit', 'start@0,mono_ms=0 tool@1:a,effect=wait,mono_ms=900 stop@1:done,mono_ms=999', MS],
    ['a limit that lies in the next iteration', 'start@0,mono_ms=0 tool@1:a,mono_ms=1100 stop@1:budget', MS],
    ['tokens on the terminal', 'tool@1:a stop@1:budget,tokens_in=101', { max_tokens: 100 }],
    ['no rail', 'start@0 tool@1:a stop@1:done', {}],
    ['a required family without a number', 'start@0 tool@1:a stop@1:done', { require: ['rails'] }],
    ['reasons other than done', 'start@0 tool@1:a check@1 stop@1:blocked', {}],
  ])('and nothing is said of %s', async (_shows, trace, config) => {
    const RAILS_AND_LOOP = ['over-time', 'over-tokens', 'unchanged-worktree', 'unproven-done', 'ran-past-goal'];
    const { unverifiable } = onlyRun(await check(lines(trace), { config }));
    expect(unverifiable.map(({ rule }) => rule).filter((rule) => RAILS_AND_LOOP.includes(rule))).toEqual([]);
  });

  test.each([
    ['loop', 'start@0 tool@1:a stop@1:done', ['ran-past-goal', 'unproven-done', 'state-cycle']],
    ['loop', 'start@0 stop@1:done', ['ran-past-goal', 'unproven-done', 'state-cycle', 'error-ignored']],
    ['loop', 'state@1,state_hash=x tool@1:a check@1 stop@1:done', []],
    ['loop', 'wait@1 waited@1 tool@1:a check@1 stop@1:done', ['state-cycle']],
    ['rails', 'start@0 tool@1:a stop@1:done', []],
  ])('a required family: %s of %s', async (family, trace, rules) => {
    const { required } = onlyRun(await check(lines(trace), { config: { require: [family] } }));
    expect(required).toEqual(rules);
  });
});

describe('where the contract would have halted the run', () => {
  test.each([
    [
      'over-time: before work in a later iteration',
      'start@0,mono_ms=0 tool@1:a,mono_ms=1100 tool@1:b tool@2:c,tokens_in=7 tool@3:d stop@3:budget',
      { max_ms: 1000 },
      [2, 2, 7],
    ],
    [
      'over-tokens: before more is spent',
      'model@1,tokens_in=100 tool@1:a model@2,tokens_in=7 tool@2:b stop@2:budget',
      { max_tokens: 100 },
      [1, 1, 7],
    ],
    [
      'unchanged-worktree: after the last iteration of the row',
      'tool@1:a,worktree=x tool@2:b,worktree=x tool@2:c tool@3:d,tokens_in=7 stop@3:blocked',
      { unchanged_worktrees: 2 },
      [1, 1, 7],
    ],
    ['ran-past-goal: before the work', 'tool@1:a check@1 tool@2:b,tokens_in=7 stop@2:done', {}, [1, 1, 7]],
    [
      'state-cycle: at the state',
      'state@1,state_hash=x state@2,state_hash=y state@3,state_hash=x tool@4:a,tokens_in=7',
      {},
      [1, 1, 7],
    ],
    ['error-ignored: before the next step', 'tool@1:a!error check@1 tool@2:b,tokens_in=7', {}, [1, 1, 7]],
    [
      'busy-wait: at the step that halts',
      'spawn@0 tool@1:a,name=x_poll tool@2:b,name=x_poll tool@3:c,name=x_poll tool@4:d,name=x_poll,tokens_in=7',
      { repeat: { notice: 2, halt: 3 } },
      [1, 1, 7],
    ],
  ] as const)('%s', async (_name, trace, config, [calls, iterations, tokensIn]) => {
    const { spentAfter } = onlyRun(await check(lines(trace), { config }));
    expect(spentAfter).toMatchObject({ calls, iterations, tokensIn });
  });

  test('is not said where a rule only tells', async () => {
    const trace = `spawn@0 ${words(3, (number) => `tool@${number}:a${number},name=x_poll`)} stop@3:done`;
    const report = onlyRun(await check(lines(trace)));
    expect([foundRules(report), report.spentAfter]).toEqual([
      ['missing-goal', 'busy-wait', 'orphaned-children'],
      undefined,
    ]);
  });
});

describe('what a finding says', () => {
  const evidenceOf = async (trace: string, rule: string, config: object = {}) => {
    const { findings } = onlyRun(await check(lines(trace), { config }));
    const finding = findings.find((candidate) => candidate.rule === rule);
    return { ...finding?.evidence, seq: finding?.at.seq };
  };
  test.each([
    [
      'over-time',
      'start@0,mono_ms=0 tool@1:a,mono_ms=1100.4 tool@2:b tool@3:c,mono_ms=1800',
      { max_ms: 1000 },
      { max_ms: 1000, elapsed_ms: 1800, used_up_in_iter: 1, iter: 2, seq: 3 },
    ],
    [
      'over-tokens',
      'model@1,tokens_in=100 model@2,tokens_in=7 model@3,tokens_out=1',
      { max_tokens: 100, token_kinds: ['in', 'out'] },
      { max_tokens: 100, tokens: 108, token_kinds: 'in,out', seq: 2 },
    ],
    [
      'unchanged-worktree',
      'tool@1:a,worktree=x tool@2:b,worktree=x tool@2:c,worktree=x tool@3:d,worktree=x',
      { unchanged_worktrees: 2 },
      { unchanged_worktrees: 2, iter: 2, worktree: 'x', seq: 3 },
    ],
    [
      'rail-ignored',
      'model@1,tokens_in=101,mono_ms=0 tool@3:a,mono_ms=1001 stop@3:done',
      { budget: 2, max_tokens: 100, max_ms: 1000 },
      { rails: 'budget,max_ms,max_tokens', seq: 3 },
    ],
    ['ran-past-goal', 'tool@1:a check@1 tool@2:b model@3', {}, { count: 2, reached_at_seq: 2, seq: 3 }],
    [
      'unproven-done',
      'start@0,predicate_id=p check@1,satisfied=false stop@1:done',
      {},
      { predicate_id: 'p', goal: 'unsatisfied', seq: 3 },
    ],
    [
      'state-cycle',
      words(8, (number) => `state@${number},state_hash=s${number % 3}`),
      {},
      { state_hash: 's1', period: 3, count: 5, seq: 4 },
    ],
    [
      'state-cycle',
      'state@1,state_hash=x tool@2:a state@2,state_hash=x',
      {},
      { state_hash: 'x', period: 1, count: 1, seq: 3 },
    ],
    ['error-ignored', 'tool@1:a!error tool@2:b!error tool@3:c check@3', {}, { count: 2, failed_at_seq: 1, seq: 2 }],
    [
      'volatile-result',
      `${words(4, (number) => `tool@${number}:a=x,args_hash=q,result_hash_raw=r${number}`)} tool@5:b`,
      {},
      { name: 'edit_file', args_hash: 'q', steps: 4, seq: 3 },
    ],
    [
      'volatile-result',
      `${words(3, (number) => `tool@${number}:a=x,args_hash=q,result_hash_raw=r${number}`)} tool@4:b
       ${words(5, (number) => `tool@${number + 4}:a=x,args_hash=q,result_hash_raw=r${number}`)}`,
      {},
      { name: 'edit_file', args_hash: 'q', steps: 3, seq: 3 },
    ],
    [
      'blind-hash',
      `${words(7, (number) => `tool@${number}:a=x${number},args_hash=q`)} tool@8:a=x7,args_hash=q`,
      {},
      { name: 'edit_file', args_hash: 'q', steps: 7, seq: 5 },
    ],
    ['busy-wait', 'spawn@0 tool@1:a tool@2:a tool@3:a tool@4:a tool@5:b', {}, { name: 'edit_file', steps: 4, seq: 4 }],
    [
      'busy-wait',
      `spawn@0 ${words(3, (number) => `tool@${number}:a`)} ${words(5, (number) => `tool@${number + 3}:b`)}`,
      {},
      { name: 'edit_file', steps: 3, seq: 4 },
    ],
    ['orphaned-children', 'spawn@0,child_run=c spawn@0 stop@1:done', {}, { count: 2, child_run: 'c', seq: 3 }],
  ])('%s', async (rule, trace, config, evidence) => {
    expect(await evidenceOf(trace, rule, config)).toEqual(evidence);
  });
});

describe('190 polls that change nothing', () => {
  const FILE = 'fixtures/incidents/noop-poll.jsonl';
  const judged = async (...flags: readonly string[]) => {
    const { stdout, code } = await run(['--format', 'json', ...flags, FILE]);
    const { runs, summary } = JSON.parse(stdout);
    return { rules: Object.keys(summary.by_rule), report: runs[0], code };
  };

  test('are volatile results, a busy wait, and past the token rail while cache reads count', async () => {
    const { rules, report, code } = await judged();
    expect(code).toBe(1);
    for (const rule of ['over-tokens', 'volatile-result', 'busy-wait', 'orphaned-children'])
      expect(rules).toContain(rule);
    expect(rules).not.toContain('blind-hash');
    expect([report.spans, report.spent.calls, report.spent_after.calls]).toEqual([386, 191, 187]);
  });

  test('have spent 118579 of 200000 tokens where cache reads do not count', async () => {
    const flags = ['--limits', 'loop-contract', '--token-kinds', 'in,out,aux'];
    const { rules, report } = await judged(...flags);
    expect(rules).not.toContain('over-tokens');
    expect(report.unverifiable.map(({ rule }: { rule: string }) => rule)).not.toContain('over-tokens');
    const { tokens } = report.spent;
    expect(tokens.in + tokens.out + tokens.aux).toBe(118_579);
    expect((await judged('--token-kinds', 'in,out,aux', '--max-tokens', '117000')).rules).toContain('over-tokens');
  });

  test('are a blind hash where there is one digest only', async () => {
    const oneDigest = readFileSync(FILE, 'utf8')
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
      .map(({ result_hash_raw: raw, normaliser: _, ...span }) =>
        raw === undefined ? span : { ...span, result_hash: raw },
      )
      .map((span) => JSON.stringify(span));
    const rules = foundRules(onlyRun(await check(oneDigest)));
    expect(rules).toContain('blind-hash');
    expect(rules).toContain('busy-wait');
    expect(rules).not.toContain('volatile-result');
  });
});

describe('--unchanged-worktrees', () => {
  const FILE = 'fixtures/rules/unchanged-worktree/one-under-the-limit.jsonl';

  test('sets the rail', async () => {
    expect((await run([FILE])).stderr).not.toContain('unchanged-worktree:');
    expect((await run(['--unchanged-worktrees', '2', FILE])).stderr).toContain('2 iterations in a row');
    expect((await run(['--print-contract', '--unchanged-worktrees', '2', FILE])).stdout).toMatch(
      /unchanged_worktrees.*2.*command line/,
    );
  });

  test.each(['0', '-1', 'many', '1.5'])('refuses %s', async (value) => {
    const { stderr, code } = await run([`--unchanged-worktrees=${value}`, FILE]);
    expect([code, stderr]).toEqual([2, expect.stringContaining('--unchanged-worktrees must be a whole number from 1')]);
  });
});
