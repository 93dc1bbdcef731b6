// Where a contender's stdin comes from.
import { execFileSync } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';

const GENERATE = new URL('generate.mjs', import.meta.url).pathname;
const FEED = '"$@" > "$0" 2>/dev/null &';

/**
 * A real pipe that another process fills. That process is nobody's child any more, so that what it computes is not
 * taken for the contender's; it ends when the pipe is closed.
 */
const pipeFrom = (fifo, command) => {
  execFileSync('mkfifo', [fifo]);
  execFileSync('sh', ['-c', FEED, fifo, ...command], { stdio: 'ignore' });
  const stdin = openSync(fifo, 'r');
  rmSync(fifo);
  return stdin;
};

/** By name: opens stdin of a contender for one run; whoever asks closes it. */
const OPEN = {
  file: ({ path }) => openSync(path, 'r'),
  pipe: ({ path, fifo }) => pipeFrom(fifo, ['cat', path]),
  generated: ({ fifo, words }) => pipeFrom(fifo, [process.execPath, GENERATE, ...words]),
};
export const SOURCES = Object.keys(OPEN);

/** Opens the source for as long as `use` takes. */
export const withSource = async (source, trace, use) => {
  const stdin = OPEN[source](trace);
  try {
    return await use(stdin);
  } finally {
    closeSync(stdin);
  }
};
