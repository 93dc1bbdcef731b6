// Writes a native trace: `node bench/generate.mjs [FILE] [--preset speed] [--mb 433] …`, to stdout without a FILE.
// Same words, same bytes. `--answers FILE` also writes the verdict table that the trace is made for.
import { closeSync, openSync, writeFileSync, writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { traceOptions, traceWords } from './trace/options.mjs';
import { createTrace } from './trace/trace.mjs';

const STDOUT = 1;
const PAUSE_MS = 1;
const pause = new Int32Array(new SharedArrayBuffer(4));

/** Writes all of a piece: a pipe may take only some of it, or nothing yet. */
const writeFully = (fd, piece) => {
  for (let written = 0; written < piece.length; ) {
    try {
      written += writeSync(fd, piece, written);
    } catch (error) {
      if (error.code !== 'EAGAIN') throw error;
      Atomics.wait(pause, 0, 0, PAUSE_MS);
    }
  }
};

/** Writes a trace to a descriptor; returns what gives the answers. */
export const writeTrace = (fd, options) => {
  const trace = createTrace(options);
  for (const piece of trace.pieces()) writeFully(fd, piece);
  return trace.answers;
};

/** Writes a trace to a file; returns what gives the answers. */
export const writeTraceFile = (path, options) => {
  const fd = openSync(path, 'w');
  try {
    return writeTrace(fd, options);
  } finally {
    closeSync(fd);
  }
};

const main = () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { ...traceWords, answers: { type: 'string' } },
  });
  const { answers: answersPath, ...words } = values;
  const options = traceOptions(words);
  const [path] = positionals;
  try {
    const answers = path === undefined ? writeTrace(STDOUT, options) : writeTraceFile(path, options);
    if (answersPath !== undefined) writeFileSync(answersPath, `${answers().join('\n')}\n`);
  } catch (error) {
    // A reader that has seen enough is no fault.
    if (error.code !== 'EPIPE') throw error;
  }
};

if (import.meta.filename === process.argv[1]) main();
