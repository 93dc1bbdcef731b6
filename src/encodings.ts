import { pipeline, Readable, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import { InputRefused, type Source, streamOf, streamSource } from './input.js';

type Zlib = { readonly createZstdDecompress?: () => Transform };

const zstd = async (): Promise<Transform> => {
  // The types are those of the oldest Node, which cannot read it.
  const { createZstdDecompress } = (await import('node:zlib')) as Zlib;
  if (createZstdDecompress === undefined) {
    throw new InputRefused('it is compressed by zstd, which Node reads from 22.15 on; decompress it first: zstd -d');
  }
  return createZstdDecompress();
};

const decompressed =
  (decompressor: () => Transform | Promise<Transform>) =>
  async (source: Source): Promise<Readable> =>
    // Whoever reads the end of it hears what the beginning fails with.
    pipeline(streamOf(source), await decompressor(), () => {});

const transcoded =
  (encoding: 'utf-16le' | 'utf-16be') =>
  async (source: Source): Promise<Readable> => {
    const decoder = new TextDecoder(encoding);
    return Readable.from(
      (async function* () {
        for await (const piece of streamOf(source)) yield Buffer.from(decoder.decode(piece, { stream: true }));
        yield Buffer.from(decoder.decode());
      })(),
      { objectMode: false },
    );
  };

interface Encoding {
  /** What an input begins with that is in it; undefined where that tells nothing. */
  readonly mark: Buffer | undefined;
  /** How its name ends then. */
  readonly suffix?: string;
  readonly open: (source: Source) => Promise<Readable>;
}

/** What the bytes of an input may be wrapped in, and what takes it off. */
const ENCODINGS: readonly Encoding[] = [
  { mark: Buffer.from([0x1f, 0x8b]), open: decompressed(createGunzip) },
  { mark: Buffer.from([0x28, 0xb5, 0x2f, 0xfd]), open: decompressed(zstd) },
  // Brotli has no mark.
  { mark: undefined, suffix: '.br', open: decompressed(createBrotliDecompress) },
  { mark: Buffer.from([0xff, 0xfe]), open: transcoded('utf-16le') },
  { mark: Buffer.from([0xfe, 0xff]), open: transcoded('utf-16be') },
];

const beginsWith = (head: Buffer, mark: Buffer): boolean => head.subarray(0, mark.length).equals(mark);

/** What takes off an input's encoding, by its first bytes and its name; undefined where it has none. */
export const decoderOf = (head: Buffer, name: string): ((source: Source) => Promise<Source>) | undefined => {
  const encoding = ENCODINGS.find(({ mark, suffix }) =>
    mark === undefined ? name.endsWith(suffix ?? ' ') : beginsWith(head, mark),
  );
  return encoding && (async (source) => streamSource(await encoding.open(source)));
};

const SQLITE = Buffer.from('SQLite format 3\0');
const LOOKED_AT = 64;
const FIRST_WHITE = 0x09;
const OPENS = new Set([0x7b, 0x5b]);

/** Why an input can be no trace, by its first bytes, and what to do; undefined where it may be one. */
export const refusalOf = (head: Buffer): string | undefined => {
  if (beginsWith(head, SQLITE)) {
    return 'it is a SQLite database; export what it holds first: hermes sessions export, or opencode export';
  }
  const first = head.find((byte) => byte > 0x20);
  const isBinary = head.subarray(0, LOOKED_AT).some((byte) => byte < FIRST_WHITE);
  return isBinary && !OPENS.has(first ?? 0)
    ? 'it is binary, and no JSON; where it is OTLP in protobuf, have the file exporter write format: json'
    : undefined;
};
