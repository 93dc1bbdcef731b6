// Writes a native trace of a given size: `node bench/generate.mjs FILE [--mb 433] [--seed 1] [--order in-order|shuffled]`.
// Same arguments, same bytes. Runs of about twenty spans, 64 of them open at a time, lines of about 220 bytes.

import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { parseArgs } from 'node:util';

const OPEN_RUNS = 64;
const MEGABYTE = 1e6;
const TOOLS = [
  'read_file',
  'edit_file',
  'run_command',
  'search',
  'list_folder',
  'write_file',
  'run_tests',
  'fetch_page',
];
const ENDS = ['done', 'done', 'done', 'done', 'done', 'done', 'budget', 'rejected', 'blocked', 'finished'];

/** A small seeded generator of numbers from 0 up to 1 (mulberry32). */
const randomFrom = (seed) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const hex = (random, length) => {
  let digits = '';
  while (digits.length < length)
    digits += Math.floor(random() * 2 ** 32)
      .toString(16)
      .padStart(8, '0');
  return digits.slice(0, length);
};

/** One run's lines, in seq order. One run in twenty never stops, one in thirty spins at its end. */
function* runLines(random, number) {
  const runId = `run-${String(number).padStart(8, '0')}-${hex(random, 8)}`;
  const rounds = 4 + Math.floor(random() * 12);
  const isSpinning = random() < 1 / 30;
  const spun = hex(random, 16);
  let seq = 0;
  let clock = Math.floor(random() * 1e6);
  const line = (span) => {
    seq += 1;
    clock += 1 + Math.floor(random() * 4000);
    const ts = new Date(Date.UTC(2026, 0, 1) + clock).toISOString();
    return JSON.stringify({ run_id: runId, seq, ...span, ts, mono_ms: clock, span_id: hex(random, 16) });
  };
  yield line({ type: 'loop_start', iter: 0, goal: 'the tests of the changed package pass and the diff is reviewed' });
  for (let iter = 1; iter <= rounds; iter += 1) {
    const isSpun = isSpinning && iter > rounds - 3;
    if (random() < 0.3)
      yield line({ type: 'model', iter, tokens_in: 1000 + Math.floor(random() * 9000), tokens_out: 200 });
    const calls = isSpun ? 1 : 1 + Math.floor(random() * 2);
    for (let call = 0; call < calls; call += 1) {
      yield line({
        type: 'tool',
        iter,
        name: isSpun ? 'edit_file' : TOOLS[Math.floor(random() * TOOLS.length)],
        args_hash: isSpun ? spun : hex(random, 16),
        result_hash: hex(random, 16),
        status: random() < 0.05 ? 'error' : 'ok',
      });
    }
  }
  if (random() < 1 / 20) return;
  const reason = ENDS[Math.floor(random() * ENDS.length)];
  yield line({ type: 'terminal', iter: rounds, reason, status: reason === 'done' ? 'ok' : 'error' });
}

/** Lines of many runs, 64 open at a time, until `bytes` are reached; the runs that are open then go to their end. */
function* traceLines(random, bytes) {
  const open = [];
  let runs = 0;
  let written = 0;
  for (;;) {
    while (open.length < OPEN_RUNS && written < bytes) {
      runs += 1;
      open.push(runLines(random, runs));
    }
    if (open.length === 0) return;
    const at = Math.floor(random() * open.length);
    const { value, done } = open[at].next();
    if (done) {
      open.splice(at, 1);
      continue;
    }
    written += value.length + 1;
    yield value;
  }
}

const shuffle = (lines, random) => {
  for (let at = lines.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    [lines[at], lines[other]] = [lines[other], lines[at]];
  }
  return lines;
};

/** Writes the trace; resolves when the file is complete. */
export const generate = async (path, { megabytes, seed, order }) => {
  const random = randomFrom(seed);
  const lines = traceLines(random, megabytes * MEGABYTE);
  const out = createWriteStream(path);
  let batch = '';
  for (const line of order === 'shuffled' ? shuffle([...lines], random) : lines) {
    batch += `${line}\n`;
    if (batch.length < 1 << 20) continue;
    if (!out.write(batch)) await once(out, 'drain');
    batch = '';
  }
  out.end(batch);
  await once(out, 'finish');
};

if (import.meta.filename === process.argv[1]) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      mb: { type: 'string', default: '433' },
      seed: { type: 'string', default: '1' },
      order: { type: 'string', default: 'in-order' },
    },
  });
  const [path] = positionals;
  if (path === undefined) throw new Error('name the file to write');
  await generate(path, { megabytes: Number(values.mb), seed: Number(values.seed), order: values.order });
}
