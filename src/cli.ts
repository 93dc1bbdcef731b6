#!/usr/bin/env node
import { existsSync, fstatSync, lstatSync, mkdirSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';

const UNJUDGED = 2;
// What a shell says of a command that a closed pipe ended.
const STOPPED_BY_PIPE = 141;
const HELP_WIDTH = 100;

const codeOf = (error: unknown): unknown => (error instanceof Error && 'code' in error ? error.code : undefined);
const isClosedPipe = (error: unknown): boolean => codeOf(error) === 'EPIPE';

/** Says what only the checker's makers can mend. Nobody may be there to hear it. */
const complain = (message: string, ...more: readonly unknown[]): void => {
  process.stderr.on('error', () => {});
  console.error(`terminal-contract: ${message}`, ...more);
};

let end: 'ahead' | 'reached' | 'failed' = 'ahead';

const fail = (error: unknown): void => {
  end = 'failed';
  process.exitCode = isClosedPipe(error) ? STOPPED_BY_PIPE : UNJUDGED;
  if (isClosedPipe(error)) return;
  if (error instanceof Error && 'syscall' in error && error.syscall === 'uv_cwd')
    complain('the working directory is gone; change to one that exists');
  else complain('the checker itself failed; please report it', error);
};

/** Whether a descriptor may be a terminal: only then is loaded what knows for sure. */
const mayBeTerminal = (fd: number): boolean => {
  try {
    const stats = fstatSync(fd);
    return stats.isCharacterDevice() && stats.rdev !== statSync('/dev/null').rdev;
  } catch {
    return true;
  }
};
const isTerminal = (fd: number): boolean => mayBeTerminal(fd) && process.getBuiltinModule('node:tty').isatty(fd);

/** Writes as many bytes as are taken; all, but where the other end is slow and the pipe does not wait for it. */
const writeNow = (fd: number, bytes: Buffer): number => {
  let written = 0;
  try {
    while (written < bytes.length) written += writeSync(fd, bytes, written);
  } catch (error) {
    if (codeOf(error) !== 'EAGAIN') throw error;
  }
  return written;
};

/** Writes text to a descriptor, past its stream as long as that is not needed: most runs need not load it. */
const writeTo = (fd: number, open: () => NodeJS.WriteStream) => {
  let stream: NodeJS.WriteStream | undefined;
  const openStream = (): NodeJS.WriteStream => {
    // A failed write is answered where it was made; without a listener the event would end the process first.
    stream ??= open().on('error', () => {});
    return stream;
  };
  return async (text: string): Promise<void> => {
    if (stream === undefined && isTerminal(fd)) openStream();
    const bytes = Buffer.from(text);
    const left = stream === undefined ? bytes.subarray(writeNow(fd, bytes)) : bytes;
    if (left.length === 0) return;
    await new Promise<void>((resolve, reject) => {
      openStream().write(left, (error) => (error ? reject(error) : resolve()));
    });
  };
};

/** A folder for compiled code that nobody else can write to; undefined where there is none. */
const ownFolder = (): string | undefined => {
  const uid = process.getuid?.();
  const folder = join(process.getBuiltinModule('node:os').tmpdir(), `terminal-contract-cache-${uid ?? 'user'}`);
  try {
    // Not its parents: Node tries for ever where the system lets nobody make them.
    if (!existsSync(folder)) mkdirSync(folder, { mode: 0o700 });
    const stats = lstatSync(folder);
    const isOwn = stats.isDirectory() && (uid === undefined || (stats.uid === uid && (stats.mode & 0o022) === 0));
    return isOwn ? folder : undefined;
  } catch {
    return undefined;
  }
};

/** The first Node that keeps compiled code; to ask an older one would load what it does not need. */
const CACHES_FROM = 22;
type Caching = { readonly enableCompileCache?: (folder: string) => unknown };

const keepCompiledCode = (): void => {
  if (Number.parseInt(process.versions.node, 10) < CACHES_FROM) return;
  // The types are those of the oldest Node, which has no such cache.
  const { enableCompileCache } = process.getBuiltinModule('node:module') as Caching;
  const folder = enableCompileCache === undefined ? undefined : ownFolder();
  if (folder !== undefined) enableCompileCache?.(folder);
};

const YOUNG_BYTES = 8 << 20;
let isYoungHeld = false;
/** Lets V8's young generation grow no further once it is large enough: what a line leaves behind is forgotten at once. */
const holdMemory = (isBounded: boolean): void => {
  if (isYoungHeld) return;
  const v8 = process.getBuiltinModule('node:v8');
  // What lives is little and the rest is soon found; without this, the heap grows to a few times of it.
  if (isBounded) v8.setFlagsFromString('--heap-growing-percent=20');
  const young = v8.getHeapSpaceStatistics().find(({ space_name: name }) => name === 'new_space');
  if (young !== undefined && young.space_size < YOUNG_BYTES) return;
  v8.setFlagsFromString('--semi-space-growth-factor=1');
  isYoungHeld = true;
};

process.on('uncaughtException', fail);
process.on('beforeExit', () => {
  if (end !== 'ahead') return;
  end = 'failed';
  complain('nothing was judged: code of the config waits for what never comes');
});

const writeError = writeTo(2, () => process.stderr);

process.exitCode = UNJUDGED;
keepCompiledCode();
// Loaded here, so that a broken installation ends in 2 as well: 1 would say that a run failed.
import('./main.js')
  .then(({ main }) =>
    main({
      argv: process.argv.slice(2),
      cwd: process.cwd(),
      env: process.env,
      stdin: {
        fd: 0,
        get isTTY() {
          return isTerminal(0);
        },
        stream: () => process.stdin,
      },
      stdout: writeTo(1, () => process.stdout),
      // Nobody reads what is said here any more: that is no reason to stop judging.
      stderr: (text) => writeError(text).catch(() => {}),
      get isErrorTerminal() {
        return isTerminal(2);
      },
      get isOutputTerminal() {
        return isTerminal(1);
      },
      // A terminal that does not know its size says 0.
      columns: () => process.stdout.columns || HELP_WIDTH,
      errorTerminal: () => process.stderr.on('error', () => {}),
      get cores() {
        return process.getBuiltinModule('node:os').availableParallelism();
      },
      onMuchRead: holdMemory,
      now: Date.now,
      get width() {
        return Math.min(process.stdout.columns ?? HELP_WIDTH, HELP_WIDTH);
      },
    }),
  )
  .then((code) => {
    // What failed beside the work, such as a promise that a rule forgot, is not made good by its end.
    if (end === 'failed') return;
    end = 'reached';
    process.exitCode = code;
  }, fail);
