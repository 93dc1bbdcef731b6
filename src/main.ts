import { check } from './commands/check.js';
import { explain } from './commands/explain.js';
import { contractText } from './commands/print-contract.js';
import type { CheckRequest, Request } from './commands/request.js';
import { rulesText } from './commands/rules.js';
import { schemaText } from './commands/schema.js';
import { termsOf } from './commands/terms.js';
import { ConfigFault, findConfig } from './config.js';
import { EMPTY_PART, resolveContract, type Terms } from './contract.js';
import type { Stdin } from './input.js';
import { helpText, readArguments } from './options.js';
import { EXIT } from './report.js';
import { printable } from './text.js';
import { profileSeverity } from './verdict.js';
import { VERSION } from './version.js';

/** All of the outside that a command sees. */
export interface Outside {
  /** The words after the command's name. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: Stdin;
  readonly stdout: (text: string) => Promise<void>;
  readonly stderr: (text: string) => Promise<void>;
  readonly isErrorTerminal: boolean;
  /** Columns of the terminal. */
  readonly width: number;
}

const isColoured = ({ env, isErrorTerminal }: Outside): boolean =>
  isErrorTerminal && (env['NO_COLOR'] ?? '') === '' && env['TERM'] !== 'dumb';

const termsFor = async (request: Omit<CheckRequest, 'kind'>, cwd: string): Promise<Terms> => {
  const terms = termsOf(request, await findConfig(request.configPath, cwd));
  const unknown = [...request.part.rules.keys()].find((id) => profileSeverity(terms.profile, id) === 'off');
  // What classic does not know it cannot be told to judge.
  if (unknown !== undefined)
    throw new ConfigFault(`--rule ${unknown}: profile ${terms.profile} does not know this rule`);
  return terms;
};

const answer = async (outside: Outside, request: Request): Promise<number> => {
  switch (request.kind) {
    case 'refusal':
      await outside.stderr(`terminal-contract: ${printable(request.message)}; see terminal-contract --help\n`);
      return EXIT.unjudged;
    case 'answer':
      await outside.stdout(request.text);
      return EXIT.kept;
    case 'rules':
      await outside.stdout(rulesText(request.ruleId));
      return EXIT.kept;
    case 'schema':
      await outside.stdout(schemaText(request.name));
      return EXIT.kept;
    case 'print-contract':
      await outside.stdout(contractText(resolveContract(await termsFor(request, outside.cwd), EMPTY_PART, EMPTY_PART)));
      return EXIT.kept;
    case 'explain':
      return explain(
        request.runId,
        request.files,
        { terms: await termsFor(request, outside.cwd), isEmptyAllowed: request.isEmptyAllowed },
        outside,
      );
    case 'check':
      // Somebody typed the bare name: waiting for lines at a terminal would look like a hang.
      if (request.files.length === 0 && outside.stdin.isTTY) {
        await outside.stdout(`${await helpText(outside.width, VERSION)}\n`);
        return EXIT.kept;
      }
      return check(
        request,
        { terms: await termsFor(request, outside.cwd), isEmptyAllowed: request.isEmptyAllowed },
        { ...outside, isColoured: isColoured(outside) },
      );
  }
};

/** The command: reads its words, does the work, and returns the exit code. */
export const main = async (outside: Outside): Promise<number> => {
  try {
    return await answer(outside, await readArguments(outside.argv, outside.width, VERSION));
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    await outside.stderr(`terminal-contract: ${printable(error.message)}\n`);
    return EXIT.unjudged;
  }
};
