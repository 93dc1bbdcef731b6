import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { exampleLines } from '../src/rules/example.js';
import { RULES } from '../src/rules/index.js';
import { askingFor, check, foundRules, onlyRun } from './judge.js';
import { nameOf, ROWS, settingsOf } from './rows.js';
import { HANDOFFS } from './rows-runs.js';
import { lines } from './trace-words.js';

describe('every rule finds what breaks it and stays silent otherwise', () => {
  test.each(ROWS.map((row) => [nameOf(row), row] as const))('%s', async (_name, row) => {
    const report = await check(lines(row.words), settingsOf(row));
    expect(report.inputErrors).toEqual([]);
    expect(foundRules(onlyRun(report)).includes(row.rule)).toBe(row.finds);
  });

  test('no two rows show the same', () => {
    const names = ROWS.map(nameOf);
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
  });

  test.each(RULES.map(({ id }) => id))('%s has rows of both kinds', (id) => {
    const rows = ROWS.filter(({ rule }) => rule === id);
    expect(new Set(rows.map(({ finds }) => finds))).toEqual(new Set([true, false]));
  });
});

describe('the ranked list', () => {
  const FOLDER = new URL('../src/rules/', import.meta.url);
  const definesRule = (file: string): boolean => / = defineRule</.test(readFileSync(new URL(file, FOLDER), 'utf8'));

  test('holds every rule file, and nothing else', () => {
    const files = readdirSync(FOLDER).filter(definesRule);
    expect(RULES.map(({ id }) => `${id}.ts`).toSorted()).toEqual(files.toSorted());
  });

  test.each(RULES.map((rule) => [rule.id, rule] as const))(
    '%s: its examples do what they say',
    async (id, { example }) => {
      const breaking = onlyRun(await check([...exampleLines(example.breaks)], { config: askingFor(id) }));
      const keeping = onlyRun(await check([...exampleLines(example.keeps)], { config: askingFor(id) }));
      expect(foundRules(breaking)).toEqual([id]);
      expect(foundRules(keeping)).toEqual([]);
    },
  );

  test.each(RULES.map((rule) => [rule.id, rule] as const))('%s: describes itself', (_id, rule) => {
    for (const text of [rule.passing, rule.why, rule.evidence, rule.action, rule.source]) expect(text).toMatch(/\S/);
    expect(rule.severity.strict).not.toBe('off');
  });
});

describe('what could not be judged is said', () => {
  test.each([
    ['no-progress', 'tool@1 tool@2 tool@3 stop@3:done', {}],
    ['no-progress', 'tool@1:a tool@2:a tool@3:a stop@3:done', { config: { no_progress_key: 'args+result' } }],
    ['bad-clock', 'tool:a tool:b stop:done', {}],
    ['open-loop', 'tool@1:a', { partial: true }],
    ['missing-goal', 'tool@1:a', { partial: true }],
    ['false-budget', 'tool@1:a stop@1:budget', {}],
    ['false-budget', 'tool@1:a stop@1:budget', { config: { max_tokens: 5 } }],
    ['open-handoff', 'start@0 stop@0:handoff,successor_run=other', {}],
  ])('%s of %s', async (rule, words, settings) => {
    const run = onlyRun(await check(lines(words), settings));
    expect(run.unverifiable.map((unverifiable) => unverifiable.rule)).toContain(rule);
    expect(foundRules(run)).not.toContain(rule);
  });

  test('and fails the run where its family is required', async () => {
    const trace = lines('start@0 tool@1 tool@2 tool@3 stop@3:done');
    const run = onlyRun(await check(trace, { config: { require: ['termination'] } }));
    expect([run.verdict, run.fails, run.required]).toEqual(['closed_ok', true, ['no-progress']]);
    expect(onlyRun(await check(trace)).fails).toBe(false);
  });
});

describe('handoffs are followed over runs', () => {
  test.each(HANDOFFS)('%s', async (_name, trace, broken) => {
    const { runs } = await check(trace);
    expect(runs.filter((run) => foundRules(run).includes('open-handoff')).map(({ runId }) => runId)).toEqual(broken);
  });
});

describe('what a missing guard cost', () => {
  test.each([
    ['no-progress: after the third same step', 'tool@1:a tool@2:a tool@3:a tool@4:a tool@5:a,tokens_in=7', [2, 2, 7]],
    [
      'over-budget: from the first iteration over it',
      'tool@24:a tool@25:b tool@26:c,tokens_in=7 stop@26:done',
      [2, 2, 7],
    ],
    ['activity-after-terminal: from the terminal', 'start@0 stop@0:done tool@1:a,tokens_in=7', [1, 1, 7]],
    ['the first of several', 'start@0 stop@0:done tool@25:a tool@26:a', [2, 26, 0]],
  ])('%s', async (_name, words, [calls, iterations, tokensIn]) => {
    expect(onlyRun(await check(lines(words))).spentAfter).toMatchObject({ calls, iterations, tokensIn });
  });

  test('is not said of a run that no rule would have halted', async () => {
    expect(onlyRun(await check(lines('start@0 tool@1:a'))).spentAfter).toBeUndefined();
  });
});
