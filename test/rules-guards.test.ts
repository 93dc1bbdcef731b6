import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Finding } from '../src/index.js';
import { check, foundRules, onlyRun } from './judge.js';
import { GUARD_BREAKS, GUARD_DOUBTS, GUARD_HALTS, REQUIRED, steps } from './rows-guards.js';
import { lines, many } from './trace-words.js';

const findingOf = async (rule: string, words: string, config: object = {}): Promise<Finding | undefined> =>
  onlyRun(await check(lines(words), { config })).findings.find((finding) => finding.rule === rule);

describe('what a finding says', () => {
  test.each(GUARD_BREAKS)('%s of %s', async (rule, words, seq, evidence, config) => {
    const finding = await findingOf(rule, words, config);
    expect(finding?.at.seq).toBe(seq);
    expect(finding?.evidence).toMatchObject(evidence);
  });
});

describe('what the guard would have saved', () => {
  test.each(GUARD_HALTS)('%s', async (_name, words, calls) => {
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
  test.each(GUARD_DOUBTS)('%s of %s under %o', async (rule, words, config) => {
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
    const run = onlyRun(await check(lines(words), { config: REQUIRED }));
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
