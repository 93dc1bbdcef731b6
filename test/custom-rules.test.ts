import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { findConfig } from '../src/find-config.js';
import { jsonSchema } from '../src/index.js';
import { type Folder, folder, type Ran, ROOT } from './run-command.js';
import { lines } from './trace-words.js';

// Stands in modules and errors that must not be quoted.
const SECRET = 'hunter2';
const CONFIG = 'terminal-contract.config.json';
const MODULE = './rules/own.mjs';
const FILE = 'rules/own.mjs';

/** A rule that finds every call of the tool `shell`, as a module writes it; `more` stands after its members. */
const noShell = (id = 'no-shell', more = ''): string => `({
  id: '${id}', family: 'loop', passing: 'No call of shell.', action: 'call something else',
  sees: ['tool'],
  step: (kept, span) => kept ?? (span.name === 'shell' ? { at: span } : undefined),
  end: (kept) => kept && { kind: 'broken', at: kept.at, message: 'shell is called', evidence: { tool: 'shell' } },
  ${more}
})`;
const exported = (code: string): string => `export default ${code};\n`;
const NAMES_MODULE = JSON.stringify({ custom_rules: [MODULE] });

const SHELL = lines('start@0 tool@1:a,name=shell stop@1:done', 'shell');
const EDIT = lines('start@0 tool@1:a stop@1:done', 'edit');

/** A folder with a config that names one module, and a trace of two runs. */
const project = (code: string, more: Readonly<Record<string, string | readonly string[]>> = {}): Folder =>
  folder({ [CONFIG]: NAMES_MODULE, [FILE]: code, 'trace.jsonl': [...SHELL, ...EDIT], ...more });

const judge = (at: Folder, args: readonly string[] = []): Promise<Ran> =>
  at.runInside([join(at.path, 'trace.jsonl'), ...args]);

interface Wire {
  readonly runs: readonly {
    readonly run_id: string;
    readonly fails: boolean;
    readonly findings: readonly {
      readonly rule: string;
      readonly severity: string;
      readonly line: number;
      readonly evidence: Readonly<Record<string, unknown>>;
    }[];
    readonly unverifiable: readonly string[];
    readonly unverifiable_because: Readonly<Record<string, string>>;
    readonly spent_after: { readonly calls: number } | null;
  }[];
  readonly input_errors: readonly { readonly code: string; readonly line: number | null; readonly message: string }[];
}
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
const isReport = ajv.compile<Wire>(jsonSchema('report'));
const report = async (at: Folder, args: readonly string[] = []): Promise<Wire> => {
  const { stdout } = await judge(at, ['--format', 'json', '--quiet', ...args]);
  const wire: unknown = JSON.parse(stdout);
  if (!isReport(wire)) throw new Error(ajv.errorsText(isReport.errors));
  return wire;
};
/** What the runs of a report break, by run, of the custom rules. */
const found = ({ runs }: Wire, rule = 'no-shell'): string[] =>
  runs.flatMap(({ run_id, findings }) =>
    findings.filter((finding) => finding.rule === rule).map(({ severity, line }) => `${run_id}:${line} ${severity}`),
  );

const WARNED = ['shell:2 warn'];

describe('a module is found', () => {
  test.each<[string, Readonly<Record<string, string>>, readonly string[]]>([
    ['by a path', {}, []],
    ['by a path from the folder of the config, not the one at hand', {}, ['--config', 'a/b/c.json']],
    ['above its config', { 'a/d.yaml': 'custom_rules: [../rules/own.mjs]' }, ['--config', 'a/d.yaml']],
    ['with signs that a URL would cut', { [CONFIG]: '{"custom_rules":["./rules/a#b?c%20d.mjs"]}' }, []],
    ['as CommonJS', { [CONFIG]: '{"custom_rules":["./rules/own.cjs"]}' }, []],
    ['as CommonJS with rules by name', { [CONFIG]: '{"custom_rules":["./rules/named.cjs"]}' }, []],
    ['as what a compiler makes of a default export', { [CONFIG]: '{"custom_rules":["./rules/made.cjs"]}' }, []],
    ['as a package', { [CONFIG]: '{"custom_rules":["our-rules"]}' }, []],
    ['as a part of a package', { [CONFIG]: '{"custom_rules":["@our/rules/shell"]}' }, []],
    ['from a key of package.json', { 'package.json': `{"terminal-contract":${NAMES_MODULE}}` }, []],
    ['from a config that is code', { 'c.mjs': `export default ${NAMES_MODULE}` }, ['--config', 'c.mjs']],
  ])('%s', async (_where, files, args) => {
    const at = project(exported(noShell()), {
      // Where another config is at hand, this one is not the one that is meant.
      [CONFIG]: args.length > 0 || 'package.json' in files ? '{}' : NAMES_MODULE,
      'a/b/c.json': '{"custom_rules":["../../rules/own.mjs"]}',
      'rules/a#b?c%20d.mjs': exported(noShell()),
      'rules/own.cjs': `module.exports = ${noShell()};`,
      'rules/named.cjs': `module.exports = { noShell: ${noShell()}, LIMIT: 3 };`,
      'rules/made.cjs': `Object.defineProperty(exports, '__esModule', { value: true }); exports.default = ${noShell()};`,
      // Only what imports may have it, as many packages say.
      'node_modules/our-rules/package.json': '{"name":"our-rules","exports":{"import":"./r.mjs"}}',
      'node_modules/our-rules/r.mjs': exported(noShell()),
      'node_modules/@our/rules/package.json': '{"name":"@our/rules","type":"module","exports":{"./*":"./*.js"}}',
      'node_modules/@our/rules/shell.js': exported(noShell()),
      ...files,
    });
    // The test runner loads modules in a way of its own.
    const { stdout } = await at.run(['trace.jsonl', '--format', 'json', '--quiet', ...args]);
    expect(found(JSON.parse(stdout))).toEqual(WARNED);
  });

  test('from a folder below, and by a whole path', async () => {
    const at = project(exported(noShell()), { 'a/x': '' });
    const inside = await at.runInside(['--format', 'json', '--quiet', join(at.path, 'trace.jsonl')], 'a');
    expect(found(JSON.parse(inside.stdout))).toEqual(WARNED);
    at.write({ 'whole.json': JSON.stringify({ custom_rules: [join(at.path, FILE)] }) });
    expect(found(await report(at, ['--config', 'whole.json']))).toEqual(WARNED);
    at.write({ 'url.json': JSON.stringify({ custom_rules: [pathToFileURL(join(at.path, FILE)).href] }) });
    expect(found(await report(at, ['--config', 'url.json']))).toEqual(WARNED);
  });

  test.each([
    ['the default', exported(noShell())],
    ['a name', `export const rule = ${noShell()};`],
    ['a list', `export const rules = [${noShell()}];`],
    ['a default list', exported(`[${noShell()}]`)],
    ['two names', `const rule = ${noShell()}; export { rule as default, rule };`],
    ['beside helpers', `export const LIMIT = 3; export const helper = () => {}; export const rule = ${noShell()};`],
  ])('and exports a rule as %s', async (_as, code) => {
    expect(found(await report(project(code)))).toEqual(WARNED);
  });

  test('once it is installed beside the package, with defineRule', async () => {
    const code = `import { defineRule, ERROR, placeOf } from 'terminal-contract';
      export default defineRule({ id: 'no-shell', family: 'loop', severity: ERROR, passing: 'p', action: 'a', sees: ['tool'],
        step: (kept, span) => kept ?? (span.name === 'shell' ? placeOf(span) : undefined),
        end: (at) => at && { kind: 'broken', at, message: 'm', evidence: {} } });`;
    const at = project(code);
    mkdirSync(join(at.path, 'node_modules'));
    symlinkSync(ROOT, join(at.path, 'node_modules', 'terminal-contract'));
    expect(await at.run(['trace.jsonl'])).toMatchObject({
      stdout: 'edit\tclosed_ok\titer=1\tspans=3\nshell\tclosed_ok\titer=1\tspans=3\tbreaks=no-shell\n',
      code: 1,
    });
  });

  test('its URL is at hand for whoever has to load it again', async () => {
    const at = project(exported(noShell()), { 'c.mjs': `export default { custom_rules: [${noShell()}] };` });
    const url = pathToFileURL(join(at.path, FILE)).href;
    const { customRules } = await findConfig(undefined, at.path);
    expect([customRules.modules, customRules.isLoadable]).toEqual([[{ name: MODULE, url }], true]);
    const given = await findConfig('c.mjs', at.path);
    expect([given.customRules.modules, given.customRules.isLoadable]).toEqual([[], false]);
  });
});

test('a config that is code may hold the rules themselves', async () => {
  const at = project('', {
    'c.mjs': `const rule = ${noShell()}; export default { custom_rules: [rule], rules: { 'no-shell': 'error' } };`,
  });
  expect(found(await report(at, ['--config', 'c.mjs']))).toEqual(['shell:2 error']);
  at.write({
    'd.mjs': `export default { get custom_rules() { return ['${MODULE}']; } };`,
    [FILE]: exported(noShell()),
  });
  expect(found(await report(at, ['--config', 'd.mjs']))).toEqual(WARNED);
});

interface Fault {
  readonly shows: string;
  readonly code?: string;
  readonly config?: object;
  readonly files?: Readonly<Record<string, string>>;
  readonly says: readonly string[];
}
/** What is wrong with a rule that has been loaded; the rows before it are about loading. */
const ofRule = (shows: string, member: string, ...says: readonly string[]): Fault => ({
  shows: `a rule with ${shows}`,
  code: exported(noShell('no-shell', member)),
  says: [`${MODULE}: its export default: `, ...says],
});

const LOAD_FAULTS: readonly Fault[] = [
  { shows: 'no list', config: { custom_rules: MODULE }, says: ['custom_rules must be a list of modules'] },
  { shows: 'an empty name', config: { custom_rules: [''] }, says: ['custom_rules must be a list of modules'] },
  { shows: 'a number', config: { custom_rules: [1] }, says: ['custom_rules must be a list of modules'] },
  {
    shows: 'a misspelt key',
    config: { custom_rule: [MODULE] },
    says: ['no key custom_rule (did you mean custom_rules'],
  },
  { shows: 'a rule that JSON cannot hold', config: { custom_rules: [{ id: 'x' }] }, says: ['entry 1: '] },
  {
    shows: 'a rule that is none after a module',
    config: { custom_rules: [MODULE, { id: SECRET }] },
    says: ['custom_rules: entry 2: '],
  },
  { shows: 'a missing file', config: { custom_rules: ['./none.mjs'] }, says: ['./none.mjs: there is no such file'] },
  { shows: 'a folder', config: { custom_rules: ['./rules'] }, says: ['./rules: it is a directory'] },
  {
    shows: 'a path without its ./',
    config: { custom_rules: [FILE] },
    says: [`${FILE}: there is no such package; the name of a file begins with ./`],
  },
  { shows: 'a missing package', config: { custom_rules: ['no-such'] }, says: ['no-such: there is no such package'] },
  {
    shows: 'what a package does not export',
    config: { custom_rules: ['our/inner.js'] },
    files: {
      'node_modules/our/package.json': '{"name":"our","exports":{".":"./x.js"}}',
      'node_modules/our/inner.js': '',
    },
    says: ['our/inner.js: the package does not export it'],
  },
  {
    shows: 'a part of Node',
    config: { custom_rules: ['node:fs'] },
    says: ['node:fs: it is neither a file nor a package'],
  },
  {
    shows: 'code in a URL',
    config: { custom_rules: ['data:text/javascript,export default 1'] },
    says: ['it is neither a file nor a package'],
  },
  {
    shows: 'a name that would reach a terminal',
    config: { custom_rules: ['./\u001b[31m'] },
    says: ['./\\u001b[31m: there'],
  },
  {
    shows: 'code that cannot be parsed',
    code: `export default { ${SECRET}`,
    says: [`${MODULE}: it cannot be loaded (SyntaxError)`],
  },
  {
    shows: 'code that throws',
    code: `\nthrow new TypeError('${SECRET}');`,
    says: [`${MODULE}: its code throws (TypeError at ${MODULE}:2:7)`],
  },
  { shows: 'code that throws a word', code: `throw '${SECRET}';`, says: [`${MODULE}: its code throws (error)`] },
  {
    shows: 'code that throws an error with a code of its own',
    code: `throw Object.assign(new Error(), { code: '${SECRET}' });`,
    says: ['its code throws (error'],
  },
  {
    shows: 'an import that is missing',
    code: "import 'no-such-package';",
    says: [`${MODULE}: something that it imports is not there`],
  },
  {
    shows: 'a file of another kind',
    config: { custom_rules: ['./own.wat'] },
    files: { 'own.wat': '' },
    says: ['./own.wat: this Node loads no such file'],
  },
];

const RULE_FAULTS: readonly Fault[] = [
  { shows: 'no export', code: `const rule = ${noShell()};`, says: [`${MODULE}: it exports no rule`] },
  { shows: 'functions alone', code: exported('() => ({})'), says: ['it exports no rule'] },
  {
    shows: 'an object that is no rule',
    code: `export const limits = { budget: '${SECRET}' };`,
    says: ['its export limits: '],
  },
  {
    shows: 'a list that holds none',
    code: exported(`[${noShell()}, '${SECRET}']`),
    says: ['its export default[1]: it must be a rule'],
  },
  { shows: 'a rule without an id', code: exported("{ family: 'loop', sees: 'every' }"), says: ['it exports no rule'] },
  ofRule('an id of another shape', `id: '${SECRET} No'`, 'id must be kebab-case'),
  ofRule('an id that is long', `id: '${'a'.repeat(65)}'`, 'at most 64 characters'),
  {
    shows: 'the id of a built-in rule',
    code: exported(noShell('open-loop')),
    says: ['custom_rules: a built-in rule has the id open-loop'],
  },
  ofRule('no family', `family: '${SECRET}'`, 'family must be one of termination, order'),
  ofRule('a severity that is none', `severity: { terminal: '${SECRET}' }`, 'severity must be { terminal, strict }'),
  ofRule('a severity for all', "severity: 'error'", 'severity must be'),
  ofRule('a severity in classic', "severity: { classic: 'warn' }", 'classic knows no custom rule'),
  ofRule('no sentence', "passing: ' '", 'passing must be a text'),
  ofRule('no action', 'action: undefined', 'action must be a text'),
  ofRule('a text without end', `why: '${SECRET}'.repeat(999)`, 'why must be a text of at most 1000 characters'),
  ofRule('nothing that it sees', 'sees: []', 'sees must be "every"'),
  ofRule('a word that it sees', `sees: '${SECRET}'`, 'sees must be "every"'),
  ofRule('no step', 'step: undefined', 'step must be a function'),
  ofRule('a step that is none', `step: '${SECRET}'`, 'step must be a function'),
  ofRule('a step that is async', 'step: async () => {}', 'step must be a function that is not async'),
  ofRule('nothing to say it with', 'end: undefined', 'it can never speak'),
  ofRule('an unjudged that is no text', 'unjudged: true', 'unjudged must be a text of at most 1000 characters'),
  ofRule('a misspelt member', `acros: () => '${SECRET}'`, 'a rule has no acros (did you mean across?)'),
  ofRule('a field of every object', "fields: ['constructor']", 'fields must be a list of keys'),
  ofRule('the prototype as a field', "fields: ['__proto__']", 'fields must be a list of keys'),
  ofRule('an example that is no JSON', 'example: { breaks: [{ type: 1n }], keeps: [] }', 'example must be'),
  ofRule('a member that throws', `get why() { throw new Error('${SECRET}'); }`, 'a member of it throws'),
  {
    shows: 'two rules with one id',
    config: { custom_rules: [MODULE, './rules/two.mjs'] },
    files: { 'rules/two.mjs': exported(noShell()) },
    says: ['custom_rules: two rules have the id no-shell'],
  },
  { shows: 'a module twice', config: { custom_rules: [MODULE, MODULE] }, says: ['two rules have the id no-shell'] },
  {
    shows: 'a severity of a rule that is not there',
    config: { custom_rules: [MODULE], rules: { 'no-shel': 'off' } },
    says: ['there is no rule no-shel (did you mean no-shell?)'],
  },
  {
    shows: 'a severity that is none',
    config: { custom_rules: [MODULE], rules: { 'no-shell': SECRET } },
    says: ['rules.no-shell must be one of off, warn, error'],
  },
  {
    shows: 'another mistake beside it',
    config: { custom_rules: [MODULE], buget: SECRET },
    says: ['no key buget (did you mean budget?)'],
  },
];

const filesOf = ({ code, config, files }: Fault): Record<string, string | readonly string[]> => ({
  [CONFIG]: config === undefined ? NAMES_MODULE : JSON.stringify(config),
  [FILE]: code ?? exported(noShell()),
  'trace.jsonl': SHELL,
  ...files,
});
const expectFault = ({ stdout, stderr, code }: Ran, at: Folder, { says }: Fault): void => {
  expect({ stdout, code }, stderr).toEqual({ stdout: '', code: 2 });
  expect(stderr).toMatch(/^terminal-contract: terminal-contract\.config\.json: .*\n$/);
  expect(stderr).not.toContain(SECRET);
  expect(stderr).not.toContain(at.path);
  for (const words of says) expect(stderr).toContain(words);
};

describe('a module that cannot be used: exit 2, which one and what, and not a word of it', () => {
  test.concurrent.for(LOAD_FAULTS)('$shows', async (fault, { onTestFinished }) => {
    const at = folder(filesOf(fault), onTestFinished);
    expectFault(await at.run(['trace.jsonl']), at, fault);
  });

  test.each(RULE_FAULTS)('$shows', async (fault) => {
    const at = folder(filesOf(fault));
    expectFault(await judge(at), at, fault);
  });
});

describe('code comes from the config alone', () => {
  const EVIL = "globalThis[Symbol.for('evil rule')] = true; export default {};";
  const isLoaded = (): boolean => Symbol.for('evil rule') in globalThis;
  const asks = { custom_rules: ['./evil.mjs'], rules: { 'no-shell': 'off' } };

  test('neither a header nor a run can name a module', async () => {
    const [start = '', ...rest] = SHELL;
    const at = folder({
      'evil.mjs': EVIL,
      'trace.jsonl': [
        JSON.stringify({ type: 'contract', ...asks }),
        JSON.stringify({ ...JSON.parse(start), contract: asks }),
        ...rest,
      ],
    });
    expect(await judge(at)).toMatchObject({ code: 0, stdout: 'shell\tclosed_ok\titer=1\tspans=3\n' });
    expect(isLoaded()).toBe(false);
  });

  test('neither lowers a rule that the config brings, and a header may raise it', async () => {
    const [start = '', ...rest] = SHELL;
    const headed = (header: object, own: object): string[] => [
      JSON.stringify({ type: 'contract', ...header }),
      JSON.stringify({ ...JSON.parse(start), contract: own }),
      ...rest,
    ];
    const lowered = project(exported(noShell()), { 'trace.jsonl': headed(asks, {}) });
    const wire = await report(lowered);
    expect([found(wire), found(wire, 'contract-loosened')]).toEqual([['shell:3 warn'], ['shell:2 warn']]);
    const own = project(exported(noShell()), { 'trace.jsonl': headed({}, asks) });
    expect(found(await report(own))).toEqual(['shell:3 warn']);
    const raised = project(exported(noShell()), { 'trace.jsonl': headed({ rules: { 'no-shell': 'error' } }, {}) });
    expect(found(await report(raised))).toEqual(['shell:3 error']);
  });
});

test('the schema of the config takes custom rules, and ids of their shape', () => {
  const isConfig = ajv.compile(jsonSchema('config'));
  expect(isConfig({ custom_rules: [MODULE, 'our-rules'], rules: { 'no-shell': 'error', 'open-loop': 'off' } })).toBe(
    true,
  );
  for (const odd of [{ custom_rules: MODULE }, { custom_rules: [''] }, { rules: { 'No Shell': 'error' } }]) {
    expect(isConfig(odd)).toBe(false);
  }
  const isContract = ajv.compile(jsonSchema('contract'));
  expect(isContract({ rules: { 'no-shell': 'error' } })).toBe(true);
});

describe('how much it counts', () => {
  test.each<[string, string, readonly string[], object, string | undefined]>([
    ['by default a warning', '', [], {}, 'warn'],
    ['by default an error under strict', '', ['--profile', 'strict', '--rule', 'missing-goal=off'], {}, 'error'],
    ['what it says itself', "severity: { terminal: 'error' }", [], {}, 'error'],
    ['nothing where it says off', "severity: { terminal: 'off' }", [], {}, undefined],
    [
      'more where it says off and the command line warn',
      "severity: { terminal: 'off' }",
      ['--rule', 'no-shell=warn'],
      {},
      'warn',
    ],
    ['what the config says', '', [], { 'no-shell': 'error' }, 'error'],
    ['what the command line says', '', ['--rule', 'no-shell=off'], { 'no-shell': 'error' }, undefined],
  ])('%s', async (_shows, member, args, rules, severity) => {
    const at = project(exported(noShell('no-shell', member)), {
      [CONFIG]: JSON.stringify({ custom_rules: [MODULE], rules }),
    });
    expect(found(await report(at, args))).toEqual(severity === undefined ? [] : [`shell:2 ${severity}`]);
    const { stdout, code } = await judge(at, args);
    expect(code).toBe(severity === 'error' ? 1 : 0);
    expect(stdout.includes('breaks=no-shell')).toBe(severity === 'error');
  });

  test('classic knows none', async () => {
    const at = project(exported(noShell('no-shell', "severity: { terminal: 'error', strict: 'error' }")));
    expect(await judge(at, ['--profile', 'classic'])).toMatchObject({ code: 0, stderr: '' });
    expect(await judge(at, ['--profile', 'classic', '--rule', 'no-shell=error'])).toMatchObject({
      stderr: 'terminal-contract: --rule no-shell: profile classic does not know this rule\n',
      code: 2,
    });
  });

  test('a rule that the command line misspells is told of all of them', async () => {
    const at = project(exported(noShell()));
    expect(await judge(at, ['--rule', 'no-shel=off'])).toMatchObject({
      stderr: 'terminal-contract: there is no rule no-shel (did you mean no-shell?); see terminal-contract rules\n',
      code: 2,
    });
    expect((await judge(at, ['--rule', 'open-lop=off'])).stderr).toContain('did you mean open-loop?');
  });

  test('its family is required like any other', async () => {
    const at = project(exported(noShell('no-shell', "needs: 'tool span'")), {
      'trace.jsonl': lines('start@0 stop@0:done'),
    });
    expect(await judge(at)).toMatchObject({ code: 0 });
    expect(await judge(at, ['--require', 'loop'])).toMatchObject({
      stdout: expect.stringMatching(/\tbreaks=.*no-shell\n$/),
      code: 1,
    });
    const wire = await report(at, ['--require', 'loop']);
    expect(wire.runs[0]?.unverifiable_because['no-shell']).toBe('the run carries no tool span');
  });

  test('custom rules rank after the built-in ones, in the order of the config', async () => {
    const error = "severity: { terminal: 'error' }";
    const at = project(`export default [${noShell('zz-first', error)}, ${noShell('aa-second', error)}];`, {
      [CONFIG]: JSON.stringify({ custom_rules: [MODULE, './more.mjs'], rules: { 'missing-goal': 'error' } }),
      'more.mjs': exported(noShell('aa-third', error)),
      'trace.jsonl': lines('tool@1:a,name=shell stop@1:done'),
    });
    expect((await judge(at)).stdout).toBe(
      'r\tclosed_ok\titer=1\tspans=2\tbreaks=missing-goal,zz-first,aa-second,aa-third\n',
    );
  });

  test('where it would have halted the run is where spending begins to be too much', async () => {
    const halts =
      'end: (kept, run) => ({ kind: "broken", at: run.last, message: "m", evidence: {}, halt: kept }), step: (kept, span, run) => kept ?? run.spent(span)';
    const at = project(exported(noShell('no-shell', halts)), {
      'trace.jsonl': lines('start@0 tool@1:a tool@2:b stop@2:done'),
    });
    expect((await report(at)).runs[0]?.spent_after?.calls).toBe(1);
  });
});

describe('it is listed and explained', () => {
  const CODE = exported(
    noShell(
      'no-shell',
      "why: 'Because\\n  it \\u001b[31mhurts.', unjudged: 'A call\\n  has no \\u001b[31mname.', needs: 'tool span', example: { breaks: [{ type: 'tool', name: 'shell' }], keeps: [] }",
    ),
  );

  test('by rules, with the config at hand or named', async () => {
    const at = project(CODE);
    const row = 'no-shell                 loop         off      warn      error   ./rules/own.mjs\n';
    expect((await at.runInside(['rules'])).stdout).toContain(row);
    expect(
      (await folder({ [FILE]: CODE, 'c.json': NAMES_MODULE }).runInside(['rules', '--config', 'c.json'])).stdout,
    ).toContain(row);
    expect((await folder().runInside(['rules'])).stdout).not.toContain('no-shell');
  });

  test('by its page, in plain text', async () => {
    const { stdout, code } = await project(CODE).runInside(['rules', 'no-shell']);
    expect({ stdout, code }).toEqual({
      stdout: [
        'no-shell (loop; classic off, terminal warn, strict error)',
        'No call of shell.',
        'Because it \\u001b[31mhurts.',
        'Cannot be judged: A call has no \\u001b[31mname. Where the contract requires loop: the run carries no tool span.',
        'What to do: call something else.',
        'Breaks it:\n{"run_id":"run_example","seq":1,"type":"tool","name":"shell"}',
        'Source: ./rules/own.mjs.\n',
      ].join('\n\n'),
      code: 0,
    });
    const missing = await project(CODE).runInside(['rules', 'no-shel']);
    expect(missing).toMatchObject({ code: 2, stdout: '' });
    expect(missing.stderr).toContain('did you mean no-shell?');
  });

  test('by print-contract', async () => {
    const { stdout } = await project(CODE).runInside(['--print-contract', '--rule', 'no-shell=error']);
    expect(stdout.endsWith('\nrules.no-shell\terror\tcommand line\n')).toBe(true);
    const classic = await project(CODE).runInside(['--print-contract', '--profile', 'classic']);
    expect(classic.stdout).toContain('rules.no-shell\toff\tprofile classic\n');
  });

  test('by explain, and for people', async () => {
    const at = project(CODE);
    const { stdout } = await at.runInside(['explain', 'shell', join(at.path, 'trace.jsonl')]);
    expect(stdout).toMatch(/^> seq 2 .* <- no-shell$/m);
    expect(stdout).toContain('saw: tool shell\n    asks: No call of shell.\n    do: call something else\n');
    const { stderr } = await judge(at, ['--rule', 'no-shell=error']);
    expect(stderr).toMatch(/ {2}error no-shell .*trace\.jsonl:2: shell is called; call something else\n/);
  });
});

describe('what it says of a trace cannot act', () => {
  test('in a message, in evidence or in a reason', async () => {
    const says = `end: (kept, run) => run.runId === 'shell'
      ? { kind: 'broken', at: run.first, message: '\\u001b[31m\\nforged', evidence: { x: '\\u001b[2J' } }
      : { kind: 'unverifiable', because: '\\u001b[31m\\nforged' }`;
    const at = project(exported(noShell('no-shell', says)), {
      [CONFIG]: JSON.stringify({ custom_rules: [MODULE], require: ['loop'], rules: { 'no-shell': 'error' } }),
    });
    for (const args of [[], ['--format', 'json'], ['--format', 'ndjson']]) {
      const { stdout, stderr } = await judge(at, args);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
      expect(stdout + stderr).not.toMatch(/\u001b|\nforged/);
    }
    for (const runId of ['shell', 'edit']) {
      const { stdout } = await at.runInside(['explain', runId, join(at.path, 'trace.jsonl')]);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
      expect(stdout).not.toMatch(/\u001b|\nforged/);
    }
  });
});

const BROKEN = "{ kind: 'broken', at: run.last, message: 'm', evidence: {} }";
interface Failure {
  readonly shows: string;
  readonly member: string;
  readonly says: string;
  /** Where it failed; of every run the last line by default. */
  readonly line?: number;
  readonly runs?: number;
}
const ofEnd = (shows: string, value: string): Failure => ({
  shows: `an end that returns ${shows}`,
  member: `end: (kept, run) => (${value})`,
  says: 'its end returns no outcome',
});
const ofAcross = (shows: string, value: string): Failure => ({
  shows: `an across that returns ${shows}`,
  member: `across: (runs) => (${value})`,
  says: 'its across returns no Map of outcomes by run_id',
});
const FAILURES: readonly Failure[] = [
  {
    shows: 'a step that throws',
    member: `step: (kept, span) => { if (span.name === 'shell') throw new RangeError('${SECRET}'); }`,
    says: `its step throws (RangeError at ${MODULE}:6:`,
    line: 2,
    runs: 1,
  },
  {
    shows: 'a step that throws a word',
    member: `step: () => { throw '${SECRET}'; }`,
    says: 'its step throws (error)',
    line: 2,
  },
  {
    shows: 'a step without end',
    member: 'step: function again() { return again(); }',
    says: 'its step throws (RangeError',
    line: 2,
  },
  {
    shows: 'a step that gives a promise',
    member: `step: () => Promise.reject(new Error('${SECRET}'))`,
    says: 'its step is async',
    line: 2,
  },
  {
    shows: 'an end that throws',
    member: `end: () => ${SECRET}.x`,
    says: `its end throws (ReferenceError at ${MODULE}`,
  },
  { shows: 'an end that gives a promise', member: 'end: () => Promise.resolve(undefined)', says: 'its end is async' },
  ofEnd('null', 'null'),
  ofEnd('a word', `'${SECRET}'`),
  ofEnd('a list', `[${BROKEN}]`),
  ofEnd('another kind', "{ kind: 'kept' }"),
  ofEnd('no place', "{ kind: 'broken', message: 'm', evidence: {} }"),
  ofEnd('a place that is none', "{ kind: 'broken', at: { file: 0, line: 0 }, message: 'm', evidence: {} }"),
  ofEnd('no message', "{ kind: 'broken', at: run.last, message: ' ', evidence: {} }"),
  ofEnd('evidence that is no plain value', "{ kind: 'broken', at: run.last, message: 'm', evidence: { a: {} } }"),
  ofEnd('evidence that no JSON holds', "{ kind: 'broken', at: run.last, message: 'm', evidence: { a: NaN } }"),
  ofEnd('evidence under an odd key', "{ kind: 'broken', at: run.last, message: 'm', evidence: { 'a\\nb': 1 } }"),
  ofEnd('a halt that is none', "{ kind: 'broken', at: run.last, message: 'm', evidence: {}, halt: 3 }"),
  ofEnd('no reason', "{ kind: 'unverifiable' }"),
  ofEnd('a member too many', `{ ...${BROKEN}, severity: 'off' }`),
  {
    shows: 'an end that returns a member that throws',
    member: `end: () => ({ kind: 'broken', get at() { throw new Error('${SECRET}'); } })`,
    says: 'its end throws (error at',
  },
  {
    shows: 'a share that throws',
    member: `step: () => 1, share: () => { throw new Error('${SECRET}'); }, end: () => undefined`,
    says: 'its share throws (error at',
  },
  {
    shows: 'an across that throws',
    member: `across: () => { throw new Error('${SECRET}'); }`,
    says: 'its across throws (error at',
  },
  ofAcross('nothing', 'undefined'),
  ofAcross('an object', '{}'),
  ofAcross('a run that is not there', `new Map([['${SECRET}', undefined]])`),
  ofAcross('no outcome', "new Map([['shell', null]])"),
];

describe('a rule that fails where it should judge: the rest is judged, it is said, exit 2', () => {
  test.each(FAILURES)('$shows', async ({ member, says, line, runs = 2 }) => {
    const at = project(exported(noShell('no-shell', member)), {
      [CONFIG]: JSON.stringify({ custom_rules: [MODULE, './fine.mjs'] }),
      'fine.mjs': exported(noShell('fine')),
    });
    const { stdout, stderr, code } = await judge(at);
    expect({ stdout, code }, stderr).toEqual({
      stdout: 'edit\tclosed_ok\titer=1\tspans=3\nshell\tclosed_ok\titer=1\tspans=3\n',
      code: 2,
    });
    expect(stderr).toContain(': rule-failed: custom rule no-shell: ');
    expect(stderr).toContain(says);
    expect(stderr).toContain(
      `it is not judged in ${runs} run${runs === 1 ? '' : 's'}; mend it, or switch it off with --rule no-shell=off\n`,
    );
    expect(stderr).toContain('1 failed rule, not everything could be judged');
    expect(stderr).not.toMatch(new RegExp(`${SECRET}|\\n +at `));
    const wire = await report(at);
    expect(wire.input_errors).toMatchObject([{ code: 'rule-failed', line: line ?? expect.any(Number) }]);
    expect(wire.runs.filter(({ unverifiable }) => unverifiable.includes('no-shell'))).toHaveLength(runs);
    expect(found(wire, 'fine')).toEqual(WARNED);
    // Switched off, it has nothing to say.
    expect((await judge(at, ['--rule', 'no-shell=off'])).code).toBe(0);
    const explained = await at.runInside(['explain', 'shell', join(at.path, 'trace.jsonl')]);
    expect([explained.code, explained.stderr.includes('rule-failed')]).toEqual([2, true]);
  });

  test('and so does the built command, whatever a promise comes to', async () => {
    const code = exported(noShell('no-shell', `step: () => Promise.reject(new Error('${SECRET}'))`));
    const { stdout, stderr, code: exit } = await project(code).run(['trace.jsonl']);
    expect([exit, stdout.split('\n').length]).toEqual([2, 3]);
    expect(stderr).toMatch(/^trace\.jsonl:2: rule-failed: custom rule no-shell: its step is async; [^\n]*\n[^\n]*\n$/);
  });

  test.each([
    [
      'an error of a promise that it forgot',
      exported(noShell('no-shell', 'step: () => { Promise.reject(new Error()); }')),
      'the checker itself failed',
    ],
    ['a module that never finishes', 'await new Promise(() => {}); export default {};', 'code of the config waits'],
  ])('%s is no pass', async (_what, code, says) => {
    const ran = await project(code).run(['trace.jsonl']);
    expect([ran.code, ran.stderr.includes(says)], ran.stderr).toEqual([2, true]);
  });

  test('it is not asked again in that run', async () => {
    const counts = `step: (kept, span) => { globalThis.asked = (globalThis.asked ?? 0) + 1; throw new Error(); }`;
    const at = project(exported(noShell('no-shell', counts)), {
      'trace.jsonl': lines('start@0 tool@1:a tool@2:b tool@3:c stop@3:done'),
    });
    await judge(at);
    expect(Reflect.get(globalThis, 'asked')).toBe(1);
  });
});

describe('rules that look across runs', () => {
  const TWICE = `({
    id: 'one-run-a-goal', family: 'order', passing: 'p', action: 'a', sees: ['tool'],
    step: (kept, span) => ({ name: span.name }),
    share: (kept) => kept?.name,
    across(runs) {
      const named = [...runs.values()].filter((run) => run.shared.get(this.id) === 'shell');
      return new Map(named.length < 2 ? [] : named.map((run) => [run.runId, { kind: 'broken', at: run.first, message: 'm', evidence: { runs: named.length } }]));
    },
  })`;

  test('share what they need, and are told of every run', async () => {
    const at = project(exported(TWICE), {
      'trace.jsonl': [...SHELL, ...EDIT, ...lines('start@0 tool@1:a,name=shell stop@1:done', 'again')],
    });
    const wire = await report(at);
    expect(found(wire, 'one-run-a-goal')).toEqual(['again:7 warn', 'shell:1 warn']);
    expect(wire.runs[0]?.findings.find(({ rule }) => rule === 'one-run-a-goal')?.evidence).toEqual({ runs: 2 });
    expect((await judge(at, ['--rule', 'one-run-a-goal=error'])).stdout).toContain(
      'shell\tclosed_ok\titer=1\tspans=3\tbreaks=one-run-a-goal\n',
    );
    expect(found(await report(project(exported(TWICE))), 'one-run-a-goal')).toEqual([]);
  });
});

describe('keys of a line that the checker does not know', () => {
  const TELL = `({
    id: 'tell', family: 'order', passing: 'p', action: 'a', sees: ['tool'], fields: ['path', 'parent_id', 'a.b'],
    step: (kept = [], span) => [...kept, span.fields],
    end: (kept, run) => kept && { kind: 'broken', at: run.last, message: 'm', evidence: { fields: JSON.stringify(kept) } },
  })`;
  const span = (seq: number, more: string): string =>
    `{"run_id":"r","seq":${seq},"type":"tool","iter":${seq}${more === '' ? '' : `,${more}`}}`;
  const told = async (trace: readonly string[], code = TELL): Promise<unknown> => {
    const at = project(exported(code), { 'trace.jsonl': trace });
    const [run] = (await report(at)).runs;
    const evidence = run?.findings.find(({ rule }) => rule === 'tell')?.evidence['fields'];
    return JSON.parse(String(evidence));
  };

  test.each([
    ['a text', '"path":"a.ts"', { path: 'a.ts' }],
    ['a number', '"path":-1.5', { path: -1.5 }],
    ['a switch', '"path":false', { path: false }],
    ['a list of texts', '"path":["a","b"]', { path: ['a', 'b'] }],
    ['several', '"path":"a","parent_id":"p","a.b":""', { path: 'a', parent_id: 'p', 'a.b': '' }],
    ['the last of two', '"path":"a","path":"b"', { path: 'b' }],
    ['none', '', {}],
    ['null, which is none', '"path":null', {}],
    ['an object, which is none', '"path":{"a":1}', {}],
    ['a list of other things, which is none', '"path":["a",1]', {}],
    ['a number beyond number, which is none', '"path":1e999', {}],
    ['what no rule asks for', '"other":"x","a":{"b":1}', {}],
    ['a key of a prototype', '"__proto__":{"path":"x"},"constructor":"y"', {}],
  ])('%s', async (_what, more, fields) => {
    expect(await told([span(1, more)])).toEqual([fields]);
    // Late runs are judged from rows that were kept, or from a second look.
    expect(await told([span(2, more), span(1, '"path":"first"')])).toEqual([{ path: 'first' }, fields]);
    const at = project(exported(TELL), { 'late.jsonl': [span(2, more), span(1, '')] });
    const { stdout } = await at.shell('cat late.jsonl | terminal-contract --format json --quiet');
    const findings: readonly { rule: string; evidence: { fields: string } }[] = JSON.parse(stdout).runs[0].findings;
    expect(JSON.parse(findings.find(({ rule }) => rule === 'tell')?.evidence.fields ?? '')).toEqual([{}, fields]);
  });

  test('a rule that names none reads none', async () => {
    expect(await told([span(1, '"path":"a"')], TELL.replace(/fields: \[.*?\],/, ''))).toEqual([{}]);
  });
});
