import { type ChildProcess, spawn } from 'node:child_process';
import {
  closeSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { onTestFinished } from 'vitest';
import { main } from '../src/main.js';

export const ROOT = fileURLToPath(new URL('..', import.meta.url));
const CLI = join(ROOT, 'dist', 'cli.cjs');
if (!existsSync(CLI)) throw new Error('there is no dist/cli.cjs; npm run build makes it');

/** What a command said, and how it ended. */
export interface Ran {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** What stands at the command's standard input; without it, the null device. */
type Stdin =
  | { readonly kind: 'piped'; readonly text: string | Uint8Array }
  | { readonly kind: 'redirected'; readonly path: string }
  /** A pipe that stays open. */
  | { readonly kind: 'waiting' };

interface Surroundings {
  readonly stdin?: Stdin;
  readonly env?: Readonly<Record<string, string>>;
  /** The folder to start in, below the test's own. */
  readonly cwd?: string;
}

// What the test runner, or CI, says to its own children would change what the command does.
const NOT_INHERITED = ['CI', 'NO_COLOR', 'FORCE_COLOR', 'NODE_OPTIONS', 'NODE_V8_COVERAGE', 'NODE_DEBUG'];
const environment = (home: string, more: Readonly<Record<string, string>>): NodeJS.ProcessEnv => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_INHERITED.includes(name))),
  HOME: home,
  CHECKER: `'${process.execPath}' '${CLI}'`,
  ...more,
});

/** A command's words and its end. */
export const ended = async (child: ChildProcess): Promise<Ran> => {
  const end = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  const [stdout, stderr, { code, signal }] = await Promise.all([
    child.stdout === null ? '' : text(child.stdout),
    child.stderr === null ? '' : text(child.stderr),
    end,
  ]);
  return { stdout, stderr, code, signal };
};

type Content = string | Uint8Array | readonly string[];
const bytesOf = (content: Content): string | Uint8Array =>
  typeof content === 'string' || content instanceof Uint8Array ? content : content.map((line) => `${line}\n`).join('');

/** A folder of the test's own, and the built command in it as a user starts it. */
export interface Folder {
  readonly path: string;
  /** Writes files, lines where a list is given; folders on their way are made. */
  write(files: Readonly<Record<string, Content>>): void;
  read(name: string): string;
  /** What stands in the folder, sorted. */
  names(): string[];
  /** Starts the command with these words. */
  start(args: readonly string[], surroundings?: Surroundings): ChildProcess;
  /** The command with these words, to its end. */
  run(args: readonly string[], surroundings?: Surroundings): Promise<Ran>;
  /** The command without a process of its own, for many rows that its words and config files decide; files by whole paths. */
  runInside(args: readonly string[], cwd?: string): Promise<Ran>;
  /** A bash script that knows `terminal-contract`, to its end. */
  shell(script: string, surroundings?: Omit<Surroundings, 'stdin'>): Promise<Ran>;
}

// A function ends as its last command does, so that a pipeline sees the command's own exit code.
export const KNOWS_COMMAND = 'terminal-contract() { eval "$CHECKER" \'"$@"\'; }\n';

const runInside = async (argv: readonly string[], cwd: string): Promise<Ran> => {
  let stdout = '';
  let stderr = '';
  const code = await main({
    argv,
    cwd,
    env: {},
    stdin: { fd: 0, isTTY: false, stream: () => Readable.from([]) },
    stdout: async (piece) => {
      stdout += piece;
    },
    stderr: async (piece) => {
      stderr += piece;
    },
    isErrorTerminal: false,
    isOutputTerminal: false,
    columns: () => 100,
    errorTerminal: () => process.stderr,
    cores: 1,
    now: Date.now,
    onMuchRead: () => {},
    width: 100,
  });
  return { stdout, stderr, code, signal: null };
};

/** What is to be done when the test has finished. */
type WhenFinished = (undo: () => void) => void;

const createFolder = (path: string, whenFinished: WhenFinished): Folder => {
  const write = (files: Readonly<Record<string, Content>>): void => {
    for (const [name, content] of Object.entries(files)) {
      const file = join(path, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, bytesOf(content));
    }
  };
  const spawnIn = (
    words: readonly string[],
    { env = {}, cwd = '.' }: Surroundings,
    stdin: 'ignore' | 'pipe' | number,
  ) => {
    const [command = '', ...args] = words;
    const child = spawn(command, args, {
      cwd: join(path, cwd),
      env: environment(path, env),
      stdio: [stdin, 'pipe', 'pipe'],
    });
    whenFinished(() => {
      child.kill('SIGKILL');
    });
    return child;
  };
  const start = (args: readonly string[], surroundings: Surroundings = {}): ChildProcess => {
    const { stdin } = surroundings;
    const words = [process.execPath, CLI, ...args];
    switch (stdin?.kind) {
      case undefined:
        return spawnIn(words, surroundings, 'ignore');
      case 'waiting':
        return spawnIn(words, surroundings, 'pipe');
      case 'redirected': {
        const opened = openSync(join(path, stdin.path), 'r');
        const child = spawnIn(words, surroundings, opened);
        closeSync(opened);
        return child;
      }
      case 'piped': {
        // Node gives its children sockets; cat makes a pipe of one.
        const child = spawnIn(['bash', '-c', 'cat | "$@"', 'bash', ...words], surroundings, 'pipe');
        // A command that refuses its words does not read.
        child.stdin?.on('error', () => {});
        child.stdin?.end(stdin.text);
        return child;
      }
    }
  };
  return {
    path,
    write,
    read: (name) => readFileSync(join(path, name), 'utf8'),
    names: () => readdirSync(path).sort(),
    start,
    run: (args, surroundings) => ended(start(args, surroundings)),
    runInside: (args, cwd = '.') => runInside(args, join(path, cwd)),
    shell: (script, surroundings = {}) =>
      ended(spawnIn(['bash', '-c', `${KNOWS_COMMAND}${script}`], surroundings, 'ignore')),
  };
};

/**
 * A folder of the test's own with these files in it; it is gone when the test has finished.
 * @param whenFinished a test that runs beside others gives its own
 */
export const folder = (
  files: Readonly<Record<string, Content>> = {},
  whenFinished: WhenFinished = onTestFinished,
): Folder => {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'terminal-contract-')));
  whenFinished(() => rmSync(path, { recursive: true, force: true }));
  const made = createFolder(path, whenFinished);
  made.write(files);
  return made;
};
