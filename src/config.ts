import { basename, extname, relative, resolve } from 'node:path';
import { lilconfig } from 'lilconfig';
import type { Document } from 'yaml';
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
import { didYouMean } from './nearest.js';
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
}
export const NO_CONFIG: Config = { profile: undefined, limits: undefined, part: EMPTY_PART };

/** A config that cannot be used: what is wrong and what to do, without a word of the file. */
export class ConfigFault extends Error {}

const schema = configSchema(RULE_IDS);

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

const unknownKey = (key: string, path: readonly PropertyKey[]): string =>
  path[0] === 'rules'
    ? `there is no rule ${key}${didYouMean(key, RULE_IDS)}`
    : `there is no key ${key}${didYouMean(key, Object.keys(schema.shape))}`;

const describe = (issue: Issue): string => {
  const [key, member] = issue.path.map(String);
  const unknown = issue.keys?.[0];
  if (unknown !== undefined) return unknownKey(unknown, issue.path);
  if (key === undefined) return 'it must hold an object';
  if (key === 'profile') return `profile must be one of ${PROFILES.join(', ')}`;
  if (key === 'limits') return `limits must be one of ${LIMITS_NAMES.join(', ')}`;
  if (key !== 'rules') return `${key} must be ${expectedOf(key)}`;
  if (member === undefined) return 'rules must be an object of severities by rule id';
  return RULE_IDS.some((id) => id === member)
    ? `rules.${member} must be one of ${SEVERITIES.join(', ')}`
    : unknownKey(member, issue.path);
};

/** Reads what a config file holds. @throws {ConfigFault} */
export const readConfig = (value: unknown): Config => {
  const parsed = schema.safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ConfigFault(issue === undefined ? 'it cannot be read' : describe(issue));
  }
  const { profile, limits, $schema: _, ...fields } = parsed.data;
  return { profile, limits, part: toPart(fields) };
};

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
    return readConfig(found.config);
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    throw new ConfigFault(`${relative(cwd, found.filepath)}: ${error.message}`);
  }
};
