import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { type Folder, folder, type Ran } from './run-command.js';
import { lines } from './trace-words.js';

const KEPT = lines('start@0 tool@1:a stop@1:done', 'kept');

/** What is in force before a trace is read: value and source, by key. */
const inForce = async (at: Folder, args: readonly string[] = [], cwd = '.'): Promise<Map<string, string>> => {
  const { stdout, stderr, code } = await at.runInside(['--print-contract', ...args], cwd);
  expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
  return new Map(
    stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'))
      .map(([key = '', ...rest]) => [key, rest.join(' from ')]),
  );
};

interface Found {
  readonly shows: string;
  readonly files: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly cwd?: string;
  readonly budget: string;
}

const FIVE = '{"budget":5}';
const SIX = '{"budget":6}';
const FROM_FILE = '5 from config file';
const FOUND: readonly Found[] = [
  { shows: 'nothing', files: {}, budget: '24 from default' },
  { shows: 'json', files: { 'terminal-contract.config.json': FIVE }, budget: FROM_FILE },
  {
    shows: 'json with a byte order mark',
    files: { 'terminal-contract.config.json': `\ufeff${FIVE}` },
    budget: FROM_FILE,
  },
  { shows: 'yaml', files: { 'terminal-contract.config.yaml': '# ours\nbudget: 5\n' }, budget: FROM_FILE },
  { shows: 'yml', files: { 'terminal-contract.config.yml': 'budget: 5\n' }, budget: FROM_FILE },
  {
    shows: 'js',
    files: { 'terminal-contract.config.js': 'export default { budget: 2 + 3 };', 'package.json': '{"type":"module"}' },
    budget: FROM_FILE,
  },
  { shows: 'mjs', files: { 'terminal-contract.config.mjs': 'export default { budget: 2 + 3 };' }, budget: FROM_FILE },
  { shows: 'cjs', files: { 'terminal-contract.config.cjs': 'module.exports = { budget: 2 + 3 };' }, budget: FROM_FILE },
  {
    shows: 'a key of package.json',
    files: { 'package.json': '{"name":"x","terminal-contract":{"budget":5}}' },
    budget: FROM_FILE,
  },
  {
    shows: 'a package.json without the key beside a config file',
    files: { 'package.json': '{"name":"x"}', 'terminal-contract.config.json': FIVE },
    budget: FROM_FILE,
  },
  {
    shows: 'a folder above',
    files: { 'terminal-contract.config.json': FIVE, 'a/b/trace.jsonl': '' },
    cwd: 'a/b',
    budget: FROM_FILE,
  },
  {
    shows: 'a folder above, past a package.json without the key',
    files: { 'terminal-contract.config.json': FIVE, 'a/package.json': '{"name":"x"}', 'a/b/trace.jsonl': '' },
    cwd: 'a/b',
    budget: FROM_FILE,
  },
  {
    shows: 'the nearest, alone',
    files: {
      'terminal-contract.config.json': '{"budget":6,"no_progress_window":9}',
      'a/terminal-contract.config.json': FIVE,
      'a/b/trace.jsonl': '',
    },
    cwd: 'a/b',
    budget: FROM_FILE,
  },
  {
    shows: 'none below the folder, where the trace lies',
    files: { 'a/terminal-contract.config.json': FIVE, 'a/trace.jsonl': '' },
    args: ['a/trace.jsonl'],
    budget: '24 from default',
  },
  { shows: 'an empty object', files: { 'terminal-contract.config.json': '{}' }, budget: '24 from default' },
  {
    shows: 'null, which says nothing',
    files: { 'terminal-contract.config.json': '{"budget":null}' },
    budget: '24 from default',
  },
  {
    shows: 'a schema for editors',
    files: { 'terminal-contract.config.json': '{"$schema":"./config.schema.json","budget":5}' },
    budget: FROM_FILE,
  },
  {
    shows: '--config, not the nearest',
    files: { 'terminal-contract.config.json': SIX, 'other.json': FIVE },
    args: ['--config', 'other.json'],
    budget: FROM_FILE,
  },
  {
    shows: '--config below',
    files: { 'ci/contract.yaml': 'budget: 5' },
    args: ['--config=ci/contract.yaml'],
    budget: FROM_FILE,
  },
  {
    shows: '--config above',
    files: { 'contract.mjs': 'export default { budget: 5 };', 'a/trace.jsonl': '' },
    args: ['--config', '../contract.mjs'],
    cwd: 'a',
    budget: FROM_FILE,
  },
  {
    shows: '--config with a package.json',
    files: { 'a/package.json': '{"terminal-contract":{"budget":5}}' },
    args: ['--config', 'a/package.json'],
    budget: FROM_FILE,
  },
  {
    shows: '--config beside a broken one that nobody asked for',
    files: { 'terminal-contract.config.json': '{', 'other.json': FIVE },
    args: ['--config', 'other.json'],
    budget: FROM_FILE,
  },
];

describe('the config file', () => {
  test.each(FOUND)('found: $shows', async ({ files, args = [], cwd = '.', budget }) => {
    const found = await inForce(folder(files), args, cwd);
    expect(found.get('budget')).toBe(budget);
    expect(found.get('no_progress_window')).toBe('3 from default');
  });

  test('every field, and who decided it', async () => {
    const config = {
      profile: 'strict',
      limits: 'loop-contract',
      budget: 5,
      no_progress_window: 4,
      no_progress_key: 'args+result',
      max_ms: 1000,
      token_kinds: ['in', 'out'],
      seq_scope: 'run',
      require: ['order'],
      rules: { 'missing-goal': 'off' },
    };
    const found = await inForce(folder({ 'terminal-contract.config.json': JSON.stringify(config) }));
    expect(Object.fromEntries(found)).toMatchObject({
      budget: '5 from config file',
      no_progress_window: '4 from config file',
      no_progress_key: 'args+result from config file',
      max_ms: '1000 from config file',
      max_tokens: '200000 from config file',
      token_kinds: 'in,out from config file',
      seq_scope: 'run from config file',
      require: 'order from config file',
      'rules.missing-goal': 'off from config file',
      'rules.over-budget': 'error from profile strict',
    });
  });

  test('its profile and its rules judge', async () => {
    const at = folder({
      'terminal-contract.config.yaml': 'rules:\n  missing-goal: error\n',
      'trace.jsonl': lines('tool@1:a stop@1:done'),
    });
    expect(await at.run(['trace.jsonl'])).toMatchObject({
      stdout: 'r\tclosed_ok\titer=1\tspans=2\tbreaks=missing-goal\n',
      code: 1,
    });
    expect(await at.run(['trace.jsonl', '--rule', 'missing-goal=off'])).toMatchObject({ code: 0 });
    at.write({ 'terminal-contract.config.yaml': 'profile: classic\n' });
    expect(await at.run(['trace.jsonl'])).toMatchObject({ stderr: '', code: 0 });
    expect((await at.run(['trace.jsonl', '--profile', 'terminal'])).stderr).toContain('missing-goal');
  });
});

interface ValueFault {
  readonly shows: string;
  /** What a JSON config holds. */
  readonly json: unknown;
  /** What the refusal says, each somewhere in it. */
  readonly says: readonly string[];
}

interface FileFault {
  readonly shows: string;
  readonly files?: Readonly<Record<string, string>>;
  readonly args?: readonly string[];
  readonly says: readonly string[];
}

// Stands in every config that cannot be used; a secret beside the mistake must not reach a CI log.
const SECRET = 'hunter2';
const JSON_NAME = 'terminal-contract.config.json';
const YAML_NAME = 'terminal-contract.config.yaml';
const severity = 'must be one of off, warn, error';

const VALUE_FAULTS: readonly ValueFault[] = [
  { shows: 'an unknown key', json: { buget: SECRET }, says: [JSON_NAME, 'no key buget', 'did you mean budget?'] },
  { shows: 'a key in camel case', json: { noProgressWindow: 3 }, says: ['did you mean no_progress_window?'] },
  { shows: 'a key like no other', json: { zzzzzzzzzzzz: 3 }, says: ['no key zzzzzzzzzzzz'] },
  {
    shows: 'an unknown rule',
    json: { rules: { 'open-lop': 'error' } },
    says: ['no rule open-lop', 'did you mean open-loop?'],
  },
  { shows: 'an unknown severity', json: { rules: { 'open-loop': SECRET } }, says: ['rules.open-loop', severity] },
  { shows: 'a severity that is a number', json: { rules: { 'open-loop': 2 } }, says: ['rules.open-loop', severity] },
  { shows: 'rules as a list', json: { rules: ['open-loop'] }, says: ['rules must be an object'] },
  { shows: 'rules as a word', json: { rules: SECRET }, says: ['rules must be an object'] },
  {
    shows: 'an unknown profile',
    json: { profile: SECRET },
    says: ['profile must be one of classic, terminal, strict'],
  },
  { shows: 'unknown limits', json: { limits: SECRET }, says: ['limits must be one of terminal-span, loop-contract'] },
  { shows: 'a budget in quotes', json: { budget: '5' }, says: ['budget must be a whole number from 0'] },
  { shows: 'a budget below 0', json: { budget: -1 }, says: ['budget must be a whole number from 0'] },
  { shows: 'a budget in parts', json: { budget: 1.5 }, says: ['budget must be a whole number from 0'] },
  { shows: 'a budget beyond number', json: { budget: 1e300 }, says: ['budget must be a whole number from 0'] },
  {
    shows: 'a window of 0',
    json: { no_progress_window: 0 },
    says: ['no_progress_window must be a whole number from 1'],
  },
  {
    shows: 'a key of steps',
    json: { no_progress_key: SECRET },
    says: ['no_progress_key must be one of args, args+result'],
  },
  { shows: 'a scope', json: { seq_scope: SECRET }, says: ['seq_scope must be "run"'] },
  {
    shows: 'no kind of token',
    json: { token_kinds: [] },
    says: ['token_kinds must be a list of in, cached, out, aux'],
  },
  { shows: 'an unknown family', json: { require: [SECRET] }, says: ['require must be a list of termination'] },
  { shows: 'a family that is no list', json: { require: 'order' }, says: ['require must be a list of termination'] },
  { shows: 'a list', json: [{ budget: 5 }], says: [JSON_NAME, 'must hold an object'] },
  { shows: 'a word', json: SECRET, says: [JSON_NAME, 'must hold an object'] },
  { shows: 'null', json: null, says: [JSON_NAME, 'must hold an object'] },
  {
    shows: 'a key that would reach a terminal',
    json: { '\u001b[31m\n': 5 },
    says: ['no key \\u001b[31m\\n'],
  },
];

const FILE_FAULTS: readonly FileFault[] = [
  { shows: 'a key of a prototype', files: { [JSON_NAME]: '{"__proto__":{"budget":5}}' }, says: ['no key __proto__'] },
  { shows: 'JSON that is cut', files: { [JSON_NAME]: `{"budget": 5, "${SECRET}` }, says: [JSON_NAME, 'is not JSON'] },
  {
    shows: 'JSON with a comment',
    files: { [JSON_NAME]: `{"budget": 5} // ${SECRET}` },
    says: [JSON_NAME, 'is not JSON'],
  },
  { shows: 'JSON that is a word', files: { [JSON_NAME]: SECRET }, says: [JSON_NAME, 'is not JSON'] },
  { shows: 'empty JSON', files: { [JSON_NAME]: '' }, says: [JSON_NAME] },
  { shows: 'blank JSON', files: { [JSON_NAME]: ' \n' }, says: [JSON_NAME] },
  { shows: 'empty YAML', files: { [YAML_NAME]: '' }, says: [YAML_NAME] },
  { shows: 'YAML of comments', files: { [YAML_NAME]: `# ${SECRET}\n` }, says: [YAML_NAME, 'must hold an object'] },
  {
    shows: 'broken YAML',
    files: { [YAML_NAME]: `budget: 5\n  ${SECRET}: [\n` },
    says: [YAML_NAME, 'is not YAML', 'line '],
  },
  {
    shows: 'YAML with a key twice',
    files: { [YAML_NAME]: `budget: 5\nbudget: ${SECRET}\n` },
    says: [YAML_NAME, 'is not YAML', 'line 2, column 1'],
  },
  { shows: 'YAML with a tab', files: { [YAML_NAME]: `rules:\n\t${SECRET}: off\n` }, says: [YAML_NAME, 'is not YAML'] },
  {
    shows: 'YAML with an unknown tag',
    files: { [YAML_NAME]: `budget: !env ${SECRET}\n` },
    says: [YAML_NAME],
  },
  {
    shows: 'YAML with an unknown directive',
    files: { [YAML_NAME]: `%VAULT ${SECRET}\n---\nbudget: five\n` },
    says: [YAML_NAME],
  },
  { shows: 'YAML with a key that is a map', files: { [YAML_NAME]: `? {budget: 5}\n: ${SECRET}\n` }, says: [YAML_NAME] },
  { shows: 'YAML of two documents', files: { [YAML_NAME]: `budget: 5\n---\nbudget: ${SECRET}\n` }, says: [YAML_NAME] },
  {
    shows: 'YAML that unfolds without end',
    files: {
      [YAML_NAME]: [
        'a: &a [0]',
        ...'bcdefgh'.split('').map((name, index) => {
          const before = 'abcdefg'.charAt(index);
          return `${name}: &${name} [${Array.from({ length: 10 }, () => `*${before}`).join(',')}]`;
        }),
      ].join('\n'),
    },
    says: [YAML_NAME],
  },
  {
    shows: 'code that throws',
    files: { 'terminal-contract.config.mjs': `throw new Error('${SECRET}');` },
    says: ['config', 'cannot be loaded'],
  },
  {
    shows: 'code that cannot be parsed',
    files: { 'terminal-contract.config.mjs': `export default { ${SECRET}` },
    says: ['config', 'cannot be loaded'],
  },
  {
    shows: 'code that exports a function',
    files: { 'terminal-contract.config.mjs': 'export default () => ({ budget: 5 });' },
    says: ['terminal-contract.config.mjs', 'must hold an object'],
  },
  {
    shows: 'code that exports nothing',
    files: { 'terminal-contract.config.mjs': 'export const budget = 5;' },
    says: ['terminal-contract.config.mjs', 'must hold an object'],
  },
  {
    shows: 'a package.json that is broken',
    files: { 'package.json': `{"name": "${SECRET}",}` },
    says: ['package.json', 'is not JSON'],
  },
  {
    shows: 'a key of package.json',
    files: { 'package.json': '{"terminal-contract":{"buget":5}}' },
    says: ['package.json', 'no key buget', 'did you mean budget?'],
  },
  { shows: '--config without a file', args: ['--config', 'none.json'], says: ['none.json', 'there is no such file'] },
  {
    shows: '--config with a folder',
    files: { 'ci/x': '' },
    args: ['--config', 'ci'],
    says: ['ci: ', 'it is a directory'],
  },
  {
    shows: '--config with a file of another kind',
    files: { 'contract.toml': `budget = "${SECRET}"` },
    args: ['--config', 'contract.toml'],
    says: ['contract.toml', 'json, yaml'],
  },
  {
    shows: '--config with a file without a suffix, which is JSON',
    files: { contract: `budget: ${SECRET}` },
    args: ['--config', 'contract'],
    says: ['contract', 'is not JSON'],
  },
  {
    shows: '--config with a package.json without the key',
    files: { 'a/package.json': '{"name":"x"}' },
    args: ['--config', 'a/package.json'],
    says: ['a/package.json'],
  },
  {
    shows: 'a mistake in a folder above',
    files: { [JSON_NAME]: '{"buget":5}', 'a/kept.jsonl': '' },
    says: [JSON_NAME, 'no key buget'],
  },
];

const expectFault = ({ stdout, stderr, code }: Ran, at: Folder, says: readonly string[]): void => {
  expect({ stdout, code }, stderr).toEqual({ stdout: '', code: 2 });
  expect(stderr).toMatch(/^terminal-contract: .*\n$/);
  expect(stderr).not.toContain(SECRET);
  expect(stderr).not.toContain(at.path);
  for (const words of says) expect(stderr).toContain(words);
};

describe('a config that cannot be used: exit 2, where and what, and not a word of it', () => {
  test.each(VALUE_FAULTS)('$shows', async ({ json, says }) => {
    const at = folder({ [JSON_NAME]: JSON.stringify(json) });
    expectFault(await at.runInside(['--allow-empty']), at, says);
  });

  // What other code writes to stderr by itself is seen from outside alone.
  test.concurrent.for(FILE_FAULTS)('$shows', async ({ files, args = [], says }, { onTestFinished }) => {
    const at = folder({ 'kept.jsonl': KEPT, ...files }, onTestFinished);
    expectFault(await at.run(['kept.jsonl', ...args]), at, says);
  });
});

interface RunReport {
  readonly run_id: string;
  readonly verdict: string;
  readonly findings: readonly {
    readonly rule: string;
    readonly evidence: Readonly<Record<string, unknown>>;
    readonly file: string;
    readonly line: number;
  }[];
}

const judged = async (
  at: Folder,
  files: readonly string[],
  args: readonly string[] = [],
): Promise<readonly RunReport[]> => {
  const { stdout, stderr, code } = await at.runInside([
    '--format',
    'json',
    '--quiet',
    ...files.map((file) => join(at.path, file)),
    ...args,
  ]);
  expect(code, stderr).toBeLessThan(2);
  return JSON.parse(stdout).runs;
};
const found = (run: RunReport | undefined, rule: string) => run?.findings.find((finding) => finding.rule === rule);
/** The budget that a run was held to, as the rule that it breaks says. */
const budgetOf = (run: RunReport | undefined): unknown => found(run, 'over-budget')?.evidence['budget'];
const loosenedOf = (run: RunReport | undefined): unknown => found(run, 'contract-loosened')?.evidence['fields'];

const LONG = Array.from({ length: 60 }, (_, index) => `tool@${index + 1}:step-${index}`).join(' ');
const header = (contract: object): string => JSON.stringify({ type: 'contract', ...contract });
/** A run of 60 iterations whose loop_start carries a contract. */
const longRun = (contract: object | undefined, runId = 'long'): string[] => {
  const [start = '', ...rest] = lines(`start@0 ${LONG} stop@60:done`, runId);
  return [JSON.stringify({ ...JSON.parse(start), ...(contract === undefined ? {} : { contract }) }), ...rest];
};

interface Decided {
  readonly shows: string;
  readonly args?: readonly string[];
  readonly config?: object;
  readonly header?: object;
  readonly own?: object;
  readonly budget: number;
  readonly loosened?: string;
}

const LOOSE = 'budget';
const DECIDED: readonly Decided[] = [
  { shows: 'nobody', budget: 24 },
  { shows: 'the run', own: { budget: 50 }, budget: 50 },
  { shows: 'the run, below the default', own: { budget: 5 }, budget: 5 },
  { shows: 'the header', header: { budget: 40 }, budget: 40 },
  {
    shows: 'the header above a run that asks for more',
    header: { budget: 40 },
    own: { budget: 50 },
    budget: 40,
    loosened: LOOSE,
  },
  { shows: 'the header above a run that asks for less', header: { budget: 40 }, own: { budget: 30 }, budget: 40 },
  { shows: 'the config', config: { budget: 30 }, budget: 30 },
  { shows: 'the config above the header', config: { budget: 30 }, header: { budget: 40 }, budget: 30 },
  {
    shows: 'the config above a run that asks for more',
    config: { budget: 30 },
    own: { budget: 50 },
    budget: 30,
    loosened: LOOSE,
  },
  {
    shows: 'the config above header and run',
    config: { budget: 30 },
    header: { budget: 40 },
    own: { budget: 50 },
    budget: 30,
    loosened: LOOSE,
  },
  { shows: 'the command line', args: ['--budget', '20'], budget: 20 },
  { shows: 'the command line at 0', args: ['--budget', '0'], config: { budget: 30 }, budget: 0 },
  {
    shows: 'the command line above all',
    args: ['--budget', '20'],
    config: { budget: 30 },
    header: { budget: 40 },
    own: { budget: 50 },
    budget: 20,
    loosened: LOOSE,
  },
  {
    shows: 'the command line, which may allow more',
    args: ['--budget', '50'],
    config: { budget: 30 },
    own: { budget: 40 },
    budget: 50,
  },
  { shows: 'limits of the command line', args: ['--limits', 'loop-contract'], budget: 8 },
  { shows: 'limits of the config', config: { limits: 'iterated-loop' }, budget: 10 },
  { shows: 'a number of the config above its limits', config: { limits: 'iterated-loop', budget: 30 }, budget: 30 },
  {
    shows: 'a number of the command line above its limits',
    args: ['--limits', 'loop-contract', '--budget', '9'],
    budget: 9,
  },
  {
    shows: 'limits of the command line above a number of the config',
    args: ['--limits', 'loop-contract'],
    config: { budget: 30 },
    budget: 8,
  },
  {
    shows: 'limits of the command line above limits of the config',
    args: ['--limits', 'loop-contract'],
    config: { limits: 'iterated-loop' },
    budget: 8,
  },
  {
    shows: 'limits without numbers above limits of the config',
    args: ['--limits', 'hermes'],
    config: { limits: 'iterated-loop' },
    budget: 10,
  },
  {
    shows: 'limits of the config above the header',
    config: { limits: 'iterated-loop' },
    header: { budget: 40 },
    budget: 10,
  },
  {
    shows: 'limits of the config above a run that asks for more',
    config: { limits: 'loop-contract' },
    own: { budget: 9 },
    budget: 8,
    loosened: LOOSE,
  },
  {
    shows: 'a run that asks for more of several',
    config: { limits: 'loop-contract' },
    own: { max_ms: 10_000_000, max_tokens: 1, no_progress_window: 9, budget: 9 },
    budget: 8,
    loosened: 'budget, max_ms',
  },
  {
    shows: 'a run that leaves kinds of tokens out',
    config: { token_kinds: ['in', 'cached'] },
    own: { token_kinds: ['in'] },
    budget: 24,
    loosened: 'token_kinds',
  },
  {
    shows: 'a run that counts more kinds of tokens',
    config: { token_kinds: ['in'] },
    own: { token_kinds: ['in', 'out'] },
    budget: 24,
  },
  {
    shows: 'a run that requires less',
    config: { require: ['order'] },
    own: { require: [] },
    budget: 24,
    loosened: 'require',
  },
  {
    shows: 'a run that looks at results too',
    header: { no_progress_key: 'args' },
    own: { no_progress_key: 'args+result' },
    budget: 24,
    loosened: 'no_progress_key',
  },
  { shows: 'a run that takes a rule back', own: { rules: { 'open-loop': 'off' } }, budget: 24, loosened: 'open-loop' },
  {
    shows: 'a run that takes an error back',
    config: { rules: { 'missing-goal': 'error' } },
    own: { rules: { 'missing-goal': 'warn' } },
    budget: 24,
    loosened: 'missing-goal',
  },
  { shows: 'a run that is stricter with itself', own: { rules: { 'missing-goal': 'error' } }, budget: 24 },
  { shows: 'a run that names no rule', own: { rules: { 'no-such-rule': 'off' } }, budget: 24 },
  { shows: 'a run that says null', config: { budget: 30 }, own: { budget: null }, budget: 30 },
  {
    shows: 'a header that says what nobody knows',
    header: { profile: 'strict', limits: 'loop-contract', colour: 1 },
    budget: 24,
  },
];

describe('who decides', () => {
  test.each(DECIDED)('$budget: $shows', async ({ args = [], config, header: head, own, budget, loosened }) => {
    const at = folder({
      ...(config === undefined ? {} : { [JSON_NAME]: JSON.stringify(config) }),
      'trace.jsonl': [...(head === undefined ? [] : [header(head)]), ...longRun(own)],
    });
    const [run] = await judged(at, ['trace.jsonl'], args);
    expect(run?.verdict).toBe('closed_done');
    expect(budgetOf(run)).toBe(budget);
    expect(loosenedOf(run)).toBe(loosened);
  });

  test('a run that loosens fails where that is an error, and is still held to the stricter rule', async () => {
    const at = folder({
      'trace.jsonl': [
        JSON.stringify({
          run_id: 'r',
          seq: 1,
          type: 'loop_start',
          goal: 'g',
          contract: { rules: { 'open-loop': 'off' } },
        }),
      ],
    });
    const { stdout, stderr, code } = await at.runInside([join(at.path, 'trace.jsonl')]);
    expect({ stdout, code }).toEqual({ stdout: 'r\topen_loop\titer=0\tspans=1\n', code: 1 });
    expect(stderr).toMatch(/warn contract-loosened .*trace\.jsonl:1: .*open-loop/);
    at.write({
      'closed.jsonl': [
        JSON.stringify({ run_id: 'r', seq: 1, type: 'loop_start', goal: 'g', contract: { budget: 9 } }),
        ...lines('start@0 stop@0:done').slice(1),
      ],
    });
    const closed = await at.runInside([
      '--budget',
      '8',
      '--rule',
      'contract-loosened=error',
      join(at.path, 'closed.jsonl'),
    ]);
    expect(closed).toMatchObject({ stdout: 'r\tclosed_ok\titer=0\tspans=2\tbreaks=contract-loosened\n', code: 1 });
  });

  test('a run that is stricter with itself than its header is held to that', async () => {
    const own = { run_id: 'r', seq: 1, type: 'loop_start', iter: 0, contract: { rules: { 'missing-goal': 'error' } } };
    const at = folder({ 'trace.jsonl': [JSON.stringify(own), ...lines('start@0 stop@0:done').slice(1)] });
    expect(await at.runInside([join(at.path, 'trace.jsonl')])).toMatchObject({
      stdout: 'r\tclosed_ok\titer=0\tspans=2\tbreaks=missing-goal\n',
    });
  });

  test('a header decides over severities, the config over the header', async () => {
    const trace = [header({ rules: { 'open-loop': 'off' } }), ...lines('start@0')];
    const alone = folder({ 'trace.jsonl': trace });
    expect(await alone.runInside([join(alone.path, 'trace.jsonl')])).toMatchObject({ code: 0 });
    const at = folder({ 'trace.jsonl': trace, [JSON_NAME]: '{"rules":{"open-loop":"warn"}}' });
    const [run] = await judged(at, ['trace.jsonl']);
    expect(found(run, 'open-loop')).toMatchObject({ severity: 'warn' });
    const [strict] = await judged(at, ['trace.jsonl'], ['--rule', 'open-loop=error']);
    expect(found(strict, 'open-loop')).toMatchObject({ severity: 'error' });
  });

  test('a contract that stands after the first spans of its run binds them', async () => {
    const trace = longRun({ budget: 5 });
    const at = folder({ 'trace.jsonl': [...trace.slice(1, 9), ...trace.slice(0, 1), ...trace.slice(9)] });
    const [run] = await judged(at, ['trace.jsonl']);
    expect(found(run, 'over-budget')).toMatchObject({ line: 6, evidence: { budget: 5 } });
  });

  test('classic asks neither header nor run', async () => {
    const at = folder({
      'trace.jsonl': longRun({ budget: 100 }),
      'headed.jsonl': [header({ budget: 100 }), ...longRun(undefined)],
    });
    expect(await at.runInside(['--profile', 'classic', join(at.path, 'trace.jsonl')])).toMatchObject({
      stdout: 'long\tclosed_done\titer=60\tspans=62\n',
      stderr: '',
      code: 0,
    });
    const headed = await at.runInside(['--profile', 'classic', join(at.path, 'headed.jsonl')]);
    expect(headed).toMatchObject({ stdout: 'long\tclosed_done\titer=60\tspans=62\n', code: 2 });
    expect(headed.stderr).toContain('headed.jsonl:1:1: missing-run-id: ');
  });
});

describe('the header of a file', () => {
  const FIRST = longRun(undefined, 'first');
  const SECOND = longRun(undefined, 'second');

  test.each([
    ['after blank lines', `\n \r\n${header({ budget: 5 })}\n`],
    ['after a byte order mark', `\ufeff${header({ budget: 5 })}\n`],
    ['with a line end of Windows', `${header({ budget: 5 })}\r\n`],
    ['with spaces around it', `  ${header({ budget: 5 })}  \n`],
    ['with a run_id of null', `${header({ run_id: null, budget: 5 })}\n`],
    ['with its keys in any order', '{"budget":5,"type":"contract"}\n'],
  ])('%s', async (_where, head) => {
    const at = folder({ 'trace.jsonl': `${head}${FIRST.join('\n')}\n` });
    const [run] = await judged(at, ['trace.jsonl']);
    expect(budgetOf(run)).toBe(5);
  });

  test.each([
    ['after the first span', (head: string) => [...FIRST.slice(0, 1), head, ...FIRST.slice(1)], 2],
    ['after another header', (head: string) => [header({ budget: 24 }), head, ...FIRST], 2],
    ['at the end', (head: string) => [...FIRST, head], FIRST.length + 1],
  ])('%s is none, but a line without a run', async (_where, place, line) => {
    const at = folder({ 'trace.jsonl': place(header({ budget: 5 })) });
    const { stdout, stderr, code } = await at.runInside(['--format', 'json', join(at.path, 'trace.jsonl')]);
    expect(code).toBe(2);
    expect(stderr).toContain(`trace.jsonl:${line}:1: missing-run-id: `);
    expect(budgetOf(JSON.parse(stdout).runs[0])).toBe(24);
  });

  test('a span of that type is one, wherever it stands', async () => {
    const at = folder({ 'trace.jsonl': ['{"run_id":"first","seq":0,"type":"contract","budget":5}', ...FIRST] });
    const [run] = await judged(at, ['trace.jsonl']);
    expect(budgetOf(run)).toBe(24);
  });

  test.each([
    ['a number in quotes', '{"type":"contract","budget":"5"}', 29, 'budget must be a whole number from 0'],
    ['a number below', '{"type":"contract", "no_progress_window": 0}', 43, 'no_progress_window must be'],
    [
      'a number after a character of two units',
      '{"x":"\u{1f600}","type":"contract","budget":[]}',
      37,
      'budget must be',
    ],
    ['a severity', '{"type":"contract","rules":{"open-loop":"secret"}}', 28, 'rules must be'],
  ])('%s that cannot be read is a line that is not usable', async (_what, head, column, words) => {
    const at = folder({ 'trace.jsonl': [head, ...FIRST] });
    const { stdout, stderr, code } = await at.runInside(['--format', 'json', join(at.path, 'trace.jsonl')]);
    expect(code).toBe(2);
    expect(stderr).toContain(`trace.jsonl:1:${column}: wrong-type: ${words}`);
    expect(stderr).not.toContain('secret');
    expect(budgetOf(JSON.parse(stdout).runs[0])).toBe(24);
  });

  test('each file has its own, for the runs that begin in it', async () => {
    const at = folder({
      'a.jsonl': [header({ budget: 5 }), ...FIRST.slice(0, 2), ...longRun(undefined, 'third')],
      'b.jsonl': [header({ budget: 7 }), ...SECOND, ...FIRST.slice(2)],
      'c.jsonl': longRun(undefined, 'fourth'),
    });
    const runs = await judged(at, ['a.jsonl', 'b.jsonl', 'c.jsonl']);
    expect(runs.map((run) => [run.run_id, budgetOf(run)])).toEqual([
      ['first', 5],
      ['fourth', 24],
      ['second', 7],
      ['third', 5],
    ]);
  });

  test('a run begins where its first seq stands, in whatever order its lines come', async () => {
    const at = folder({
      'a.jsonl': [header({ budget: 5 }), ...FIRST.slice(10)],
      'b.jsonl': [header({ budget: 7 }), ...FIRST.slice(0, 10).reverse()],
    });
    const files = ['a.jsonl', 'b.jsonl'];
    for (const order of [files, files.toReversed()]) {
      const [run] = await judged(at, order);
      expect(budgetOf(run)).toBe(7);
    }
    const piped = await at.shell('cat a.jsonl | terminal-contract --format json --quiet b.jsonl -');
    expect(budgetOf(JSON.parse(piped.stdout).runs[0])).toBe(7);
    const both = await at.shell('terminal-contract --format json --quiet <(cat a.jsonl) <(cat b.jsonl)');
    expect(budgetOf(JSON.parse(both.stdout).runs[0])).toBe(7);
  });

  test('it stands above what the run says of itself, also where the run comes late', async () => {
    const at = folder({ 'trace.jsonl': [header({ budget: 5 }), ...longRun({ budget: 7 }).reverse()] });
    const [run] = await judged(at, ['trace.jsonl']);
    expect(budgetOf(run)).toBe(5);
    expect(loosenedOf(run)).toBe('budget');
  });
});
