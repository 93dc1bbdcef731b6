import { describe, expect, test } from 'vitest';
import { RULES } from '../src/rules/index.js';
import { type Rule, unjudgedText } from '../src/rules/rule.js';
import { check, foundRules, onlyRun } from './judge.js';
import { CHECKPOINT_ROWS } from './rows-checkpoints.js';
import { EDGE_ROWS } from './rows-edges.js';
import { GUARD_ROWS } from './rows-guards.js';
import { RAILS_ROWS } from './rows-rails.js';
import { RECEIPT_ROWS } from './rows-receipts.js';
import { EVERY_FAMILY, MS, TTL, UNJUDGED, type Unjudged } from './rows-unjudged.js';
import { lines } from './trace-words.js';

const ALL: readonly Rule[] = RULES;
const kept = 'verify:v1 receipt:r1,verify_ids=v1';

const saidOf = async (words: string, settings: Unjudged['settings']): Promise<readonly (readonly [string, string])[]> =>
  onlyRun(await check(lines(words), settings)).unverifiable.map(({ rule, because }) => [rule, because]);

describe('what a page says cannot be judged, is not', () => {
  test.each(UNJUDGED)('$rule of $words under $settings', async ({ rule, words, settings }) => {
    const run = onlyRun(await check(lines(words), settings));
    expect(run.unverifiable.map((unverifiable) => unverifiable.rule)).toContain(rule);
    expect(foundRules(run)).not.toContain(rule);
  });
});

/** What the verdict says of any rule of a required family that saw nothing: no page has to. */
const isGeneral = (rule: string, because: string): boolean =>
  ALL.some(({ id, needs }) => id === rule && because === `the run carries no ${needs}`);

test('and every rule that is ever not judged by its own account has a page that says so, and no other', async () => {
  const traces = [...CHECKPOINT_ROWS, ...EDGE_ROWS, ...GUARD_ROWS, ...RAILS_ROWS, ...RECEIPT_ROWS, ...UNJUDGED];
  const said = new Set<string>();
  for (const words of new Set(traces.map((trace) => trace.words))) {
    for (const settings of [{ partial: true }, { config: EVERY_FAMILY }, { config: { ...MS, max_tokens: 100 } }]) {
      for (const [rule, because] of await saidOf(words, settings)) if (!isGeneral(rule, because)) said.add(rule);
    }
  }
  for (const { rule, words, settings } of UNJUDGED) {
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
