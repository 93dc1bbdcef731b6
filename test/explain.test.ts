import { describe, expect, test } from 'vitest';
import { run } from './run-main.js';

const spanLines = (stdout: string): string[] => stdout.split('\n').filter((line) => /^[ >] seq /.test(line));

describe('explain', () => {
  test('marks the spans that findings are about, and says what each rule saw', async () => {
    const { stdout, code } = await run(['explain', 'run_bad', 'fixtures/verdicts/no_progress/known-bad.jsonl']);
    const marked = spanLines(stdout).filter((line) => line.startsWith('>'));
    expect(marked).toHaveLength(1);
    expect(marked[0]).toMatch(/seq 3 .*edit_file.*known-bad\.jsonl:4\) <- no-progress, open-loop$/);
    expect(stdout).toContain('saw: name edit_file, args_hash 9f2c4e1ab07d3358, steps 3, window 3');
    expect(code).toBe(1);
  });

  test('shows a late run in seq order', async () => {
    const { stdout, code } = await run(['explain', 'late_lines', 'fixtures/verdicts/closed_ok/out-of-order.jsonl']);
    expect(spanLines(stdout).map((line) => /seq (\d+)/.exec(line)?.[1])).toEqual([
      '1',
      '2',
      '3',
      '4',
      '5',
      '6',
      '7',
      '8',
    ]);
    expect(code).toBe(0);
  });

  test('shows replays as what they are', async () => {
    const { stdout } = await run(['explain', 'sent_twice', 'fixtures/replays/sent-twice.jsonl']);
    expect(spanLines(stdout)).toHaveLength(12);
    expect(spanLines(stdout).filter((line) => line.includes('replay, left out'))).toHaveLength(6);
  });

  test('speaks of the run alone, under the contract of the command line', async () => {
    const args = ['explain', 'second', '--budget', '0', 'fixtures/rules/open-handoff/chain.jsonl'];
    const { stdout } = await run(args);
    expect(stdout).toContain('over-budget');
    expect(stdout).not.toContain('third:');
  });

  test('says which rules could not be judged, and why', async () => {
    const { stdout } = await run(['explain', '--partial', 'killed', 'fixtures/verdicts/open_loop/killed.jsonl']);
    expect(stdout).toContain('Not judged:\n  open-loop: the input is partial');
  });

  test.each([
    [['explain'], 'needs the run_id'],
    [['explain', 'nobody', 'fixtures/verdicts/closed_ok/honest.jsonl'], 'holds no run nobody'],
    [['explain', 'a', '--format', 'json'], 'takes no --format'],
    [['explain', 'a', 'missing.jsonl'], 'there is no such file'],
  ])('%j is refused', async (argv, words) => {
    const { stderr, code } = await run(argv);
    expect(stderr).toContain(words);
    expect(code).toBe(2);
  });
});
