import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { expectationOf } from '../src/commands/gate.js';
import { changesOf } from '../src/commands/line-changes.js';
import { run } from './run-main.js';

const span = (run_id: string, seq: number, type: string, more: object = {}): string =>
  `${JSON.stringify({ run_id, seq, iter: seq, type, ...more })}\n`;
const CLOSED = span('a', 1, 'loop_start', { goal: 'x' }) + span('a', 2, 'terminal', { reason: 'done' });
const OPEN = span('b', 1, 'loop_start', { goal: 'x' }) + span('b', 2, 'model');

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'gate-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const put = (name: string, text: string): void => {
  mkdirSync(join(folder, name, '..'), { recursive: true });
  writeFileSync(join(folder, name), text);
};
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const gate = async (...words: readonly string[]) => {
  const { stdout, stderr, code } = await run(['gate', folder, ...words]);
  return { code, stderr, said: stdout.replaceAll(`${folder}/`, '').trimEnd().split('\n') };
};

describe('what is found is held to what is expected', () => {
  test('a known-bad trace that is found bad passes', async () => {
    put('good.jsonl', CLOSED);
    put('deep/bad.jsonl', OPEN);
    put('good.verdicts.tsv', 'a\tclosed_ok\titer=2\tspans=2\n');
    put('deep/bad.verdicts.tsv', 'b\topen_loop\titer=2\tspans=2\n');
    const { code, said, stderr } = await gate();
    expect(said[0]).toBe('2 traces: 2 as expected');
    expect([code, stderr]).toEqual([0, '']);
  });

  test('a changed verdict fails with what it was and what it is', async () => {
    put('case.jsonl', OPEN + CLOSED);
    put(
      'case.verdicts.tsv',
      'a\tclosed_ok\titer=2\tspans=2\nb\tclosed_ok\titer=2\tspans=2\nc\tclosed_ok\titer=1\tspans=1\n',
    );
    const { code, said } = await gate();
    expect(said.slice(0, 5)).toEqual([
      'case.jsonl: its verdicts have changed (- expected, + found)',
      '  - b\tclosed_ok\titer=2\tspans=2',
      '  + b\topen_loop\titer=2\tspans=2',
      '  - c\tclosed_ok\titer=1\tspans=1',
      '1 trace: 0 as expected, 1 changed',
    ]);
    expect(code).toBe(1);
  });

  test('a trace without an expectation fails, and so does an expectation without its trace', async () => {
    put('new.jsonl', CLOSED);
    put('gone.verdicts.tsv', '');
    const { code, said } = await gate();
    expect(said.slice(0, 4)).toEqual([
      'new.jsonl: nothing says what it should be; look at its verdicts, and write new.verdicts.tsv with --update',
      '  + a\tclosed_ok\titer=2\tspans=2',
      'gone.verdicts.tsv: the trace that it was written for is gone',
      '1 trace: 0 as expected, 1 of which nothing is expected, 1 expectation without its trace',
    ]);
    expect(code).toBe(1);
  });

  test('an expectation whose line end was lost has changed', async () => {
    put('case.jsonl', CLOSED);
    put('case.verdicts.tsv', 'a\tclosed_ok\titer=2\tspans=2');
    expect((await gate()).code).toBe(1);
  });

  test.each([
    ['an empty folder', () => {}],
    ['a folder without a trace', () => put('README.md', '# no trace\n')],
    ['a folder that is not there', () => rmSync(folder, { recursive: true })],
  ])('%s is no pass', async (_, prepare) => {
    prepare();
    const { code, said } = await gate();
    mkdirSync(folder, { recursive: true });
    expect(code).toBe(2);
    expect(said.join('\n')).toContain('no trace was found');
  });

  test('lines that are unusable are part of what is expected', async () => {
    put('case.jsonl', `${CLOSED}no json\n`);
    put('case.verdicts.tsv', 'a\tclosed_ok\titer=2\tspans=2\n');
    expect((await gate()).said[1]).toBe('  + # line 3: invalid-json');
    put('case.verdicts.tsv', 'a\tclosed_ok\titer=2\tspans=2\n# line 3: invalid-json\n');
    expect((await gate()).code).toBe(0);
  });

  test('what does not look like a trace is judged where something is expected of it', async () => {
    put('case.txt', 'no json\n');
    put('case.verdicts.tsv', '# line 1: invalid-json\n');
    put('notes.md', 'words\n');
    const { code, said } = await gate();
    expect([code, said[0]]).toEqual([0, '1 trace: 1 as expected; 1 other file is no trace']);
  });

  test('notes beside a trace are not taken for it', async () => {
    put('case.jsonl', CLOSED);
    put('case.md', 'words\n');
    put('case.verdicts.tsv', 'a\tclosed_ok\titer=2\tspans=2\n');
    const { code, said } = await gate();
    expect([code, said[0]]).toEqual([0, '1 trace: 1 as expected; 1 other file is no trace']);
  });

  test('two traces cannot share an expectation', async () => {
    put('case.jsonl', CLOSED);
    put('case.ndjson', CLOSED);
    put('case.verdicts.tsv', 'a\tclosed_ok\titer=2\tspans=2\n');
    const { code, said } = await gate();
    expect(code).toBe(2);
    expect(said[0]).toBe('case.ndjson: case.jsonl has the same case.verdicts.tsv; give one of them another name');
  });

  test('a trace of another format has verdicts as well', async () => {
    cpSync('fixtures/formats/codex-exec', folder, { recursive: true });
    expect((await gate()).code).toBe(0);
  });

  test('nothing of an expectation or a trace acts on a terminal', async () => {
    put('case.jsonl', span('\u001b[31m', 1, 'model'));
    put('case.verdicts.tsv', '\u001b]0;x\u0007\tclosed_ok\n');
    const { said } = await gate();
    expect(said.join('')).not.toMatch(/\p{Cc}(?<!\t)/u);
    expect(said[1]).toBe('  - \\u001b]0;x\\u0007\tclosed_ok');
  });
});

describe('--update', () => {
  test('writes what is found, and takes away what is stale', async () => {
    put('new.jsonl', CLOSED);
    put('changed.jsonl', OPEN);
    put('changed.verdicts.tsv', '');
    put('gone.verdicts.tsv', '');
    const { code, said } = await gate('--update');
    expect([code, said.at(-1)]).toEqual([0, 'wrote 2, removed 1']);
    expect(readdirSync(folder).toSorted()).toEqual([
      'changed.jsonl',
      'changed.verdicts.tsv',
      'new.jsonl',
      'new.verdicts.tsv',
    ]);
    expect(read('changed.verdicts.tsv')).toBe('b\topen_loop\titer=2\tspans=2\n');
    expect((await gate()).code).toBe(0);
  });

  test('writes nothing where something cannot be judged', async () => {
    put('case.jsonl', CLOSED);
    put('case.ndjson', CLOSED);
    expect((await gate('--update')).code).toBe(2);
    expect(readdirSync(folder)).toEqual(['case.jsonl', 'case.ndjson']);
  });

  test('belongs to gate alone', async () => {
    expect(await run(['--update', 'x.jsonl'])).toMatchObject({ code: 2, stdout: '' });
    expect(await run(['explain', 'a', '--update', 'x.jsonl'])).toMatchObject({ code: 2, stdout: '' });
  });
});

describe('the contract', () => {
  test('of a folder is the nearest config', async () => {
    put('case.jsonl', span('a', 1, 'loop_start') + span('a', 2, 'terminal', { reason: 'done' }));
    put('case.verdicts.tsv', 'a\tclosed_ok\titer=2\tspans=2\n');
    put('strict/case.jsonl', read('case.jsonl'));
    put('strict/terminal-contract.config.json', '{"rules":{"missing-goal":"error"}}');
    put('strict/case.verdicts.tsv', 'a\tclosed_ok\titer=2\tspans=2\tbreaks=missing-goal\n');
    expect((await gate()).code).toBe(0);
  });

  test('of the command line holds for all', async () => {
    put('case.jsonl', CLOSED);
    put('case.verdicts.tsv', 'a\tclosed_ok\titer=2\tspans=2\n');
    expect((await gate('--require', 'receipts')).code).toBe(1);
  });

  test('rules in force that no trace breaks are named', async () => {
    put('case.jsonl', OPEN);
    put('case.verdicts.tsv', 'b\topen_loop\titer=2\tspans=2\n');
    const named = (await gate()).said.at(-1) ?? '';
    expect(named).toMatch(/^no trace breaks: .*\bdouble-stop\b/);
    expect(named).not.toMatch(/\bopen-loop\b|\bleaked-secret\b/);
    expect((await gate('--rule', 'double-stop=off')).said.at(-1)).not.toContain('double-stop');
  });
});

test.each([
  [[], 'gate needs the folder'],
  [['-'], 'gate reads files'],
  [['x', '--format', 'json'], 'gate takes no --format'],
  [['x', '--print-contract'], 'gate takes no --print-contract'],
  [['x', '--since', '7d'], 'gate takes no --since'],
])('gate %j is refused', async (words, because) => {
  const { code, stderr } = await run(['gate', ...words]);
  expect(code).toBe(2);
  expect(stderr).toContain(because);
});

test.each([
  ['case.jsonl', 'case.verdicts.tsv'],
  ['a.b/case', 'a.b/case.verdicts.tsv'],
  ['case.jsonl.gz', 'case.verdicts.tsv'],
  ['v1.2/run.3.json', 'v1.2/run.3.verdicts.tsv'],
])('%s has %s', (path, expectation) => {
  expect(expectationOf(path)).toBe(expectation);
});

test.each([
  ['', '', []],
  ['a\n', 'a\n', []],
  ['a\nb\n', 'b\na\n', ['-a', '-b', '+b', '+a']],
  ['a\na\n', 'a\n', ['-a']],
  ['r\t1\ns\t1\n', 'r\t2\nt\t1\n', ['-r\t1', '+r\t2', '-s\t1', '+t\t1']],
])('changes from %j to %j', (before, after, changes) => {
  expect(changesOf(before, after).map(({ sign, line }) => sign + line)).toEqual(changes);
});
