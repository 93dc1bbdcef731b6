import { COMMAND_NAMES, type Request } from './commands/request.js';
import { PARSING, REPEATABLE, refuseUnknownFlags, STRING_FLAGS, SWITCHES } from './flags.js';
import { fileRequest, flagsOf, operandsOf, type ParsedWords } from './requests.js';

// What all of yargs has to look at: commands, and what asks for help or the version.
const OTHER_OPERANDS: readonly string[] = [...COMMAND_NAMES, 'help'];
const ANSWER_FLAGS = ['help', 'h', 'version'] as const;

/** The words as yargs would parse them, where they are files and flags alone. */
const parsePlain = async (argv: readonly string[]): Promise<ParsedWords | undefined> => {
  if (argv.length === 0) return { _: [] };
  const { default: parse } = await import('yargs-parser');
  const { argv: parsed, error } = parse.detailed([...argv], {
    string: [...STRING_FLAGS, ...REPEATABLE],
    boolean: [...SWITCHES, ...ANSWER_FLAGS],
    configuration: PARSING,
  });
  const isPlain =
    error === null &&
    !ANSWER_FLAGS.some((flag) => flag in parsed) &&
    !parsed._.some((operand) => OTHER_OPERANDS.includes(String(operand)));
  return isPlain ? parsed : undefined;
};

/**
 * Reads a command line. Prints nothing and ends nothing: help, the version and refusals are requests too.
 * @param argv the words after the command's name
 * @param width columns that help may take
 */
export const readArguments = async (
  argv: readonly string[],
  width: () => number,
  version: string,
): Promise<Request> => {
  try {
    refuseUnknownFlags(argv);
    const plain = await parsePlain(argv);
    if (plain !== undefined) return fileRequest(flagsOf(plain), operandsOf(plain));
    const { readWords } = await import('./command-line.js');
    return await readWords(argv, width(), version);
  } catch (error) {
    // yargs throws what its own checks find, and requests what they refuse.
    return { kind: 'refusal', message: error instanceof Error ? error.message : 'the command line cannot be read' };
  }
};
