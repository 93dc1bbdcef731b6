import { randomUUID } from 'node:crypto';
import { closeSync, openSync, readSync, unlinkSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Source } from './input.js';

/** What has been read of an input that cannot be read again: in memory up to a limit, then in a file without a name. */
export interface Spool {
  add(bytes: Uint8Array): void;
  /** How many of the bytes stand in memory. */
  inMemory(): number;
  /** The bytes so far, from a place on. */
  again(from: number): Source;
  close(): void;
}

/** A file that no name leads to, where the system has such: it is gone when the process is, however that ends. */
const openNameless = (): { readonly fd: number; readonly close: () => void } => {
  const path = join(tmpdir(), `terminal-contract-${randomUUID()}`);
  const fd = openSync(path, 'wx+', 0o600);
  try {
    unlinkSync(path);
    return { fd, close: () => closeSync(fd) };
  } catch {
    // Elsewhere a file that is open keeps its name.
    const close = (): void => {
      closeSync(fd);
      unlinkSync(path);
    };
    return { fd, close };
  }
};

const writeFully = (fd: number, bytes: Uint8Array): void => {
  for (let written = 0; written < bytes.length; ) written += writeSync(fd, bytes, written);
};

/** The piece that holds a place, and where it begins. */
const pieceAt = (pieces: readonly Buffer[], place: number): { piece: Buffer; start: number } | undefined => {
  let start = 0;
  for (const piece of pieces) {
    if (place < start + piece.length) return { piece, start };
    start += piece.length;
  }
  return undefined;
};

/** @param limit bytes that may stand in memory */
export const createSpool = (limit: number): Spool => {
  const pieces: Buffer[] = [];
  let inMemory = 0;
  let total = 0;
  let file: ReturnType<typeof openNameless> | undefined;
  return {
    add(bytes) {
      total += bytes.length;
      if (file === undefined && inMemory + bytes.length <= limit) {
        pieces.push(Buffer.from(bytes));
        inMemory += bytes.length;
        return;
      }
      file ??= openNameless();
      writeFully(file.fd, bytes);
    },
    inMemory: () => inMemory,
    again(from) {
      let place = from;
      return {
        read(into, at, length) {
          if (place >= total) return 0;
          const held = pieceAt(pieces, place);
          const taken =
            held === undefined
              ? readSync(file?.fd ?? -1, into, at, Math.min(length, total - place), place - inMemory)
              : held.piece.copy(into, at, place - held.start, place - held.start + length);
          place += taken;
          return taken;
        },
        close() {},
      };
    },
    close() {
      file?.close();
      file = undefined;
    },
  };
};
