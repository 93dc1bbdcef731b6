import { pipeline, Readable, type Transform } from 'node:stream';
import * as zlib from 'node:zlib';
import { InputRefused, type Source, streamOf, streamSource } from './input.js';

type Zlib = { readonly createZstdDecompress?: () => Transform };

const zstd = (): Transform => {
  // The types are those of the oldest Node, which cannot read it.
  const { createZstdDecompress } = zlib as Zlib;
  if (createZstdDecompress === undefined) {
    throw new InputRefused('it is compressed by zstd, which Node reads from 22.15 on; decompress it first: zstd -d');
  }
  return createZstdDecompress();
};

const decompressed =
  (decompressor: () => Transform) =>
  (source: Source): Readable =>
    // Whoever reads the end of it hears what the beginning fails with.
    pipeline(streamOf(source), decompressor(), () => {});

const transcoded =
  (encoding: 'utf-16le' | 'utf-16be') =>
  (source: Source): Readable => {
    const decoder = new TextDecoder(encoding);
    return Readable.from(
      (async function* () {
        for await (const piece of streamOf(source)) yield Buffer.from(decoder.decode(piece, { stream: true }));
        yield Buffer.from(decoder.decode());
      })(),
      { objectMode: false },
    );
  };

const DECODERS = {
  gzip: decompressed(zlib.createGunzip),
  zstd: decompressed(zstd),
  brotli: decompressed(zlib.createBrotliDecompress),
  zip: async (source: Source) => (await import('./zip.js')).openLog(source, zstd),
  'utf-16le': transcoded('utf-16le'),
  'utf-16be': transcoded('utf-16be'),
};
export type Encoding = keyof typeof DECODERS;

/** The bytes of a source without what they are wrapped in. @throws {InputRefused} */
export const decode = async (encoding: Encoding, source: Source): Promise<Source> =>
  streamSource(await DECODERS[encoding](source));
