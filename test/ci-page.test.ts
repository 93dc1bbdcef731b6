import { cpSync, existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { blocks } from './markdown.js';
import { folder } from './run-command.js';

const PAGE = readFileSync('docs/ci.md', 'utf8');

/** All texts in a value of YAML. */
const textsIn = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsIn) : [];
};

const COMMANDS = [
  ...blocks(PAGE, 'yaml').flatMap((block) => textsIn(parse(block))),
  ...blocks(PAGE, 'groovy').flatMap((block) => [...block.matchAll(/sh "(.*)"/g)].map(([, command]) => command ?? '')),
  ...blocks(PAGE, 'sh'),
].filter((text) => text.startsWith('npx '));

const BAD = 'fixtures/verdicts/open_loop';
const GOOD = 'fixtures/verdicts/closed_ok';

/** Runs a command of the page where traces are as it expects them. */
const runOn = async (command: string, traces: string) => {
  const at = folder();
  cpSync(traces, join(at.path, 'traces/deep'), { recursive: true });
  const home = join(at.path, 'home');
  mkdirSync(join(home, '.claude'), { recursive: true });
  cpSync(traces, join(home, '.claude/projects'), { recursive: true });
  const [, folderOfReport] = /=(\w+)\//.exec(command) ?? [];
  if (folderOfReport !== undefined) mkdirSync(join(at.path, folderOfReport));
  const env = { HOME: home, GITHUB_STEP_SUMMARY: join(at.path, 'summary.md') };
  const said = await at.shell(command.replace('npx --yes terminal-contract', 'terminal-contract'), { env });
  const reports = [...command.matchAll(/--format "?\w+=([^\s"]+)/g)].map(([, name = '']) =>
    join(at.path, name.replace('$GITHUB_STEP_SUMMARY', 'summary.md').replace(`${at.path}/`, '')),
  );
  return { ...said, reports: reports.map((path) => (existsSync(path) ? readFileSync(path, 'utf8') : '')) };
};

test('each CI that the page names has a command', () => {
  expect(COMMANDS.length).toBe(PAGE.split('\n## ').length - 1);
});

describe.each(COMMANDS)('%s', (command) => {
  test('passes on traces that keep the contract', async () => {
    const { code, stderr } = await runOn(command, GOOD);
    expect(code, stderr).toBe(0);
  });

  const isGate = command.includes(' gate ');
  test.skipIf(isGate)('fails on traces that break it, and its reports say how', async () => {
    const { code, stdout, reports } = await runOn(command, BAD);
    expect(code).toBe(1);
    if (reports.length === 0) expect(stdout).toContain('open-loop');
    else for (const report of reports) expect(report).toMatch(/open.loop/);
  });

  test.runIf(isGate)('passes on known-bad traces that are found bad', async () => {
    expect((await runOn(command, BAD)).code).toBe(0);
  });
});
