import { createReadStream, fstatSync, readFileSync, type Stats, statSync } from 'node:fs';
import { Readable } from 'node:stream';
import { compareCodePoints } from './text.js';

// Larger pieces read no faster here, and leave more garbage behind at a time.
const CHUNK_BYTES = 1 << 16;
const CLOSED = 'standard input is closed; give a file, or pipe a trace in';

/** A place where bytes come from. */
export interface Input {
  /** As the user gave it. */
  readonly name: string;
  /** @throws what the file system says; {@link reasonOf} puts it into words */
  open(): OpenInput;
}

/** An input that is being read. */
interface OpenInput {
  readonly stream: Readable;
  /** The bytes that `stream` has given, once more: of a regular file, or one redirected to stdin. */
  readonly again: (() => Readable) | undefined;
}

/** The process's standard input: what is behind its descriptor, and the stream for what is no file. */
export interface Stdin {
  readonly fd: number;
  readonly isTTY: boolean;
  readonly stream: () => Readable;
}

/** An input that cannot be had, and why. */
export interface MissingInput {
  readonly name: string;
  readonly code: 'no-match' | 'unreadable-input';
  readonly because: string;
}

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['EACCES', 'permission is denied'],
  ['EPERM', 'permission is denied'],
  ['EISDIR', 'it is a directory; give the files in it'],
  ['EMFILE', 'too many files are open'],
  ['ENFILE', 'too many files are open'],
  ['EBADF', 'it is not open for reading'],
  ['EIO', 'the device failed'],
]);

/** Why an input cannot be read, without a path of this machine or a byte of the input. */
export const reasonOf = (error: unknown): string => {
  if (error instanceof InputClosed) return error.message;
  const cause = error instanceof ReadFault ? error.cause : error;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  return (
    REASONS.get(code ?? '') ?? (SYSTEM_CODE.test(code ?? '') ? `reading it failed (${code})` : 'reading it failed')
  );
};
const SYSTEM_CODE = /^[A-Z][A-Z0-9_]{1,40}$/;

/** Whether an error comes from an input; any other is a fault of the checker. */
export const isInputError = (error: unknown): boolean =>
  error instanceof InputClosed || error instanceof ReadFault || (error instanceof Error && 'code' in error);

/** What the source of an input failed with, as its cause. */
export class ReadFault extends Error {}

class InputClosed extends Error {}

/** A second reading would give other bytes than the first. */
export class InputChanged extends Error {}

const refuseDirectory = (): never => {
  throw Object.assign(new Error('directory'), { code: 'EISDIR' });
};

/** Bytes of a file from `start`, at most `length`: what has been added since the first reading is left out. */
const readAgain = (path: string, fd: number | undefined, start: number, length: number): Readable => {
  if (length === 0) return Readable.from([]);
  return createReadStream(path, {
    ...(fd === undefined ? {} : { fd, autoClose: false }),
    start,
    end: start + length - 1,
    highWaterMark: CHUNK_BYTES,
  });
};

/** Whether a file is no longer the one that it was; one that only grew still begins with the same bytes. */
const isChanged = (before: Stats, now: Stats): boolean =>
  before.dev !== now.dev ||
  before.ino !== now.ino ||
  now.size < before.size ||
  (now.size === before.size && now.mtimeMs !== before.mtimeMs);

const fileInput = (name: string): Input => ({
  name,
  open() {
    const stats = statSync(name);
    if (stats.isDirectory()) return refuseDirectory();
    const stream = createReadStream(name, { highWaterMark: CHUNK_BYTES });
    const again = (): Readable => {
      if (isChanged(stats, statSync(name))) throw new InputChanged('the file changed');
      return readAgain(name, undefined, 0, stream.bytesRead);
    };
    return { stream, again: stats.isFile() ? again : undefined };
  },
});

/** A number that the system shows of an open descriptor; undefined where it shows none. */
const shownOf = (fd: number, name: 'pos' | 'flags', radix: number): number | undefined => {
  try {
    const shown = new RegExp(`^${name}:\\s*(\\d+)`, 'm').exec(readFileSync(`/proc/self/fdinfo/${fd}`, 'utf8'))?.[1];
    return shown === undefined ? undefined : Number.parseInt(shown, radix);
  } catch {
    return undefined;
  }
};

const isNullDevice = (stats: Stats): boolean => {
  try {
    return stats.isCharacterDevice() && stats.rdev === statSync('/dev/null').rdev;
  } catch {
    return false;
  }
};

// Node opens the null device for reading and writing in place of a closed descriptor; a shell's </dev/null only reads.
const OPEN_FOR_BOTH = 0o2;
const isClosed = (fd: number, stats: Stats): boolean =>
  isNullDevice(stats) && ((shownOf(fd, 'flags', 8) ?? 0) & OPEN_FOR_BOTH) !== 0;

const stdinInput = ({ fd, stream }: Stdin): Input => ({
  name: '<stdin>',
  open() {
    const stats = fstatSync(fd);
    if (stats.isDirectory()) return refuseDirectory();
    if (isClosed(fd, stats)) throw new InputClosed(CLOSED);
    if (!stats.isFile()) return { stream: stream(), again: undefined };
    const first = createReadStream('', { fd, autoClose: false, highWaterMark: CHUNK_BYTES });
    // The shell may have read some of the file before. Where the system does not show it, the end tells the start.
    let start = shownOf(fd, 'pos', 10);
    first.once('end', () => {
      start ??= Math.max(0, fstatSync(fd).size - first.bytesRead);
    });
    return { stream: first, again: () => readAgain('', fd, start ?? 0, first.bytesRead) };
  },
});

// What cannot be looked at may exist; opening it says why it cannot be read.
const exists = (path: string): boolean => {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return true;
  }
};

// What may be a pattern; only then is its reader loaded.
const GLOB = /[*?{[(!+@]/;

/** Files that a pattern names, by code points; as it names none, a missing input. None at all where it is no pattern. */
const matches = async (pattern: string): Promise<readonly (Input | MissingInput)[]> => {
  const { glob, isDynamicPattern } = await import('tinyglobby');
  if (!isDynamicPattern(pattern)) return [];
  const names = await glob(pattern, { dot: true, expandDirectories: false, onlyFiles: true });
  if (names.length === 0) return [{ name: pattern, code: 'no-match', because: 'the pattern matches no file' }];
  return names.sort(compareCodePoints).map(fileInput);
};

/**
 * The inputs that file arguments name, in order: `-` is stdin, a pattern is every file that it matches.
 * @param hint what to add where there is no file of a name: the user may have meant another word
 */
export const findInputs = async (
  names: readonly string[],
  stdin: Stdin,
  hint: (name: string) => string,
): Promise<readonly (Input | MissingInput)[]> => {
  const found = await Promise.all(
    names.map(async (name): Promise<readonly (Input | MissingInput)[]> => {
      if (name === '-') return [stdinInput(stdin)];
      if (exists(name)) return [fileInput(name)];
      const found = GLOB.test(name) ? await matches(name) : [];
      if (found.length > 0) return found;
      return [{ name, code: 'unreadable-input', because: `cannot be read: ${REASONS.get('ENOENT')}${hint(name)}` }];
    }),
  );
  return found.flat();
};
