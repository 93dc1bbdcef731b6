import { FAMILIES, FIELDS } from './contract.js';
import { didYouMean } from './nearest.js';

/** A command line that cannot be carried out: what is wrong and what to do. */
class Refusal extends Error {}
export const refuse = (message: string): never => {
  throw new Refusal(message);
};

/** Flags that set one field of the contract, by flag, with the field's wire name. */
export const NUMBER_FLAGS = {
  budget: { wire: 'budget', describe: FIELDS.budget.meaning },
  'no-progress-window': { wire: 'no_progress_window', describe: FIELDS.noProgressWindow.meaning },
  'max-ms': { wire: 'max_ms', describe: FIELDS.maxMs.meaning },
  'max-tokens': { wire: 'max_tokens', describe: FIELDS.maxTokens.meaning },
  'unchanged-worktrees': { wire: 'unchanged_worktrees', describe: FIELDS.unchangedWorktrees.meaning },
} as const;
export const WORD_FLAGS = {
  'no-progress-key': { wire: 'no_progress_key', describe: FIELDS.noProgressKey.meaning },
  'seq-scope': { wire: 'seq_scope', describe: FIELDS.seqScope.meaning },
} as const;
export const LIST_FLAGS = {
  'token-kinds': { wire: 'token_kinds', describe: FIELDS.tokenKinds.meaning },
  require: { wire: 'require', describe: `${FIELDS.require.meaning}: ${FAMILIES.join(', ')}` },
} as const;

export const STRING_FLAGS = [
  'config',
  'profile',
  'limits',
  'from',
  'since',
  'until',
  'run',
  'jobs',
  'max-memory',
  'color',
  ...Object.keys(NUMBER_FLAGS),
  ...Object.keys(WORD_FLAGS),
] as const;
export const SWITCHES = ['partial', 'allow-empty', 'quiet', 'print-contract', 'update'] as const;
export const REPEATABLE = ['format', 'rule', ...Object.keys(LIST_FLAGS)] as const;

/** How words are parsed, whoever does it. */
export const PARSING = {
  'populate--': true,
  // --no-progress-window is no negation.
  'boolean-negation': false,
  'camel-case-expansion': false,
  'dot-notation': false,
  'parse-numbers': false,
  'parse-positional-numbers': false,
  'greedy-arrays': false,
  'short-option-groups': false,
} as const;

const FLAGS: readonly string[] = [...STRING_FLAGS, ...SWITCHES, ...REPEATABLE, 'help', 'version'];

const NEGATIVE = /^-\d/;
const takesValue = (word: string | undefined): boolean =>
  word?.startsWith('--') === true && !word.includes('=') && !SWITCHES.some((known) => `--${known}` === word);

const FLAG = /^(--?)([^=]+)(=?)/;

/** Refuses words that only look like flags: yargs would take them for its own, or for another word's value. */
export const refuseUnknownFlags = (argv: readonly string[]): void => {
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
