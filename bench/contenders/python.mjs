import { onPath, versionOf } from './found.mjs';

const SCRIPT = new URL('verdicts.py', import.meta.url).pathname;

export const python = {
  id: 'python',
  title: 'Python, json.loads, the classic table',
  role: 'judge',
  takesHostile: true,
  find({ isHostile }) {
    if (!onPath('python3')) return { missing: 'python3 is not installed' };
    return {
      command: ['python3', SCRIPT],
      exits: isHostile ? [2] : [0, 1],
      version: versionOf('python3', ['--version']),
    };
  },
};
