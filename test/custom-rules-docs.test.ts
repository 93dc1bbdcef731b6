import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { blocks } from './markdown.js';
import { type Folder, folder, ROOT } from './run-command.js';
import { run } from './run-main.js';
import { lines } from './trace-words.js';

const DOC = readFileSync('docs/custom-rules.md', 'utf8');
const EXAMPLES = 'examples/custom-rules';
const CONFIG = `${EXAMPLES}/terminal-contract.config.yaml`;

/** A project that has installed the package. */
const project = (files: Readonly<Record<string, string | readonly string[]>>): Folder => {
  const at = folder(files);
  mkdirSync(join(at.path, 'node_modules'));
  symlinkSync(ROOT, join(at.path, 'node_modules', 'terminal-contract'));
  return at;
};

describe('the example no-new-file', () => {
  test.each([
    ['breaks', 1, ['breaks:12']],
    ['threshold', 1, ['threshold:12']],
    ['one-short', 0, []],
    ['keeps', 0, []],
  ])('%s, and no other rule finds anything', async (name, code, found) => {
    const ran = await run(['--config', CONFIG, '--format', 'json', `${EXAMPLES}/${name}.jsonl`]);
    const report: {
      readonly summary: { readonly by_rule: Readonly<Record<string, number>> };
      readonly runs: readonly { readonly run_id: string; readonly findings: readonly { readonly line: number }[] }[];
    } = JSON.parse(ran.stdout);
    expect(ran.code).toBe(code);
    expect(report.summary.by_rule).toEqual(code === 0 ? {} : { 'no-new-file': 1 });
    expect(report.runs.flatMap(({ run_id, findings }) => findings.map(({ line }) => `${run_id}:${line}`))).toEqual(
      found,
    );
  });

  test('takes another number from a config that is code', async () => {
    const ran = await run(['--config', `${EXAMPLES}/with-code.config.mjs`, `${EXAMPLES}/one-short.jsonl`]);
    expect([ran.code, ran.stdout]).toEqual([1, 'one-short\tclosed_ok\titer=5\tspans=11\tbreaks=no-new-file\n']);
  });

  test.each([
    ['whose writes name no file', ['', '', '', '', '', ''], 'no write names its path'],
    ['of which one does not, where it could matter', ['a', 'a', 'a', '', 'a', 'a', 'a'], 'some writes name no path'],
    ['of which one does not, where the rest is enough', ['', 'a', 'a', 'a', 'a', 'a', 'a'], undefined],
  ])('cannot judge a run %s', async (_run, paths, because) => {
    const words = paths.map(
      (path, index) => `tool@${index + 1}:${index},effect=write${path === '' ? '' : `,path=${path}`}`,
    );
    const at = folder({ 'trace.jsonl': lines(`start@0 ${words.join(' ')} stop@${paths.length}:done`) });
    const { stdout } = await run(['--config', CONFIG, '--format', 'json', join(at.path, 'trace.jsonl')]);
    expect(JSON.parse(stdout).runs[0].unverifiable_because['no-new-file']).toBe(because);
    expect(JSON.parse(stdout).summary.by_rule['no-new-file']).toBe(because === undefined ? 1 : undefined);
  });

  test('passes its own tests', () => {
    const output = execFileSync(process.execPath, ['--test', `${EXAMPLES}/no-new-file.test.mjs`], { encoding: 'utf8' });
    expect(output).toMatch(/^(?:#|ℹ) pass 3$/m);
  });

  test('is typed', () => {
    const compiler = join('node_modules', 'typescript', 'bin', 'tsc');
    const flags = '--ignoreConfig --noEmit --allowJs --checkJs --strict --module nodenext --target es2023 --types node';
    const files = readdirSync(EXAMPLES).filter((name) => /(?:file|config)\.mjs$/.test(name));
    const words = [compiler, ...flags.split(' '), ...files.map((name) => `${EXAMPLES}/${name}`)];
    expect(execFileSync(process.execPath, words, { encoding: 'utf8' })).toBe('');
  });
});

describe('docs/custom-rules.md', () => {
  const [rule = '', , ownTest = '', ...configs] = blocks(DOC, 'js');
  const [config = ''] = blocks(DOC, 'yaml');
  const files = {
    'rules/no-curl.mjs': rule,
    'rules/no-curl.test.mjs': ownTest,
    'terminal-contract.config.yaml': config,
    'traces.jsonl': [
      ...lines('start@0 tool@1:a,name=curl stop@1:done', 'curls'),
      ...lines('start@0 tool@1:a stop@1:done', 'edits'),
    ],
  };

  test('shows a rule that works as it is', async () => {
    const at = project(files);
    const ran = await at.run(['traces.jsonl']);
    expect(ran).toMatchObject({
      code: 1,
      stdout: 'curls\tclosed_ok\titer=1\tspans=3\tbreaks=no-curl\nedits\tclosed_ok\titer=1\tspans=3\n',
    });
    expect(ran.stderr).toContain('traces.jsonl:2: curl is called; use the fetch tool, which is logged\n');
    expect((await at.run(['rules'])).stdout).toContain('\nno-curl ');
    expect((await at.run(['rules', 'no-curl'])).stdout).toContain('No call of curl.');
  });

  test('shows a test that passes, and fails without the rule', async () => {
    const at = project(files);
    expect(await at.shell(`'${process.execPath}' --test rules/no-curl.test.mjs`)).toMatchObject({ code: 0 });
    at.write({ 'rules/no-curl.mjs': rule.replace("'curl' ?", "'other' ?") });
    expect(await at.shell(`'${process.execPath}' --test rules/no-curl.test.mjs`)).toMatchObject({ code: 1 });
  });

  test('shows a config that is code', async () => {
    const at = project({
      'no-new-file.mjs': readFileSync(`${EXAMPLES}/no-new-file.mjs`, 'utf8'),
      'terminal-contract.config.mjs': configs[0] ?? '',
      'trace.jsonl': readFileSync(`${EXAMPLES}/one-short.jsonl`, 'utf8'),
    });
    expect((await at.run(['trace.jsonl'])).stderr).toContain('warn no-new-file: 1 passing run');
  });

  test('shows what the command prints', async () => {
    const [, words = '', expected = ''] =
      /^\$ terminal-contract (.*)\n([\s\S]*)$/.exec(blocks(DOC, 'console')[0] ?? '') ?? [];
    const { stdout, stderr, code } = await run(words.split(' '));
    expect({ printed: stdout + stderr, code }).toEqual({ printed: expected, code: 1 });
  });
});
