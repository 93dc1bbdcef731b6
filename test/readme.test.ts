import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ACTIONS, VERDICTS } from '../src/index.js';
import { agentHome } from './agent-home.js';
import { check, foundRules, onlyRun } from './judge.js';
import { blocks } from './markdown.js';

const README = readFileSync('README.md', 'utf8');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'readme-'));
  symlinkSync(resolve('dist/cli.cjs'), join(folder, 'terminal-contract'));
});
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs a line of shell with the built command in the path; what it says on both streams, and its exit code. */
const shell = (
  line: string,
  cwd = process.cwd(),
  more: Readonly<Record<string, string>> = {},
): { readonly output: string; readonly code: number } => {
  const env = { ...process.env, ...more, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` };
  const output = execFileSync('bash', ['-c', `{ ${line}\n} 2>&1; echo "exit=$?"`], { cwd, env, encoding: 'utf8' });
  const [, said = '', code = ''] = /^([\s\S]*)exit=(\d+)\n$/.exec(output) ?? [];
  return { output: said, code: Number(code) };
};

test('the console block shows what the command prints', () => {
  const [block = ''] = blocks(README, 'console');
  const [, command = '', expected = ''] = /^\$ (npx .*)\n([\s\S]*)\$ echo \$\?\n1\n$/.exec(block) ?? [];
  expect(shell(command)).toEqual({ output: expected, code: 1 });
});

test('each of the two commands does its work once npm ci has run', () => {
  const commands = blocks(README, 'sh').filter((block) => block.startsWith('npm ci && '));
  const [judge = '', runTests] = commands.map((block) => block.replace('npm ci && ', '').trim());
  expect(shell(judge)).toMatchObject({ code: 0 });
  expect(shell(judge).output).toContain('closed_ok');
  expect(runTests).toBe('npm test');
});

test('the spans to emit tonight are judged closed_ok, and break nothing', async () => {
  const [block = ''] = blocks(README, 'jsonl');
  const run = onlyRun(await check(block.trim().split('\n')));
  expect([run.verdict, foundRules(run), run.unverifiable]).toEqual(['closed_ok', [], []]);
});

describe('the tables', () => {
  const rows = [...README.matchAll(/^\| `(\w+)` \|.*\| (.*) \| (.*) \|$/gm)].filter(([, name]) =>
    VERDICTS.some((verdict) => verdict === name),
  );

  test('name every verdict, in the order of the first match', () => {
    expect(rows.map(([, name]) => name)).toEqual([...VERDICTS]);
  });

  test.each(rows.map(([, name, fails, action]) => [name, fails, action] as const))('%s', (name, _fails, action) => {
    expect(action).toBe(ACTIONS[name as keyof typeof ACTIONS]);
  });
});

test('the commands that name a trace of the reader run on one', () => {
  const trace = blocks(README, 'jsonl')[0] ?? '';
  const work = mkdtempSync(join(tmpdir(), 'readme-'));
  try {
    writeFileSync(join(work, 'traces.jsonl'), trace);
    writeFileSync(join(work, 'terminal-contract.config.yaml'), blocks(README, 'yaml')[0] ?? '');
    execFileSync('mkdir', ['-p', join(work, 'traces', 'monday')]);
    writeFileSync(join(work, 'traces', 'monday', 'one.jsonl'), trace);
    const commands = blocks(README, 'sh').filter((block) => block.startsWith('terminal-contract'));
    expect(commands.length).toBeGreaterThan(1);
    for (const command of commands) expect(shell(command, work)).toMatchObject({ code: 0 });
    expect(JSON.parse(readFileSync(join(work, 'report.json'), 'utf8')).contract.sources.budget).toBe('config file');
  } finally {
    rmSync(work, { recursive: true });
  }
});

test('the commands that judge foreign formats, by an example rule, and before a merge, run', () => {
  const commands = blocks(README, 'sh').filter((block) => block.startsWith('npx '));
  const [week = '', formats = '', command = '', gate = '', ...others] = commands;
  expect(others).toEqual([]);
  const home = join(folder, 'home');
  agentHome(home, new Date().toISOString().slice(0, 10));
  const lately = shell(week, process.cwd(), { HOME: home });
  for (const id of ['claude-code', 'codex-rollout']) expect(lately.output).toContain(`read as ${id}: 1 input, 2 runs`);
  expect(lately).toMatchObject({ output: expect.not.stringContaining('left out'), code: 0 });
  const { output, code } = shell(formats);
  for (const id of ['codex-exec', 'otlp']) expect(output).toContain(`read as ${id}: `);
  expect(code).toBeLessThan(2);
  expect(shell(command)).toEqual({ output: expect.stringContaining('keeps\tclosed_ok\t'), code: 0 });
  expect(shell(gate)).toMatchObject({ output: expect.stringMatching(/^\d+ traces: \d+ as expected\b/), code: 0 });
});

test('the other commands that it names exist', () => {
  const names = [...README.matchAll(/`terminal-contract ((?:rules|schema|formats)[ \w-]*)`/g)].map(
    ([, words]) => words ?? '',
  );
  expect(names.length).toBeGreaterThan(2);
  for (const words of names) expect(shell(`terminal-contract ${words}`)).toMatchObject({ code: 0 });
});

test('the library example prints what it should', () => {
  const [block = ''] = blocks(README, 'js');
  const file = join(folder, 'example.mjs');
  writeFileSync(file, block.replace("'terminal-contract'", JSON.stringify(resolve('dist/index.js'))));
  expect(shell(`node ${file}`).output).toBe('nightly-1\tclosed_ok\titer=0\tspans=2\n 0\n');
});
