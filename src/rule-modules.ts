import { isAbsolute, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { ConfigFault } from './config-fault.js';
import { type CustomRules, clashIn, type Origin, readCustomRule, throwText } from './custom-rules/index.js';
import type { Rule } from './rules/rule.js';

/** What a module gives that has to be a rule, each under the name of its export. */
interface RuleModule {
  readonly url: string;
  readonly exported: readonly (readonly [name: string, value: unknown])[];
}

const isPath = (name: string): boolean => /^\.\.?[/\\]/.test(name) || isAbsolute(name);

const CODE = /^[A-Z][A-Z0-9_]*$/;
const codeOf = (error: unknown): string | undefined => {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  return CODE.test(code) ? code : undefined;
};

const RESOLVE_FAULTS: ReadonlyMap<string, string> = new Map([
  ['ERR_UNSUPPORTED_DIR_IMPORT', 'it is a directory; name the file'],
  ['ERR_PACKAGE_PATH_NOT_EXPORTED', 'the package does not export it'],
]);
const resolveFault = (name: string, error: unknown): string => {
  const code = codeOf(error) ?? 'unknown error';
  if (code !== 'ERR_MODULE_NOT_FOUND') return RESOLVE_FAULTS.get(code) ?? `it cannot be found (${code})`;
  return isPath(name) ? 'there is no such file' : 'there is no such package; the name of a file begins with ./';
};

/** The URL behind a name in a config file: a path from its folder, or a package as a module in that folder finds it. */
const urlOf = async (name: string, folder: string): Promise<{ readonly url: string } | string> => {
  // Most runs of the command have no rules of their own, and need not pay for finding them.
  const { moduleResolve } = await import('import-meta-resolve');
  try {
    const target = isPath(name) ? pathToFileURL(resolve(folder, name)).href : name;
    const { href, protocol } = moduleResolve(target, pathToFileURL(join(folder, 'config.mjs')));
    return protocol === 'file:' ? { url: href } : 'it is neither a file nor a package';
  } catch (error) {
    return resolveFault(name, error);
  }
};

const LOAD_FAULTS: ReadonlyMap<string, string> = new Map([
  ['ERR_MODULE_NOT_FOUND', 'something that it imports is not there; install it beside the config file'],
  ['ERR_UNKNOWN_FILE_EXTENSION', 'this Node loads no such file; compile it to JavaScript'],
]);
const loadFault = (name: string, url: string, error: unknown): string => {
  if (error instanceof SyntaxError) return 'it cannot be loaded (SyntaxError)';
  const code = codeOf(error);
  if (code === undefined) return `its code ${throwText(error, { name, url })}`;
  return LOAD_FAULTS.get(code) ?? `it cannot be loaded (${code})`;
};

// Node names what a CommonJS module exports twice.
const TWIN = 'module.exports';

/** An object or a list among exports has to be rules; functions and plain values are the module's own business. */
const exportsOf = (value: object, prefix = ''): readonly (readonly [string, unknown])[] =>
  Object.entries(value).flatMap(([key, member]: readonly [string, unknown]) => {
    if (typeof member !== 'object' || member === null || key === TWIN) return [];
    if (Array.isArray(member)) return member.map((item, index) => [`${prefix}${key}[${index}]`, item] as const);
    // A set of rules by name, as CommonJS modules export.
    if (key === 'default' && !('id' in member)) return exportsOf(member, 'default.');
    return [[prefix + key, member] as const];
  });

/** One rule under two names is one rule. */
const once = (exported: RuleModule['exported']): RuleModule['exported'] =>
  [...new Map(exported.toReversed().map(([name, value]) => [value, [name, value] as const])).values()].toReversed();

/**
 * Loads a module that a config file names.
 * @returns what it exports, or what keeps it from being loaded, in words that quote nothing of it
 */
const loadRuleModule = async (name: string, folder: string): Promise<RuleModule | string> => {
  const found = await urlOf(name, folder);
  if (typeof found === 'string') return found;
  try {
    const namespace: object = await import(found.url);
    const exported = once(exportsOf(namespace));
    return exported.length === 0 ? 'it exports no rule' : { url: found.url, exported };
  } catch (error) {
    return loadFault(name, found.url, error);
  }
};

export const CUSTOM_RULES = 'custom_rules';

/** What `custom_rules` may hold: the name of a module, or in a config that is code a rule itself. */
type Entry = string | object;
const isEntry = (entry: unknown): entry is Entry =>
  typeof entry === 'string' ? entry !== '' : typeof entry === 'object' && entry !== null;
export const isNamed = (entry: Entry): entry is string => typeof entry === 'string';

/** The rules that a config brings, each by its module or as it is. @throws {ConfigFault} */
export const namedRules = (config: unknown): readonly Entry[] => {
  if (typeof config !== 'object' || config === null) return [];
  const wanted: unknown = Reflect.get(config, CUSTOM_RULES) ?? [];
  if (Array.isArray(wanted) && wanted.every(isEntry)) return wanted;
  throw new ConfigFault(`${CUSTOM_RULES} must be a list of modules: paths that begin with ./, or names of packages`);
};

const readRule = (value: unknown, origin: Origin, where: string): Rule => {
  const rule = readCustomRule(value, origin);
  if (typeof rule === 'string') throw new ConfigFault(`${CUSTOM_RULES}: ${where}: ${rule}`);
  return rule;
};

/** Custom rules that go together. @throws {ConfigFault} */
export const joinRules = (parts: readonly CustomRules[]): CustomRules => {
  const rules = parts.flatMap((part) => part.rules);
  const clash = clashIn(rules);
  if (clash !== undefined) throw new ConfigFault(`${CUSTOM_RULES}: ${clash}`);
  return {
    rules,
    modules: parts.flatMap(({ modules }) => modules),
    isLoadable: parts.every(({ isLoadable }) => isLoadable),
  };
};

const GIVEN: Origin = { name: 'a rule of your own', url: undefined };
const givenRule = (value: unknown, index: number): CustomRules => ({
  rules: [readRule(value, GIVEN, `entry ${index + 1}`)],
  modules: [],
  isLoadable: false,
});

/** Rules that are at hand as objects. @throws {ConfigFault} */
export const givenRules = (values: readonly unknown[]): CustomRules => joinRules(values.map(givenRule));

const moduleRules = async (name: string, folder: string): Promise<CustomRules> => {
  const loaded = await loadRuleModule(name, folder);
  if (typeof loaded === 'string') throw new ConfigFault(`${CUSTOM_RULES}: ${name}: ${loaded}`);
  const module = { name, url: loaded.url };
  const rules = loaded.exported.map(([key, value]) => readRule(value, module, `${name}: its export ${key}`));
  return { rules, modules: [module], isLoadable: true };
};

/** The rules of a config that stands in a folder. @throws {ConfigFault} */
export const loadRules = async (entries: readonly Entry[], folder: string): Promise<CustomRules> => {
  const parts: CustomRules[] = [];
  // One after the other: what a module does when it is loaded may matter to the next.
  for (const [index, entry] of entries.entries()) {
    parts.push(isNamed(entry) ? await moduleRules(entry, folder) : givenRule(entry, index));
  }
  return joinRules(parts);
};
