import '../src/vitest.js';
import { createReadStream, readFileSync } from 'node:fs';
import { expect as jestExpect } from 'expect';
import { describe, expect, test } from 'vitest';
import { toKeepTheContract } from '../src/matchers.js';

jestExpect.extend({ toKeepTheContract });
interface Kept {
  toKeepTheContract(settings?: object): Promise<void>;
  readonly not: Kept;
}
const inJest = (trace: unknown): Kept => jestExpect(trace) as unknown as Kept;
const inVitest = (trace: unknown): Kept => expect(trace);

const GOOD = 'fixtures/verdicts/closed_ok/honest.jsonl';
const BAD = 'fixtures/verdicts/no_progress/known-bad.jsonl';
const ODD = 'fixtures/unusable/every-code.jsonl';
const spansOf = (path: string): object[] =>
  readFileSync(path, 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

/** What the failure of a matcher says. */
const failure = async (kept: Promise<void>): Promise<string> => {
  try {
    await kept;
  } catch (error) {
    return error instanceof Error ? error.message : '';
  }
  throw new Error('the matcher has passed');
};

describe.each([
  ['vitest', inVitest],
  ['Jest', inJest],
])('in %s', (_, expecting) => {
  test.each([
    ['a path', GOOD, BAD],
    ['bytes', readFileSync(GOOD), readFileSync(BAD)],
    ['spans', spansOf(GOOD), spansOf(BAD)],
    ['a folder', 'fixtures/verdicts/closed_ok', 'fixtures/verdicts/open_loop'],
  ])('%s', async (_what, good, bad) => {
    await expecting(good).toKeepTheContract();
    await expecting(bad).not.toKeepTheContract();
    await failure(expecting(bad).toKeepTheContract());
    await failure(expecting(good).not.toKeepTheContract());
  });

  test('a stream, and spans that come one by one', async () => {
    await expecting(createReadStream(GOOD)).toKeepTheContract();
    await expecting(
      (async function* () {
        yield* spansOf(BAD);
      })(),
    ).not.toKeepTheContract();
  });

  test('the failure says what the command says', async () => {
    const said = await failure(expecting(BAD).toKeepTheContract());
    expect(said).toContain('expected a trace that keeps the contract');
    expect(said).toMatch(/error no-progress fixtures\/verdicts\/no_progress\/known-bad\.jsonl:\d+: /);
    expect(said).toContain('1 failed');
  });

  test('what cannot be judged neither keeps nor breaks the contract', async () => {
    for (const trace of [ODD, 'no such file', [], 'fixtures/nothing-*.jsonl']) {
      await failure(expecting(trace).toKeepTheContract());
      expect(await failure(expecting(trace).not.toKeepTheContract())).toContain('a trace that breaks the contract');
    }
    await expecting([]).toKeepTheContract({ allowEmpty: true });
  });

  test('settings are those of the library', async () => {
    await expecting(GOOD).not.toKeepTheContract({ config: { require: ['receipts'] } });
    expect(await failure(expecting(GOOD).toKeepTheContract({ config: { budgets: 1 } }))).toContain('budgets');
  });

  test.each([[7], [null], [undefined], [{ run_id: 'a' }]])('%j is no trace', async (value) => {
    expect(await failure(expecting(value).toKeepTheContract())).toContain('expected the path of a trace');
  });
});
