import { onPath, versionOf } from './found.mjs';

const ROWS = new URL('rows.jq', import.meta.url).pathname;
const VERDICTS = new URL('verdicts.jq', import.meta.url).pathname;

// jq folds what lies side by side; holding every run in one of its objects takes time that grows with their square.
const PIPELINE = `jq -rf "$0" | LC_ALL=C sort -s -t "$(printf '\\t')" -k1,1 -k2,2n | jq -nrRf "$1"`;

export const jq = {
  id: 'jq',
  title: 'jq, sort, jq',
  role: 'judge',
  takesHostile: false,
  find() {
    const missing = ['sh', 'jq', 'sort'].find((name) => !onPath(name));
    if (missing !== undefined) return { missing: `${missing} is not installed` };
    return { command: ['sh', '-c', PIPELINE, ROWS, VERDICTS], exits: [0], version: versionOf('jq', ['--version']) };
  },
};
