import { accessSync, constants, statSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { chromium } from 'playwright-core';

/** @param {string} path */
const isProgram = (path) => {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
};

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome'];

/**
 * A Chromium of this machine: the one that the environment names, playwright's own, or one on the path.
 * @returns {string | undefined}
 */
export const findChromium = (env = process.env) => {
  const named = env.CHROMIUM_PATH ?? env.PLAYWRIGHT_CHROMIUM_EXECUTABLE_PATH ?? '';
  if (named !== '') return named;
  const folders = (env.PATH ?? '').split(delimiter).filter((path) => path !== '');
  const onPath = folders.flatMap((path) => NAMES.map((name) => join(path, name)));
  return [chromium.executablePath(), ...onPath].find(isProgram);
};

/**
 * Starts it; root, as in many containers, has no sandbox to run it in.
 * @param {string} executablePath
 */
export const launch = (executablePath) =>
  chromium.launch({ executablePath, chromiumSandbox: process.getuid?.() !== 0 });
