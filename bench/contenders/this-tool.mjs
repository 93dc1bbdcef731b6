import { readFileSync } from 'node:fs';

const COMMAND = new URL('../../dist/cli.cjs', import.meta.url).pathname;
const { version } = JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8'));

/** This tool, as built. */
export const thisTool = ({ id, title, args }) => ({
  id,
  title,
  role: 'judge',
  takesHostile: true,
  find: ({ isHostile }) => ({
    command: [process.execPath, COMMAND, '--quiet', ...args],
    exits: isHostile ? [2] : [0, 1],
    version: `terminal-contract ${version}`,
  }),
});
