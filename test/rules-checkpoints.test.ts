import { describe, expect, test } from 'vitest';
import { render } from '../src/index.js';
import { answer, ask, exampleLines, gated, start, stop, tool } from '../src/rules/example.js';
import { RULES } from '../src/rules/index.js';
import type { ExampleSpan } from '../src/rules/rule.js';
import { check, foundRules, onlyRun } from './judge.js';
import { CHECKPOINT_BREAKS, CHECKPOINT_DOUBTS } from './rows-checkpoints.js';
import { lines } from './trace-words.js';

const FAMILY = RULES.filter(({ family }) => family === 'checkpoints').map(({ id }) => id);

const judge = async (spans: readonly ExampleSpan[], config = {}) =>
  onlyRun(await check([...exampleLines(spans)], { config }));
const shell = (command: string, more: Partial<ExampleSpan> = {}): ExampleSpan =>
  tool(1, 'shell', { name: 'shell', command, ...more });

describe('a command stands in for a missing gate', () => {
  test.each<[string, ExampleSpan, string[]]>([
    ['a gated command', shell('cd x && git push'), ['unapproved-action']],
    ['a plain command', shell('git status'), []],
    ['a gated command that was blocked', shell('git push', { outcome: 'blocked' }), []],
    ['a plain command under a gate', shell('git status', { gate: 'push' }), ['unapproved-action']],
    ['an empty command', shell(''), []],
    ['a command that is too long to read', shell('x'.repeat(70_000)), ['unapproved-action']],
  ])('%s', async (_what, span, found) => {
    expect(foundRules(await judge([start(), span, stop(1)]))).toEqual(found);
  });

  test('an approval of its action_hash approves it', async () => {
    const { action_hash } = gated(1, 'push');
    const run = await judge([start(), ask(1, 'push'), answer(1, 'push'), shell('git push', { action_hash }), stop(1)]);
    expect([foundRules(run), run.unverifiable]).toEqual([[], []]);
  });

  test('and nothing of it is quoted', async () => {
    const report = await check([...exampleLines([start(), shell('git push https://user:hunter2@host'), stop(1)])]);
    expect(onlyRun(report).findings.map(({ message, evidence }) => [message, evidence])).toEqual([
      [
        'an action of class push ran without an approval',
        { name: 'shell', gate: 'push', gate_from: 'command', action_hash: null, count: 1 },
      ],
    ]);
    for (const format of ['json', 'ndjson', 'tsv'] as const) expect(render(report, format)).not.toContain('hunter2');
  });
});

describe('evidence', () => {
  const evidenceOf = async (words: string) => {
    const run = onlyRun(await check(lines(words)));
    return run.findings.find(({ rule }) => FAMILY.some((id) => id === rule));
  };

  test.each(CHECKPOINT_BREAKS)('%s', async (words, line, message, evidence) => {
    expect(await evidenceOf(words)).toMatchObject({ at: { line }, message, evidence });
  });
});

describe('what cannot be judged is said', () => {
  test.each(CHECKPOINT_DOUBTS)('%s of %s', async (rule, words, settings) => {
    const run = onlyRun(await check(lines(words), settings));
    expect(run.unverifiable.map((unverifiable) => unverifiable.rule)).toContain(rule);
    expect(foundRules(run)).not.toContain(rule);
  });

  test.each([
    ['no tool says what it ran', 'start@0 tool@1:a stop@1:done', FAMILY],
    ['a plain command', 'start@0 tool@1:a,command=ls stop@1:done', []],
    ['an approved action', 'start@0 ask@1:a yes@1:a gated@1:a stop@1:done', []],
    ['an approval that nothing ties to what ran', 'start@0 ask@1:a yes@1:a gated@1 stop@1:done', ['unapproved-action']],
  ])('where the family is required: %s', async (_what, words, required) => {
    const run = onlyRun(await check(lines(words), { config: { require: ['checkpoints'] } }));
    expect([run.required, run.fails]).toEqual([required, required.length > 0]);
  });
});
