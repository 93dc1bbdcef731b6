import { resolve } from 'node:path';
import yargs, { type Arguments, type Argv } from 'yargs';
import type { CheckRequest, Output, Request } from './commands/request.js';
import {
  type ContractPart,
  expectedOf,
  FAMILIES,
  FIELDS,
  LIMITS_NAMES,
  PROFILES,
  SEVERITIES,
  type Severity,
  toPart,
  traceContractSchema,
} from './contract.js';
import { didYouMean } from './nearest.js';
import { REPORTERS } from './reporters/index.js';
import { SCHEMA_NAMES } from './schemas.js';

const FORMATS = REPORTERS.map(({ id }) => id);

/** A command line that cannot be carried out: what is wrong and what to do. */
class Refusal extends Error {}
const refuse = (message: string): never => {
  throw new Refusal(message);
};

const oneOf = <T extends string>(flag: string, value: string, known: readonly T[]): T =>
  known.find((word) => word === value) ??
  refuse(`--${flag} must be one of ${known.join(', ')}${didYouMean(value, known)}`);

/** Flags that set one field of the contract, by flag, with the field's wire name. */
const NUMBER_FLAGS = {
  budget: { wire: 'budget', describe: FIELDS.budget.meaning },
  'no-progress-window': { wire: 'no_progress_window', describe: FIELDS.noProgressWindow.meaning },
  'max-ms': { wire: 'max_ms', describe: FIELDS.maxMs.meaning },
  'max-tokens': { wire: 'max_tokens', describe: FIELDS.maxTokens.meaning },
  'unchanged-worktrees': { wire: 'unchanged_worktrees', describe: FIELDS.unchangedWorktrees.meaning },
} as const;
const WORD_FLAGS = {
  'no-progress-key': { wire: 'no_progress_key', describe: FIELDS.noProgressKey.meaning },
  'seq-scope': { wire: 'seq_scope', describe: FIELDS.seqScope.meaning },
} as const;
const LIST_FLAGS = {
  'token-kinds': { wire: 'token_kinds', describe: FIELDS.tokenKinds.meaning },
  require: { wire: 'require', describe: `${FIELDS.require.meaning}: ${FAMILIES.join(', ')}` },
} as const;

const STRING_FLAGS = [
  'config',
  'profile',
  'limits',
  'jobs',
  ...Object.keys(NUMBER_FLAGS),
  ...Object.keys(WORD_FLAGS),
] as const;
const SWITCHES = ['partial', 'allow-empty', 'quiet', 'print-contract'] as const;
const REPEATABLE = ['format', 'rule', ...Object.keys(LIST_FLAGS)] as const;
const FLAGS: readonly string[] = [...STRING_FLAGS, ...SWITCHES, ...REPEATABLE, 'help', 'version'];

const CONTRACT_GROUP = 'The contract:';
const INPUT_GROUP = 'The trace:';
const OUTPUT_GROUP = 'The output:';

const withContractFlags = (parser: Argv): Argv => {
  const fields = { ...NUMBER_FLAGS, ...WORD_FLAGS, ...LIST_FLAGS };
  const described = Object.entries(fields).reduce(
    (argv, [flag, { describe }]) => argv.option(flag, { type: 'string', describe, group: CONTRACT_GROUP }),
    parser,
  );
  return described
    .option('profile', {
      type: 'string',
      describe: `severities: ${PROFILES.join(', ')} (default terminal)`,
      group: CONTRACT_GROUP,
    })
    .option('limits', {
      type: 'string',
      describe: `numbers: ${LIMITS_NAMES.join(', ')} (default terminal-span)`,
      group: CONTRACT_GROUP,
    })
    .option('rule', {
      type: 'string',
      describe: `id=severity: ${SEVERITIES.join(', ')}; repeatable`,
      group: CONTRACT_GROUP,
    })
    .option('config', {
      type: 'string',
      describe: 'config file; else the nearest terminal-contract.config.* or package.json key',
      group: CONTRACT_GROUP,
    })
    .option('print-contract', {
      type: 'boolean',
      describe: 'show what is in force and who decided it',
      group: CONTRACT_GROUP,
    });
};

type Parsed = ReadonlyMap<string, unknown>;
type OnRequest = (request: Request) => void;

const createParser = (width: number, version: string, onRequest: OnRequest) =>
  withContractFlags(yargs().scriptName('terminal-contract').locale('en').wrap(width))
    .usage(
      'Usage: $0 [files..]\n\n' +
        'Says of every agent run in a trace whether it stopped, why, and whether its claim to be done holds.\n' +
        'Reads native JSON Lines from files, patterns, or standard input (-).',
    )
    .command('$0', false, {}, (argv) => onRequest(fileRequest(flagsOf(argv), operandsOf(argv))))
    .command('explain', 'explain RUN [files..]: one run, span by span, with what each rule saw', {}, (argv) => {
      onRequest(explainRequest(flagsOf(argv), operandsOf(argv).slice(1)));
    })
    .command('rules [id]', 'list the rules, or explain one', {}, (argv) => {
      onRequest(rulesRequest(flagsOf(argv), operandsOf(argv, argv['id'])));
    })
    .command('schema [name]', `print a JSON Schema: ${SCHEMA_NAMES.join(', ')}`, {}, (argv) => {
      onRequest(schemaRequest(flagsOf(argv), operandsOf(argv, argv['name'])));
    })
    .option('partial', {
      type: 'boolean',
      describe: 'the trace is a window over longer runs: an open run is inconclusive',
      group: INPUT_GROUP,
    })
    .option('allow-empty', { type: 'boolean', describe: 'a trace without a span passes', group: INPUT_GROUP })
    .option('jobs', {
      type: 'string',
      describe: 'threads that read a large file together (default: the cores that the process may use)',
      group: INPUT_GROUP,
    })
    .option('format', {
      type: 'string',
      describe: `${FORMATS.join(', ')}; FORMAT=FILE writes a file; repeatable (default tsv)`,
      group: OUTPUT_GROUP,
    })
    .option('quiet', {
      type: 'boolean',
      describe: 'say nothing on stderr but what could not be read',
      group: OUTPUT_GROUP,
    })
    .epilogue('Exit codes: 0 every run kept the contract, 1 a run failed, 2 not everything could be judged.')
    .parserConfiguration({
      'populate--': true,
      // --no-progress-window is no negation.
      'boolean-negation': false,
      'camel-case-expansion': false,
      'dot-notation': false,
      'parse-numbers': false,
      'parse-positional-numbers': false,
      'greedy-arrays': false,
      'short-option-groups': false,
    })
    .help('help', 'show this help')
    .alias('help', 'h')
    .version('version', 'show the version', version)
    .exitProcess(false)
    .fail(false);

const NO_FLAGS: ReadonlySet<string> = new Set(['_', '$0', '--', 'id', 'name', 'h']);
const flagsOf = (argv: Arguments): Parsed => new Map(Object.entries(argv).filter(([flag]) => !NO_FLAGS.has(flag)));

/** What is no flag, as it was typed: of a subcommand, without its name. */
const operandsOf = (argv: Arguments, ...named: readonly unknown[]): readonly string[] => {
  const typed = named.length === 0 ? argv._ : [...named.filter((operand) => operand !== undefined), ...argv._.slice(1)];
  const afterDashes: unknown = argv['--'];
  return [...typed, ...(Array.isArray(afterDashes) ? afterDashes : [])].map(String);
};

const NEGATIVE = /^-\d/;
const takesValue = (word: string | undefined): boolean =>
  word?.startsWith('--') === true && !word.includes('=') && !SWITCHES.some((known) => `--${known}` === word);

const FLAG = /^(--?)([^=]+)(=?)/;

/** Refuses words that only look like flags: yargs would take them for its own, or for another word's value. */
const refuseUnknownFlags = (argv: readonly string[]): void => {
  const end = argv.indexOf('--');
  for (const [index, word] of (end < 0 ? argv : argv.slice(0, end)).entries()) {
    // A negative number is a value, and a wrong one.
    if (NEGATIVE.test(word) && takesValue(argv[index - 1])) continue;
    const [, dashes = '', flag = '', equals = ''] = FLAG.exec(word) ?? [];
    if (flag === '' || (flag === 'h' && dashes === '-')) continue;
    if (dashes === '-' || !FLAGS.includes(flag)) {
      refuse(`there is no option ${dashes}${flag}${didYouMean(flag, FLAGS).replace('mean ', 'mean --')}`);
    }
    if (equals !== '' && SWITCHES.some((known) => known === flag)) refuse(`--${flag} takes no value`);
  }
};

/** The one value of a flag; given twice, or without a value, it is refused. */
const single = (parsed: Parsed, flag: string): string | undefined => {
  const value = parsed.get(flag);
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return refuse(`--${flag} is given more than once`);
  if (typeof value !== 'string' || value === '') return refuse(`--${flag} needs a value`);
  return value;
};

const repeated = (parsed: Parsed, flag: string): readonly string[] => {
  const value = parsed.get(flag);
  if (value === undefined) return [];
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.map((item) => (typeof item === 'string' && item !== '' ? item : refuse(`--${flag} needs a value`)));
};

const isSet = (parsed: Parsed, flag: string): boolean => {
  const value = parsed.get(flag);
  if (Array.isArray(value)) return refuse(`--${flag} is given more than once`);
  return value === true;
};

const WHOLE_NUMBER = /^\d+$/;
const numberOf = (flag: string, wire: string, text: string): number =>
  WHOLE_NUMBER.test(text) ? Number(text) : refuse(`--${flag} must be ${expectedOf(wire)}`);

const severityOf = (setting: string): readonly [string, Severity] => {
  const [id = '', severity, ...rest] = setting.split('=');
  if (severity === undefined || rest.length > 0) return refuse('--rule must be written as id=severity');
  return [id, oneOf('rule', severity, SEVERITIES)];
};

const contractPart = (parsed: Parsed): ContractPart => {
  const wire: Record<string, unknown> = {};
  for (const [flag, { wire: key }] of Object.entries(NUMBER_FLAGS)) {
    const text = single(parsed, flag);
    if (text !== undefined) wire[key] = numberOf(flag, key, text);
  }
  for (const [flag, { wire: key }] of Object.entries(WORD_FLAGS)) {
    const text = single(parsed, flag);
    if (text !== undefined) wire[key] = text;
  }
  for (const [flag, { wire: key }] of Object.entries(LIST_FLAGS)) {
    const items = repeated(parsed, flag).flatMap((text) => text.split(','));
    if (items.length > 0) wire[key] = items;
  }
  const read = traceContractSchema.safeParse(wire);
  if (!read.success) {
    const key = String(read.error.issues[0]?.path[0]);
    return refuse(`--${key.replaceAll('_', '-')} must be ${expectedOf(key)}`);
  }
  const rules = repeated(parsed, 'rule').map(severityOf);
  if (new Set(rules.map(([id]) => id)).size < rules.length) return refuse('--rule names one rule more than once');
  return { ...toPart(read.data), rules: new Map(rules) };
};

// The device's file would be replaced or cut, where a shell sends stdout to a file.
const STDOUT_NAMES: readonly string[] = ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'];

const outputOf = (text: string): Output => {
  const at = text.indexOf('=');
  const format = oneOf('format', at < 0 ? text : text.slice(0, at), FORMATS);
  const path = at < 0 ? undefined : text.slice(at + 1);
  if (path === '') return refuse('--format needs a file after the =');
  return { format, path: path === undefined || STDOUT_NAMES.includes(path) ? undefined : path };
};

/** Where reports go: stdout gets the default format unless another one is sent there. */
const outputsOf = (parsed: Parsed): readonly Output[] => {
  const outputs = repeated(parsed, 'format').map(outputOf);
  const paths = outputs.map(({ path }) => (path === undefined ? undefined : resolve(path)));
  if (new Set(paths).size < paths.length) {
    return refuse('--format sends two reports to one place; give each but one a file: --format json=report.json');
  }
  return paths.includes(undefined) ? outputs : [{ format: REPORTERS[0].id, path: undefined }, ...outputs];
};

const MOST_JOBS = 256;
const jobsOf = (parsed: Parsed): number | undefined => {
  const text = single(parsed, 'jobs');
  if (text === undefined) return undefined;
  const jobs = /^\d+$/.test(text) ? Number(text) : 0;
  return jobs >= 1 && jobs <= MOST_JOBS ? jobs : refuse(`--jobs must be a whole number from 1 to ${MOST_JOBS}`);
};

const checkRequest = (parsed: Parsed, files: readonly string[]): CheckRequest => {
  const profile = single(parsed, 'profile');
  const limits = single(parsed, 'limits');
  if (files.filter((file) => file === '-').length > 1) return refuse('standard input (-) is given more than once');
  const outputs = outputsOf(parsed);
  const isOverwritten = outputs.some(
    ({ path }) => path !== undefined && files.some((file) => resolve(file) === resolve(path)),
  );
  if (isOverwritten) return refuse('--format would write its report over a trace');
  return {
    kind: 'check',
    files,
    configPath: single(parsed, 'config'),
    profile: profile === undefined ? undefined : oneOf('profile', profile, PROFILES),
    limits: limits === undefined ? undefined : oneOf('limits', limits, LIMITS_NAMES),
    part: contractPart(parsed),
    isPartial: isSet(parsed, 'partial'),
    isEmptyAllowed: isSet(parsed, 'allow-empty'),
    isQuiet: isSet(parsed, 'quiet'),
    jobs: jobsOf(parsed),
    outputs,
  };
};

const fileRequest = (parsed: Parsed, files: readonly string[]): Request => {
  const request = checkRequest(parsed, files);
  return isSet(parsed, 'print-contract') ? { ...request, kind: 'print-contract' } : request;
};

const explainRequest = (parsed: Parsed, [runId, ...files]: readonly string[]): Request => {
  if (runId === undefined) return refuse('explain needs the run_id of a run');
  if (parsed.has('format')) return refuse('explain takes no --format');
  return { ...checkRequest(parsed, files), kind: 'explain', runId };
};

const refuseFlags = (parsed: Parsed, command: string, taken: readonly string[] = []): void => {
  for (const flag of parsed.keys()) if (!taken.includes(flag)) refuse(`${command} takes no --${flag}`);
};

const rulesRequest = (parsed: Parsed, [ruleId, ...rest]: readonly string[]): Request => {
  refuseFlags(parsed, 'rules', ['config']);
  if (rest.length > 0) return refuse('rules explains one rule at a time');
  return { kind: 'rules', ruleId, configPath: single(parsed, 'config') };
};

const schemaRequest = (parsed: Parsed, [wanted = '', ...rest]: readonly string[]): Request => {
  refuseFlags(parsed, 'schema');
  const name = SCHEMA_NAMES.find((known) => known === wanted);
  if (name === undefined || rest.length > 0) {
    return refuse(`schema takes one of ${SCHEMA_NAMES.join(', ')}${didYouMean(wanted, SCHEMA_NAMES)}`);
  }
  return { kind: 'schema', name };
};

/**
 * Reads a command line. Prints nothing and ends nothing: help, the version and refusals are requests too.
 * @param argv the words after the command's name
 * @param width columns that help may take
 */
export const readArguments = async (argv: readonly string[], width: number, version: string): Promise<Request> => {
  let request: Request | undefined;
  let answer = '';
  const parser = createParser(width, version, (wanted) => {
    request = wanted;
  });
  try {
    refuseUnknownFlags(argv);
    await parser.parseAsync([...argv], {}, (_error, _argv, output) => {
      answer = output;
    });
  } catch (error) {
    // yargs throws what its own checks find, and what the handlers above refuse.
    return { kind: 'refusal', message: error instanceof Error ? error.message : 'the command line cannot be read' };
  }
  return request ?? { kind: 'answer', text: `${answer}\n` };
};

/** The help text. */
export const helpText = (width: number, version: string): Promise<string> =>
  createParser(width, version, () => {}).getHelp();
