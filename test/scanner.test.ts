import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { checkInputs } from '../src/check.js';
import { termsOf } from '../src/commands/terms.js';
import { EMPTY_PART, type Terms } from '../src/contract.js';
import { render } from '../src/index.js';
import type { Source } from '../src/input.js';
import { startJudging } from '../src/judging.js';
import { lineOfBytes } from '../src/lines.js';
import { readConfig } from '../src/read-config.js';
import { readSpan } from '../src/read-span.js';
import { readLine } from '../src/scan/plain.js';
import { type Listener, spanOfLine, startScanner } from '../src/scan/scanner.js';
import { isSpan, NOTHING_MORE, type Span, scannedSpan } from '../src/span.js';
import { rareSchema } from '../src/span-schema.js';
import { traceLines } from './random-trace.js';

// A longer search: LINES=1000000 npx vitest run test/scanner.test.ts; SEED=1 makes it the same each time.
const LINES = Number(process.env['LINES'] ?? 2000);
vi.setConfig({ testTimeout: 3_600_000 });
const SEED = process.env['SEED'];
if (SEED !== undefined) fc.configureGlobal({ seed: Number(SEED) });

/** Bytes in pieces of the given sizes, over and over; as a file that can be read again, or as a pipe. */
const inputOf = (bytes: Buffer, sizes: readonly number[], isFile: boolean) => {
  const sourceFrom = (from: number): Source => {
    let at = from;
    let piece = 0;
    return {
      read(into, place, length) {
        const size = sizes[piece++ % sizes.length] ?? 1;
        const taken = bytes.copy(into, place, at, Math.min(bytes.length, at + Math.min(size, length)));
        at += taken;
        return taken;
      },
      close() {},
    };
  };
  return {
    name: 'trace',
    size: () => bytes.length,
    open: () => ({ source: sourceFrom(0), again: isFile ? sourceFrom : undefined, file: undefined }),
  };
};

const DECISIONS = { profile: undefined, limits: undefined, part: EMPTY_PART, isPartial: false };
// To read a config takes longer than to judge a trace of this size; the properties use a few, over and over.
const termsByConfig = new Map<object, Terms>();
const termsUnder = (config: object): Terms => {
  const terms = termsByConfig.get(config) ?? termsOf(DECISIONS, readConfig(config));
  termsByConfig.set(config, terms);
  return terms;
};

const judged = async (reader: 'plain' | 'scanner', files: readonly Buffer[], config: object, sizes = [1 << 16]) => {
  const terms = termsUnder(config);
  const inputs = files.map((bytes, index) => inputOf(bytes, sizes, index % 2 === 0));
  // Too little for lines, or some of it: what is judged together, and where what was read is kept, depends on it.
  const maxMemory = [2 ** 27, undefined, 2 ** 27 + 4000][(sizes[0] ?? 0) % 3];
  return render(await checkInputs(inputs, { terms, isEmptyAllowed: true, reader, maxMemory }), 'json');
};

/** Has every line looked at for credentials. */
const LOOKED = { rules: { 'leaked-secret': 'error' } };
const LEAK = 'https://ci:s3cr3t-of-ci@git.example.org/app';
const KEY = 'abcdefghijABCDEFGHIJ0123456789abcdefghij';

const PLAIN = {};
const agree = async (files: readonly Buffer[], config: object = PLAIN, sizes: readonly number[] = [1 << 16]) => {
  expect(await judged('scanner', files, config, [...sizes])).toBe(await judged('plain', files, config));
};

// What a line may hold: each piece of it JSON, nearly JSON, or nothing of the kind.
const whites = fc.constantFrom('', '', '', '', ' ', '\t', '\r', '  ', '\u00a0', '\ufeff');
const numbers = fc.constantFrom(
  ...['0', '1', '2', '3', '-0', '-1', '01', '1.0', '1.5', '-2.25', '1e3', '1E-2', '1.', '.5', '+1', '1e', '- 1', '00'],
  ...[
    '9007199254740991',
    '9007199254740992',
    '999999999999999',
    '1000000000000000',
    '123456789012345.6',
    '0.1',
    '0.30000000000000004',
  ],
  ...['-9007199254740991', '1073741823', '1073741824', '1e400', '5e-324', '0.000001', '123.456', '12345678.9012345'],
);
const texts = fc.oneof(
  fc.constantFrom(
    '"a"',
    '"b"',
    '""',
    '"0123456789abcdef"',
    '"fedcba9876543210"',
    '"ok"',
    '"error"',
    '"done"',
    '"tool"',
  ),
  fc.constantFrom(
    '"terminal"',
    '"loop_start"',
    '"model"',
    '"state"',
    '"read_file"',
    '"\\u0061"',
    '"\\ud800"',
    '"é"',
    '"\\x"',
  ),
  fc.constantFrom('"\u{1f600}"', '"a\tb"', '"\\u12g4"', '"\\"', '"a', '"2026-01-01T00:00:00Z"', '"\\/\\b\\f\\n\\r\\t"'),
  fc.constantFrom(`"${LEAK}"`, `"${LEAK.replaceAll('/', '\\/')}"`, `"${KEY}"`, `"${LEAK}`),
  fc.string({ maxLength: 40 }).map((text) => JSON.stringify(text)),
  fc.string({ unit: 'binary', maxLength: 20 }).map((text) => JSON.stringify(text)),
);
const literals = fc.constantFrom('null', 'true', 'false', 'nul', 'truth', 'NULL', 'nulll', 'undefined', '');
const scalars = fc.oneof({ weight: 3, arbitrary: texts }, { weight: 2, arbitrary: numbers }, literals);
const { value: values } = fc.letrec<{ value: string }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 8, arbitrary: scalars },
    fc.array(tie('value'), { maxLength: 3 }).map((items) => `[${items.join(',')}]`),
    fc
      .array(fc.tuple(texts, tie('value')), { maxLength: 3 })
      .map((pairs) => `{${pairs.map((pair) => pair.join(':')).join(',')}}`),
  ),
}));
const keys = fc
  .oneof(
    {
      weight: 8,
      arbitrary: fc.constantFrom(
        ...['run_id', 'seq', 'type', 'iter', 'name', 'args_hash', 'result_hash', 'ts', 'mono_ms', 'span_id', 'goal'],
        ...[
          'status',
          'reason',
          'tokens_in',
          'tokens_cached',
          'tokens_out',
          'tokens_aux',
          'contract',
          'round',
          'summary',
        ],
        ...[
          '__proto__',
          'constructor',
          LEAK,
          'secret_access_key',
          'run_ie',
          'seqq',
          'x',
          'result_hash_raw',
          'checkpoint_request_and_more',
        ],
      ),
    },
    fc.string({ maxLength: 12 }),
  )
  .map((key) => JSON.stringify(key));
const member = fc
  .tuple(whites, keys, whites, whites, values, whites)
  .map(([a, key, b, c, value, d]) => `${a}${key}${b}:${c}${value}${d}`);
const oddLine = fc
  .tuple(
    fc.boolean(),
    fc.array(member, { maxLength: 6 }),
    whites,
    fc.constantFrom('', '', '', '', ',', '}', ' x', '\u0000'),
  )
  .map(
    ([hasId, members, white, tail]) => `${white}{${[...(hasId ? ['"run_id":"a"'] : []), ...members].join(',')}}${tail}`,
  );

/** Bytes of a line, up to two of them changed. */
const mutatedFrom = (lines: fc.Arbitrary<string>, byte = fc.nat({ max: 255 })): fc.Arbitrary<Buffer> =>
  fc.tuple(lines, fc.array(fc.tuple(fc.nat(), byte), { maxLength: 2 })).map(([line, changes]) => {
    const bytes = Buffer.from(line);
    for (const [at, byte] of changes) if (bytes.length > 0) bytes[at % bytes.length] = byte;
    return bytes;
  });
const lineOfTrace = traceLines.map((lines) => lines[0] ?? '{}');
const mutated = mutatedFrom(fc.oneof(oddLine, lineOfTrace));

const glued = (lines: readonly Buffer[], end = '\n'): Buffer =>
  Buffer.concat(lines.flatMap((line) => [line, Buffer.from(end)]));

/** A scanner that hands on every span, and what it makes of a line: a span, nothing, or that it is not sure. */
const lineScanner = async () => {
  const scanner = startScanner();
  if (scanner === undefined) throw new Error('this machine has no scanner');
  const judging = await startJudging(termsUnder(LOUD));
  const room = scanner.kernel.call.reserveInput(1 << 16);
  return (line: Buffer): Span | 'nothing' | 'unsure' => {
    let said: Span | 'nothing' | 'unsure' = 'nothing';
    const listener: Listener = {
      onSpan(_run, scanned, { file, line: number }) {
        const at = { file, line: number, position: number };
        said = scanned.hasRare ? spanOfLine(scanned, at, NOTHING_MORE) : scanner.spanAt(scanned.start, at, undefined);
      },
      onGap() {},
      onCaughtUp() {},
      onUnsure() {
        said = 'unsure';
      },
    };
    scanner.kernel.bytes().set(line, room);
    scanner.startInput(0, 0, false);
    scanner.setContract(judging.contracts.base, judging.inForce);
    scanner.scan(room, room + line.length, true, 0, listener);
    return said;
  };
};
/** No run is quiet where a family is required. */
const LOUD = { require: ['order'] };
/** A scanner knows all the runs that it has seen: so many lines for one. */
const LINES_A_SCANNER = 5000;

/** Lines that mostly are spans, of the keys that the scanner reads itself and of others. */
const words = fc.oneof(
  { weight: 9, arbitrary: fc.constantFrom('', 'a', 'ok', 'error', 'done', 'tool', 'read', 'agent') },
  fc.string({ maxLength: 40 }),
);
const counts = fc.oneof(
  { weight: 20, arbitrary: fc.nat() },
  { weight: 20, arbitrary: fc.nat({ max: 9999 }).map((count) => count / 4) },
  fc.maxSafeNat(),
  fc.double({ noNaN: true }),
);
const soundLine = fc
  .record(
    {
      run_id: fc.string({ minLength: 1, maxLength: 20 }),
      seq: fc.nat(),
      type: fc.constantFrom('tool', 'model', 'loop_start', 'terminal', 'state', 'note', 'goal_check'),
      iter: fc.nat({ max: 30 }),
      name: words,
      args_hash: fc.constantFrom('0123456789abcdef', 'sha256:00', ''),
      result_hash: words,
      ts: fc.constantFrom('2026-01-01T00:00:00Z', 'now'),
      mono_ms: counts,
      span_id: words,
      goal: words,
      status: words,
      reason: words,
      tokens_in: fc.nat(),
      tokens_out: fc.nat(),
      exit_code: fc.integer(),
      effect: words,
      emitter: words,
      state_hash: words,
      items: fc.array(words, { maxLength: 2 }),
      inferred: fc.boolean(),
      x: fc.jsonValue({ maxDepth: 2 }),
    },
    { requiredKeys: ['run_id'] },
  )
  .map((line) => JSON.stringify(line));
/** Bytes that JSON is made of, so that a changed line may still be a span. */
const jsonByte = fc.constantFrom(...Buffer.from('{}[]:,"\\ \t\r01289.-eEtfnurla_xé'));
const anyLine = fc.oneof(
  mutated,
  { weight: 4, arbitrary: soundLine.map((line) => Buffer.from(line)) },
  { weight: 4, arbitrary: mutatedFrom(soundLine, jsonByte) },
);

describe('the scanner says of any bytes what the schema says', () => {
  test('a line at a time', async () => {
    const seen = { span: 0, nothing: 0, unsure: 0 };
    let scan = await lineScanner();
    let lines = 0;
    await fc.assert(
      fc.asyncProperty(anyLine, async (line) => {
        lines += 1;
        if (lines % LINES_A_SCANNER === 0) scan = await lineScanner();
        // What stands behind a line end is another line.
        const end = line.indexOf('\n');
        const bytes = end < 0 ? line : line.subarray(0, end);
        const said = scan(bytes);
        seen[typeof said === 'object' ? 'span' : said] += 1;
        if (said === 'unsure') return;
        const { kind, text = '' } = { text: undefined, ...lineOfBytes(bytes) };
        expect(kind).toBe('text');
        if (said === 'nothing') expect(text).toMatch(/^[ \t\r]*$/);
        else expect(readLine(text, { file: 0, line: 1, position: 1 }, false)).toEqual({ kind: 'span', span: said });
      }),
      { numRuns: LINES },
    );
    // Lines that the scanner leaves alone prove nothing.
    expect(seen.span).toBeGreaterThan(LINES / 4);
  });

  test('line by line', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(mutated, { minLength: 20, maxLength: 60 }),
        fc.constantFrom({}, LOOKED),
        async (lines, config) => agree([glued(lines)], config),
      ),
      { numRuns: Math.ceil(LINES / 20) },
    );
  });

  test('of bytes that are no lines at all', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 400 }), async (bytes) => agree([Buffer.from(bytes)])),
      { numRuns: Math.ceil(LINES / 20) },
    );
  });
});

/** Loops that mostly keep the contract, so that the kernel alone follows them. */
const calmSpan = fc.record({
  type: fc.constantFrom('tool', 'tool', 'tool', 'tool', 'model', 'note', 'state', 'tool'),
  advance: fc.constantFrom(1, 1, 1, 0, 0, 2, -1),
  name: fc.constantFrom('edit_file', 'read_file', 'web_search', 'bash', ''),
  digest: fc.nat({ max: 40 }),
  width: fc.constantFrom(16, 16, 16, 16, 16, 16, 64, 8),
  status: fc.constantFrom('ok', 'ok', 'ok', 'error', '', 'odd', undefined),
  tokens: fc.option(fc.nat({ max: 5000 }), { nil: undefined }),
  clock: fc.constantFrom('mono', 'ts', 'both', 'none'),
  odd: fc.nat({ max: 60 }),
});
const calmRun = fc.record({
  start: fc.constantFrom('goal', 'goal', 'goal', 'goal', 'no goal', 'none', 'contract'),
  spans: fc.array(calmSpan, { maxLength: 12 }),
  end: fc.constantFrom(
    'done',
    'done',
    'done',
    'budget',
    'rejected',
    'blocked',
    'handoff',
    'odd',
    'none',
    'twice',
    'late',
  ),
  endStatus: fc.constantFrom('ok', undefined, 'error'),
});
type Calm = typeof calmRun extends fc.Arbitrary<infer T> ? T : never;

const hex = (number: number, width: number): string => number.toString(16).padStart(width, '0');
const linesOfRun = ({ start, spans, end, endStatus }: Calm, runId: string): string[] => {
  const out: object[] = [];
  if (start !== 'none') {
    out.push({
      type: 'loop_start',
      iter: 0,
      ...(start !== 'no goal' && { goal: 'g' }),
      ...(start === 'contract' && { contract: { budget: 3 } }),
    });
  }
  let iter = 1;
  for (const [index, { type, advance, name, digest, width, status, tokens, clock, odd }] of spans.entries()) {
    const call = type === 'tool' ? { name, args_hash: hex(digest, width), result_hash: hex(index, 16), status } : {};
    const times = {
      ...(clock === 'mono' || clock === 'both' ? { mono_ms: index * 10.5 } : {}),
      ...(clock === 'ts' || clock === 'both' ? { ts: `2026-01-01T00:00:${hex(index % 10, 2)}Z` } : {}),
    };
    out.push({
      type,
      iter,
      ...call,
      ...times,
      ...(tokens !== undefined && { tokens_in: tokens, tokens_out: 3 }),
      ...(odd === 1 && { round: 7 }),
      ...(odd === 2 && { seq: null }),
      ...(odd === 3 && { effect: 'read' }),
      ...(odd === 4 && { note: { deep: [LEAK] } }),
      ...(odd === 5 && { secret_access_key: KEY }),
      ...(odd > 30 && { span_id: hex(odd, 16) }),
    });
    iter = Math.max(0, iter + advance);
  }
  const stop = {
    type: 'terminal',
    iter: Math.max(0, iter - 1),
    reason: end === 'odd' || end === 'twice' || end === 'late' ? 'done' : end,
    status: endStatus,
    span_id: 'end',
  };
  if (end !== 'none') out.push(end === 'odd' ? { ...stop, reason: 'finished' } : stop);
  if (end === 'twice') out.push(stop);
  const lines = out.map((span, seq) => JSON.stringify({ run_id: runId, seq: seq + 1, ...span }));
  return end === 'late' ? [...lines.slice(1), ...lines.slice(0, 1)] : lines;
};
/** Runs whose lines are mixed, each in its own order. */
const calmTrace = fc
  .tuple(fc.array(calmRun, { minLength: 1, maxLength: 6 }), fc.infiniteStream(fc.nat()))
  .map(([runs, picks]) => {
    const queues = runs.map((run, index) => linesOfRun(run, `run ${index}`));
    const lines: string[] = [];
    for (const pick of picks) {
      const left = queues.filter((queue) => queue.length > 0);
      if (left.length === 0) break;
      lines.push(left[pick % left.length]?.shift() ?? '');
    }
    return lines;
  });

/** Runs that differ in nothing but their numbers, or in little else. */
const plainRun = fc.record({
  // The default budget among them.
  calls: fc.constantFrom(0, 1, 2, 3, 4, 24),
  end: fc.constantFrom('done', 'budget', 'rejected', 'blocked', 'handoff', 'none', 'odd'),
  status: fc.constantFrom('ok', 'ok', 'ok', undefined, 'error'),
  emitter: fc.constantFrom(undefined, undefined, undefined, 'agent', 'harness'),
  tokens: fc.nat({ max: 9 }),
  start: fc.nat({ max: 50 }),
  clock: fc.constantFrom(10, 10, 10, 10, -10, undefined),
});
const linesOfPlainRun = (run: typeof plainRun extends fc.Arbitrary<infer T> ? T : never, runId: string): Buffer[] => {
  const { calls, end, status, emitter, tokens, start, clock } = run;
  const spans: object[] = [{ type: 'loop_start', iter: 0, goal: 'g', emitter: 'agent' }];
  for (let call = 1; call <= calls; call += 1) {
    const digests = { args_hash: hex(call, 16), result_hash: hex(call, 16) };
    spans.push({ type: 'tool', iter: call, name: 'edit_file', ...digests, status: 'ok', emitter, tokens_in: tokens });
  }
  const reason = end === 'odd' ? 'finished' : end;
  if (end !== 'none') spans.push({ type: 'terminal', iter: calls, reason, status, emitter });
  const time = (at: number) => clock && { mono_ms: start + at * clock };
  return spans.map((span, at) =>
    Buffer.from(JSON.stringify({ run_id: runId, seq: start + at, ...time(at), span_id: `${runId}-${at}`, ...span })),
  );
};

const configs = fc.constantFrom<object>(
  {},
  {},
  {},
  { profile: 'strict' },
  { profile: 'classic' },
  { budget: 3 },
  { budget: 0 },
  { no_progress_window: 1 },
  { no_progress_key: 'args+result' },
  { limits: 'loop-contract' },
  { limits: 'iterated-loop' },
  { seq_scope: 'run' },
  { require: ['guardrails'] },
  { failures: { call: [1, 1], tool: [1, 1] } },
  { caps: { web_search: 0, edit_file: 1 } },
  { reasons: { finished: 'pass', done: 'fail' } },
  { rules: { 'open-loop': 'off', 'missing-goal': 'error' } },
  LOOKED,
  LOOKED,
  { idempotent: { notice: 1, halt: 1, tools: ['bash'] } },
);

/** Values of every type, and at the ends of what numbers may be. */
const VALUES = [
  ...[null, true, false, '', 'a', 0, -0, 1, -1, 1.5, 2 ** 53 - 1, 2 ** 53, -(2 ** 53), 1e308],
  ...[[], ['a', 'b'], ['a', 1], [null], {}, { a: 1 }],
];
test.each(Object.keys(rareSchema.shape))('a scanned line has the %s that the schema gives it', (key) => {
  const place = { file: 0, line: 1, position: 1 };
  for (const value of [...VALUES, Number.POSITIVE_INFINITY]) {
    const line = { run_id: 'a', type: 'receipt', scope: 'full', [key]: value };
    const read = readSpan(line, place, []);
    // A scanned line has no field of a type that makes it unusable.
    if (isSpan(read)) expect(scannedSpan(line as never, true, place, [])).toEqual(read);
  }
});

describe('runs that the kernel follows are judged as all others', () => {
  test('in any mixture, cut into any pieces, over files and pipes', async () => {
    await fc.assert(
      fc.asyncProperty(
        calmTrace,
        configs,
        fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1, maxLength: 5 }),
        fc.nat(),
        async (lines, config, sizes, cut) => {
          const at = cut % (lines.length + 1);
          const files = [lines.slice(0, at), lines.slice(at)].map((part) =>
            glued(part.map((line) => Buffer.from(line))),
          );
          await agree(files, config, sizes);
        },
      ),
      { numRuns: LINES },
    );
  });

  test('many of one kind, each by its own numbers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(plainRun, { minLength: 2, maxLength: 12 }), configs, async (runs, config) =>
        agree([glued(runs.flatMap((run, index) => linesOfPlainRun(run, `run ${index}`)))], config),
      ),
      { numRuns: Math.ceil(LINES / 4) },
    );
  });

  test('traces of the other properties too', async () => {
    await fc.assert(
      fc.asyncProperty(traceLines, configs, async (lines, config) =>
        agree([glued(lines.map((line) => Buffer.from(line)))], config),
      ),
      { numRuns: Math.ceil(LINES / 2) },
    );
  });
});

describe('a credential is found wherever it stands', () => {
  const span = (run: string, seq: number, more: object): string => JSON.stringify({ run_id: run, seq, ...more });
  const lines = [
    `{"type":"contract","note":"${LEAK}"}`,
    ...['late', 'in order'].flatMap((run) => [
      span(run, 2, { type: 'tool', iter: 1, command: LEAK }),
      span(run, run === 'late' ? 1 : 3, { type: 'note', note: `${'é'.repeat(40)} ${LEAK}` }),
    ]),
    span('quiet', 1, { type: 'loop_start', goal: 'g', iter: 0 }),
    span('quiet', 2, { type: 'terminal', reason: 'done', iter: 0, summary: `to ${LEAK}` }),
    span('escaped', 1, { type: 'terminal', reason: 'done', iter: 0, x: 1 }).replace(
      '1}',
      `"${LEAK.replace(':', '\\u003a')}"}`,
    ),
    `{"run_id":"twice","seq":1,"x":"${LEAK}","x":1}`,
    `no JSON ${LEAK}`,
    `{"run_id":7,"note":"${LEAK}"}`,
  ];
  const bytes = Buffer.concat([glued(lines.map((line) => Buffer.from(line))), Buffer.from([0xff]), Buffer.from(LEAK)]);

  test.each([1, 7, 50, 200, 1 << 16])('in pieces of %i bytes', async (size) => {
    await agree([bytes, bytes], LOOKED, [size]);
    const report = JSON.parse(await judged('scanner', [bytes], LOOKED, [size]));
    const found = report.runs.map(
      ({ run_id, findings }: { run_id: string; findings: { rule: string; line: number }[] }) => [
        run_id,
        ...findings.filter(({ rule }) => rule === 'leaked-secret').map(({ line }) => line),
      ],
    );
    expect(found).toEqual([
      ['escaped', 8],
      ['in order', 4],
      ['late', 3],
      ['quiet', 7],
      ['twice', 9],
    ]);
    const outside = report.input_errors.filter(({ code }: { code: string }) => code === 'leaked-secret');
    expect(outside.map(({ line }: { line: number }) => line)).toEqual([1, 10, 11, 12]);
    expect(JSON.stringify(report)).not.toContain('s3cr3t');
  });
});

test('of runs for which the header alone asks for credentials, both readers say that they were not looked at', async () => {
  const header = Buffer.from('{"type":"contract","rules":{"leaked-secret":"warn"}}');
  const ends = ['done', 'done', 'none', 'budget'] as const;
  const lines = ends.flatMap((end, index) =>
    linesOfPlainRun(
      { calls: 2, end, status: 'ok', emitter: undefined, tokens: 1, start: index, clock: 10 },
      `${index}`,
    ),
  );
  await agree([glued([header, ...lines])]);
  const { runs: said } = JSON.parse(await judged('scanner', [glued([header, ...lines])], {}));
  expect(said).toHaveLength(4);
  for (const { unverifiable } of said) expect(unverifiable).toContain('leaked-secret');
});

test.each([
  { megabytes: 3, says: 0 },
  { megabytes: 9, says: 2 },
])('of a trace of $megabytes MB, $says times it is said that much has been read', async ({ megabytes, says }) => {
  const line = Buffer.from(`{"run_id":"a","type":"note","text":"${'x'.repeat(970)}"}`);
  const bytes = glued(Array.from({ length: megabytes * 1000 }, () => line));
  const onMuchRead = vi.fn();
  const options = { terms: termsUnder(PLAIN), isEmptyAllowed: true, onMuchRead };
  await checkInputs([inputOf(bytes, [1 << 16], true)], options);
  expect(onMuchRead).toHaveBeenCalledTimes(says);
});

describe('more open runs than lines can be held of', () => {
  test('are judged as all others, whatever comes after', async () => {
    const goal = 'g'.repeat(3000);
    const runs = Array.from({ length: 14_000 }, (_, run) => run);
    const span = (run: number, seq: number, more: object): string =>
      JSON.stringify({ run_id: `run ${run}`, seq, ...more });
    const call = { type: 'tool', iter: 1, name: 'bash', args_hash: hex(1, 16) };
    const stop = { type: 'terminal', iter: 1, reason: 'done' };
    const rests: readonly ((run: number) => string[])[] = [
      () => [],
      (run) => [span(run, 2, stop)],
      (run) => [span(run, 2, call), span(run, 3, call), span(run, 4, stop)],
      (run) => [span(run, 2, stop), span(run, 3, stop)],
      (run) => [span(run, 2, call), span(run, 3, { ...call, iter: 3 })],
    ];
    const lines = [
      ...runs.map((run) => span(run, 1, { type: 'loop_start', iter: 0, goal })),
      ...runs.flatMap((run) => rests[run % rests.length]?.(run) ?? []),
    ];
    await agree([glued(lines.map((line) => Buffer.from(line)))]);
  });
});

describe('more runs that stand out and close than wait for what may still come', () => {
  test('are judged as all others, whatever comes after', async () => {
    const runs = Array.from({ length: 2400 }, (_, run) => run);
    const span = (run: number, seq: number, more: object): string =>
      JSON.stringify({ run_id: `run ${run}`, seq, ...more });
    // Names that JSON escapes, and halves of characters, stand in findings and in places.
    const call = { type: 'tool', iter: 1, name: 'l"s\n\ud800é', args_hash: hex(1, 16), span_id: 'ü\ud800' };
    const stops: readonly object[] = [
      { type: 'terminal', iter: 1, reason: 'done' },
      { type: 'terminal', iter: 1, reason: 'handoff', successor_run: 'run 7' },
      { type: 'terminal', iter: 1, reason: 'spent', status: 'odd', claim: 'goal', inferred: true },
      { type: 'terminal', iter: 9, reason: 'budget', items: ['a'], receipt_ids: ['r'] },
    ];
    const laterOf = (run: number): string[] => {
      if (run % 5 === 1) return [span(run, 6, { type: 'trace_end', count: 6 })];
      if (run % 5 === 2) return [span(run, 6, { type: 'terminal', iter: 1, reason: 'done' })];
      return run % 5 === 3 ? [span(run, 3, call)] : [];
    };
    const lines = [
      ...runs.flatMap((run) => [
        span(run, 1, { type: 'loop_start', iter: 0, goal: 'g' }),
        ...[2, 3, 4].map((seq) => span(run, seq, { ...call, iter: run % 3 === 0 ? seq - 1 : 1 })),
        span(run, 5, stops[run % stops.length] ?? {}),
      ]),
      ...runs.flatMap(laterOf),
    ];
    const bytes = glued(lines.map((line) => Buffer.from(line)));
    await agree([bytes], {}, [1 << 17]);
  });
});
