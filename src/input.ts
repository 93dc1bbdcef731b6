import {
  closeSync,
  createReadStream,
  type Dirent,
  fstatSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  type Stats,
  statSync,
} from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { compareCodePoints } from './text.js';

const CLOSED = 'standard input is closed; give a file, or pipe a trace in';

/** A place where bytes come from. */
export interface Input {
  /** As the user gave it, or as its folder was given. */
  readonly name: string;
  /** Whether nobody named it: it stands in a folder that was named, and may be no trace at all. */
  readonly isFound?: boolean;
  /** Its bytes, where they can be known beforehand. */
  size(): number | undefined;
  /** @throws what the file system says; {@link reasonOf} puts it into words */
  open(): OpenInput;
}

/** Bytes one after the other. */
export interface Source {
  /** Puts at most `length` bytes at a place of a buffer, and says how many; 0: there are no more. */
  read(into: Buffer, at: number, length: number): number | Promise<number>;
  close(): void;
}

/** An input that is being read. */
export interface OpenInput {
  readonly source: Source;
  /** The bytes that `source` has given, once more from a place on: of a regular file, or one redirected to stdin. */
  readonly again: ((from: number) => Source) | undefined;
  /** The file itself, where several threads may read it; `source` is then not read. */
  readonly file: OpenFile | undefined;
}

/** An open regular file. */
export interface OpenFile {
  readonly fd: number;
  /** Where the input begins in it, and the bytes that it had when it was opened. */
  readonly start: number;
  readonly size: number;
  /** At most so many bytes from a place of the input on. */
  peek(from: number, length: number): Buffer;
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

/** What stands in a folder and is no file that could be read: a link, a socket. */
export interface NoFile {
  readonly name: string;
  readonly isFound: true;
}

/** What file arguments come to. */
export type Given = Input | MissingInput | NoFile;

export const isMissing = (input: Given): input is MissingInput => 'code' in input;
export const isNoFile = (input: Given): input is NoFile => !('code' in input || 'open' in input);

const REASONS: ReadonlyMap<string, string> = new Map([
  ['ENOENT', 'there is no such file'],
  ['EACCES', 'permission is denied'],
  ['EPERM', 'permission is denied'],
  ['EISDIR', 'it is a directory'],
  ['EMFILE', 'too many files are open'],
  ['ENFILE', 'too many files are open'],
  ['EBADF', 'it is not open for reading'],
  ['EIO', 'the device failed'],
  ['Z_BUF_ERROR', 'its compressed bytes end too soon'],
  ['Z_DATA_ERROR', 'its compressed bytes are damaged'],
]);

/** Why an input cannot be read, without a path of this machine or a byte of the input. */
export const reasonOf = (error: unknown): string => {
  const cause = error instanceof ReadFault ? error.cause : error;
  if (cause instanceof InputClosed || cause instanceof InputRefused) return cause.message;
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined;
  return (
    REASONS.get(code ?? '') ?? (SYSTEM_CODE.test(code ?? '') ? `reading it failed (${code})` : 'reading it failed')
  );
};
const SYSTEM_CODE = /^[A-Z][A-Z0-9_]{1,40}$/;

/** Whether an error comes from an input; any other is a fault of the checker. */
export const isInputError = (error: unknown): boolean =>
  error instanceof InputClosed ||
  error instanceof InputRefused ||
  error instanceof ReadFault ||
  (error instanceof Error && 'code' in error && typeof error.code === 'string');

/** What the source of an input failed with, as its cause. */
export class ReadFault extends Error {}

class InputClosed extends Error {}

/** An input that is no trace, or none that can be read here: its message says what to do. */
export class InputRefused extends Error {}

/** A second reading would give other bytes than the first. */
export class InputChanged extends Error {}

const refuseDirectory = (): never => {
  throw Object.assign(new Error('directory'), { code: 'EISDIR' });
};

/** The bytes of a stream; what it fails with is the cause of a {@link ReadFault}. */
export const streamSource = (stream: Readable): Source => {
  const chunks = stream.iterator();
  let rest: Buffer | undefined;
  const next = async (): Promise<Buffer | undefined> => {
    try {
      const { value, done } = await chunks.next();
      return done === true ? undefined : Buffer.from(value);
    } catch (error) {
      throw new ReadFault('the source failed', { cause: error });
    }
  };
  return {
    async read(into, at, length) {
      while (rest === undefined || rest.length === 0) {
        rest = await next();
        if (rest === undefined) return 0;
      }
      const taken = rest.copy(into, at, 0, length);
      rest = rest.subarray(taken);
      return taken;
    },
    close: () => void stream.destroy(),
  };
};

/** An input that can be read only once. */
export const fromStream = (stream: Readable): OpenInput => ({
  source: streamSource(stream),
  again: undefined,
  file: undefined,
});

const PIECE_BYTES = 1 << 16;

/** The bytes of a source as a stream. */
export const streamOf = (source: Source): Readable =>
  Readable.from(
    (async function* () {
      for (;;) {
        const piece = Buffer.allocUnsafe(PIECE_BYTES);
        const bytes = await source.read(piece, 0, piece.length);
        if (bytes === 0) return;
        yield piece.subarray(0, bytes);
      }
    })(),
    { objectMode: false },
  );

/** A source that counts what it has given. */
interface Counted extends Source {
  bytesRead: number;
}

/** The bytes of an open file from where it stands; `position` is where, if it is not read as a stream is. */
const fdSource = (fd: number, position: number | null, limit: number, isOwn: boolean): Counted => ({
  bytesRead: 0,
  read(into, at, length) {
    const wanted = Math.min(length, limit - this.bytesRead);
    if (wanted === 0) return 0;
    const bytes = readSync(fd, into, at, wanted, position === null ? null : position + this.bytesRead);
    this.bytesRead += bytes;
    return bytes;
  },
  close() {
    if (isOwn) closeSync(fd);
  },
});

const EVERYTHING = Number.POSITIVE_INFINITY;

/** Bytes of an open file, which stays open. */
export const rangeSource = (fd: number, from: number, length: number): Source => fdSource(fd, from, length, false);

const openFile = (fd: number, start: number, size: number): OpenFile => ({
  fd,
  start,
  size,
  peek(from, length) {
    const bytes = Buffer.alloc(length);
    return bytes.subarray(0, readSync(fd, bytes, 0, length, start + from));
  },
});

/** Whether a file is no longer the one that it was; one that only grew still begins with the same bytes. */
const isChanged = (before: Stats, now: Stats): boolean =>
  before.dev !== now.dev ||
  before.ino !== now.ino ||
  now.size < before.size ||
  (now.size === before.size && now.mtimeMs !== before.mtimeMs);

/** The bytes of a file, if it is a regular one. */
const sizeOf = (stat: () => Stats): number | undefined => {
  try {
    const stats = stat();
    return stats.isFile() ? stats.size : undefined;
  } catch {
    return undefined;
  }
};

const fileInput = (name: string): Input => ({
  name,
  size: () => sizeOf(() => statSync(name)),
  open() {
    const stats = statSync(name);
    if (stats.isDirectory()) return refuseDirectory();
    if (!stats.isFile()) return fromStream(createReadStream(name));
    const fd = openSync(name, 'r');
    const source = fdSource(fd, null, EVERYTHING, true);
    const again = (from: number): Source => {
      if (isChanged(stats, statSync(name))) throw new InputChanged('the file changed');
      // What has been added since the first reading is left out.
      return fdSource(openSync(name, 'r'), from, (source.bytesRead || stats.size) - from, true);
    };
    return { source, again, file: openFile(fd, 0, stats.size) };
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
  size: () => sizeOf(() => fstatSync(fd)),
  open() {
    const stats = fstatSync(fd);
    if (stats.isDirectory()) return refuseDirectory();
    if (isClosed(fd, stats)) throw new InputClosed(CLOSED);
    if (!stats.isFile()) return fromStream(stream());
    // The shell may have read some of the file before. Where the system does not show it, the end tells the start.
    const shown = shownOf(fd, 'pos', 10);
    const source = fdSource(fd, null, EVERYTHING, false);
    const left = stats.size - (shown ?? 0);
    const startOf = (): number => shown ?? Math.max(0, fstatSync(fd).size - source.bytesRead);
    const again = (from: number): Source => fdSource(fd, startOf() + from, (source.bytesRead || left) - from, false);
    return { source, again, file: shown === undefined ? undefined : openFile(fd, shown, left) };
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

const isDirectory = (path: string): boolean => {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
};

/** All that stands in a folder and in the folders below it; links are not followed, for they may lead back. */
const standingIn = (folder: string): Given[] => {
  let entries: Dirent[];
  try {
    entries = readdirSync(folder, { withFileTypes: true });
  } catch (error) {
    return [{ name: folder, code: 'unreadable-input', because: `cannot be read: ${reasonOf(error)}` }];
  }
  return entries.flatMap((entry): Given[] => {
    const name = join(folder, entry.name);
    if (entry.isDirectory()) return standingIn(name);
    return [entry.isFile() ? { ...fileInput(name), isFound: true } : { name, isFound: true }];
  });
};

const filesIn = (folder: string): readonly Given[] => {
  const found = standingIn(folder);
  if (found.length === 0) return [{ name: folder, code: 'no-match', because: 'the directory holds no file' }];
  return found.sort((left, right) => compareCodePoints(left.name, right.name));
};

/**
 * The inputs that file arguments name, in order: `-` is stdin, a pattern is every file that it matches, a
 * directory every file below it.
 * @param hint what to add where there is no file of a name: the user may have meant another word
 */
export const findInputs = async (
  names: readonly string[],
  stdin: Stdin,
  hint: (name: string) => string,
): Promise<readonly Given[]> => {
  const found = await Promise.all(
    names.map(async (name): Promise<readonly Given[]> => {
      if (name === '-') return [stdinInput(stdin)];
      if (isDirectory(name)) return filesIn(name);
      if (exists(name)) return [fileInput(name)];
      const found = GLOB.test(name) ? await matches(name) : [];
      if (found.length > 0) return found;
      return [{ name, code: 'unreadable-input', because: `cannot be read: ${REASONS.get('ENOENT')}${hint(name)}` }];
    }),
  );
  return found.flat();
};
