import { chmodSync, lstatSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readWords } from '../src/command-line.js';
import type { Request } from '../src/commands/request.js';
import { refuseUnknownFlags } from '../src/flags.js';
import { readArguments } from '../src/options.js';
import { type Folder, folder } from './run-command.js';
import { lines } from './trace-words.js';

const KNOWN_BAD = lines('start@0 tool@1:a tool@2:a tool@3:a', 'demo');
const VERDICT = 'demo\tno_progress\titer=3\tspans=4\n';

const HOOK = `
const before = new Set(process.moduleLoadList);
process.on('exit', () => {
  const files = Object.keys(require.cache).filter((file) => file !== __filename);
  const parts = process.moduleLoadList.filter((part) => !before.has(part));
  require('node:fs').writeFileSync(process.env.LOADED, JSON.stringify({ files, parts }));
});
`;

/** The files that a run of the command loads, by their names, and the public parts of Node. */
const loadedBy = async (at: Folder, script: string) => {
  const LOADED = join(at.path, 'loaded.json');
  const NODE_OPTIONS = `--require=${join(at.path, 'hook.cjs')}`;
  const ran = await at.shell(script, { env: { LOADED, NODE_OPTIONS } });
  const { files, parts }: { files: string[]; parts: string[] } = JSON.parse(readFileSync(LOADED, 'utf8'));
  return {
    ran,
    files: files.map((file) => file.replace(/^.*[/\\]/, '')).sort(),
    parts: parts.flatMap((part) => /^NativeModule (?!internal\/)(.*)/.exec(part)?.[1] ?? []),
  };
};

const PLAIN = ['cli.cjs', 'main.cjs', 'rolldown-runtime.cjs'];
const FLAGS = [...PLAIN, 'yargs-parser.cjs'].sort();
// What tells the folder for temporary files, and the cores.
const SMALL_PARTS = ['os', 'module'];

describe('a run loads what it needs', () => {
  test.concurrent.for<readonly [string, string, readonly string[]]>([
    ['from a redirected file', 'terminal-contract < bad.jsonl', PLAIN],
    ['into a file', 'terminal-contract < bad.jsonl > out; cat out', PLAIN],
    ['into a pipe', 'terminal-contract < bad.jsonl | cat', PLAIN],
    ['with flags', 'terminal-contract --budget 24 --profile=terminal --quiet --token-kinds in,out < bad.jsonl', FLAGS],
    ['with a file', 'terminal-contract bad.jsonl', FLAGS],
    ['beside a package without a config', `echo '{"name":"x"}' > package.json; terminal-contract < bad.jsonl`, PLAIN],
  ])('%s', async ([, script, expected], { onTestFinished }) => {
    const at = folder({ 'bad.jsonl': KNOWN_BAD, 'hook.cjs': HOOK }, onTestFinished);
    const { ran, files, parts } = await loadedBy(at, script);
    expect(ran.stdout).toBe(VERDICT);
    expect(files).toEqual(expected);
    expect(parts.filter((part) => !SMALL_PARTS.includes(part))).toEqual([]);
  });

  test.concurrent.for<readonly [string, string, string]>([
    ['a config', 'terminal-contract --config x.json bad.jsonl', 'config-file.cjs'],
    ['the nearest config', 'cp x.json terminal-contract.config.json; terminal-contract bad.jsonl', 'config-file.cjs'],
    [
      'a config in a package',
      `echo '{"terminal-contract":{}}' > package.json; terminal-contract bad.jsonl`,
      'config-file.cjs',
    ],
    ['a contract of its own', 'terminal-contract contract.jsonl', 'contract-schema.cjs'],
    ['an unusual line', 'terminal-contract unusual.jsonl', 'read-span.cjs'],
    ['credentials', 'terminal-contract --profile strict bad.jsonl', '@secretlint-secretlint-rule-preset-recommend.cjs'],
    ['a command of the shell', 'terminal-contract command.jsonl', 'rules-gated-commands.cjs'],
    ['a report as JSON', 'terminal-contract --format json bad.jsonl', 'reporters-json.cjs'],
    ['help', 'terminal-contract --help', 'command-line.cjs'],
    ['an explanation', 'terminal-contract explain demo bad.jsonl', 'commands-explain.cjs'],
    ['a page for a browser', 'terminal-contract --format html=a.html bad.jsonl', 'reporters-html.cjs'],
  ])('and for %s, more', async ([, script, expected], { onTestFinished }) => {
    const files = {
      'bad.jsonl': KNOWN_BAD,
      'x.json': '{}',
      'contract.jsonl': '{"run_id":"r","type":"loop_start","contract":{"budget":1}}\n',
      'unusual.jsonl': '{"run_id":"r","type":"t\\u006fol"}\n',
      'command.jsonl': '{"run_id":"r","type":"tool","command":"git push"}\n',
      'hook.cjs': HOOK,
    };
    expect((await loadedBy(folder(files, onTestFinished), script)).files).toContain(expected);
  });
});

test('a pipe that does not wait gets all of a report', async ({ onTestFinished }) => {
  const many = Array.from({ length: 6000 }, (_, id) => `{"run_id":"run-${id}","seq":1,"type":"loop_start","iter":0}`);
  const at = folder({ 'many.jsonl': many }, onTestFinished);
  const { stdout: expected } = await at.shell('terminal-contract --quiet many.jsonl > all; md5sum < all');
  // Node makes the pipe of its own stdout one that does not wait, for all who share it.
  const sharer = `'${process.execPath}' -e 'process.stdout; console.error("shared"); setTimeout(() => {}, 60_000)'`;
  const { stdout } = await at.shell(`
    mkfifo told
    { ${sharer} 2> told & read -r < told; terminal-contract --quiet many.jsonl; kill $!; } | (sleep 1; cat) | md5sum`);
  expect(stdout).toBe(expected);
});

describe('several threads', () => {
  test('read a large file in the bundled command too', async ({ onTestFinished }) => {
    const at = folder({ 'hook.cjs': HOOK }, onTestFinished);
    const run = (id: number) =>
      lines('start@0 tool@1:a stop@1:done', `run-${id}`)
        .map((line) => `${line}\n`)
        .join('');
    let text = '';
    for (let id = 0; text.length < 70_000_000; id += 1) text += run(id);
    writeFileSync(join(at.path, 'large.jsonl'), text);
    const alone = await at.shell('terminal-contract --jobs 1 large.jsonl | md5sum');
    const { ran, files } = await loadedBy(at, 'terminal-contract --jobs 2 large.jsonl | md5sum');
    expect(files).toContain('threads.cjs');
    expect(ran).toEqual(alone);
  });
});

const hasCache = Number.parseInt(process.versions.node, 10) >= 22;
const cacheName = `terminal-contract-cache-${process.getuid?.() ?? 'user'}`;

describe('compiled code', () => {
  test('is kept in a folder that only its user can write to', async ({ onTestFinished }) => {
    const at = folder({ 'bad.jsonl': KNOWN_BAD }, onTestFinished);
    const run = () => at.run(['bad.jsonl'], { env: { TMPDIR: at.path } });
    const ran = [await run(), await run()];
    expect(ran.map(({ stdout, code }) => ({ stdout, code }))).toEqual(Array(2).fill({ stdout: VERDICT, code: 1 }));
    expect(at.names().includes(cacheName)).toBe(hasCache);
    if (hasCache) expect(lstatSync(join(at.path, cacheName)).mode & 0o777).toBe(0o700);
  });

  test.concurrent.for(['/proc', '/proc/self/fd', '/nonexistent/folder', '/dev/null'])(
    'is not kept under %s',
    async (TMPDIR, { onTestFinished }) => {
      const at = folder({ 'bad.jsonl': KNOWN_BAD }, onTestFinished);
      const { stdout, stderr, code } = await at.run(['--quiet', 'bad.jsonl'], { env: { TMPDIR } });
      expect({ stdout, stderr, code }).toEqual({ stdout: VERDICT, stderr: '', code: 1 });
    },
  );

  test.for<readonly [string, (at: Folder) => void]>([
    [
      'a folder that others can write to',
      (at) => {
        at.write({ [`${cacheName}/mine`]: '' });
        chmodSync(join(at.path, cacheName), 0o777);
      },
    ],
    ['a file', (at) => at.write({ [cacheName]: '' })],
  ])('is not kept in %s', async ([, prepare], { onTestFinished }) => {
    const at = folder({ 'bad.jsonl': KNOWN_BAD }, onTestFinished);
    prepare(at);
    const { stdout, code } = await at.run(['bad.jsonl'], { env: { TMPDIR: at.path } });
    expect({ stdout, code }).toEqual({ stdout: VERDICT, code: 1 });
    const path = join(at.path, cacheName);
    expect(lstatSync(path).isDirectory() ? readdirSync(path) : []).toEqual(
      lstatSync(path).isDirectory() ? ['mine'] : [],
    );
  });
});

/** The words as yargs alone would read them. */
const readByYargs = async (argv: readonly string[]): Promise<Request> => {
  try {
    refuseUnknownFlags(argv);
    return await readWords(argv, 80, '1.0.0');
  } catch (error) {
    return { kind: 'refusal', message: error instanceof Error ? error.message : '' };
  }
};

const WORDS = [
  ...['--budget', '--budget=3', '3', '-3', '--max-ms', '--max-tokens=1e3', '--no-progress-window', '0', '007', '0x10'],
  ...[
    '--profile',
    '--profile=strict',
    'strict',
    'classic',
    '--limits',
    'hermes',
    '--jobs',
    '--jobs=2',
    '--max-memory',
    '--max-memory=1GB',
    '--config',
    'c.json',
  ],
  ...['--no-progress-key', 'args+result', '--no-progress-key=args', '--seq-scope', 'run', '--unchanged-worktrees=2'],
  ...[
    '--token-kinds',
    'in,out',
    '--token-kinds=',
    '--require',
    'order',
    '--require=receipts,order',
    '--rule',
    'open-loop=warn',
  ],
  ...['--rule=seq-gap=off', '--format', 'json', '--format=json=a.json', '--partial', '--partial=true', '--allow-empty'],
  ...['--quiet', '--quiet=false', '--print-contract', '--', '-', '', 'a.jsonl', 'a b', '--no-quiet', '--quite', '-q'],
  ...[
    '--help',
    '-h',
    '--version',
    'help',
    'explain',
    'rules',
    'schema',
    'span',
    'open-loop',
    '__proto__',
    '--a.b',
    '--=x',
  ],
];

describe('a command line', () => {
  test.for(WORDS)('of %s alone means what yargs makes of it', async (word) => {
    expect(await readArguments([word], () => 80, '1.0.0')).toEqual(await readByYargs([word]));
  });

  test('of any words means what yargs makes of them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.constantFrom(...WORDS), { maxLength: 7 }), async (argv) => {
        expect(await readArguments(argv, () => 80, '1.0.0')).toEqual(await readByYargs(argv));
      }),
      { numRuns: 600 },
    );
  });
});
