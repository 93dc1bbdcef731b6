// The floor: reading the trace and doing nothing with it. Started by itself, it reads stdin.
import { readSync } from 'node:fs';

const STDIN = 0;
const PIECE = 256 * 1024;

const readAll = () => {
  const piece = Buffer.allocUnsafe(PIECE);
  let bytes = 0;
  for (;;) {
    const read = readSync(STDIN, piece, 0, PIECE, null);
    if (read === 0) return bytes;
    bytes += read;
  }
};

export const read = {
  id: 'read',
  title: "Node's read, 256 KB at a time",
  role: 'floor',
  takesHostile: true,
  find: () => ({ command: [process.execPath, import.meta.filename], exits: [0] }),
};

if (import.meta.filename === process.argv[1]) console.log(readAll());
