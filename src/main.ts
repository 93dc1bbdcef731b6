import { resolve } from 'node:path';
import type { CheckOptions } from './check.js';
import { check, codeOf, isClosedPipe, OutputFault } from './commands/check.js';
import { explain } from './commands/explain.js';
import { contractText } from './commands/print-contract.js';
import type { CheckRequest, Request } from './commands/request.js';
import { rulesText } from './commands/rules.js';
import { schemaText } from './commands/schema.js';
import { termsOf } from './commands/terms.js';
import { idsWith, unknownRule } from './config.js';
import { ConfigFault } from './config-fault.js';
import { EMPTY_PART, resolveContract, type Terms } from './contract.js';
import type { CustomRules } from './custom-rules/custom-rules.js';
import { findConfig } from './find-config.js';
import type { Stdin } from './input.js';
import { readArguments } from './options.js';
import { startProgress } from './progress.js';
import { EXIT } from './report.js';
import { PLAIN } from './reporters/reporter.js';
import { printable } from './text.js';
import { VERSION } from './version.js';
import { timeOf, type Window } from './window.js';

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
  readonly isOutputTerminal: boolean;
  /** Columns of the terminal that stdout is. */
  readonly columns: () => number;
  /** The terminal that stderr is. */
  readonly errorTerminal: () => NodeJS.WriteStream;
  /** Cores that the process may use. */
  readonly cores: number;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Columns of the terminal. */
  readonly width: number;
  /** Gets the process ready for much work; where memory is bounded, the heap is to grow in small steps. */
  readonly onMuchRead: (isBounded: boolean) => void;
}

/** Whether what people read on a stream is coloured: as they ask, or where it is a terminal that may be. */
const isColoured = ({ env }: Outside, isAsked: boolean | undefined, isTerminal: boolean): boolean => {
  if (isAsked !== undefined) return isAsked;
  if ((env['NO_COLOR'] ?? '') !== '') return false;
  return isTerminal && env['TERM'] !== 'dumb';
};

/** Whether somebody sees how far the work has come, and may be told: who watches a log would find the line in it over and over. */
const isWatched = ({ env, isErrorTerminal }: Outside, { isQuiet }: Asked, { profile }: Terms): boolean =>
  !isQuiet && profile !== 'classic' && env['CI'] === undefined && env['TERM'] !== 'dumb' && isErrorTerminal;

const requireRule = (id: string, customRules: CustomRules): void => {
  if (!idsWith(customRules).includes(id)) {
    throw new ConfigFault(`${unknownRule(id, customRules)}; see terminal-contract rules`);
  }
};

type Asked = Omit<CheckRequest, 'kind'>;

/** The time that is asked about. */
const windowOf = ({ since, until }: Asked, now: number): Window | undefined => {
  if (since === undefined && until === undefined) return undefined;
  const window = {
    since: timeOf(since ?? '', now)?.first ?? Number.NEGATIVE_INFINITY,
    until: timeOf(until ?? '', now)?.last ?? Number.POSITIVE_INFINITY,
  };
  if (window.since > window.until) throw new ConfigFault('--since is later than --until');
  return window;
};

const optionsFor = async (request: Asked, outside: Outside): Promise<CheckOptions & { customRules: CustomRules }> => {
  const { cwd, cores, now, onMuchRead, errorTerminal } = outside;
  const config = await findConfig(request.configPath, cwd);
  const { customRules, wishes } = config;
  const terms = termsOf({ ...request, window: windowOf(request, now()) }, config);
  for (const id of request.part.rules.keys()) {
    requireRule(id, customRules);
    // What classic does not know it cannot be told to judge.
    if (terms.profile === 'classic' && terms.severityOf(id) === 'off')
      throw new ConfigFault(`--rule ${id}: profile classic does not know this rule`);
  }
  const { isEmptyAllowed, maxMemory, from, unit, jobs = cores } = request;
  const whenMuchIsRead = (): void => onMuchRead(maxMemory !== undefined);
  const progress = isWatched(outside, request, terms) ? startProgress(errorTerminal) : undefined;
  return {
    terms,
    customRules,
    isEmptyAllowed,
    from,
    unit,
    wishes,
    jobs,
    maxMemory,
    onMuchRead: whenMuchIsRead,
    progress,
  };
};

const rulesFor = async (configPath: string | undefined, cwd: string, ruleId: string | undefined): Promise<string> => {
  const { customRules } = await findConfig(configPath, cwd);
  if (ruleId !== undefined) requireRule(ruleId, customRules);
  return rulesText(ruleId, customRules.rules);
};

/** The outside, where text that cannot be written is nobody's fault but the descriptor's. A closed pipe is none. */
const speaking = (outside: Outside): Outside => {
  const stdout = async (text: string): Promise<void> => {
    try {
      await outside.stdout(text);
    } catch (error) {
      if (isClosedPipe(error)) throw error;
      throw new OutputFault(`standard output: it cannot be written (${codeOf(error)})`);
    }
  };
  // Inherited, for what the outside knows it finds out when it is asked.
  return Object.create(outside, { stdout: { value: stdout } });
};

const answer = async (world: Outside, request: Request): Promise<number> => {
  const outside = speaking(world);
  switch (request.kind) {
    case 'refusal':
      await outside.stderr(`terminal-contract: ${printable(request.message)}; see terminal-contract --help\n`);
      return EXIT.unjudged;
    case 'answer':
      await outside.stdout(request.text);
      return EXIT.kept;
    case 'rules':
      await outside.stdout(await rulesFor(request.configPath, outside.cwd, request.ruleId));
      return EXIT.kept;
    case 'convert': {
      const { convert } = await import('./commands/convert.js');
      const { wishes } = await findConfig(request.configPath, outside.cwd);
      return convert(request, { ...wishes, unit: request.unit ?? 'turn' }, outside);
    }
    case 'formats': {
      const { formatsText } = await import('./commands/formats.js');
      await outside.stdout(await formatsText());
      return EXIT.kept;
    }
    case 'gate': {
      const { gate } = await import('./commands/gate.js');
      // A folder of traces may have a contract of its own.
      const inFolder = new Map<string, Promise<CheckOptions>>();
      const optionsIn = (folder: string): Promise<CheckOptions> => {
        const cwd = resolve(outside.cwd, folder);
        const known = inFolder.get(cwd);
        if (known !== undefined) return known;
        const there: Outside = Object.create(outside, { cwd: { value: cwd } });
        const options = optionsFor({ ...request, isQuiet: true }, there);
        inFolder.set(cwd, options);
        return options;
      };
      return gate(request, optionsIn, outside);
    }
    case 'schema':
      await outside.stdout(schemaText(request.name));
      return EXIT.kept;
    case 'print-contract': {
      const { terms, customRules } = await optionsFor(request, outside);
      await outside.stdout(contractText(resolveContract(terms, EMPTY_PART, EMPTY_PART), customRules.rules));
      return EXIT.kept;
    }
    case 'explain':
      return explain(request.runId, request.files, await optionsFor(request, outside), outside);
    case 'check':
      // Somebody typed the bare name: waiting for lines at a terminal would look like a hang.
      if (request.files.length === 0 && outside.stdin.isTTY) {
        const { helpText } = await import('./command-line.js');
        await outside.stdout(`${await helpText(outside.width, VERSION)}\n`);
        return EXIT.kept;
      }
      return check(request, await optionsFor(request, outside), {
        stdin: outside.stdin,
        // It says by itself which report could not be written.
        stdout: world.stdout,
        stderr: outside.stderr,
        isColoured: isColoured(outside, request.isColoured, outside.isErrorTerminal),
        isErrorTerminal: outside.isErrorTerminal,
        output: {
          isColoured: isColoured(outside, request.isColoured, outside.isOutputTerminal),
          width: outside.isOutputTerminal ? outside.columns() : PLAIN.width,
        },
        isOutputTerminal: outside.isOutputTerminal,
      });
  }
};

/** The command: reads its words, does the work, and returns the exit code. */
export const main = async (outside: Outside): Promise<number> => {
  try {
    return await answer(outside, await readArguments(outside.argv, () => outside.width, VERSION));
  } catch (error) {
    if (!(error instanceof ConfigFault || error instanceof OutputFault)) throw error;
    await outside.stderr(`terminal-contract: ${printable(error.message)}\n`);
    return EXIT.unjudged;
  }
};
