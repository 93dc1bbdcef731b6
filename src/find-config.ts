import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { CONFIG_NAME, type Config, NO_CONFIG, PACKAGE, SEARCH_PLACES } from './config.js';

/** Whether a package.json surely holds no config; one that cannot be read is for the real search to tell of. */
const isWithoutConfig = (path: string): boolean => {
  try {
    const value: unknown = JSON.parse(readFileSync(path, 'utf8').replace(/^\ufeff/, ''));
    return typeof value === 'object' && value !== null && !(CONFIG_NAME in value);
  } catch {
    return false;
  }
};

const mayHold = (folder: string): boolean =>
  SEARCH_PLACES.some((place) => {
    const path = join(folder, place);
    return existsSync(path) && !(place === PACKAGE && isWithoutConfig(path));
  });

/** Whether a folder or one above it may hold a config. The real search may end sooner, and never goes further. */
const mayBeFound = (cwd: string): boolean => {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    if (mayHold(folder)) return true;
    if (folder === dirname(folder)) return false;
  }
};

/**
 * The config file that `path` names, or the nearest one from `cwd` upwards; none is no fault.
 * @throws {ConfigFault}
 */
export const findConfig = async (path: string | undefined, cwd: string): Promise<Config> => {
  // Most runs of the command have no config, and need not pay for reading one.
  if (path === undefined && !mayBeFound(cwd)) return NO_CONFIG;
  const { loadConfig } = await import('./config-file.js');
  return loadConfig(path, cwd);
};
