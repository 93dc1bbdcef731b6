import { basename, dirname, extname, relative, resolve } from 'node:path';
import { lilconfig } from 'lilconfig';
import type { Document } from 'yaml';
import { ConfigFault } from './config-fault.js';
import {
  type ContractPart,
  configSchema,
  EMPTY_PART,
  expectedOf,
  LIMITS_NAMES,
  type LimitsName,
  PROFILES,
  type Profile,
  SEVERITIES,
  toPart,
} from './contract.js';
import { type CustomRules, NO_CUSTOM_RULES } from './custom-rules/index.js';
import { didYouMean } from './nearest.js';
import { CUSTOM_RULES, givenRules, isNamed, joinRules, loadRules, namedRules } from './rule-modules.js';
import { RULES } from './rules/index.js';

const NAME = 'terminal-contract';
const SEARCH_PLACES = [
  'package.json',
  `${NAME}.config.json`,
  `${NAME}.config.yaml`,
  `${NAME}.config.yml`,
  `${NAME}.config.js`,
  `${NAME}.config.mjs`,
  `${NAME}.config.cjs`,
];
const RULE_IDS = RULES.map(({ id }) => id);

/** What a config file says. */
export interface Config {
  readonly profile: Profile | undefined;
  readonly limits: LimitsName | undefined;
  readonly part: ContractPart;
  readonly customRules: CustomRules;
}
export const NO_CONFIG: Config = {
  profile: undefined,
  limits: undefined,
  part: EMPTY_PART,
  customRules: NO_CUSTOM_RULES,
};

const parseJson = (path: string, content: string): unknown => {
  try {
    return JSON.parse(content.replace(/^\ufeff/, ''));
  } catch {
    throw new ConfigFault(`${basename(path)} is not JSON`);
  }
};
/** Aliases may stand for more than memory holds; the library stops there. */
const unfold = (path: string, document: Document): unknown => {
  try {
    return document.toJS();
  } catch {
    throw new ConfigFault(`${basename(path)} unfolds to more than can be read`);
  }
};

const parseYaml = async (path: string, content: string): Promise<unknown> => {
  // Most runs of the command meet no YAML, and need not pay for reading it.
  const { parseDocument } = await import('yaml');
  const document = parseDocument(content, { logLevel: 'error', stringKeys: true });
  const [fault] = [...document.errors, ...document.warnings];
  if (fault === undefined) return unfold(path, document);
  const at = fault.linePos?.[0];
  const place = at === undefined ? '' : ` from line ${at.line}, column ${at.col} on`;
  throw new ConfigFault(`${basename(path)} is not YAML${place}`);
};

const explorer = lilconfig(NAME, {
  searchPlaces: SEARCH_PLACES,
  // An empty config file is a mistake, not a missing one.
  ignoreEmptySearchPlaces: false,
  loaders: { '.json': parseJson, '.yaml': parseYaml, '.yml': parseYaml, noExt: parseJson },
});

type Issue = { readonly code?: string; readonly path: readonly PropertyKey[]; readonly keys?: readonly string[] };

const KEYS = Object.keys(configSchema(RULE_IDS).shape);

/** That there is no such rule, and which one may be meant. */
export const unknownRule = (id: string, customRules: CustomRules): string =>
  `there is no rule ${id}${didYouMean(id, idsWith(customRules))}`;

/** The ids of all rules: the built-in ones, and the user's own. */
export const idsWith = ({ rules }: CustomRules): readonly string[] => [...RULE_IDS, ...rules.map(({ id }) => id)];

const describe = (issue: Issue, customRules: CustomRules): string => {
  const [key, member] = issue.path.map(String);
  const unknown = issue.keys?.[0];
  if (unknown !== undefined) {
    return key === 'rules'
      ? unknownRule(unknown, customRules)
      : `there is no key ${unknown}${didYouMean(unknown, KEYS)}`;
  }
  if (key === undefined) return 'it must hold an object';
  if (key === 'profile') return `profile must be one of ${PROFILES.join(', ')}`;
  if (key === 'limits') return `limits must be one of ${LIMITS_NAMES.join(', ')}`;
  if (key !== 'rules') return `${key} must be ${expectedOf(key)}`;
  if (member === undefined) return 'rules must be an object of severities by rule id';
  return idsWith(customRules).includes(member)
    ? `rules.${member} must be one of ${SEVERITIES.join(', ')}`
    : unknownRule(member, customRules);
};

const parseConfig = (value: unknown, customRules: CustomRules): Config => {
  const parsed = configSchema(idsWith(customRules)).safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ConfigFault(issue === undefined ? 'it cannot be read' : describe(issue, customRules));
  }
  const { profile, limits, $schema: _, ...fields } = parsed.data;
  return { profile, limits, part: toPart(fields), customRules };
};

/** The rest of a config: its custom rules have been read before it, for their ids are words of it. */
const withoutRules = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || !(CUSTOM_RULES in value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== CUSTOM_RULES));
};

/**
 * Reads what a program hands over as a config: rules as objects, for it stands in no folder that a path could begin in.
 * @throws {ConfigFault}
 */
export const readConfig = (value: unknown, more: readonly unknown[] = []): Config => {
  const named = namedRules(value);
  if (named.some(isNamed)) {
    throw new ConfigFault(`${CUSTOM_RULES} names modules in a config file alone; hand the rules over as objects`);
  }
  return parseConfig(withoutRules(value), joinRules([givenRules(named), givenRules(more)]));
};

/** Reads what a config file holds, and loads the modules that it names. @throws {ConfigFault} */
const readConfigFile = async (value: unknown, folder: string): Promise<Config> =>
  parseConfig(withoutRules(value), await loadRules(namedRules(value), folder));

const KINDS: readonly string[] = ['', '.json', '.yaml', '.yml', '.js', '.mjs', '.cjs'];

const FILE_FAULTS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['EACCES', 'permission is denied'],
  ['EISDIR', 'it is a directory'],
]);
const loadFault = (error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'its code throws';
  return FILE_FAULTS.get(code) ?? `it cannot be loaded (${code})`;
};

const load = async (path: string | undefined, cwd: string) => {
  if (path !== undefined && !KINDS.includes(extname(path))) {
    throw new ConfigFault(`${path}: a config file is json, yaml, yml, js, mjs or cjs`);
  }
  try {
    return path === undefined ? await explorer.search(cwd) : await explorer.load(resolve(cwd, path));
  } catch (error) {
    if (error instanceof ConfigFault) throw error;
    throw new ConfigFault(`${path ?? 'config file'}: ${loadFault(error)}`);
  }
};

/**
 * The config file that `path` names, or the nearest one from `cwd` upwards; none is no fault.
 * @throws {ConfigFault}
 */
export const findConfig = async (path: string | undefined, cwd: string): Promise<Config> => {
  const found = await load(path, cwd);
  if (found === null) return NO_CONFIG;
  try {
    return await readConfigFile(found.config, dirname(found.filepath));
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    throw new ConfigFault(`${relative(cwd, found.filepath)}: ${error.message}`);
  }
};
