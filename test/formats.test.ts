import { mkdirSync, readdirSync, readFileSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { FORMAT_IDS, loadAdapters } from '../src/adapters/index.js';
import { folder, ROOT } from './run-command.js';
import { lines } from './trace-words.js';

const FOLDER = join(ROOT, 'fixtures', 'formats');
const TURNS = readFileSync(join(FOLDER, 'claude-code', 'two-turns.jsonl'));
const TURNS_TSV = '5e55#0001\tclosed_ok\titer=2\tspans=5\n5e55#0002\tclosed_ok\titer=1\tspans=3\n';
const KEPT = lines('start@0 tool@1:a stop@1:done', 'kept');
const KEPT_TSV = 'kept\tclosed_ok\titer=1\tspans=3\n';
const GLUED = `${KEPT.join('\n')}\n`;

const fixtures = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .map((path) => path.replaceAll('\\', '/'))
  .filter((path) => /\.[a-z]+$/.test(path) && !/\.(?:verdicts\.tsv|report\.txt)$/.test(path))
  .toSorted();

test('the list of formats is that of the adapters, and each says what it tells', async () => {
  const adapters = await loadAdapters();
  expect(adapters.map(({ id }) => id)).toEqual(FORMAT_IDS);
  const { stdout, code } = await folder().runInside(['formats']);
  expect(code).toBe(0);
  for (const { id, title, where, run, stops, tells, lacks } of adapters) {
    for (const text of [id, title, where, run, stops, tells, lacks]) expect(stdout).toContain(text);
  }
});

test('every format has fixtures', () => {
  expect([...new Set(fixtures.map((path) => path.split('/')[0]))].toSorted()).toEqual(FORMAT_IDS.toSorted());
});

interface WireRun {
  readonly findings: readonly { readonly rule: string }[];
  readonly terminal: { readonly reason: string | null; readonly detail: string | null } | null;
}
/** All that is said of the runs but where their spans stand. */
const runsOf = ({ stdout }: { readonly stdout: string }) =>
  JSON.parse(stdout).runs.map(
    ({ findings, terminal, first: _, last: __, ...run }: WireRun & Record<string, unknown>) => ({
      ...run,
      rules: findings.map(({ rule }) => rule),
      reason: terminal?.reason,
      detail: terminal?.detail,
    }),
  );

describe('a converted trace is judged as the trace is', () => {
  test.each(fixtures)('%s', async (path) => {
    const at = folder();
    const whole = join(FOLDER, path);
    const { stdout: native } = await at.runInside(['convert', '--quiet', whole]);
    at.write({ 'native.jsonl': native });
    const direct = await at.runInside(['--format', 'json', whole]);
    const converted = await at.runInside(['--format', 'json', join(at.path, 'native.jsonl')]);
    expect(runsOf(converted)).toEqual(runsOf(direct));
    expect(JSON.parse(converted.stdout).translated).toEqual([]);
  });
});

describe('convert', () => {
  test('says what it read, and exits 0', async () => {
    const { stdout, stderr, code } = await folder({ 't.jsonl': TURNS }).run(['convert', 't.jsonl']);
    expect(stdout.split('\n')[0]).toBe('{"type":"contract","no_progress_key":"args+result","clock":"derived"}');
    expect(stderr).toBe('read as claude-code: 1 input, 2 runs, 7 records\n');
    expect(code).toBe(0);
  });
  test.each([
    ['a native trace', GLUED, 'n.jsonl: unreadable-input: is native already'],
    ['what is of no format', '{"a":1}\n', 'n.jsonl: unreadable-input: is native already, or of no format'],
    ['nothing', '', 'n.jsonl: unreadable-input: is native already, or of no format'],
  ])('refuses %s', async (_, content, message) => {
    const { stdout, stderr, code } = await folder({ 'n.jsonl': content }).run(['convert', 'n.jsonl']);
    expect([stdout, code]).toEqual(['', 2]);
    expect(stderr).toContain(message);
  });
  test('says what it could not read', async () => {
    const cut = Buffer.concat([TURNS, Buffer.from('{"type":"user"\n{"type":"assistant","uu')]);
    const { stdout, stderr, code } = await folder({ 't.jsonl': cut }).run(['convert', 't.jsonl']);
    expect(stdout.split('\n')).toHaveLength(10);
    expect(stderr).toContain('t.jsonl:8:15: invalid-json');
    expect(stderr).toContain('t.jsonl:9:24: torn-tail');
    expect(code).toBe(2);
  });
});

describe('an input is known by what it holds, wherever it comes from', () => {
  test.each<readonly [string, string, string]>([
    ['a file', 'terminal-contract --quiet t.jsonl', TURNS_TSV],
    ['a file of another name', 'cp t.jsonl t.log; terminal-contract --quiet t.log', TURNS_TSV],
    ['a pipe', 'cat t.jsonl | terminal-contract --quiet', TURNS_TSV],
    [
      'a slow pipe',
      '(while read -r line; do echo "$line"; sleep 0.02; done < t.jsonl) | terminal-contract --quiet',
      TURNS_TSV,
    ],
    ['a redirected file', 'terminal-contract --quiet < t.jsonl', TURNS_TSV],
    ['a native file beside it', 'terminal-contract --quiet t.jsonl kept.jsonl', `${TURNS_TSV}${KEPT_TSV}`],
    ['a pipe and a file', 'cat kept.jsonl | terminal-contract --quiet t.jsonl -', `${TURNS_TSV}${KEPT_TSV}`],
    ['gzip', 'terminal-contract --quiet t.gz', TURNS_TSV],
    ['gzip in a pipe', 'cat t.gz | terminal-contract --quiet', TURNS_TSV],
    ['brotli', 'terminal-contract --quiet t.br', TURNS_TSV],
    ['UTF-16', 'terminal-contract --quiet t.utf16', TURNS_TSV],
    ['native gzip', 'terminal-contract --quiet kept.gz', KEPT_TSV],
    ['native UTF-16 in a pipe', 'cat kept.utf16 | terminal-contract --quiet', KEPT_TSV],
    ['by its name', 'terminal-contract --quiet --from claude-code t.jsonl', TURNS_TSV],
    ['all of a session', 'terminal-contract --quiet --run session t.jsonl', '5e55\tclosed_ok\titer=3\tspans=7\n'],
  ])('%s', async (_, script, verdicts) => {
    const utf16 = (text: string) => Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(text, 'utf16le')]);
    const at = folder({
      't.jsonl': TURNS,
      't.gz': gzipSync(TURNS),
      't.br': brotliCompressSync(TURNS),
      't.utf16': utf16(TURNS.toString()),
      'kept.jsonl': KEPT,
      'kept.gz': gzipSync(GLUED),
      'kept.utf16': utf16(GLUED),
    });
    const { stdout, stderr, code } = await at.shell(script);
    expect({ stdout, stderr, code }).toEqual({ stdout: verdicts, stderr: '', code: 0 });
  });

  test('places are those of the foreign file', async () => {
    const open = TURNS.toString().trimEnd().split('\n').slice(0, 4);
    const at = folder({ 'a.jsonl': KEPT, 'b.jsonl': open });
    const report = JSON.parse((await at.run(['--format', 'json', 'a.jsonl', 'b.jsonl'])).stdout);
    const run = report.runs.find(({ run_id: id }: { run_id: string }) => id === '5e55#0001');
    expect(run.first).toEqual({ file: 'b.jsonl', line: 2, seq: 1 });
    expect(run.last).toEqual({ file: 'b.jsonl', line: 3, seq: 3 });
    expect(run.findings.map(({ rule, file, line }: Record<string, unknown>) => [rule, file, line])).toContainEqual([
      'open-loop',
      'b.jsonl',
      3,
    ]);
  });

  test('native lines that are said to be native are not looked at, and others are unusable then', async () => {
    const at = folder({ 't.jsonl': TURNS });
    const { stdout, stderr, code } = await at.run(['--from', 'native', 't.jsonl']);
    expect([stdout, code]).toEqual(['', 2]);
    expect(stderr).toContain('t.jsonl:1:1: missing-run-id');
  });

  test.each([
    ['a SQLite database', Buffer.from('SQLite format 3\0'), 'it is a SQLite database'],
    ['protobuf', Buffer.from([0x0a, 0x9e, 0x03, 0x0a, 0x01, 0x02]), 'it is binary, and no JSON'],
    ['gzip that ends too soon', gzipSync(TURNS).subarray(0, 200), 'its compressed bytes end too soon'],
    [
      'gzip that is damaged',
      Buffer.concat([gzipSync(TURNS).subarray(0, 200), Buffer.alloc(400, 1)]),
      'its compressed bytes are damaged',
    ],
  ])('%s is refused with what to do', async (_, content, message) => {
    const { stderr, code } = await folder({ file: content }).run(['file']);
    expect(stderr).toContain(`file: unreadable-input: cannot be read: ${message}`);
    expect(code).toBe(2);
  });
});

describe('a folder', () => {
  const FILES = {
    'in/b/t.jsonl': TURNS,
    'in/a.jsonl': KEPT,
    'in/notes.md': '# notes\n',
    'in/.hidden/kept.jsonl': lines('start@0 stop@0:done', 'hidden'),
    'in/state.db': Buffer.from('SQLite format 3\0'),
  };
  test('is every trace below it, and what is none is counted', async () => {
    const at = folder(FILES);
    symlinkSync('.', join(at.path, 'in', 'loop'));
    const { stdout, stderr, code } = await at.run(['in']);
    expect(stdout).toBe(`${TURNS_TSV}hidden\tclosed_ok\titer=0\tspans=2\n${KEPT_TSV}`);
    expect(stderr).toContain('left out 3 files that are no trace\n');
    expect(code).toBe(0);
  });
  test('that holds no trace is no pass', async () => {
    const at = folder({ 'in/notes.md': 'x\n' });
    mkdirSync(join(at.path, 'empty'));
    expect(await at.run(['in'])).toMatchObject({ stdout: '', code: 2 });
    const { stderr, code } = await at.run(['empty']);
    expect(stderr).toContain('empty: no-match: the directory holds no file\n');
    expect(code).toBe(2);
  });
});

describe('--since and --until', () => {
  const run = (id: string, from: string, to: string | undefined): string[] =>
    lines(`start@0,ts=${from} tool@1:a,ts=${to ?? from}${to === undefined ? '' : ` stop@1:done,ts=${to}`}`, id);
  const at = () =>
    folder({
      't.jsonl': [
        ...run('early', '2026-03-01T09:00:00Z', '2026-03-01T10:00:00Z'),
        ...run('late', '2026-03-03T09:00:00Z', '2026-03-03T10:00:00Z'),
        ...run('over', '2026-03-01T23:00:00Z', '2026-03-02T01:00:00Z'),
        ...run('open', '2026-03-02T23:00:00Z', undefined),
        ...lines('start@0 stop@0:done', 'timeless'),
      ],
    });
  const ids = (stdout: string): string[] =>
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t')[0] ?? '');
  test.each([
    [
      ['--since', '2026-03-02'],
      ['late', 'open', 'over', 'timeless'],
    ],
    [
      ['--until', '2026-03-01'],
      ['early', 'over', 'timeless'],
    ],
    [
      ['--since', '2026-03-01T09:30:00Z', '--until', '2026-03-01T09:40:00Z'],
      ['early', 'timeless'],
    ],
    [
      ['--since', '2026-03-03T10:00:00Z'],
      ['late', 'timeless'],
    ],
    [
      ['--since', '2026-03-03T11:00:00+01:00'],
      ['late', 'timeless'],
    ],
    [['--since', '2026-03-04'], ['timeless']],
    [['--since', '1d'], ['timeless']],
  ])('%s', async (words, wanted) => {
    expect(ids((await at().run([...words, 't.jsonl'])).stdout)).toEqual(wanted);
  });
  test('a run across the edge may have stopped behind it, and one inside may not', async () => {
    const across = folder({
      't.jsonl': lines('start@0,ts=2026-03-01T23:00:00Z tool@1:a,ts=2026-03-02T01:00:00Z', 'r'),
    });
    expect(await across.run(['--until', '2026-03-01', 't.jsonl'])).toMatchObject({ code: 0 });
    expect(await across.run(['--until', '2026-03-02', 't.jsonl'])).toMatchObject({ code: 1 });
  });
  test('what is left out is said, and what is kept without a time', async () => {
    const { stderr } = await at().run(['--since', '2026-03-04', 't.jsonl']);
    expect(stderr).toContain('left out 4 runs not alive in the time asked about\nkept 1 run without a time\n');
  });
  test.each([
    [['--since', 'yesterday'], '--since must be a time such as 7d'],
    [['--until', '2026-13-01'], '--until must be a time such as 7d'],
    [['--since', '2026-03-02', '--until', '2026-03-01'], '--since is later than --until'],
    [['--since', '2026-02-30'], '--since must be a time'],
    [['--until', '2026-02-29T10:00:00Z'], '--until must be a time'],
  ])('%s is refused', async (words, message) => {
    const { stderr, code } = await at().run([...words, 't.jsonl']);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});

describe('a config says more of foreign formats', () => {
  const call = (id: number, note: string, reason: string): string =>
    `{"type":"assistant","uuid":"a${id}","sessionId":"s","requestId":"q${id}","message":{"id":"m${id}","stop_reason":"${reason}","content":[{"type":"tool_use","id":"t${id}","name":"Sh","input":{"cmd":"x","note":"${note}"}}]}}`;
  const result = (id: number): string =>
    `{"type":"user","uuid":"r${id}","sessionId":"s","message":{"content":[{"type":"tool_result","tool_use_id":"t${id}","content":"took ${id} s"}]}}`;
  const LOOP = [
    '{"type":"user","uuid":"u","sessionId":"s","message":{"content":"go"}}',
    ...[1, 2, 3].flatMap((id) => [call(id, `note ${id}`, 'tool_use'), result(id)]),
  ];
  test('what is volatile', async () => {
    const config = { volatile: { args: { Sh: ['note'] }, results: ['took \\d+ s'] } };
    const at = folder({ 't.jsonl': LOOP, 'c.json': JSON.stringify(config) });
    expect((await at.run(['t.jsonl'])).stdout).toBe('s#0001\topen_loop\titer=3\tspans=7\n');
    expect((await at.run(['--config', 'c.json', 't.jsonl'])).stdout).toBe('s#0001\tno_progress\titer=3\tspans=7\n');
  });
  test('what a word stands for; a word that nobody knows is no reason', async () => {
    const end =
      '{"type":"assistant","uuid":"e","sessionId":"s","message":{"id":"me","stop_reason":"gone_fishing","content":[]}}';
    const at = folder({ 't.jsonl': [...LOOP, end] });
    expect((await at.run(['t.jsonl'])).stdout).toBe('s#0001\tbad_terminal\titer=4\tspans=9\n');
    for (const word of ['gone_fishing', 'claude-code:gone_fishing']) {
      at.write({ 'c.json': JSON.stringify({ stop_reasons: { [word]: 'blocked' } }) });
      expect((await at.run(['--config', 'c.json', 't.jsonl'])).stdout).toBe(
        's#0001\tclosed_blocked\titer=4\tspans=9\n',
      );
    }
  });
  test.each([
    [{ volatile: { results: ['('] } }, 'volatile.results must be a list of regular expressions'],
    [{ volatile: { args: [] } }, 'volatile must be an object of args'],
    [{ stop_reasons: { a: 1 } }, 'stop_reasons must be an object of reasons by word'],
  ])('%j is refused', async (config, message) => {
    const { stderr, code } = await folder({ 'c.json': JSON.stringify(config) }).run(['--config', 'c.json', '-']);
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });
});

describe('what several failing runs cannot be judged by', () => {
  const BECAUSE = 'the iterations are counted, not recorded: none can be missing';
  const [first = '', prompt = ''] = TURNS.toString().split('\n');
  const open = (count: number): readonly string[] => [
    first,
    ...Array.from({ length: count }, (_, index) => prompt.replace('"uuid":"u1"', `"uuid":"p${index}"`)),
  ];
  const BROKEN = lines('start@0 tool@1:a', 'native');
  const notJudged = async (files: Readonly<Record<string, readonly string[]>>, ...flags: readonly string[]) => {
    const { stderr } = await folder(files).run([...flags, ...Object.keys(files)]);
    return stderr.split('\n').filter((line) => line.includes('bad-clock'));
  };

  test('is said where it happened, of one run', async () => {
    expect(await notJudged({ 't.jsonl': open(1) })).toEqual([`  not judged bad-clock: ${BECAUSE}`]);
  });
  test('is said once of all', async () => {
    const all = `not judged bad-clock in all 25 failing runs: ${BECAUSE}`;
    expect(await notJudged({ 't.jsonl': open(25) })).toEqual([all]);
  });
  test('is said once of some, by their ids', async () => {
    const some = `not judged bad-clock in 2 of 3 failing runs (5e55#0001, 5e55#0002): ${BECAUSE}`;
    expect(await notJudged({ 't.jsonl': open(2), 'n.jsonl': BROKEN })).toEqual([some]);
    const [many, ...others] = await notJudged({ 't.jsonl': open(25), 'n.jsonl': BROKEN });
    expect(many).toMatch(/^not judged bad-clock in 25 of 26 failing runs \(5e55#0001, .*5e55#0020 and 5 more\): /);
    expect(others).toEqual([]);
  });
  test('stands with each run that it fails', async () => {
    const required = `  required bad-clock: ${BECAUSE}`;
    expect(await notJudged({ 't.jsonl': open(2) }, '--require', 'termination')).toEqual([required, required]);
  });
  test('stands with each run in a report for programs', async () => {
    const { stdout } = await folder({ 't.jsonl': open(2) }).run(['--format', 'json', 't.jsonl']);
    const said = JSON.parse(stdout).runs.map((run: Record<string, unknown>) => run['unverifiable_because']);
    expect(said).toEqual([{ 'bad-clock': BECAUSE }, { 'bad-clock': BECAUSE }]);
  });
});

describe('a credential in a foreign record', () => {
  const TOKEN = ['ghp', 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ2bC4dF6hJ8'].join('_');
  const at = () => folder({ 't.jsonl': TURNS.toString().replace('src/a.ts:1: flag', `token=${TOKEN}`) });
  test('is said where credentials are asked for, and what it is never', async () => {
    const { stdout, stderr, code } = await at().run(['--profile', 'strict', '--format', 'json', 't.jsonl']);
    expect(JSON.parse(stdout).input_errors).toEqual([
      {
        file: 't.jsonl',
        line: 4,
        column: 1,
        code: 'leaked-secret',
        message: expect.stringMatching(/^a record holds a credential \(github\/GITHUB_TOKEN in message\.content/),
      },
    ]);
    expect(stdout + stderr).not.toContain(TOKEN.slice(4));
    expect(code).toBe(2);
  });
  test('is let be where nobody asks, and does not reach a converted trace', async () => {
    expect(await at().run(['--quiet', 't.jsonl'])).toMatchObject({ stdout: TURNS_TSV, code: 0 });
    expect((await at().run(['convert', 't.jsonl'])).stdout).not.toContain(TOKEN.slice(4));
  });
});
