import yargs, { type Argv } from 'yargs';
import type { Request } from './commands/request.js';
import { LIMITS_NAMES, PROFILES, SEVERITIES } from './contract.js';
import { LIST_FLAGS, NUMBER_FLAGS, PARSING, WORD_FLAGS } from './flags.js';
import { FORMATS } from './reporters/index.js';
import {
  convertRequest,
  explainRequest,
  fileRequest,
  flagsOf,
  formatsRequest,
  gateRequest,
  operandsOf,
  rulesRequest,
  schemaRequest,
} from './requests.js';
import { SCHEMA_NAMES } from './schema-names.js';

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
    .command('convert', 'convert [files..]: traces of other formats as one native trace, on stdout', {}, (argv) => {
      onRequest(convertRequest(flagsOf(argv), operandsOf(argv).slice(1)));
    })
    .command('formats', 'list the formats that are read beside native lines, and what each can tell', {}, (argv) => {
      onRequest(formatsRequest(flagsOf(argv), operandsOf(argv).slice(1)));
    })
    .command('gate', 'gate FOLDER..: whether each trace has the verdicts that stand beside it', {}, (argv) => {
      onRequest(gateRequest(flagsOf(argv), operandsOf(argv).slice(1)));
    })
    .command('schema [name]', `print a JSON Schema: ${SCHEMA_NAMES.join(', ')}`, {}, (argv) => {
      onRequest(schemaRequest(flagsOf(argv), operandsOf(argv, argv['name'])));
    })
    .option('partial', {
      type: 'boolean',
      describe: 'the trace is a window over longer runs: an open run is inconclusive',
      group: INPUT_GROUP,
    })
    .option('from', {
      type: 'string',
      describe: 'what the inputs are: native, or the id of a format (see formats); default: each is looked at',
      group: INPUT_GROUP,
    })
    .option('run', {
      type: 'string',
      describe: 'what a run of a foreign format is: turn (default) or session',
      group: INPUT_GROUP,
    })
    .option('since', {
      type: 'string',
      describe: 'keep the runs that were alive since then: 7d, 12h, a day of UTC or an instant',
      group: INPUT_GROUP,
    })
    .option('until', {
      type: 'string',
      describe: 'keep the runs that were alive until then; a run across an edge is held to what --partial asks',
      group: INPUT_GROUP,
    })
    .option('allow-empty', { type: 'boolean', describe: 'a trace without a span passes', group: INPUT_GROUP })
    .option('max-memory', {
      type: 'string',
      describe:
        'memory to keep to as far as lines go, as 512MB (default 384MB, at least 160MB); more is kept in a file or read again',
      group: INPUT_GROUP,
    })
    .option('jobs', {
      type: 'string',
      describe: 'threads that read a large file together (default: the cores that the process may use)',
      group: INPUT_GROUP,
    })
    .option('format', {
      type: 'string',
      describe: `${FORMATS.join(', ')}; FORMAT=FILE writes a file; repeatable (default tsv, on a terminal pretty)`,
      group: OUTPUT_GROUP,
    })
    .option('color', {
      type: 'string',
      describe: 'colours for people: auto (default: on a terminal, unless NO_COLOR is set), always, never',
      group: OUTPUT_GROUP,
    })
    .option('update', {
      type: 'boolean',
      describe: 'of gate: write the verdicts that are found as those that are expected',
      group: OUTPUT_GROUP,
    })
    .option('quiet', {
      type: 'boolean',
      describe: 'say nothing on stderr but what could not be read',
      group: OUTPUT_GROUP,
    })
    .epilogue('Exit codes: 0 every run kept the contract, 1 a run failed, 2 not everything could be judged.')
    .parserConfiguration(PARSING)
    .help('help', 'show this help')
    .alias('help', 'h')
    .version('version', 'show the version', version)
    .exitProcess(false)
    .fail(false);

/**
 * Reads any command line. Prints nothing and ends nothing: help and the version are requests too.
 * @param width columns that help may take
 * @throws what is wrong with the words
 */
export const readWords = async (argv: readonly string[], width: number, version: string): Promise<Request> => {
  let request: Request | undefined;
  let answer = '';
  const parser = createParser(width, version, (wanted) => {
    request = wanted;
  });
  await parser.parseAsync([...argv], {}, (_error, _argv, output) => {
    answer = output;
  });
  return request ?? { kind: 'answer', text: `${answer}\n` };
};

/** The help text. */
export const helpText = (width: number, version: string): Promise<string> =>
  createParser(width, version, () => {}).getHelp();
