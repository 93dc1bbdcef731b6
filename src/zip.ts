import { Readable, type Transform } from 'node:stream';
import type { Entry, ZipFile } from 'yauzl';
import { InputRefused, type Source } from './input.js';
import { VALUE_LIMIT } from './json-values.js';

/** An archive is held while it is read: its list of members stands at its end. */
const ARCHIVE_LIMIT = 512 * 1024 * 1024;
/** What is packed a thousandfold takes hours to unpack. */
const UNPACKED_LIMIT = 16 * 1024 * 1024 * 1024;
/** Makes what takes zstd off. @throws InputRefused where this Node cannot */
type Decompressor = () => Transform;

const PIECE_BYTES = 1 << 20;
const ZSTD = 93;

const TOO_LARGE = 'it is a zip archive of more than 512 MiB; unzip it, and give the folder';
const TOO_MUCH = 'it is a zip archive of more than 16 GiB when unpacked; unzip it, and give the folder';
const DAMAGED = 'it is a zip archive that was cut or is damaged; repair it first: zip -FF';
const NO_ZSTD =
  'its members are compressed by zstd, which Node reads from 22.15 on; convert it first: inspect log convert --to json';
const NO_LOG = 'it is a zip archive, and no .eval log; unzip it, and give the folder';

const readAll = async (source: Source): Promise<Buffer> => {
  const pieces: Buffer[] = [];
  let length = 0;
  for (;;) {
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    const bytes = await source.read(piece, 0, piece.length);
    if (bytes === 0) return Buffer.concat(pieces);
    length += bytes;
    if (length > ARCHIVE_LIMIT) throw new InputRefused(TOO_LARGE);
    pieces.push(piece.subarray(0, bytes));
  }
};

/** What an archive lists; of what its reader says of a damaged one nothing is told, for it quotes names. */
const listOf = async (bytes: Buffer): Promise<{ readonly zip: ZipFile; readonly entries: readonly Entry[] }> => {
  const { fromBufferPromise } = await import('yauzl');
  try {
    const zip = await fromBufferPromise(bytes, { lazyEntries: true });
    const entries: Entry[] = [];
    for await (const entry of zip.eachEntry()) entries.push(entry);
    // Members that share bytes are how a small archive becomes endless.
    const packed = entries.reduce((total, { compressedSize }) => total + compressedSize, 0);
    if (packed <= bytes.length) return { zip, entries };
  } catch {}
  throw new InputRefused(DAMAGED);
};

/** The log of an evaluation, then its samples; what else stands there says it once more. */
const membersIn = (entries: readonly Entry[]): readonly Entry[] => {
  const named = (name: string): Entry | undefined => entries.find(({ fileName }) => fileName === name);
  const log = named('header.json') ?? named('_journal/start.json');
  if (log === undefined) throw new InputRefused(NO_LOG);
  const members = [log, ...entries.filter(({ fileName }) => /^samples\/.+\.json$/.test(fileName))];
  const read = members.filter(({ uncompressedSize }) => uncompressedSize <= VALUE_LIMIT);
  const unpacked = read.reduce((total, { uncompressedSize }) => total + uncompressedSize, 0);
  if (unpacked > UNPACKED_LIMIT) throw new InputRefused(TOO_MUCH);
  return members;
};

const unpacker = (zstd: Decompressor): Transform => {
  try {
    return zstd();
  } catch {
    throw new InputRefused(NO_ZSTD);
  }
};

/** The bytes of a member; undefined where it is damaged, or not what the archive says of it. */
const readMember = async (zip: ZipFile, entry: Entry, zstd: Decompressor): Promise<Buffer | undefined> => {
  const isZstd = entry.compressionMethod === ZSTD;
  const decompressor = isZstd ? unpacker(zstd) : undefined;
  try {
    const stored = await zip.openReadStreamPromise(entry, isZstd ? { decodeFileData: false } : {});
    const stream = decompressor === undefined ? stored : stored.pipe(decompressor);
    if (decompressor !== undefined) stored.once('error', (error) => decompressor.destroy(error));
    const pieces: Buffer[] = [];
    let length = 0;
    for await (const piece of stream) {
      length += piece.length;
      if (length > entry.uncompressedSize) return undefined;
      pieces.push(piece);
    }
    return length === entry.uncompressedSize ? Buffer.concat(pieces) : undefined;
  } catch {
    return undefined;
  }
};

/** The members side by side in one list, whatever lines they take. */
async function* piecesOf(zip: ZipFile, members: readonly Entry[], zstd: Decompressor): AsyncGenerator<Buffer> {
  let large = 0;
  let damaged = 0;
  yield Buffer.from('[\n');
  for (const entry of members) {
    if (entry.uncompressedSize > VALUE_LIMIT) {
      large += 1;
      continue;
    }
    const bytes = await readMember(zip, entry, zstd);
    if (bytes === undefined) damaged += 1;
    else yield* [bytes, Buffer.from('\n')];
  }
  yield Buffer.from(']\n');
  if (large + damaged === 0) return;
  throw new InputRefused(
    `of its ${members.length} members ${large} are longer than 64 MiB and ${damaged} damaged; they are left out`,
  );
}

/**
 * What the log of an evaluation holds that is kept as a zip archive (`.eval`).
 * @throws InputRefused where it is none, or cannot be read
 */
export const openLog = async (source: Source, zstd: Decompressor): Promise<Readable> => {
  const { zip, entries } = await listOf(await readAll(source));
  return Readable.from(piecesOf(zip, membersIn(entries), zstd), { objectMode: false });
};
