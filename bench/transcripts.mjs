// How fast transcripts of agents are judged, beside what parsing their lines alone takes.
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { run } from './measure.mjs';
import { median } from './table.mjs';
import { writeTranscripts } from './trace/transcripts.mjs';

const COMMAND = fileURLToPath(new URL('../dist/cli.cjs', import.meta.url));
const MB = 1e6;
const SEED = 1;

/** Node reads the lines and parses them, and nothing else. */
const parseAll = (folder) => {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.jsonl')) continue;
    for (const line of readFileSync(join(folder, name), 'utf8').split('\n')) if (line !== '') JSON.parse(line);
  }
};

const measure = async (title, args, folder, exit) => {
  const sample = await run([process.execPath, ...args], ['ignore', 'ignore', 'ignore'], folder);
  if (sample.code !== exit) throw new Error(`${title} ended with ${sample.signal ?? sample.code}`);
  return sample;
};

/** A line a way to read them: medians of so many repetitions. */
export const transcriptLines = async (mb, reps) => {
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  try {
    const { written, lines } = writeTranscripts(folder, mb * MB, SEED);
    const ways = [
      { title: 'terminal-contract FOLDER', args: [COMMAND, '--quiet', folder], samples: [] },
      { title: 'JSON.parse of each line', args: [fileURLToPath(import.meta.url), folder], samples: [] },
    ];
    for (let rep = 0; rep < reps; rep += 1) {
      for (const { title, args, samples } of ways) samples.push(await measure(title, args, folder, 0));
    }
    const size = `${(written / MB).toFixed(0)} MB of transcripts, ${lines} lines`;
    return ways.map(({ title, samples }) => {
      const [seconds, cpu, peak] = ['seconds', 'cpu', 'peak'].map((key) => median(samples.map((each) => each[key])));
      const speed = (written / MB / seconds).toFixed(0);
      return `${title}: ${speed} MB/s (${seconds.toFixed(2)} s, CPU ${cpu?.toFixed(2)} s, peak ${peak?.toFixed(0)} MB); ${size}`;
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

if (import.meta.filename === process.argv[1]) parseAll(process.argv[2]);
