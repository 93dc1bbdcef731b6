// What a small run of the command takes, in multiples of what Node takes to do nothing.
import { spawnSync } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { median, pairedRatio } from './table.mjs';

const pathOf = (name) => fileURLToPath(new URL(`../${name}`, import.meta.url));
const COMMAND = pathOf('dist/cli.cjs');
const KNOWN_BAD = pathOf('fixtures/verdicts/no_progress/known-bad.jsonl');
const FLAGS = ['--budget', '24', '--profile', 'strict', '--quiet'];
const NOTHING = { title: 'node -e 0', args: ['-e', '0'], exit: 0 };
const RUNS = [
  { title: 'terminal-contract < a known-bad trace', args: [COMMAND], exit: 1 },
  { title: `terminal-contract ${FLAGS.join(' ')} < the same`, args: [COMMAND, ...FLAGS], exit: 1 },
];

/** Milliseconds from the start of a process to its end. */
const timeOf = ({ title, args, exit }) => {
  const trace = openSync(KNOWN_BAD, 'r');
  const started = process.hrtime.bigint();
  const { status } = spawnSync(process.execPath, args, { stdio: [trace, 'ignore', 'ignore'] });
  const taken = Number(process.hrtime.bigint() - started) / 1e6;
  closeSync(trace);
  if (status !== exit) throw new Error(`${title} ended with ${status}`);
  return taken;
};

/** Each run beside one that does nothing, now the one first and now the other. */
const pairOf = (run, isFirst) => {
  if (isFirst) {
    const taken = timeOf(run);
    return { taken, nothing: timeOf(NOTHING) };
  }
  const nothing = timeOf(NOTHING);
  return { taken: timeOf(run), nothing };
};

/** What starting takes: a line a run, medians over pairs. */
export const startLines = (reps) => {
  for (const run of RUNS) timeOf(run);
  const pairs = RUNS.map(() => []);
  for (let rep = 0; rep < reps; rep += 1) {
    for (const [index, run] of RUNS.entries()) pairs[index].push(pairOf(run, rep % 2 === 0));
  }
  return RUNS.map(({ title }, index) => {
    const [taken, nothing] = ['taken', 'nothing'].map((key) => pairs[index].map((pair) => pair[key]));
    const times = `${median(taken).toFixed(0)} ms, ${median(nothing).toFixed(0)} ms`;
    return `${pairedRatio(taken, nothing).toFixed(2)} × node -e 0 (${times}): ${title}`;
  });
};
