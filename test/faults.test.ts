import { describe, expect, test } from 'vitest';
import { check, foundRules, onlyRun } from './judge.js';
import { run } from './run-main.js';
import { lines } from './trace-words.js';

describe('what a trace may not do', () => {
  const open = JSON.stringify({ run_id: 'a', seq: 1, type: 'loop_start', iter: 0, goal: 'g' });
  const header = JSON.stringify({ type: 'contract', rules: { 'open-loop': 'off' } });

  test('lower a severity of a profile that somebody chose', async () => {
    const only = onlyRun(await check([header, open], { config: { profile: 'strict' } }));
    expect([only.fails, foundRules(only)]).toEqual([true, ['open-loop', 'contract-loosened']]);
  });

  test('a header alone may, where nobody chose', async () => {
    expect(onlyRun(await check([header, open])).fails).toBe(false);
  });

  test('bring a second contract that grants more', async () => {
    const trace = [
      { type: 'loop_start', iter: 0, goal: 'g', contract: { budget: 3 } },
      { type: 'loop_start', iter: 0, goal: 'g', contract: { budget: 100 } },
      { type: 'tool', iter: 4, name: 'x' },
      { type: 'terminal', iter: 4, reason: 'done' },
    ].map((span, index) => JSON.stringify({ run_id: 'a', seq: index + 1, ...span }));
    for (const order of [trace, trace.toReversed()]) {
      const only = onlyRun(await check(order));
      expect(only.contract.budget).toBe(3);
      expect(foundRules(only)).toContain('contract-loosened');
      expect(foundRules(only)).toContain('over-budget');
    }
  });

  test('ignore a null severity', async () => {
    const only = onlyRun(await check(['{"type":"contract","rules":{"open-loop":null}}', open]));
    expect(only.fails).toBe(true);
  });
});

describe('what is spent', () => {
  const spans = (...more: object[]): string[] =>
    more.map((span, index) => JSON.stringify({ run_id: 'a', seq: index + 1, ...span }));
  const late = spans(
    { type: 'tool', iter: 1, name: 'x' },
    { type: 'terminal', iter: 1, reason: 'done' },
    { type: 'model', iter: 1, tokens_in: 1000 },
    { type: 'tool', iter: 2, name: 'y' },
  );

  test('is counted from the first place in seq order, not in the order of the rules', async () => {
    expect(onlyRun(await check(late, { config: { budget: 1 } })).spentAfter?.tokensIn).toBe(1000);
  });

  test('a rule that is off halts nothing', async () => {
    const rules = { 'over-budget': 'off', 'activity-after-terminal': 'off' };
    expect(onlyRun(await check(late, { config: { budget: 1, rules } })).spentAfter).toBeUndefined();
  });

  test.each([
    ['a clock that runs backwards', [0, 1000, 2000, 90_000, 3000]],
    ['a clock without end', [-1e308, 1e308]],
  ])('%s gives no seconds below zero or without end', async (_name, clock) => {
    const trace = spans(...clock.map((mono_ms, index) => ({ type: 'tool', iter: 24 + index, name: 'x', mono_ms })));
    const { spent, spentAfter } = onlyRun(await check(trace));
    for (const seconds of [spent.seconds, spentAfter?.seconds]) {
      if (seconds !== undefined) expect(seconds).toBeGreaterThanOrEqual(0);
      if (seconds !== undefined) expect(Number.isFinite(seconds)).toBe(true);
    }
  });

  test('tokens stay a safe integer', async () => {
    const trace = spans(
      ...[1, 2].map((iter) => ({ type: 'tool', iter, name: 'x', tokens_in: Number.MAX_SAFE_INTEGER })),
    );
    expect(onlyRun(await check(trace)).spent.tokensIn).toBe(Number.MAX_SAFE_INTEGER);
  });

  test('a time without an offset measures nothing', async () => {
    const trace = (zone: string) =>
      spans(
        { type: 'loop_start', ts: `2026-03-29T01:30:00${zone}` },
        { type: 'note', ts: `2026-03-29T03:30:00${zone}` },
      );
    expect(onlyRun(await check(trace(''))).spent.seconds).toBeUndefined();
    expect(onlyRun(await check(trace('Z'))).spent.seconds).toBe(7200);
  });
});

test('a long row of spaces inside a line costs no more than its length', async () => {
  const line = `{"run_id":"a","seq":1,"type":"x","summary":"${' '.repeat(4_000_000)}x"}`;
  expect((await check([line, line])).summary.spans).toBe(2);
}, 20_000);

test('many unknown rules in a header are read once, not for every run', async () => {
  const rules = Object.fromEntries(Array.from({ length: 40_000 }, (_, index) => [`no-rule-${index}`, 'off']));
  const runs = Array.from({ length: 2000 }, (_, index) =>
    JSON.stringify({ run_id: `run ${index}`, seq: 1, type: 'loop_start', goal: 'g', contract: { budget: 1 } }),
  );
  const report = await check([JSON.stringify({ type: 'contract', rules }), ...runs]);
  expect(report.summary.runs).toBe(2000);
}, 20_000);

test('a budget that nobody declared is no cap beside one that somebody did', async () => {
  const only = onlyRun(await check(lines('tool@24:a,tokens_in=24 stop@24:budget'), { config: { max_tokens: 1000 } }));
  expect(foundRules(only)).toContain('false-budget');
});

test('a wait that never ends leaves no-progress unverifiable', async () => {
  const only = onlyRun(await check(lines('start@0 wait@1 tool@1:a tool@2:a tool@3:a stop@3:done')));
  expect(only.unverifiable.map(({ rule }) => rule)).toContain('no-progress');
});

describe('the command says why it fails', () => {
  test.each([
    [
      'an open run that fails by another rule',
      ['--rule', 'open-loop=warn', '--rule', 'over-budget=error', '--budget', '1'],
    ],
    ['an inconclusive run that fails by a rule', ['--partial', '--rule', 'over-budget=error', '--budget', '1']],
  ])('%s has the column breaks', async (_name, flags) => {
    const { stdout, code } = await run([...flags, 'fixtures/verdicts/open_loop/killed.jsonl']);
    expect([stdout, code]).toEqual(['killed\topen_loop\titer=2\tspans=5\tbreaks=over-budget\n', 1]);
  });

  test('an empty trace under --quiet is no silence', async () => {
    const { stderr, code } = await run(['--quiet', '/dev/null']);
    expect([stderr.includes('no span'), code]).toEqual([true, 2]);
  });

  test('a report that cannot be written does not take the verdicts with it', async () => {
    const { stdout, stderr, code } = await run([
      '--format',
      'json=none/r.json',
      'fixtures/verdicts/closed_ok/honest.jsonl',
    ]);
    expect(stdout).toContain('closed_ok');
    expect(stderr).toContain('none/r.json: the report cannot be written (ENOENT)');
    expect(code).toBe(2);
  });

  test.each([
    [
      'a rule that classic does not know',
      ['--profile', 'classic', '--rule', 'missing-goal=error', 'x'],
      'missing-goal',
    ],
    ['a report over a trace', ['--format', 'json=./x', 'x'], 'over a trace'],
  ])('%s is refused', async (_name, argv, words) => {
    const { stderr, code } = await run(argv);
    expect([stderr.includes(words), code]).toEqual([true, 2]);
  });
});
