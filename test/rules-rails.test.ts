import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { check, foundRules, onlyRun } from './judge.js';
import { RAILS_BREAKS, RAILS_DOUBTS, RAILS_HALTS } from './rows-rails.js';
import { run } from './run-main.js';
import { lines } from './trace-words.js';

const words = (length: number, word: (number: number) => string): string =>
  Array.from({ length }, (_, index) => word(index + 1)).join(' ');

describe('what could not be judged is said', () => {
  const MS = { max_ms: 1000 };
  test.each(RAILS_DOUBTS)('%s of %s', async (rule, _shows, trace, config) => {
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
  test.each(RAILS_HALTS)('%s', async (_name, trace, config, [calls, iterations, tokensIn]) => {
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
  test.each(RAILS_BREAKS)('%s', async (rule, trace, config, evidence) => {
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
