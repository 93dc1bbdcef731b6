#!/usr/bin/env node
import { fstatSync, writeSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { isatty } from 'node:tty';

const UNJUDGED = 2;
// What a shell says of a command that a closed pipe ended.
const STOPPED_BY_PIPE = 141;
const HELP_WIDTH = 100;

const isClosedPipe = (error: unknown): boolean => error instanceof Error && 'code' in error && error.code === 'EPIPE';

let end: 'ahead' | 'reached' | 'failed' = 'ahead';

const fail = (error: unknown): void => {
  end = 'failed';
  process.exitCode = isClosedPipe(error) ? STOPPED_BY_PIPE : UNJUDGED;
  if (!isClosedPipe(error)) console.error('terminal-contract: the checker itself failed; please report it', error);
};

const isFile = (fd: number): boolean => {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false;
  }
};

/** Writes all of a text or fails: a stream over a file takes a short write, on a full disk, for a whole one. */
const writeFully = async (fd: number, text: string): Promise<void> => {
  const bytes = Buffer.from(text);
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
};

const writeTo = (stream: NodeJS.WriteStream, fd: number) => {
  if (isFile(fd)) return (text: string) => writeFully(fd, text);
  return (text: string) =>
    new Promise<void>((resolve, reject) => {
      stream.write(text, (error) => (error ? reject(error) : resolve()));
    });
};

// A failed write is answered where it was made; without a listener the event would end the process first.
process.stdout.on('error', () => {});
process.stderr.on('error', () => {});
process.on('uncaughtException', fail);
process.on('beforeExit', () => {
  if (end !== 'ahead') return;
  end = 'failed';
  console.error('terminal-contract: nothing was judged: code of the config waits for what never comes');
});

const writeError = writeTo(process.stderr, 2);

process.exitCode = UNJUDGED;
// Loaded here, so that a broken installation ends in 2 as well: 1 would say that a run failed.
import('./main.js')
  .then(({ main }) =>
    main({
      argv: process.argv.slice(2),
      cwd: process.cwd(),
      env: process.env,
      stdin: { fd: 0, isTTY: isatty(0), stream: () => process.stdin },
      stdout: writeTo(process.stdout, 1),
      // Nobody reads what is said here any more: that is no reason to stop judging.
      stderr: (text) => writeError(text).catch(() => {}),
      isErrorTerminal: process.stderr.isTTY === true,
      cores: availableParallelism(),
      width: Math.min(process.stdout.columns ?? HELP_WIDTH, HELP_WIDTH),
    }),
  )
  .then((code) => {
    // What failed beside the work, such as a promise that a rule forgot, is not made good by its end.
    if (end === 'failed') return;
    end = 'reached';
    process.exitCode = code;
  }, fail);
