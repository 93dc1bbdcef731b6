import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Finding } from '../src/index.js';
import { check, foundRules, onlyRun } from './judge.js';
import { lines, many } from './trace-words.js';

const findingOf = async (rule: string, words: string, config: object = {}): Promise<Finding | undefined> =>
  onlyRun(await check(lines(words), { config })).findings.find((finding) => finding.rule === rule);

const steps = (calls: readonly string[]): string => calls.map((call, index) => `tool@${index + 1}:${call}`).join(' ');

describe('what a finding says', () => {
  test.each<[rule: string, words: string, seq: number, evidence: object, config?: object]>([
    [
      'repeated-call',
      'tool@1:a tool@2:a tool@3:a tool@4:b',
      3,
      { steps: 3, rows: 1, notice: 3, halt: 5, halted: false },
    ],
    ['repeated-call', many(6, (index) => `tool@${index + 1}:a`), 3, { steps: 6, rows: 1, halted: true }],
    ['repeated-call', steps([...'aaabbbbbc']), 3, { name: 'edit_file', steps: 5, rows: 2, halted: true }],
    ['repeated-call', steps([...'aaaaabbbc']), 3, { steps: 5, rows: 2, halted: true }],
    ['repeated-call', steps([...'aaabbb']), 3, { steps: 3, rows: 1, halted: false }],
    [
      'call-cycle',
      many(7, (index) => `tool@${index + 1}:a${index % 2},name=x${index % 2}`),
      6,
      { period: 2, laps: 3, names: 'x0, x1', notice: 3, halt: 5, halted: false },
    ],
    ['call-cycle', many(10, (index) => `tool@${index + 1}:a${index % 2}`), 6, { period: 2, laps: 5, halted: true }],
    ['call-cycle', many(19, (index) => `tool@${index + 1}:a${index % 4}`), 12, { period: 4, laps: 4, halted: false }],
    ['call-cycle', steps([...'abababcdecdecdecdecde']), 6, { period: 2, laps: 3, halted: true }],
    [
      'idempotent-no-progress',
      many(5, (index) => `tool@${index + 1}:a=x,name=grep`),
      2,
      { name: 'grep', times: 5, notice: 2, halt: 5, halted: true },
    ],
    [
      'idempotent-no-progress',
      'tool@1:a=x,name=grep tool@2:a=x,name=grep tool@3:b tool@4:a=x,name=grep tool@5:a=x,name=grep tool@6:a=x,name=grep',
      2,
      { times: 3, halted: false },
    ],
    [
      'failure-streak',
      'tool@1:a!error tool@2:a!error tool@3:b stop@3:done',
      2,
      { of: 'call', name: 'edit_file', failures: 2, notice: 2, halt: 5, halted: false },
    ],
    [
      'failure-streak',
      many(8, (index) => `tool@${index + 1}:a${index}!error`),
      3,
      { of: 'tool', args_hash: null, failures: 8, notice: 3, halt: 8, halted: true },
    ],
    ['failure-streak', many(5, (index) => `tool@${index + 1}:a!error`), 2, { of: 'call', failures: 5, halted: true }],
    [
      'over-cap',
      'tool@1:a,effect=spawn,count=2 tool@2:b,effect=spawn,count=3',
      2,
      { name: 'subagent', calls: 5, cap: 4, turn: null },
      { caps: { subagent: 4 } },
    ],
    [
      'guard-missed',
      many(7, (index) => `tool@${index + 1}:a`),
      5,
      { cause: 'repeated-call', calls_after: 2, went_on_seq: 6 },
      { guard: { hard_stop: true } },
    ],
    [
      'guard-missed',
      'tool@1:a guard@1,action=halt tool@2:b tool@3:c',
      2,
      { cause: 'guard', calls_after: 2, went_on_seq: 3 },
    ],
    [
      'warn-ignored',
      'tool@1:a guard@1,action=warn,code=c tool@2:a guard@2,action=warn tool@3:a',
      3,
      { code: 'c', name: 'edit_file', count: 2 },
    ],
    ['rejected-as-done', 'tool@1:a guard@1,action=block,code=c stop@1:done', 3, { action: 'block', code: 'c' }],
    ['rejected-as-done', 'tool@1:a stop@1:done,guard_code=c', 2, { action: 'stop', code: 'c' }],
  ])('%s of %s', async (rule, words, seq, evidence, config) => {
    const finding = await findingOf(rule, words, config);
    expect(finding?.at.seq).toBe(seq);
    expect(finding?.evidence).toMatchObject(evidence);
  });
});

describe('what the guard would have saved', () => {
  test.each([
    ['repeated-call: after the fifth step', `${steps([...'aaaaaaab'])} stop@8:done`, 3],
    ['call-cycle: after the fifth lap', `${steps([...'abababababab'])} stop@12:done`, 2],
    [
      'idempotent-no-progress: after the fifth read',
      many(10, (index) => `tool@${index + 1}:a${index % 2}=x,name=grep`),
      1,
    ],
    ['failure-streak: after the eighth failure', many(9, (index) => `tool@${index + 1}:a${index}!error`), 1],
    ['over-cap: from the call over it', many(53, (index) => `tool@${index + 1}:a${index},name=web_search`), 29],
    ['guard-missed: from the halt', 'tool@1:a guard@1,action=halt tool@2:b tool@3:c', 2],
  ])('%s', async (_name, words, calls) => {
    expect(onlyRun(await check(lines(words))).spentAfter?.calls).toBe(calls);
  });

  test.each([
    ['three same steps', 'tool@1:a tool@2:a tool@3:a tool@4:b stop@4:done'],
    ['four laps', `${steps([...'abababab'])} stop@8:done`],
    ['four same reads', `${many(4, (index) => `tool@${index + 1}:a=x,name=grep,effect=read`)} tool@5:b stop@5:done`],
    ['four failures of a call', `${many(4, (index) => `tool@${index + 1}:a=${index}!error`)} tool@5:b stop@5:done`],
  ])('is not said of %s, which no guard would have halted', async (_name, words) => {
    expect(onlyRun(await check(lines(words), { config: { no_progress_window: 9 } })).spentAfter).toBeUndefined();
  });
});

describe('what could not be judged is said', () => {
  const required = { require: ['guardrails'], guard: { hard_stop: true } };

  test.each<[rule: string, words: string, config: object]>([
    ['repeated-call', 'tool@1 tool@2 tool@3 tool@4:b', {}],
    ['repeated-call', many(4, (index) => `tool@${index + 1}:a,name=job_poll`), {}],
    ['warn-ignored', 'tool@1 guard@1,action=warn tool@2', {}],
    ['repeated-call', 'tool@1 stop@1:done', required],
    ['call-cycle', 'tool@1 tool@2,name=x stop@2:done', required],
    ['idempotent-no-progress', 'tool@1:a,name=grep stop@1:done', required],
    ['idempotent-no-progress', 'tool@1=x,name=grep stop@1:done', required],
    ['failure-streak', 'tool@1:a,status=null stop@1:done', required],
    ['guard-missed', 'tool@1:a stop@1:done', { require: ['guardrails'] }],
  ])('%s of %s under %o', async (rule, words, config) => {
    const run = onlyRun(await check(lines(words), { config }));
    expect(run.unverifiable.map((unverifiable) => unverifiable.rule)).toContain(rule);
    expect(foundRules(run)).not.toContain(rule);
  });

  test.each([
    ['a run with all that is asked for', 'start@0 tool@1:a=x,name=grep tool@2:b stop@2:done'],
    ['a run whose calls fail', 'start@0 tool@1:a!error tool@2:b stop@2:done'],
  ])('and nothing else: %s', async (_name, words) => {
    const ours = new Set(['repeated-call', 'call-cycle', 'idempotent-no-progress', 'failure-streak', 'over-cap']);
    for (const rule of ['guard-missed', 'warn-ignored', 'rejected-as-done']) ours.add(rule);
    const run = onlyRun(await check(lines(words), { config: required }));
    expect(run.unverifiable.filter(({ rule }) => ours.has(rule))).toEqual([]);
  });

  test.each([
    ['call-cycle', 'tool@1 tool@2,name=x stop@2:done'],
    ['idempotent-no-progress', 'tool@1:a,name=grep tool@2:a,name=grep stop@2:done'],
    ['guard-missed', 'tool@1:a stop@1:done'],
  ])('unless nobody asked: %s of %s', async (rule, words) => {
    const run = onlyRun(await check(lines(words)));
    expect(run.unverifiable.map((unverifiable) => unverifiable.rule)).not.toContain(rule);
  });
});

/** Whether the list holds three neighbouring laps of one length that are the same, and are not one call alone. */
const hasCycle = (calls: readonly string[]): boolean =>
  [2, 3, 4].some((period) =>
    calls.some((_, from) => {
      const laps = [0, 1, 2].map((lap) => calls.slice(from + lap * period, from + (lap + 1) * period));
      const [first = []] = laps;
      return laps.every((lap) => lap.length === period && lap.join() === first.join()) && new Set(first).size > 1;
    }),
  );

/** Whether the list holds a row of three that went on, or one of five. */
const hasRow = (calls: readonly string[]): boolean =>
  calls.some((call, from) => {
    const row = (length: number) =>
      calls.slice(from, from + length).filter((other) => other === call).length === length;
    const rest = calls.slice(from);
    return row(5) || (row(3) && rest.some((other) => other !== call));
  });

describe('rows and cycles are those of a naive reading', () => {
  const calls = fc
    .array(fc.tuple(fc.array(fc.constantFrom('a', 'b', 'c'), { minLength: 1, maxLength: 5 }), fc.nat({ max: 5 })), {
      maxLength: 5,
    })
    .map((parts) => parts.flatMap(([part, times]) => Array.from({ length: times }, () => part).flat()));

  test('over steps of one call each', async () => {
    await fc.assert(
      fc.asyncProperty(calls, async (list) => {
        const rules = foundRules(onlyRun(await check(lines(`start@0 ${steps(list)} stop:done`))));
        expect([rules.includes('repeated-call'), rules.includes('call-cycle')]).toEqual([hasRow(list), hasCycle(list)]);
      }),
      { numRuns: Number(process.env['TRACES'] ?? 500) },
    );
  });
});
