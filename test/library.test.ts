import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ROOT } from './run-command.js';
import { lines } from './trace-words.js';

const SCHEMAS = ['span', 'contract', 'config', 'report', 'report-line'];

/** What a program says that must succeed. */
const said = promisify(execFile);
// An npm that started the tests leaves words for its children, which are not meant for these.
const env = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^npm_|^(?:NODE_OPTIONS|FORCE_COLOR|NO_COLOR)$/i.test(name)),
);

/** A project that has installed the package as it would be published. */
let project = '';
const inProject = (name: string): string => join(project, name);

beforeAll(async () => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'terminal-contract-consumer-')));
  const packed = await said('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', project], {
    cwd: ROOT,
    env,
  });
  const tarball = readdirSync(project).find((name) => name.endsWith('.tgz'));
  expect(tarball, packed.stderr).toBeDefined();
  writeFileSync(inProject('package.json'), '{"name":"consumer","private":true,"type":"module"}');
  const install = ['install', '--prefer-offline', '--ignore-scripts', '--no-audit', '--no-fund', `./${tarball}`];
  await said('npm', install, { cwd: project, env });
});
afterAll(() => rmSync(project, { recursive: true, force: true }));

/** What a module of the project prints as JSON, and on stderr. */
const runModule = async (code: string): Promise<{ readonly out: unknown; readonly stderr: string }> => {
  const { stdout, stderr } = await said(process.execPath, ['--input-type=module', '--eval', code], {
    cwd: project,
    env,
  });
  return { out: stdout === '' ? undefined : JSON.parse(stdout), stderr };
};

const SPANS = JSON.stringify(
  [...lines('start@0 tool@1:a tool@2:a tool@3:a', 'demo'), ...lines('start@0 tool@1:b stop@1:done', 'kept')].map(
    (line) => JSON.parse(line),
  ),
);
const PRELUDE = `
  import { Readable } from 'node:stream';
  import * as library from 'terminal-contract';
  const { checkSpans, checkTrace, exitCodeOf, jsonSchema, render } = library;
  const spans = ${SPANS};
  const text = spans.map((span) => JSON.stringify(span) + '\\n').join('');
  const bytes = Buffer.from(text);
  const verdicts = (report) => report.runs.map(({ runId, verdict }) => runId + ' ' + verdict);
  const say = (value) => process.stdout.write(JSON.stringify(value));
`;
const VERDICTS = ['demo no_progress', 'kept closed_ok'];

describe('the package', () => {
  test('holds what runs and what describes it, and nothing else', () => {
    const installed = inProject('node_modules/terminal-contract');
    expect(
      readdirSync(installed)
        .filter((name) => !/^(?:README|LICENSE|CHANGELOG)/.test(name))
        .sort(),
    ).toEqual(['dist', 'package.json', 'schemas']);
    const files = readdirSync(join(installed, 'dist'), { recursive: true, encoding: 'utf8' });
    expect(files.filter((name) => /\.[^/]+$/.test(name) && !/\.(?:c?js|d\.ts|wasm)$/.test(name))).toEqual([
      'THIRD-PARTY.txt',
    ]);
    expect(files.filter((name) => /[.-](?:test|spec)\./.test(name))).toEqual([]);
  });

  test('its command runs', async () => {
    writeFileSync(inProject('bad.jsonl'), `${lines('start@0 tool@1:a tool@2:a tool@3:a', 'demo').join('\n')}\n`);
    const command = inProject('node_modules/.bin/terminal-contract');
    expect(statSync(command).mode & 0o111).not.toBe(0);
    await expect(said(command, ['bad.jsonl'], { cwd: project, env })).rejects.toMatchObject({
      code: 1,
      stdout: 'demo\tno_progress\titer=3\tspans=4\n',
    });
  });

  test('its matcher is found, and judges files as its library does', async () => {
    writeFileSync(inProject('kept.jsonl'), `${lines('start@0 tool@1:b stop@1:done', 'kept').join('\n')}\n`);
    const { out } = await runModule(`${PRELUDE}
      const { toKeepTheContract } = await import('terminal-contract/matchers');
      const { pass } = await toKeepTheContract('kept.jsonl');
      const failed = await toKeepTheContract.call({ isNot: false }, spans);
      const files = await library.checkFiles(['kept.jsonl', 'no-*.jsonl']);
      say({ pass, failed: failed.pass, verdicts: verdicts(files), code: exitCodeOf(files) });
    `);
    expect(out).toEqual({ pass: true, failed: false, verdicts: ['kept closed_ok'], code: 2 });
  });

  test('its schemas are found', async () => {
    const { out } = await runModule(`
      import { readFileSync } from 'node:fs';
      import { fileURLToPath } from 'node:url';
      const read = (name) => JSON.parse(readFileSync(fileURLToPath(import.meta.resolve(
        'terminal-contract/schemas/' + name + '.schema.json'))));
      process.stdout.write(JSON.stringify(${JSON.stringify(SCHEMAS)}.map((name) => read(name).$schema)));
    `);
    expect(out).toEqual(SCHEMAS.map(() => 'https://json-schema.org/draft/2020-12/schema'));
  });

  test('a schema is imported as JSON, and is the one that the library gives', async () => {
    const { out } = await runModule(`${PRELUDE}
      import schema from 'terminal-contract/schemas/report.schema.json' with { type: 'json' };
      say([schema, jsonSchema('report')]);
    `);
    const [imported, given] = out as [unknown, unknown];
    expect(imported).toEqual(given);
  });

  test('what is inside stays inside', async () => {
    await expect(runModule("await import('terminal-contract/dist/check.js')")).rejects.toMatchObject({
      stderr: expect.stringContaining('ERR_PACKAGE_PATH_NOT_EXPORTED'),
    });
  });

  test('to import it says nothing, and leaves nothing open', async () => {
    const { stderr } = await runModule("import 'terminal-contract';");
    expect(stderr).toBe('');
  });
});

/** What may be judged: the expressions of a program, each a trace of the same two runs. */
const FORMS: readonly (readonly [string, string])[] = [
  ['a stream', 'checkTrace(Readable.from([bytes], { objectMode: false }))'],
  ['a stream of objects that are buffers', 'checkTrace(Readable.from([bytes.subarray(0, 99), bytes.subarray(99)]))'],
  ['a stream that decodes', "checkTrace(Readable.from([bytes], { objectMode: false }).setEncoding('utf8'))"],
  ['a stream of the web', 'checkTrace(new Blob([bytes]).stream())'],
  ['chunks', 'checkTrace([bytes.subarray(0, 10), bytes.subarray(10)])'],
  ['a byte at a time', 'checkTrace(Array.from(bytes, (byte) => Uint8Array.of(byte)))'],
  ['chunks, some of them empty', 'checkTrace([new Uint8Array(0), bytes, new Uint8Array(0)])'],
  ['chunks that are arrays of bytes', 'checkTrace([new Uint8Array(bytes)])'],
  [
    'chunks that come later',
    'checkTrace((async function* () { yield bytes.subarray(0, 10); await null; yield bytes.subarray(10); })())',
  ],
  ['a generator of chunks', 'checkTrace((function* () { yield bytes; })())'],
  ['spans', 'checkSpans(spans)'],
  ['spans in another order', 'checkSpans(spans.toReversed())'],
  ['a set of spans', 'checkSpans(new Set(spans))'],
  ['a generator of spans', 'checkSpans((function* () { yield* spans; })())'],
  [
    'spans that come later',
    'checkSpans((async function* () { for (const span of spans) { await null; yield span; } })())',
  ],
  ['a stream of spans', 'checkSpans(Readable.from(spans))'],
  ['spans without a prototype', 'checkSpans(spans.map((span) => Object.assign(Object.create(null), span)))'],
];

describe('the library judges a trace', () => {
  test('whatever it is given as', async () => {
    const forms = FORMS.map(([name, call]) => `[${JSON.stringify(name)}, await ${call}]`);
    const { out, stderr } = await runModule(`${PRELUDE}
      const reports = [${forms.join(',\n')}];
      say(reports.map(([name, report]) => [name, verdicts(report), exitCodeOf(report), report.inputErrors]));
    `);
    expect(out).toEqual(FORMS.map(([name]) => [name, VERDICTS, 1, []]));
    expect(stderr).toBe('');
  });

  test('its settings', async () => {
    const { out } = await runModule(`${PRELUDE}
      const open = [spans[0]];
      say({
        strict: exitCodeOf(await checkSpans([spans[4], spans[6]], { config: { profile: 'strict', rules: { 'bad-clock': 'off' } } })),
        budget: (await checkSpans(spans.slice(4), { config: { budget: 0 } })).runs[0].verdict,
        partial: exitCodeOf(await checkSpans(open, { partial: true })),
        open: exitCodeOf(await checkSpans(open)),
        empty: exitCodeOf(await checkSpans([])),
        allowed: exitCodeOf(await checkSpans([], { allowEmpty: true })),
        name: (await checkSpans([{}], { name: 'agent' })).files,
        unnamed: (await checkSpans(open)).files,
        nothing: exitCodeOf(await checkSpans(open, {})),
      });
    `);
    expect(out).toEqual({
      strict: 0,
      budget: 'closed_done',
      partial: 0,
      open: 1,
      empty: 2,
      allowed: 0,
      name: ['agent'],
      unnamed: ['<trace>'],
      nothing: 1,
    });
  });

  test('into reports that hold their fields themselves, however alike the runs are', async () => {
    const { out } = await runModule(`${PRELUDE}
      const run = (run_id) => [
        { run_id, seq: 1, type: 'loop_start', goal: 'g', iter: 0, mono_ms: 0, span_id: 'first' },
        { run_id, seq: 2, type: 'terminal', reason: 'done', iter: 1, mono_ms: 500, span_id: 'last', tokens_in: 7 },
      ];
      const { runs } = await checkSpans(['a', 'b', 'c'].flatMap(run));
      say(runs.map((run) => ({ ...run, contract: 0, shared: 0 })));
    `);
    const place = (line: number) => ({ file: 0, line, seq: 2, spanId: 'last' });
    const report = (runId: string, line: number) => ({
      runId,
      contract: 0,
      verdict: 'closed_ok',
      fails: false,
      failsByVerdict: false,
      isInconclusive: false,
      action: 'keep a sample only',
      iter: 1,
      spans: 2,
      first: { file: 0, line: line - 1, seq: 1 },
      last: place(line),
      terminal: { place: place(line), reason: 'done', isInferred: false },
      findings: [],
      unverifiable: [],
      required: [],
      breaks: [],
      spent: {
        spans: 2,
        calls: 0,
        iterations: 1,
        tokensIn: 7,
        tokensCached: 0,
        tokensOut: 0,
        tokensAux: 0,
        seconds: 0.5,
      },
      lies: 'inside',
      shared: 0,
    });
    expect(out).toEqual([report('a', 2), report('b', 4), report('c', 6)]);
  });

  test('by rules of the program, beside those of its config', async () => {
    const { out } = await runModule(`${PRELUDE}
      const rule = (id, end) => library.defineRule({
        id, family: 'loop', severity: library.ERROR, passing: 'p', action: 'a', sees: ['tool'],
        step: (kept = 0, span) => kept + 1,
        end,
      });
      const says = (kept, run) => ({ kind: 'broken', at: run.first, message: 'm', evidence: { kept } });
      const settings = { customRules: [rule('from-settings', says)], config: { custom_rules: [rule('from-config', says)] } };
      const report = await checkSpans(spans, settings);
      const failing = await checkSpans(spans, { customRules: [rule('failing', () => 5)] });
      say({
        breaks: report.runs.map(({ breaks }) => breaks),
        tsv: render(report, 'tsv'),
        rules: report.customRules.map(({ id, source }) => [id, source]),
        isPlain: structuredClone(report).runs.length,
        none: (await checkSpans(spans)).customRules,
        failing: [exitCodeOf(failing), failing.inputErrors.map(({ code, line }) => [code, line])],
      });
    `);
    expect(out).toEqual({
      breaks: [
        ['no-progress', 'open-loop', 'from-config', 'from-settings'],
        ['from-config', 'from-settings'],
      ],
      tsv: 'demo\tno_progress\titer=3\tspans=4\nkept\tclosed_ok\titer=1\tspans=3\tbreaks=from-config,from-settings\n',
      rules: [
        ['from-config', 'a rule of your own'],
        ['from-settings', 'a rule of your own'],
      ],
      isPlain: 2,
      none: [],
      failing: [2, [['rule-failed', 4]]],
    });
  });

  test('of foreign formats, as the settings say', async () => {
    const turns = readFileSync(join(ROOT, 'fixtures', 'formats', 'claude-code', 'two-turns.jsonl'), 'utf8');
    const { out } = await runModule(`${PRELUDE}
      const turns = Buffer.from(${JSON.stringify(turns)});
      const records = turns.toString().trimEnd().split('\\n').map((line) => JSON.parse(line));
      const judged = async (settings) => verdicts(await checkTrace([turns], settings));
      const native = await checkTrace([turns], { from: 'native' });
      const stops = { stop_reasons: { 'claude-code:end_turn': 'budget' } };
      say({
        unsaid: await judged(),
        auto: await judged({ from: 'auto' }),
        named: await judged({ from: 'claude-code', run: 'turn' }),
        session: await judged({ run: 'session' }),
        objects: verdicts(await checkSpans(records, { from: 'claude-code', run: 'session' })),
        ofConfig: await judged({ config: stops }),
        native: [native.runs.length, exitCodeOf(native)],
        classic: (await checkTrace([turns], { config: { profile: 'classic' } })).runs.length,
        foreignClassic: await judged({ config: { profile: 'classic' }, from: 'claude-code' }),
      });
    `);
    const both = ['5e55#0001 closed_ok', '5e55#0002 closed_ok'];
    expect(out).toEqual({
      unsaid: both,
      auto: both,
      named: both,
      session: ['5e55 closed_ok'],
      objects: ['5e55 closed_ok'],
      ofConfig: ['5e55#0001 closed_cap', '5e55#0002 closed_cap'],
      native: [0, 2],
      classic: 0,
      foreignClassic: both,
    });
  });

  test('it looks for no config file, and at no environment', async () => {
    writeFileSync(inProject('terminal-contract.config.json'), '{"budget":0,"profile":"classic"}');
    const { out } = await runModule(
      `${PRELUDE} const report = await checkSpans(spans); say([report.profile, report.contract.budget]);`,
    );
    rmSync(inProject('terminal-contract.config.json'));
    expect(out).toEqual(['terminal', 24]);
  });

  test('several at a time do not mix', async () => {
    const { out } = await runModule(`${PRELUDE}
      const slow = async function* () { for (const span of spans) { await new Promise((go) => setTimeout(go, 1)); yield span; } };
      const reports = await Promise.all([checkSpans(slow()), checkSpans(slow(), { config: { budget: 0 } }), checkSpans(spans.slice(4))]);
      say(reports.map(verdicts));
    `);
    expect(out).toEqual([VERDICTS, ['demo no_progress', 'kept closed_done'], ['kept closed_ok']]);
  });

  test('what is wrong with the trace is in the report', async () => {
    const { out } = await runModule(`${PRELUDE}
      const report = await checkTrace([Buffer.from('[]\\n'), bytes, Buffer.from('{"run_id":"x"')]);
      say({ verdicts: verdicts(report), errors: report.inputErrors.map(({ line, column, code }) => [line, column, code]), code: exitCodeOf(report) });
    `);
    expect(out).toEqual({
      verdicts: VERDICTS,
      errors: [
        [1, 1, 'not-an-object'],
        [9, 14, 'torn-tail'],
      ],
      code: 2,
    });
  });

  test.each([
    ['with a code of the system', "Object.assign(new Error('hunter2'), { code: 'ECONNRESET' })"],
    ['of any kind', "new Error('hunter2')"],
    ['that is no error', "'hunter2'"],
  ])('a stream that fails is in the report, an error %s', async (_kind, error) => {
    const { out } = await runModule(`${PRELUDE}
      const failing = async function* () { yield bytes; throw ${error}; };
      const report = await checkTrace(Readable.from(failing(), { objectMode: false }));
      say({
        verdicts: verdicts(report),
        codes: report.inputErrors.map(({ code }) => code),
        isTruncated: report.isTruncated,
        code: exitCodeOf(report),
        quotes: JSON.stringify(report).includes('hunter2'),
      });
    `);
    expect(out).toEqual({ verdicts: VERDICTS, codes: ['unreadable-input'], isTruncated: true, code: 2, quotes: false });
  });

  test.each([
    ['a config that is none', 'checkSpans(spans, { config: { buget: 5 } })', 'no key buget'],
    ['a profile that is none', "checkSpans(spans, { config: { profile: 'hard' } })", 'profile must be'],
    ['a config that is no object', "checkSpans(spans, { config: 'strict' })", 'object'],
    ['a config that is null', 'checkSpans(spans, { config: null })', 'object'],
    [
      'a module, for which there is no folder',
      "checkSpans(spans, { config: { custom_rules: ['./x.mjs'] } })",
      'custom_rules names modules in a config file alone; hand the rules over as objects',
    ],
    ['a rule that is none', 'checkSpans(spans, { customRules: [{}] })', 'custom_rules: entry 1: id must be kebab-case'],
    [
      'a rule that is text',
      "checkSpans(spans, { customRules: ['./x.mjs'] })",
      'custom_rules: entry 1: it must be a rule',
    ],
    ['a format that is none', "checkSpans(spans, { from: 'claude' })", 'from must be one of auto, native, '],
    ['a unit that is none', "checkTrace([bytes], { run: 'session ' })", 'run must be one of turn, session'],
    ['a span that is no JSON', 'checkSpans([{ run_id: "r", seq: 1n }])', 'BigInt'],
    [
      'a span that holds itself',
      'const span = { run_id: "r" }; span.self = span; await checkSpans([span])',
      'circular',
    ],
  ])('%s is thrown to whoever called', async (_what, call, words) => {
    const { out } = await runModule(`${PRELUDE}
      const outcome = await (async () => { ${call.includes('await') ? call : `await ${call}`} })().then(() => 'no error', (error) => error.message);
      say(outcome);
    `);
    expect(out).toContain(words);
  });
});

describe('what it gives', () => {
  test('a report as json that its own schema takes, and the tables of its words', async () => {
    const { out } = await runModule(`${PRELUDE}
      const report = await checkSpans(spans);
      const { VERDICTS, REASONS, PROFILES, SEVERITIES, RULES, ACTIONS } = library;
      say({
        json: JSON.parse(render(report, 'json')),
        tsv: render(report, 'tsv'),
        ndjson: render(report, 'ndjson').trimEnd().split('\\n').map((line) => JSON.parse(line)),
        schema: jsonSchema('report'),
        lineSchema: jsonSchema('report-line'),
        verdicts: VERDICTS.every((verdict) => typeof ACTIONS[verdict] === 'string'),
        reasons: REASONS,
        profiles: PROFILES,
        severities: SEVERITIES,
        rules: RULES.map(({ id }) => id).includes('no-progress'),
      });
    `);
    const { json, tsv, ndjson, schema, lineSchema, ...words } = out as {
      readonly json: { readonly summary: object };
      readonly tsv: string;
      readonly ndjson: readonly object[];
      readonly schema: object;
      readonly lineSchema: object;
    };
    const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
    expect(ajv.validate(schema, json), ajv.errorsText()).toBe(true);
    const isLine = ajv.compile(lineSchema);
    for (const line of ndjson) expect(isLine(line), ajv.errorsText(isLine.errors)).toBe(true);
    expect(json.summary).toMatchObject({ runs: 2, failed: 1, passed: 1 });
    expect(tsv).toBe('demo\tno_progress\titer=3\tspans=4\nkept\tclosed_ok\titer=1\tspans=3\n');
    expect(words).toEqual({
      verdicts: true,
      reasons: ['done', 'rejected', 'budget', 'blocked', 'handoff'],
      profiles: ['classic', 'terminal', 'strict'],
      severities: ['off', 'warn', 'error'],
      rules: true,
    });
  });

  test('jsonSchema gives a new object each time', async () => {
    const { out } = await runModule(`${PRELUDE}
      const schema = jsonSchema('span');
      schema.title = 'changed';
      say([${JSON.stringify(SCHEMAS)}.map((name) => typeof jsonSchema(name).title), jsonSchema('span').title]);
    `);
    expect(out).toEqual([SCHEMAS.map(() => 'string'), expect.not.stringContaining('changed')]);
  });
});

const CONSUMER = `
import { Readable } from 'node:stream';
import {
  ADVISORY,
  type BuiltInRuleId,
  type CheckSettings,
  type CustomRule,
  checkSpans,
  checkTrace,
  defineRule,
  exitCodeOf,
  type Finding,
  type Format,
  type FormatId,
  type From,
  type InputError,
  jsonSchema,
  type Outcome,
  type Place,
  placeOf,
  type Reason,
  type Report,
  render,
  RULES,
  type RuleId,
  type RunFacts,
  type RunReport,
  type RunUnit,
  type Span,
  type Verdict,
  VERDICTS,
  type WireReport,
  type WireSpan,
} from 'terminal-contract';

const format: FormatId = 'claude-code';
const from: From = format;
const run: RunUnit = 'session';
const settings: CheckSettings = {
  config: { profile: 'strict' },
  partial: true,
  allowEmpty: true,
  name: 'agent',
  from,
  run,
};
const span: WireSpan = { run_id: 'r', seq: 1, type: 'terminal', reason: 'done' satisfies Reason };

interface Kept {
  readonly at: Place;
  calls: number;
}
const endOf = (kept: Kept | undefined, run: RunFacts): Outcome =>
  kept && { kind: 'broken', at: kept.at, message: 'm', evidence: { calls: kept.calls }, halt: run.spent() };
const typed = defineRule<Kept>({
  id: 'typed',
  family: 'loop',
  severity: ADVISORY,
  passing: 'p',
  action: 'a',
  sees: ['tool'],
  fields: ['path'],
  step(kept, span: Span, run) {
    const path: string | number | boolean | readonly string[] | undefined = span.fields['path'];
    // @ts-expect-error a span is not to be changed
    span.seq = 1;
    // @ts-expect-error nor is what is known of a run
    run.calls = 1;
    return { at: placeOf(span), calls: run.calls + (kept?.calls ?? 0) + (path === undefined ? 0 : 1) };
  },
  end: endOf,
});
const inferred: CustomRule = defineRule({
  id: 'inferred',
  family: 'order',
  passing: 'p',
  action: 'a',
  sees: 'every',
  step: (kept: number | undefined) => (kept ?? 0) + 1,
  end: (kept) => (kept === 3 ? { kind: 'unverifiable', because: 'three' } : undefined),
  share: (kept) => kept,
  across: (runs) => new Map([...runs.keys()].map((runId) => [runId, undefined])),
});
// @ts-expect-error there is no such family
defineRule({ id: 'x', family: 'mine', passing: 'p', action: 'a', sees: 'every', end: () => undefined });
// @ts-expect-error classic knows no custom rule
defineRule({ id: 'x', family: 'loop', severity: { classic: 'warn' }, passing: 'p', action: 'a', sees: 'every' });

export const main = async (): Promise<number> => {
  const reports: Report[] = [
    await checkSpans([span], settings),
    await checkSpans([span], { customRules: [typed, inferred] }),
    await checkSpans((async function* () { yield span; })()),
    await checkTrace(Readable.from([Buffer.from('x')], { objectMode: false })),
    await checkTrace([new Uint8Array(1)]),
  ];
  const format: Format = 'json';
  for (const report of reports) {
    const wire = JSON.parse(render(report, format)) as WireReport;
    const runs: readonly RunReport[] = report.runs;
    const findings: readonly Finding[] = runs.flatMap((run) => run.findings);
    const rule: RuleId | undefined = findings[0]?.rule;
    const builtIn: BuiltInRuleId = RULES[0].id;
    if (report.customRules.some(({ id }) => id === builtIn)) return 3;
    const verdict: Verdict | undefined = runs[0]?.verdict ?? VERDICTS[0];
    const errors: readonly InputError[] = report.inputErrors;
    // @ts-expect-error a report is not to be changed
    report.runs = [];
    if (verdict === 'closed_ok' && rule === RULES[0].id) console.log(wire.summary.runs, errors.length);
  }
  // @ts-expect-error there is no such format
  render(reports[0] as Report, 'xml');
  // @ts-expect-error there is no such schema
  jsonSchema('spans');
  // @ts-expect-error chunks are bytes, not text
  await checkTrace(['text']);
  // @ts-expect-error there is no such format to read
  await checkSpans([], { from: 'claude' });
  // @ts-expect-error a setting by another name
  await checkSpans([], { Partial: true });
  const schema: object = jsonSchema('span');
  return exitCodeOf(reports[0] as Report) + Object.keys(schema).length;
};
`;

describe('its types', () => {
  const compiler = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');

  test.each([
    ['nodenext', 'nodenext'],
    ['preserve', 'bundler'],
    ['esnext', 'bundler'],
  ])('a strict program of module %s, resolved as %s, compiles', async (module, moduleResolution) => {
    const name = `consumer-${module}`;
    writeFileSync(inProject(`${name}.ts`), CONSUMER);
    const config = {
      compilerOptions: {
        target: 'es2023',
        module,
        moduleResolution,
        strict: true,
        exactOptionalPropertyTypes: true,
        noUncheckedIndexedAccess: true,
        verbatimModuleSyntax: true,
        // The types that come with the package are looked at as well.
        skipLibCheck: false,
        noEmit: true,
        types: ['node'],
        typeRoots: [join(ROOT, 'node_modules', '@types')],
      },
      files: [`${name}.ts`],
    };
    writeFileSync(inProject(`${name}.json`), JSON.stringify(config));
    const outcome = await said(process.execPath, [compiler, '-p', `${name}.json`], { cwd: project, env }).catch(
      (error: unknown) => error,
    );
    expect(outcome).toMatchObject({ stdout: '', stderr: '' });
  });

  test('a schema is a typed import', async () => {
    writeFileSync(
      inProject('schema.ts'),
      `import schema from 'terminal-contract/schemas/report.schema.json' with { type: 'json' };
export const title: string = schema.title;
`,
    );
    const flags = ['--module', 'nodenext', '--strict', '--resolveJsonModule', '--noEmit', '--types', '', 'schema.ts'];
    const outcome = await said(process.execPath, [compiler, '--ignoreConfig', ...flags], { cwd: project, env }).catch(
      (error: unknown) => error,
    );
    expect(outcome).toMatchObject({ stdout: '', stderr: '' });
  });
});

test('the version of the package is the one that its command tells', async () => {
  const { version } = JSON.parse(readFileSync(inProject('node_modules/terminal-contract/package.json'), 'utf8'));
  const { stdout } = await said(inProject('node_modules/.bin/terminal-contract'), ['--version'], { cwd: project, env });
  expect(stdout).toBe(`${version}\n`);
});
