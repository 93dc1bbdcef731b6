import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Finding } from '../src/index.js';
import { check, onlyRun } from './judge.js';
import { folder } from './run-command.js';
import { lines } from './trace-words.js';

const LOOKED = { config: { rules: { 'leaked-secret': 'warn' } } };
const LEAK = 'https://ci:s3cr3t-of-ci@git.example.org/app';

const stop = '{"run_id":"r","seq":9,"type":"terminal","iter":0,"reason":"done"}';
const findingOf = async (line: string): Promise<Finding | undefined> =>
  onlyRun(await check([line, stop], LOOKED)).findings.find(({ rule }) => rule === 'leaked-secret');
const spanWith = (more: object): string => JSON.stringify({ run_id: 'r', seq: 1, type: 'tool', name: 'x', ...more });

// Put together here, so that no file holds what a forge takes for a key.
const letters = (length: number): string => 'aB3dE5gH7jK9'.repeat(length).slice(0, length);
const KEY = letters(24);
const TOKEN = ['ghp', letters(36)].join('_');
const DATABASE = 'postgres://svc:Zq8rT4vX91@db.corp-internal.io/app';
const pem = (type: 'ed25519' | 'rsa'): string =>
  (type === 'rsa' ? generateKeyPairSync('rsa', { modulusLength: 2048 }) : generateKeyPairSync('ed25519')).privateKey
    .export({ type: 'pkcs8', format: 'pem' })
    .toString();

describe('kinds of credentials', () => {
  test.each([
    ['github/GITHUB_TOKEN', ['ghp', letters(36)].join('_')],
    ['gitlab/GITLAB_PERSONAL_ACCESS_TOKEN', ['glpat', letters(20)].join('-')],
    ['npm/NPM_ACCESS_TOKEN', ['npm', letters(36)].join('_')],
    ['slack/SLACK_TOKEN', ['xoxb', '1234567890', '1234567890', letters(24)].join('-')],
    ['slack/IncomingWebhook', ['https://hooks.slack.com', 'services', 'T0123', 'B0123', letters(24)].join('/')],
    ['anthropic/ANTHROPIC_API_KEY', ['sk', 'ant', 'api03', `${letters(93)}AA`].join('-')],
    ['openai/OPENAI_TOKEN', ['sk', `${letters(20)}T3BlbkFJ${letters(20)}`].join('-')],
    ['sendgrid/SENDGRID_KEY', ['SG', letters(22), letters(43)].join('.')],
    ['database-connection-string/PostgreSQLConnection', 'postgres://app:s3cr3t-of-db@db.example.org/app'],
    ['aws/AWSSecretAccessKey', `AWS_SECRET_ACCESS_KEY=${letters(40)}`],
    ['basicauth/BasicAuth', LEAK],
    ['privatekey/PrivateKey', pem('rsa')],
  ])('%s', async (kind, secret) => {
    const report = await check([spanWith({ note: `first ${secret}` }), stop], LOOKED);
    const [finding] = onlyRun(report).findings.filter(({ rule }) => rule === 'leaked-secret');
    expect(finding?.evidence).toEqual({ kind, field: 'note', spans: 1, kinds: kind });
    expect(JSON.stringify(report)).not.toContain(secret);
  });

  test('all that a run holds are named, at the first of them', async () => {
    const token = ['ghp', letters(36)].join('_');
    const trace = [spanWith({ a: 1 }), spanWith({ seq: 2, a: LEAK, b: token }), spanWith({ seq: 3, c: LEAK }), stop];
    const [finding] = onlyRun(await check(trace, LOOKED)).findings.filter(({ rule }) => rule === 'leaked-secret');
    expect(finding?.at.line).toBe(2);
    expect(finding?.evidence).toMatchObject({ field: 'a', spans: 2 });
    expect(String(finding?.evidence['kinds']).split(', ').toSorted()).toEqual([
      'basicauth/BasicAuth',
      'github/GITHUB_TOKEN',
    ]);
  });
});

describe('where a credential stands', () => {
  const nested = (depth: number, value: unknown): unknown => (depth === 0 ? value : { k: nested(depth - 1, value) });
  test.each([
    ['a field that rules read', spanWith({ command: LEAK }), 'command'],
    ['an object and a list', spanWith({ a: { b: [1, [LEAK]] } }), 'a.b[1][0]'],
    ['a name beside its value', spanWith({ env: [{ secret_access_key: letters(40) }] }), 'env[0].secret_access_key'],
    ['the first of two fields', spanWith({ a: 'x', b: LEAK, c: LEAK }), 'b'],
    ['the id of the span', spanWith({ span_id: LEAK }), 'span_id'],
    ['a key that is no word', spanWith({ 'a key': { 'x.y': LEAK } }), '["a key"]["x.y"]'],
    ['below a key that may be half of one', spanWith({ 'https://ci:s3cr3t-of-ci': LEAK }), '[…]'],
    ['below a key that looks made up', spanWith({ [`x_${KEY}`]: LEAK }), '[…]'],
    ['below a key with an escape in it', spanWith({ [`a\\n${LEAK}`]: LEAK }), '[…]'],
    ['after an address of the same kind', spanWith({ test: 'postgres://localhost:5432/test', live: DATABASE }), 'live'],
    [
      'after one in a list',
      spanWith({ all: ['mysql://db', 'mysql://svc:Zq8rT4vX91@db.corp-internal.io/app'] }),
      'all[1]',
    ],
    [
      'after a line end in JSON in a string',
      spanWith({ arguments: JSON.stringify({ text: `a\n${TOKEN}` }) }),
      'arguments',
    ],
    ['in JSON in JSON in JSON', spanWith({ a: JSON.stringify({ b: JSON.stringify({ c: `x\n${TOKEN}` }) }) }), 'a'],
    ['a key of every object', `{"run_id":"r","seq":1,"__proto__":{"a":"${LEAK}"}}`, '__proto__.a'],
    ['a key itself', spanWith({ a: { [LEAK]: 1 } }), 'a[…]'],
    ['below a key that is one', spanWith({ [LEAK]: ['x'], a: 1 }), '[…]'],
    ['below a long key', spanWith({ ['k'.repeat(65)]: LEAK }), '[…]'],
    ['below a key of the greatest length', spanWith({ ['k'.repeat(64)]: LEAK }), 'k'.repeat(64)],
    ['eight keys deep', spanWith({ k: nested(7, LEAK) }), 'k.k.k.k.k.k.k.k'],
    ['deeper', spanWith({ k: nested(8, LEAK) }), 'k.k.k.k.k.k.k.k…'],
    ['an escaped character', spanWith({ a: LEAK }).replace('ci:', 'ci\\u003a'), 'a'],
    ['escaped slashes', spanWith({ a: LEAK }).replaceAll('/', '\\/'), 'a'],
    ['an escaped key', spanWith({ [`a"${LEAK}`]: 1 }), '[…]'],
    ['JSON in a string', spanWith({ arguments: JSON.stringify({ env: { url: LEAK } }) }), 'arguments'],
    ['many values', spanWith({ a: Array.from({ length: 100_000 }, () => 'x\n'), b: { c: LEAK } }), 'b.c'],
    ['a value that another one under its key hides', `{"run_id":"r","seq":1,"a":"${LEAK}","a":1}`, null],
    ['beside a comment that would switch a file off', spanWith({ a: `secretlint-disable\n${LEAK}` }), 'a'],
    ['beside a comment for its line', spanWith({ a: `${LEAK} // secretlint-disable-line` }), 'a'],
  ])('%s', async (_where, line, field) => {
    const finding = await findingOf(line);
    expect(finding?.evidence['field']).toBe(field);
    expect(JSON.stringify(finding)).not.toContain('s3cr3t');
  });

  test('as deep as a line can be nested', async () => {
    const depth = 200_000;
    const deep = `{"run_id":"r","seq":1,"a":${'['.repeat(depth)}"${LEAK}"${']'.repeat(depth)}}`;
    expect((await findingOf(deep))?.evidence['field']).toBe('a[0][0][0][0][0][0][0]…');
  });

  test('in a text too long for one look', async () => {
    // The pattern for these tokens puts each part of one on the stack.
    const long = `${['xoxb', ''].join('-')}${'a-'.repeat(7_900_000)}`;
    expect((await findingOf(spanWith({ a: long, b: LEAK })))?.evidence['kinds']).toContain('basicauth/BasicAuth');
  });
});

describe('what is no credential', () => {
  test.each([
    ['a placeholder', spanWith({ a: 'https://ci:$TOKEN@git.example.org https://{user}:{password}@git.example.org' })],
    [
      'a documented key',
      spanWith({ id: 'AKIAIOSFODNN7EXAMPLE', secret_access_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY' }),
    ],
    ['an address and a name in two fields', spanWith({ dsn: 'postgres://db', user: 'ops@example.org' })],
    ['a digest', spanWith({ args_hash: letters(64), result_hash: 'a'.repeat(40) })],
    ['a name and a value that stand in two strings', spanWith({ a: ['AWS_SECRET_ACCESS_KEY=', `\n${letters(40)}`] })],
    ['a key that is cut', spanWith({ a: pem('ed25519').slice(0, 100) })],
  ])('%s', async (_what, line) => {
    expect(await findingOf(line)).toBeUndefined();
  });
});

describe('the command', () => {
  const header = `{"type":"contract","budget":24,"note":"${LEAK}"}`;
  const asking = '{"type":"contract","rules":{"leaked-secret":"error"}}';
  const kept = lines('start@0 stop@0:done');
  const leaking = lines(`start@0 stop@0:done,summary=${LEAK}`);
  const torn = `${kept.join('\n')}\n{"run_id":"x","note":"${LEAK}`;
  const FILES = { header: [header, ...kept], asking: [asking, ...leaking], leaking, torn, kept };

  test.each([
    ['nothing asks', 'leaking', [], 0],
    ['it warns of a run', 'leaking', ['--rule', 'leaked-secret=warn'], 0],
    ['it fails a run', 'leaking', ['--rule', 'leaked-secret=error'], 1],
    ['strict', 'leaking', ['--profile', 'strict'], 1],
    ['strict without it', 'leaking', ['--profile', 'strict', '--rule', 'leaked-secret=off'], 0],
    ['classic', 'leaking', ['--profile', 'classic'], 0],
    ['only the header asks', 'asking', [], 0],
    ['the header asks under strict', 'asking', ['--profile', 'strict'], 1],
    ['a header holds one', 'header', [], 0],
    ['it warns of a header', 'header', ['--rule', 'leaked-secret=warn'], 0],
    ['it is an error in a header', 'header', ['--rule', 'leaked-secret=error'], 2],
    ['a cut line holds one', 'torn', [], 0],
    ['it warns of a cut line', 'torn', ['--rule', 'leaked-secret=warn'], 0],
    ['it is an error in a cut line', 'torn', ['--rule', 'leaked-secret=error'], 2],
  ])('%s', async (_when, file, words, code) => {
    const at = folder(FILES);
    const ran = await at.runInside([...words, join(at.path, file)]);
    expect(ran.code).toBe(code);
    expect(ran.stderr.includes('leaked-secret')).toBe(
      words.some((word) => /leaked-secret=(?:warn|error)/.test(word)) || (code === 1 && words.includes('strict')),
    );
    expect(ran.stdout + ran.stderr).not.toContain('s3cr3t');
  });

  test('says of a run that alone asks for it that it was not judged', async () => {
    const at = folder(FILES);
    const { stdout } = await at.runInside(['--format', 'json', join(at.path, 'asking')]);
    expect(JSON.parse(stdout).runs).toMatchObject([
      { findings: [], unverifiable_because: { 'leaked-secret': 'only the trace itself asks for it' } },
    ]);
  });

  test('counts a credential of no run apart from the lines that cannot be used', async () => {
    const at = folder(FILES);
    const path = join(at.path, 'torn');
    const { stdout, stderr } = await at.runInside(['--rule', 'leaked-secret=warn', '--format', 'json', path]);
    expect(JSON.parse(stdout)).toMatchObject({
      summary: { unusable_lines: 1 },
      input_errors: [
        { line: 3, code: 'torn-tail' },
        { line: 3, code: 'leaked-secret', message: expect.stringContaining('(basicauth/BasicAuth)') },
      ],
    });
    expect(stderr).toContain('1 unusable line, 1 credential outside of runs (');
  });

  test('knows of none under classic, whatever a config says', async () => {
    const config = JSON.stringify({ profile: 'classic', rules: { 'leaked-secret': 'error' } });
    const at = folder({ ...FILES, 'config.json': config });
    const { stderr } = await at.runInside(['--config', join(at.path, 'config.json'), join(at.path, 'torn')]);
    expect(stderr).toContain('torn-tail');
    expect(stderr).not.toContain('leaked-secret');
  });

  test('escapes what stands in the names of fields', async () => {
    const at = folder({ odd: [spanWith({ 'a\u009b31m\u202e\u0007': LEAK }), stop] });
    for (const format of ['tsv', 'json', 'ndjson']) {
      const words = ['--rule', 'leaked-secret=error', '--format', format, join(at.path, 'odd')];
      const { stdout, stderr } = await at.runInside(words);
      expect(stderr).toContain('leaked-secret');
      // Line ends and the tabs of the verdicts are the command's own.
      expect((stdout + stderr).replace(/[\n\t]/g, '')).not.toMatch(/[\p{Cc}\u202e]/u);
    }
  });

  test.each([
    ['kept', [], false],
    ['asking', [], false],
    ['kept', ['--profile', 'classic'], false],
    ['kept', ['--rule', 'leaked-secret=off', '--profile', 'strict'], false],
    ['kept', ['--rule', 'leaked-secret=warn'], true],
    ['kept', ['--profile', 'strict'], true],
  ])('of %s under %j has loaded the detectors: %j', async (file, words, isLoaded) => {
    const at = folder(FILES);
    const loaded = mkdtempSync(join(tmpdir(), 'loaded-'));
    await at.run([...words, join(at.path, file)], { env: { NODE_V8_COVERAGE: loaded } });
    const scripts = readdirSync(loaded).map((name) => readFileSync(join(loaded, name), 'utf8'));
    rmSync(loaded, { recursive: true });
    expect(scripts).not.toEqual([]);
    expect(scripts.some((script) => script.includes('secretlint-rule-preset-recommend'))).toBe(isLoaded);
  });
});
