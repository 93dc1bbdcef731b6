import { basename, dirname, extname, relative, resolve } from 'node:path';
import { lilconfig } from 'lilconfig';
import type { Document } from 'yaml';
import { CONFIG_NAME, type Config, NO_CONFIG, SEARCH_PLACES } from './config.js';
import { ConfigFault } from './config-fault.js';
import { readConfigFile } from './read-config.js';

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

const explorer = lilconfig(CONFIG_NAME, {
  searchPlaces: [...SEARCH_PLACES],
  // An empty config file is a mistake, not a missing one.
  ignoreEmptySearchPlaces: false,
  loaders: { '.json': parseJson, '.yaml': parseYaml, '.yml': parseYaml, noExt: parseJson },
});

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
export const loadConfig = async (path: string | undefined, cwd: string): Promise<Config> => {
  const found = await load(path, cwd);
  if (found === null) return NO_CONFIG;
  try {
    return await readConfigFile(found.config, dirname(found.filepath));
  } catch (error) {
    if (!(error instanceof ConfigFault)) throw error;
    throw new ConfigFault(`${relative(cwd, found.filepath)}: ${error.message}`);
  }
};
