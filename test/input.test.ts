import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ended, type Folder, folder } from './run-command.js';
import { lines } from './trace-words.js';

const KEPT = lines('start@0 tool@1:a stop@1:done', 'kept');
const KEPT_LINE = 'kept\tclosed_ok\titer=1\tspans=3\n';
const KNOWN_BAD = lines('start@0 tool@1:a tool@2:a tool@3:a', 'demo');
const KNOWN_BAD_LINE = 'demo\tno_progress\titer=3\tspans=4\n';
/** A run whose stop stands first: it can be judged by its seq alone. */
const REVERSED = KEPT.toReversed();

const textOf = (trace: readonly string[]): string => trace.map((line) => `${line}\n`).join('');

interface Unusable {
  readonly shows: string;
  readonly line: string | Buffer;
  readonly code: string;
  readonly column: number;
  /** What the message names. */
  readonly says?: string;
}

// Stands in every unusable line; nothing of a trace is quoted in a message.
const SECRET = 'hunter2';
const bytes = (...parts: readonly (string | readonly number[])[]): Buffer =>
  Buffer.concat(parts.map((part) => Buffer.from(part)));

const span = (more: string): string => `{"run_id":"r",${more}}`;
const INTEGER = 'an integer between -(2^53 - 1) and 2^53 - 1';
const ITER = 'an integer from 0 to 2^53 - 1';

const UNUSABLE: readonly Unusable[] = [
  { shows: 'a word', line: SECRET, code: 'invalid-json', column: 1 },
  { shows: 'a byte order mark inside', line: `\ufeff${span(`"x":"${SECRET}"`)}`, code: 'invalid-json', column: 1 },
  { shows: 'a NUL', line: `\u0000${SECRET}`, code: 'invalid-json', column: 1 },
  { shows: 'single quotes', line: `{'${SECRET}':1}`, code: 'invalid-json', column: 2 },
  { shows: 'a bare key', line: `{${SECRET}:1}`, code: 'invalid-json', column: 2 },
  { shows: 'no value', line: '{"hunter2":}', code: 'invalid-json', column: 12 },
  { shows: 'no colon', line: '{"hunter2" 1}', code: 'invalid-json', column: 12 },
  { shows: 'no comma', line: '{"a":1 "hunter2":2}', code: 'invalid-json', column: 8 },
  { shows: 'a comma too many', line: '{"run_id":"r",}', code: 'invalid-json', column: 15 },
  { shows: 'a comma too many in a list', line: span('"x":[1,]'), code: 'invalid-json', column: 22 },
  { shows: 'the wrong bracket', line: span('"x":[1}'), code: 'invalid-json', column: 21 },
  { shows: 'what follows an object', line: `{"run_id":"r"} ${SECRET}`, code: 'invalid-json', column: 16 },
  { shows: 'two objects', line: `{"run_id":"r"}{"run_id":"${SECRET}"}`, code: 'invalid-json', column: 15 },
  { shows: 'an object that is cut', line: '{"run_id":"r"', code: 'invalid-json', column: 14 },
  { shows: 'a string that is cut', line: `{"run_id":"${SECRET}`, code: 'invalid-json', column: 19 },
  { shows: 'a key that is cut', line: `{"run_id":"r","${SECRET}`, code: 'invalid-json', column: 23 },
  { shows: 'a raw tab in a string', line: `{"run_id":"a\tb"}`, code: 'invalid-json', column: 13 },
  { shows: 'a raw control character in a string', line: `{"run_id":"a\u0001b"}`, code: 'invalid-json', column: 13 },
  { shows: 'an escape that is none', line: '{"run_id":"\\x"}', code: 'invalid-json', column: 12 },
  { shows: 'half an escape', line: '{"run_id":"\\u12g4"}', code: 'invalid-json', column: 12 },
  { shows: 'a leading zero', line: span('"seq":01'), code: 'invalid-json', column: 22 },
  { shows: 'a sign of plus', line: span('"seq":+1'), code: 'invalid-json', column: 21 },
  { shows: 'NaN', line: span('"seq":NaN'), code: 'invalid-json', column: 21 },
  { shows: 'a word that is nearly true', line: span('"x":truth'), code: 'invalid-json', column: 22 },
  { shows: 'a form feed between', line: `{"run_id":"r",\f"seq":1}`, code: 'invalid-json', column: 15 },
  { shows: 'a fault after characters of two bytes', line: '{"é":"éé",}', code: 'invalid-json', column: 11 },
  {
    shows: 'a fault after characters of four bytes',
    line: '{"a":"\u{1f600}\u{1f600}",}',
    code: 'invalid-json',
    column: 11,
  },
  { shows: 'a fault in a key after one', line: '{"\u{1f600}":1,x}', code: 'invalid-json', column: 8 },
  { shows: 'a fault after spaces', line: `   ${SECRET}`, code: 'invalid-json', column: 4 },

  { shows: 'a list', line: `["${SECRET}"]`, code: 'not-an-object', column: 1 },
  { shows: 'a list of a span', line: `[{"run_id":"${SECRET}"}]`, code: 'not-an-object', column: 1 },
  { shows: 'a string', line: `"${SECRET}"`, code: 'not-an-object', column: 1 },
  { shows: 'a number', line: '12', code: 'not-an-object', column: 1 },
  { shows: 'null', line: 'null', code: 'not-an-object', column: 1 },
  { shows: 'true', line: 'true', code: 'not-an-object', column: 1 },

  { shows: 'no run_id', line: `{"seq":1,"name":"${SECRET}"}`, code: 'missing-run-id', column: 1 },
  { shows: 'an empty object', line: '{}', code: 'missing-run-id', column: 1 },
  { shows: 'a run_id of null', line: `{"run_id":null,"name":"${SECRET}"}`, code: 'missing-run-id', column: 1 },
  { shows: 'an empty run_id', line: `{"run_id":"","name":"${SECRET}"}`, code: 'missing-run-id', column: 1 },
  { shows: 'a run_id below', line: `{"span":{"run_id":"${SECRET}"}}`, code: 'missing-run-id', column: 1 },
  { shows: 'a header, but late', line: `{"type":"contract","budget":"${SECRET}"}`, code: 'missing-run-id', column: 1 },

  { shows: 'run_id: a number', line: '{"run_id":12}', code: 'wrong-type', column: 11, says: 'run_id must be a string' },
  {
    shows: 'run_id: an object',
    line: `{"run_id": {"x":"${SECRET}"}}`,
    code: 'wrong-type',
    column: 12,
    says: 'run_id must be a string',
  },
  {
    shows: 'seq: a string',
    line: span('"seq":"hunter2"'),
    code: 'wrong-type',
    column: 21,
    says: `seq must be ${INTEGER}`,
  },
  { shows: 'seq: in parts', line: span('"seq": 1.5'), code: 'wrong-type', column: 22, says: `seq must be ${INTEGER}` },
  {
    shows: 'seq: too great',
    line: span('"seq":9007199254740992'),
    code: 'wrong-type',
    column: 21,
    says: `seq must be ${INTEGER}`,
  },
  {
    shows: 'seq: far too great',
    line: span('"seq":1e999'),
    code: 'wrong-type',
    column: 21,
    says: `seq must be ${INTEGER}`,
  },
  { shows: 'seq: true', line: span('"seq":true'), code: 'wrong-type', column: 21, says: `seq must be ${INTEGER}` },
  { shows: 'iter: below 0', line: span('"iter":-1'), code: 'wrong-type', column: 22, says: `iter must be ${ITER}` },
  { shows: 'iter: in parts', line: span('"iter":0.1'), code: 'wrong-type', column: 22, says: `iter must be ${ITER}` },
  {
    shows: 'iter: a string',
    line: span('"iter":"hunter2"'),
    code: 'wrong-type',
    column: 22,
    says: `iter must be ${ITER}`,
  },
  { shows: 'type: a number', line: span('"type":5'), code: 'wrong-type', column: 22, says: 'type must be a string' },
  {
    shows: 'type: a list',
    line: span('"type":["hunter2"]'),
    code: 'wrong-type',
    column: 22,
    says: 'type must be a string',
  },
  { shows: 'name: an object', line: span('"name":{}'), code: 'wrong-type', column: 22, says: 'name must be a string' },
  {
    shows: 'args_hash: a number',
    line: span('"args_hash":5'),
    code: 'wrong-type',
    column: 27,
    says: 'args_hash must be a string',
  },
  {
    shows: 'result_hash: false',
    line: span('"result_hash":false'),
    code: 'wrong-type',
    column: 29,
    says: 'result_hash must be a string',
  },
  {
    shows: 'null counts as missing',
    line: span('"seq":[]'),
    code: 'wrong-type',
    column: 21,
    says: 'null counts as missing',
  },
  {
    shows: 'a key that is repeated: its last value',
    line: span('"seq":"hunter2","seq":[ ]'),
    code: 'wrong-type',
    column: 37,
    says: 'seq must be',
  },
  {
    shows: 'a key that is escaped',
    line: span('"s\\u0065q":"x"'),
    code: 'wrong-type',
    column: 26,
    says: 'seq must be',
  },
  {
    shows: 'a key of the same name below',
    line: span('"x":{"seq":"y"},"seq":"z"'),
    code: 'wrong-type',
    column: 37,
    says: 'seq must be',
  },
  {
    shows: 'a value after characters of four bytes',
    line: span('"x":"\u{1f600}","seq":"z"'),
    code: 'wrong-type',
    column: 29,
    says: 'seq must be',
  },
  {
    shows: 'a value after spaces',
    line: `  {  "run_id" : "r" , "seq" :  "${SECRET}" }`,
    code: 'wrong-type',
    column: 32,
    says: 'seq must be',
  },
  {
    shows: 'contract: a string',
    line: span('"type":"loop_start","contract":"hunter2"'),
    code: 'wrong-type',
    column: 46,
    says: 'contract must be an object',
  },
  {
    shows: 'contract: a list',
    line: span('"type":"loop_start","contract":[]'),
    code: 'wrong-type',
    column: 46,
    says: 'contract must be an object',
  },
  {
    shows: 'contract: a number in quotes',
    line: span('"type":"loop_start","contract":{"budget":"hunter2"}'),
    code: 'wrong-type',
    column: 46,
    says: 'contract.budget must be a whole number from 0',
  },
  {
    shows: 'contract: a severity',
    line: span('"type":"loop_start","contract":{"rules":{"open-loop":"hunter2"}}'),
    code: 'wrong-type',
    column: 46,
    says: 'contract.rules must be',
  },

  { shows: 'a byte that is never one', line: bytes('{"run_id":"r', [0xff], '"}'), code: 'invalid-utf8', column: 13 },
  { shows: 'latin1', line: bytes('{"run_id":"caf', [0xe9], '"}'), code: 'invalid-utf8', column: 15 },
  { shows: 'a byte that only continues', line: bytes([0x80], SECRET), code: 'invalid-utf8', column: 1 },
  { shows: 'a character that is cut', line: bytes('{"a":"', [0xe2, 0x82], '"}'), code: 'invalid-utf8', column: 7 },
  { shows: 'a detour of two bytes', line: bytes('{"a":"', [0xc0, 0xaf], '"}'), code: 'invalid-utf8', column: 7 },
  {
    shows: 'half a pair of two units',
    line: bytes('{"a":"', [0xed, 0xa0, 0x80], '"}'),
    code: 'invalid-utf8',
    column: 7,
  },
  {
    shows: 'a character beyond the last',
    line: bytes('{"a":"', [0xf4, 0x90, 0x80, 0x80], '"}'),
    code: 'invalid-utf8',
    column: 7,
  },
  {
    shows: 'a bad byte after characters of several',
    line: bytes('{"a":"é\u{1f600}', [0xfe], '"}'),
    code: 'invalid-utf8',
    column: 9,
  },
  {
    shows: 'UTF-16',
    line: bytes([0xff, 0xfe], Buffer.from(SECRET, 'utf16le').toJSON().data),
    code: 'invalid-utf8',
    column: 1,
  },
  {
    shows: 'a bad byte in a line that is no JSON either',
    line: bytes('nonsense ', [0xff]),
    code: 'invalid-utf8',
    column: 10,
  },
];

interface WireInputError {
  readonly file: string;
  readonly line: number | null;
  readonly column: number | null;
  readonly code: string;
  readonly message: string;
}

describe('unusable lines', () => {
  // One trace holds them all, each between lines of kept runs; the report has every one.
  const between = (index: number): string => `${lines('start@0 tool@1:a stop@1:done', `kept-${index}`).join('\n')}\n`;
  const TRACE = Buffer.concat(
    UNUSABLE.flatMap(({ line }, index) => [Buffer.from(between(index)), Buffer.from(line), Buffer.from('\n')]),
  );
  const LINES_EACH = 4;
  const errors = async (): Promise<readonly WireInputError[]> => {
    const { stdout } = await folder({ 'trace.jsonl': TRACE }).run(['--format', 'json', '--quiet', 'trace.jsonl']);
    return JSON.parse(stdout).input_errors;
  };
  const once = (() => {
    let read: Promise<readonly WireInputError[]> | undefined;
    return () => {
      read ??= errors();
      return read;
    };
  })();

  test.each(UNUSABLE.map((row, index) => ({ ...row, number: index * LINES_EACH + LINES_EACH })))(
    '$code at $column: $shows',
    async ({ code, column, number, says = '' }) => {
      const error = (await once()).find(({ line }) => line === number);
      expect(error).toMatchObject({ file: 'trace.jsonl', line: number, column, code });
      expect(error?.message).toContain(says);
    },
  );

  test('no other line is one, and every run between is judged', async () => {
    const { stdout, code } = await folder({ 'trace.jsonl': TRACE }).run(['--format', 'json', 'trace.jsonl']);
    const { summary, input_errors, runs, truncated } = JSON.parse(stdout);
    expect(input_errors).toHaveLength(UNUSABLE.length);
    expect(summary).toMatchObject({ runs: UNUSABLE.length, passed: UNUSABLE.length, unusable_lines: UNUSABLE.length });
    expect(runs.every(({ verdict }: { verdict: string }) => verdict === 'closed_ok')).toBe(true);
    expect(truncated).toBe(false);
    expect(code).toBe(2);
  });

  test.each([['tsv'], ['json'], ['ndjson']])('nothing of them is quoted: %s', async (format) => {
    const at = folder({ 'trace.jsonl': TRACE });
    const { stdout, stderr } = await at.run(['--format', format, 'trace.jsonl']);
    expect(stdout).not.toContain(SECRET);
    expect(stderr).not.toContain(SECRET);
  });

  test('the first of them, then a count', async () => {
    const { stderr } = await folder({ 'trace.jsonl': TRACE }).run(['--quiet', 'trace.jsonl']);
    const said = stderr.trimEnd().split('\n');
    const [first] = UNUSABLE;
    expect(said).toHaveLength(21);
    expect(said[0]).toMatch(new RegExp(`^trace\\.jsonl:4:${first?.column}: ${first?.code}: .+; .+$`));
    for (const line of said.slice(0, 20)) expect(line).toMatch(/^trace\.jsonl:\d+:\d+: [a-z0-9-]+: \S/);
    expect(said[20]).toBe(`… and ${UNUSABLE.length - 20} more unusable lines; --format json has them all`);
  });

  test('as many as are said need no count', async () => {
    const at = folder({ 'trace.jsonl': [...KEPT, ...Array.from({ length: 20 }, () => '[]')] });
    const { stderr } = await at.run(['--quiet', 'trace.jsonl']);
    expect(stderr.trimEnd().split('\n')).toHaveLength(20);
    at.write({ 'trace.jsonl': [...KEPT, ...Array.from({ length: 21 }, () => '[]')] });
    const more = await at.run(['--quiet', 'trace.jsonl']);
    expect(more.stderr).toMatch(/\n… and 1 more unusable line; --format json has them all\n$/);
  });

  test('a missing file is said before them', async () => {
    const at = folder({ 'trace.jsonl': Array.from({ length: 30 }, () => '[]') });
    const { stderr } = await at.run(['--quiet', 'trace.jsonl', 'missing.jsonl']);
    expect(stderr).toMatch(/^missing\.jsonl: unreadable-input: /);
  });

  test('ndjson has them after the runs', async () => {
    const at = folder({ 'trace.jsonl': [...KEPT, '[]', 'x', '{}'] });
    const { stdout } = await at.run(['--format', 'ndjson', 'trace.jsonl']);
    const said = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(said.map(({ kind }) => kind)).toEqual(['run', 'input_error', 'input_error', 'input_error', 'summary']);
    expect(said.slice(1, 4).map(({ line, code }) => [line, code])).toEqual([
      [4, 'not-an-object'],
      [5, 'invalid-json'],
      [6, 'missing-run-id'],
    ]);
  });

  test('what informs only, and what nobody knows, makes no line unusable', async () => {
    const odd = [
      '"ts":5',
      '"mono_ms":"x"',
      '"status":[]',
      '"span_id":{}',
      '"goal":7',
      '"summary":1',
      '"tokens_in":-1',
      '"retry":"no"',
      '"contract":"of a tool"',
      '"reason":{"a":1}',
      '"unknown":null',
      '"seq":null,"iter":null,"type":null,"name":null,"args_hash":null,"result_hash":null',
      '"seq":1e2',
      '"seq":-9007199254740991',
      '"seq":"of what was said before","seq":2',
    ];
    const { stdout, code } = await folder({ 'trace.jsonl': odd.map(span) }).run(['--quiet', 'trace.jsonl']);
    expect(stdout).toBe(`r\topen_loop\titer=0\tspans=${odd.length}\n`);
    expect(code).toBe(1);
  });
});

describe('JSON of no known format that is printed over several lines', () => {
  const DOCUMENT = { name: SECRET, list: [1, { a: [] }], text: 'a b' };
  const printed = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`;
  const said = (lineCount: number): string =>
    `t.json: unreadable-input: JSON of no known format, printed over several lines: its ${lineCount} lines are left out; terminal-contract formats lists what can be read\n`;

  test.each([
    ['a document', printed(DOCUMENT), 10],
    ['a document without a last line end', printed(DOCUMENT).trimEnd(), 10],
    ['a document behind a byte order mark', `\ufeff${printed(DOCUMENT)}`, 10],
    ['documents in a row', printed(DOCUMENT).repeat(3), 30],
    ['a list', printed([DOCUMENT]), 12],
    ['a list of numbers', printed([1, 2]), 4],
    ['a document whose first line says more', `{ "a": 1,\n"b": "${SECRET}" }\n`, 2],
    ['a long document', printed(Array.from({ length: 30_000 }, () => DOCUMENT)), 300_002],
  ])('%s: one error says so, and how many lines are left out', async (_what, text, lineCount) => {
    const at = folder({ 't.json': text, 'kept.jsonl': KEPT });
    const ran = await at.run(['--quiet', 't.json', 'kept.jsonl']);
    expect(ran).toMatchObject({ stdout: KEPT_LINE, stderr: said(lineCount), code: 2 });
    const piped = await at.shell('cat t.json | terminal-contract --quiet - kept.jsonl');
    expect(piped).toMatchObject({ stderr: said(lineCount).replace('t.json', '<stdin>'), code: 2 });
    expect(await at.run(['convert', 't.json'])).toMatchObject({ stdout: '', stderr: said(lineCount), code: 2 });
  });

  const [first = '', ...rest] = KEPT;
  test.each([
    ['a document that is cut', printed(DOCUMENT).slice(0, -3), 9, ''],
    ['a line that is cut before spans', ['{', ...KEPT], 1, KEPT_LINE],
    ['words', '[INFO] a\n[INFO] b\n', 2, ''],
    ['objects that share a line', '{"a":1}{"b":2}\n', 1, ''],
    ['spans behind a document', `${printed({ a: 1 })}${textOf(KEPT)}`, 3, KEPT_LINE],
    ['a list of spans', ['[', `${first},`, `${rest[0]},`, rest[1] ?? '', ']'], 4, 'kept\tclosed_ok\titer=1\tspans=1\n'],
  ])('%s: each line is judged, and its fault said', async (_what, content, faults, verdicts) => {
    const ran = await folder({ 't.json': content }).run(['--format', 'json', 't.json']);
    const { summary, input_errors } = JSON.parse(ran.stdout);
    expect([summary.unusable_lines, input_errors.length, ran.code]).toEqual([faults, faults, 2]);
    expect((await folder({ 't.json': content }).run(['--quiet', 't.json'])).stdout).toBe(verdicts);
  });

  test('is read line by line where it is said to be native', async () => {
    const { stderr } = await folder({ 't.json': printed(DOCUMENT) }).run(['--quiet', '--from', 'native', 't.json']);
    expect(stderr.trimEnd().split('\n')).toHaveLength(11);
  });

  test('is no trace in a folder, and is counted', async () => {
    const at = folder({ 'in/t.json': printed(DOCUMENT), 'in/kept.jsonl': KEPT });
    const { stdout, stderr, code } = await at.run(['in']);
    expect({ stdout, code }).toEqual({ stdout: KEPT_LINE, code: 0 });
    expect(stderr).toContain('left out 1 file that is no trace\n');
  });

  test.each([
    ['a document', (token: string) => ({ a: 1, b: [token] })],
    ['a list of texts', (token: string) => ['a', token]],
  ])('credentials in it are found where they are asked for: %s', async (_what, of) => {
    const token = ['ghp', 'aB3dE5gH7jK9mN1pQ3sT5vW7yZ2bC4dF6hJ8'].join('_');
    const at = folder({ 't.json': printed(of(token)) });
    const { stdout } = await at.run(['--profile', 'strict', '--format', 'json', 't.json']);
    const codes = JSON.parse(stdout).input_errors.map(({ line, code }: WireInputError) => [line, code]);
    expect(codes).toEqual([
      [null, 'unreadable-input'],
      [1, 'leaked-secret'],
    ]);
    expect(stdout).not.toContain(token.slice(4));
  });
});

const MEBI = 1024 * 1024;
const LIMIT = 16 * MEBI;

describe('a line of more than 16 MiB', () => {
  const padded = (length: number): string => {
    const head = '{"run_id":"long","seq":1,"type":"terminal","reason":"done","x":"';
    const tail = '"}';
    return head + 'x'.repeat(length - head.length - tail.length) + tail;
  };

  test.each([
    ['one of 16 MiB is read', LIMIT, '\n', 0, true],
    ['one byte more is not', LIMIT + 1, '\n', 2, false],
    ['nor without a line end', LIMIT + 1, '', 2, false],
  ])('%s', async (_shows, length, end, code, isRead) => {
    const at = folder({ 'trace.jsonl': `${textOf(KEPT)}${padded(length)}${end}` });
    const ran = await at.run(['--quiet', 'trace.jsonl']);
    expect(ran.code).toBe(code);
    expect(ran.stdout).toBe(`${KEPT_LINE}${isRead ? 'long\tclosed_ok\titer=0\tspans=1\n' : ''}`);
    expect(ran.stderr).toMatch(isRead ? /^$/ : /^trace\.jsonl:4:1: line-too-long: longer than 16 MiB; .*\n$/);
  });

  test('what follows is read, with its own line numbers', async () => {
    const at = folder({ kept: [...KEPT, '[]'] });
    const long = (length: number): string => `head -c ${length} /dev/zero; echo`;
    const { stdout, stderr, code } = await at.shell(
      `{ ${long(LIMIT + 1)}; cat kept; ${long(2 * LIMIT)}; echo []; } > trace; terminal-contract --quiet trace`,
    );
    expect({ stdout, code }).toEqual({ stdout: KEPT_LINE, code: 2 });
    expect(stderr.match(/^.*: [a-z-]+: /gm)).toEqual([
      'trace:1:1: line-too-long: ',
      'trace:5:1: not-an-object: ',
      'trace:6:1: line-too-long: ',
      'trace:7:1: not-an-object: ',
    ]);
  });

  test('memory does not grow with it', async () => {
    const at = folder({
      kept: KEPT,
      // What the process used at most, in KiB.
      'tell.mjs': 'process.on("exit", () => console.error("peak", process.resourceUsage().maxRSS));',
    });
    const { stdout, stderr } = await at.shell(
      `{ head -c ${512 * MEBI} /dev/zero; echo; cat kept; } | terminal-contract --quiet`,
      { env: { NODE_OPTIONS: '--max-old-space-size=128 --import=./tell.mjs' } },
    );
    expect(stdout).toBe(KEPT_LINE);
    expect(stderr).toMatch(/^<stdin>:1:1: line-too-long: /);
    expect(Number(/^peak (\d+)$/m.exec(stderr)?.[1])).toBeLessThan(384 * 1024);
  });
});

describe('where lines begin and end', () => {
  const BOM = '\ufeff';
  test.concurrent.for<readonly [string, readonly string[]]>([
    ['a byte order mark', [`${BOM}${textOf(KEPT)}`]],
    [
      'a byte order mark at the start of each file',
      [`${BOM}${textOf(KEPT.slice(0, 2))}`, `${BOM}${textOf(KEPT.slice(2))}`],
    ],
    ['a file of nothing but a byte order mark', [BOM, textOf(KEPT)]],
    ['line ends of Windows', [KEPT.map((line) => `${line}\r\n`).join('')]],
    ['line ends of both kinds', [`${KEPT[0]}\r\n${KEPT[1]}\n${KEPT[2]}\r\n`]],
    ['no last line end', [KEPT.join('\n')]],
    ['no last line end but a carriage return', [`${KEPT.join('\r\n')}\r`]],
    ['no last line end before another file', [KEPT.slice(0, 2).join('\n'), KEPT.slice(2).join('\n')]],
    ['a file a span', KEPT],
    ['blank lines', [`\n\n${KEPT.join('\n\r\n \t \n')}\n\n`]],
    ['white space around spans', [KEPT.map((line) => `\t  ${line}  \t\n`).join('')]],
    ['white space for a last line', [`${textOf(KEPT)}   `]],
    ['separators that end no line', [textOf(KEPT).replaceAll('tests pass', 'tests\u2028pass\u2029now\u0085')]],
  ])('%s', async ([, files], { onTestFinished }) => {
    const contents = Object.fromEntries(files.map((content, index) => [`${index}.jsonl`, content]));
    const at = folder(contents, onTestFinished);
    const { stdout, stderr, code } = await at.run(at.names());
    expect({ stdout, code }, stderr).toEqual({ stdout: KEPT_LINE, code: 0 });
    expect(stderr).toBe('1 run, 3 spans: 0 failed, 1 passed (closed_ok 1)\n');
  });

  test('blank lines are counted', async () => {
    const at = folder({ 'trace.jsonl': `\n\r\n${KEPT[0]}\n\n[]\n${KEPT.slice(1).join('\n')}\n` });
    const { stderr } = await at.run(['--quiet', 'trace.jsonl']);
    expect(stderr).toMatch(/^trace\.jsonl:5:1: not-an-object: /);
  });

  test('a carriage return alone ends no line', async () => {
    const { stderr, code } = await folder({ 'trace.jsonl': KEPT.join('\r') }).run(['--quiet', 'trace.jsonl']);
    expect(stderr).toMatch(/^trace\.jsonl:1:\d+: (?:invalid-json|torn-tail): /);
    expect(code).toBe(2);
  });

  test('each file counts its own lines', async () => {
    const at = folder({ 'a.jsonl': [...KEPT, '[]'], 'b.jsonl': ['[]', ...KNOWN_BAD] });
    const { stderr } = await at.run(['a.jsonl', 'b.jsonl']);
    expect(stderr).toContain('a.jsonl:4:1: not-an-object: ');
    expect(stderr).toContain('b.jsonl:1:1: not-an-object: ');
    expect(stderr).toContain('error no-progress b.jsonl:5: ');
  });

  test('spans without seq are ordered by their lines over all files', async () => {
    const bare = KEPT.map((line) => JSON.stringify({ ...JSON.parse(line), seq: undefined }));
    const at = folder({ 'b.jsonl': bare.slice(0, 1), 'a.jsonl': bare.slice(1, 2), 'c.jsonl': bare.slice(2) });
    const said = async (files: readonly string[]) => {
      const { stdout } = await at.run(['--format', 'json', '--quiet', ...files]);
      const { findings, first, last } = JSON.parse(stdout).runs[0];
      return { rules: findings.map(({ rule }: { rule: string }) => rule), first: first.file, last: last.file };
    };
    expect(await said(['b.jsonl', 'a.jsonl', 'c.jsonl'])).toEqual({
      rules: ['missing-seq'],
      first: 'b.jsonl',
      last: 'c.jsonl',
    });
    expect(await said(['c.jsonl', 'a.jsonl', 'b.jsonl'])).toMatchObject({ first: 'c.jsonl', last: 'b.jsonl' });
  });
});

const filesOf = async (at: Folder, patterns: readonly string[]): Promise<string[]> => {
  const { stdout } = await at.run(['--format', 'json', '--quiet', ...patterns]);
  const { runs } = JSON.parse(stdout);
  // Each file holds one span without seq of one run: the order of the findings is the order of the files.
  return [runs[0]?.first.file, runs[0]?.last.file];
};

describe('patterns', () => {
  const one = '{"run_id":"r","type":"tool","name":"x"}\n';

  test.concurrent.for<readonly [string, readonly string[], readonly string[], string, string]>([
    ['by code point, not by unit', ['\uff5e.jsonl', '\u{1f600}.jsonl'], ['*.jsonl'], '\uff5e.jsonl', '\u{1f600}.jsonl'],
    ['by code point, not by locale', ['a.jsonl', 'B.jsonl', 'ä.jsonl'], ['*.jsonl'], 'B.jsonl', 'ä.jsonl'],
    ['by code point, not by number', ['9.jsonl', '10.jsonl'], ['*.jsonl'], '10.jsonl', '9.jsonl'],
    ['in folders below', ['b.jsonl', 'a/z.jsonl', 'a/b/c.jsonl'], ['**/*.jsonl'], 'a/b/c.jsonl', 'b.jsonl'],
    ['in a folder above', ['a.jsonl', 'b/c.jsonl'], ['./b/../*.jsonl'], 'a.jsonl', 'a.jsonl'],
    ['each pattern in its place', ['a.jsonl', 'b.log'], ['*.log', '*.jsonl'], 'b.log', 'a.jsonl'],
    ['a file before a pattern', ['a.jsonl', 'z.txt'], ['z.txt', '*.jsonl'], 'z.txt', 'a.jsonl'],
    ['a class of characters', ['a1.jsonl', 'a2.jsonl', 'ab.jsonl'], ['a[0-9].jsonl'], 'a1.jsonl', 'a2.jsonl'],
    ['a single character', ['a1.jsonl', 'a22.jsonl'], ['a?.jsonl'], 'a1.jsonl', 'a1.jsonl'],
    ['a name that begins with a dot', ['.a.jsonl', 'b.jsonl'], ['*.jsonl'], '.a.jsonl', 'b.jsonl'],
  ])('%s', async ([, names, patterns, first, last], { onTestFinished }) => {
    const at = folder(Object.fromEntries(names.map((name) => [name, one])), onTestFinished);
    expect(await filesOf(at, patterns)).toEqual([first, last]);
  });

  test('folders that match are left out', async () => {
    const at = folder({ 'kept.jsonl': KEPT, 'folder.jsonl/x': '' });
    expect(await at.run(['--quiet', '*.jsonl'])).toMatchObject({ stdout: KEPT_LINE, stderr: '', code: 0 });
  });

  test('links are followed', async () => {
    const at = folder({ 'real.txt': KEPT });
    const { stdout, code } = await at.shell("ln -s real.txt link.jsonl; terminal-contract '*.jsonl'");
    expect({ stdout, code }).toEqual({ stdout: KEPT_LINE, code: 0 });
  });

  test.each([
    ['alone', ['none-*.jsonl'], ''],
    ['beside a file', ['kept.jsonl', 'none-*.jsonl'], KEPT_LINE],
    ['even where an empty trace may be', ['--allow-empty', 'none-*.jsonl'], ''],
  ])('one that matches nothing is an error, %s', async (_beside, args, expected) => {
    const { stdout, stderr, code } = await folder({ 'kept.jsonl': KEPT }).run(args);
    expect({ stdout, code }).toEqual({ stdout: expected, code: 2 });
    expect(stderr).toContain('none-*.jsonl: no-match: the pattern matches no file\n');
  });

  test('places name the file as the pattern leads to it', async () => {
    const at = folder({ 'a/bad.jsonl': KNOWN_BAD, 'b/x': '' });
    expect((await at.run(['a/*.jsonl'])).stderr).toContain('error no-progress a/bad.jsonl:4: ');
    expect((await at.run(['../a/*.jsonl'], { cwd: 'b' })).stderr).toContain('error no-progress ../a/bad.jsonl:4: ');
  });
});

describe('runs out of order are judged the same, whatever they come from', () => {
  const TRACES = {
    'reversed.jsonl': REVERSED,
    'head.jsonl': REVERSED.slice(0, 1),
    'tail.jsonl': REVERSED.slice(1),
    'other.jsonl': KNOWN_BAD,
    'consumed.jsonl': ['what the shell has read', ...REVERSED],
    'long-consumed.jsonl': ['x'.repeat(200_000), 'y', ...REVERSED],
  };
  test.concurrent.for<readonly [string, string]>([
    ['a file', 'terminal-contract reversed.jsonl'],
    ['a redirected file', 'terminal-contract < reversed.jsonl'],
    ['a pipe', 'cat reversed.jsonl | terminal-contract'],
    ['a named pipe', 'mkfifo pipe; cat reversed.jsonl > pipe & terminal-contract pipe'],
    ['two files', 'terminal-contract head.jsonl tail.jsonl'],
    ['a file and a pipe', 'cat tail.jsonl | terminal-contract head.jsonl -'],
    ['a pipe and a file', 'cat head.jsonl | terminal-contract - tail.jsonl'],
    ['a file and a redirected file', 'terminal-contract head.jsonl - < tail.jsonl'],
    ['a named pipe and a file', 'mkfifo pipe; cat head.jsonl > pipe & terminal-contract pipe tail.jsonl'],
    ['a file and a named pipe', 'mkfifo pipe; cat tail.jsonl > pipe & terminal-contract head.jsonl pipe'],
    ['a redirected file that the shell has begun', '{ read -r line; terminal-contract; } < consumed.jsonl'],
    ['the same, and a file', '{ read -r line; terminal-contract tail.jsonl -; } < <(cat head.jsonl; cat head.jsonl)'],
    ['a long beginning', '{ read -r a; read -r b; terminal-contract; } < long-consumed.jsonl'],
    ['two commands of one file', '{ head -n 1 > /dev/null; terminal-contract; } < consumed.jsonl'],
    ['a file by its descriptor', 'terminal-contract /dev/fd/3 3< reversed.jsonl'],
  ])('%s', async ([, script], { onTestFinished }) => {
    const { stdout, stderr, code } = await folder(TRACES, onTestFinished).shell(script);
    expect({ stdout, code }, stderr).toEqual({ stdout: KEPT_LINE, code: 0 });
    expect(stderr).toBe('1 run, 3 spans: 0 failed, 1 passed (closed_ok 1)\n');
  });

  test('places are those of the lines, also at the second look', async () => {
    const at = folder({ 'a.jsonl': ['', ...KNOWN_BAD.toReversed()], 'b.jsonl': KEPT });
    const piped = await at.shell('{ read -r line; terminal-contract --format json --quiet b.jsonl -; } < a.jsonl');
    expect(JSON.parse(piped.stdout).runs[0]).toMatchObject({
      first: { file: '<stdin>', line: 4, seq: 1 },
      last: { file: '<stdin>', line: 1, seq: 4 },
    });
    const file = await at.run(['--format', 'json', '--quiet', 'b.jsonl', 'a.jsonl']);
    expect(JSON.parse(file.stdout).runs[0]).toMatchObject({
      first: { file: 'a.jsonl', line: 5, seq: 1 },
      last: { file: 'a.jsonl', line: 2, seq: 4 },
    });
  });

  test('unusable lines are said once', async () => {
    const at = folder({ 'trace.jsonl': ['[]', ...REVERSED, 'x'] });
    const { stdout, stderr, code } = await at.run(['--quiet', 'trace.jsonl']);
    expect({ stdout, code }).toEqual({ stdout: KEPT_LINE, code: 2 });
    expect(stderr.trimEnd().split('\n')).toHaveLength(2);
  });
});

describe('a line that stands in the trace twice', () => {
  const REPLAYED = 'kept\tclosed_ok\titer=1\tspans=6\n';
  test.concurrent.for<readonly [string, string]>([
    ['a file given twice', 'terminal-contract kept.jsonl kept.jsonl'],
    ['a file given twice by two names', 'terminal-contract kept.jsonl ./kept.jsonl'],
    ['a file and a pattern that matches it', "terminal-contract kept.jsonl '*.jsonl'"],
    ['a file and itself, piped', 'cat kept.jsonl | terminal-contract kept.jsonl -'],
    ['a file and itself, redirected', 'terminal-contract - kept.jsonl < kept.jsonl'],
    ['a pipe that repeats itself', 'cat kept.jsonl kept.jsonl | terminal-contract'],
    ['a pipe that repeats each line', 'sed p kept.jsonl | terminal-contract'],
    [
      'copies with other line ends and spaces',
      "{ cat kept.jsonl; sed 's/.*/ & \\r/' kept.jsonl; } | terminal-contract",
    ],
  ])('%s is judged once, and told', async ([, script], { onTestFinished }) => {
    const { stdout, stderr, code } = await folder({ 'kept.jsonl': KEPT }, onTestFinished).shell(script);
    expect({ stdout, code }, stderr).toEqual({ stdout: REPLAYED, code: 0 });
    expect(stderr).toContain('warn duplicate-line: 1 passing run');
    expect(stderr).toContain('3 lines repeat an earlier line of the run');
  });

  test('a copy with another byte is another span', async () => {
    const at = folder({ 'a.jsonl': KEPT, 'b.jsonl': KEPT.map((line) => line.replace('{', '{ ')) });
    expect(await at.run(['a.jsonl', 'b.jsonl'])).toMatchObject({
      stdout: 'kept\tdouble_stop\titer=1\tspans=6\n',
      code: 1,
    });
  });

  test('classic counts both', async () => {
    const at = folder({ 'kept.jsonl': KEPT });
    const ran = await at.run(['--profile', 'classic', 'kept.jsonl', 'kept.jsonl']);
    expect(ran).toMatchObject({ stdout: 'kept\tdouble_stop\titer=1\tspans=6\n', stderr: '', code: 1 });
  });

  test('three copies of a failing run fail as one', async () => {
    const { stdout } = await folder({ 'bad.jsonl': KNOWN_BAD }).run(['bad.jsonl', 'bad.jsonl', 'bad.jsonl']);
    expect(stdout).toBe('demo\tno_progress\titer=3\tspans=12\n');
  });
});

describe('a file that changes while it is read', () => {
  // A named pipe as a second input holds the command between its two looks at the first.
  const between = async (at: Folder, change: () => void) => {
    await at.shell('mkfifo pipe');
    const end = ended(at.start(['--format', 'json', 'trace.jsonl', 'pipe']));
    // Opening waits for the command to open the other end: the file before it has been read.
    const writer = await open(join(at.path, 'pipe'), 'w');
    change();
    await writer.close();
    return end;
  };

  test('what has been added is left out', async () => {
    const at = folder({ 'trace.jsonl': REVERSED });
    const { stdout, code } = await between(at, () => at.write({ 'trace.jsonl': [...REVERSED, ...REVERSED, '[]'] }));
    expect(JSON.parse(stdout)).toMatchObject({
      runs: [{ verdict: 'closed_ok', spans: 3 }],
      input_errors: [],
      truncated: false,
    });
    expect(code).toBe(0);
  });

  test.each([
    ['cut', ''],
    ['written anew', textOf(lines('start@0 tool@1:a stop@1:done', 'anew').toReversed())],
  ])('a file that was %s is said, and exit 2', async (_how, content) => {
    const at = folder({ 'trace.jsonl': REVERSED });
    const { stdout, stderr, code } = await between(at, () => at.write({ 'trace.jsonl': content }));
    expect(JSON.parse(stdout)).toMatchObject({ input_errors: [{ code: 'changed-while-read' }], truncated: true });
    expect(stderr).toContain('trace.jsonl: changed-while-read: ');
    expect(code).toBe(2);
  });

  test('a run in order needs no second look', async () => {
    const at = folder({ 'trace.jsonl': KEPT });
    const { code } = await between(at, () => at.write({ 'trace.jsonl': '' }));
    expect(code).toBe(0);
  });
});

test('the null device and an empty pipe among files say nothing', async () => {
  const at = folder({ 'kept.jsonl': KEPT, 'empty.jsonl': '', 'bad.jsonl': KNOWN_BAD });
  const { stdout, stderr } = await at.shell(
    'terminal-contract --quiet empty.jsonl kept.jsonl /dev/null bad.jsonl <(true)',
  );
  expect({ stdout, stderr }).toEqual({ stdout: KNOWN_BAD_LINE + KEPT_LINE, stderr: '' });
});
