// `npm run bench [-- --mb 200 --runs 3]`: judges a generated trace, in order and shuffled, and prints time and memory.
// `--smoke` does it once on a small trace, to see that the benchmark itself works.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { parseArgs } from 'node:util';
import { generate } from './generate.mjs';

const COMMAND = new URL('../dist/cli.js', import.meta.url).pathname;
const PEAK = new URL('./peak.mjs', import.meta.url).href;
const SMOKE = { megabytes: 2, runs: 1 };

const { values } = parseArgs({
  options: {
    mb: { type: 'string', default: '200' },
    runs: { type: 'string', default: '3' },
    seed: { type: 'string', default: '1' },
    smoke: { type: 'boolean', default: false },
  },
});
const megabytes = values.smoke ? SMOKE.megabytes : Number(values.mb);
const runs = values.smoke ? SMOKE.runs : Number(values.runs);

/** What stdin is: the file itself, or a pipe that another process fills. */
const SOURCES = {
  file: (path) => ({ stdin: openSync(path, 'r'), stop: closeSync }),
  pipe: (path) => {
    const cat = spawn('cat', [path], { stdio: ['ignore', 'pipe', 'inherit'] });
    return { stdin: cat.stdout, stop: () => cat.kill() };
  },
};

/** One run of the command: seconds, peak megabytes, and what it printed. */
const measure = async (path, source) => {
  const { stdin, stop } = SOURCES[source](path);
  const begin = performance.now();
  const child = spawn(process.execPath, ['--import', PEAK, COMMAND, '--quiet'], {
    stdio: [stdin, 'pipe', 'inherit', 'pipe'],
  });
  const texts = ['', '', '', ''];
  for (const fd of [1, 3]) {
    child.stdio[fd].on('data', (data) => {
      texts[fd] += data;
    });
  }
  const [code] = await once(child, 'close');
  const seconds = (performance.now() - begin) / 1000;
  stop(stdin);
  const { maxRSS, cpu } = JSON.parse(texts[3]);
  return { seconds, cpu, peak: maxRSS / 1024, stdout: texts[1], code };
};

const median = (numbers) => numbers.toSorted((left, right) => left - right)[Math.floor(numbers.length / 2)];

const folder = await mkdtemp(join(tmpdir(), 'bench-'));
try {
  console.log(`${cpus()[0]?.model ?? 'unknown processor'}, ${availableParallelism()} cores, Node ${process.version}`);
  console.log('trace     source  MB     wall s  CPU s   peak MB  runs');
  const answers = new Set();
  for (const order of ['in-order', 'shuffled']) {
    const path = join(folder, `${order}.jsonl`);
    await generate(path, { megabytes, seed: Number(values.seed), order });
    for (const source of ['file', 'pipe']) {
      const results = [];
      for (let run = 0; run < runs; run += 1) results.push(await measure(path, source));
      for (const { stdout } of results) answers.add(stdout);
      const columns = [
        order.padEnd(8),
        source.padEnd(6),
        (statSync(path).size / 1e6).toFixed(1).padStart(5),
        median(results.map(({ seconds }) => seconds))
          .toFixed(2)
          .padStart(7),
        median(results.map(({ cpu }) => cpu))
          .toFixed(2)
          .padStart(6),
        median(results.map(({ peak }) => peak))
          .toFixed(0)
          .padStart(8),
        String(results[0].stdout.split('\n').length - 1).padStart(6),
      ];
      console.log(columns.join('  '));
    }
  }
  // Order and source may not change a verdict.
  if (answers.size !== 1) throw new Error('the verdicts differ between runs of the benchmark');
} finally {
  await rm(folder, { recursive: true });
}
