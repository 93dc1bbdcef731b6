import { Readable } from 'node:stream';
import { main, type Outside } from '../src/main.js';

/** Runs the command in this process, in the project's folder, with an empty standard input. */
export const run = async (
  argv: readonly string[],
  outside: Partial<Outside> = {},
): Promise<{ readonly stdout: string; readonly stderr: string; readonly code: number }> => {
  let stdout = '';
  let stderr = '';
  const code = await main({
    argv,
    cwd: process.cwd(),
    env: {},
    stdin: { fd: 0, isTTY: false, stream: () => Readable.from([]) },
    stdout: async (text) => {
      stdout += text;
    },
    stderr: async (text) => {
      stderr += text;
    },
    isErrorTerminal: false,
    isOutputTerminal: false,
    columns: () => 100,
    errorTerminal: () => process.stderr,
    cores: 1,
    now: Date.now,
    onMuchRead: () => {},
    width: 100,
    ...outside,
  });
  return { stdout, stderr, code };
};
