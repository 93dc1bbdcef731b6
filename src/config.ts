import { type ContractPart, EMPTY_PART, type LimitsName, type Profile } from './contract.js';
import { type CustomRules, NO_CUSTOM_RULES } from './custom-rules/custom-rules.js';
import { NO_WISHES, type Wishes } from './foreign.js';
import { didYouMean } from './nearest.js';
import { RULES } from './rules/index.js';

/** The key of a config in package.json, and how the name of its own file begins. */
export const CONFIG_NAME = 'terminal-contract';
export const PACKAGE = 'package.json';
/** Where a config may stand in a folder; of several, the first. */
export const SEARCH_PLACES: readonly string[] = [
  PACKAGE,
  `${CONFIG_NAME}.config.json`,
  `${CONFIG_NAME}.config.yaml`,
  `${CONFIG_NAME}.config.yml`,
  `${CONFIG_NAME}.config.js`,
  `${CONFIG_NAME}.config.mjs`,
  `${CONFIG_NAME}.config.cjs`,
];

const RULE_IDS = RULES.map(({ id }) => id);

/** What a config file says. */
export interface Config {
  readonly profile: Profile | undefined;
  readonly limits: LimitsName | undefined;
  readonly part: ContractPart;
  readonly customRules: CustomRules;
  /** What is said of foreign formats. */
  readonly wishes: Wishes;
}
export const NO_CONFIG: Config = {
  profile: undefined,
  limits: undefined,
  part: EMPTY_PART,
  customRules: NO_CUSTOM_RULES,
  wishes: NO_WISHES,
};

/** That there is no such rule, and which one may be meant. */
export const unknownRule = (id: string, customRules: CustomRules): string =>
  `there is no rule ${id}${didYouMean(id, idsWith(customRules))}`;

/** The ids of all rules: the built-in ones, and the user's own. */
export const idsWith = ({ rules }: CustomRules): readonly string[] => [...RULE_IDS, ...rules.map(({ id }) => id)];
