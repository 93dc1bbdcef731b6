import { execFileSync } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const isExecutable = (path) => {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};

/** Whether a program of that name can be started. */
export const onPath = (name) =>
  (process.env.PATH ?? '').split(delimiter).some((folder) => folder !== '' && isExecutable(join(folder, name)));

/** The first line of what a program says of itself. */
export const versionOf = (name, args) => execFileSync(name, args, { encoding: 'utf8' }).split('\n')[0].trim();
