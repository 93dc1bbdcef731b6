import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { onPath } from './contenders/found.mjs';
import { childSeconds, watchPeak } from './processes.mjs';
import { withSource } from './sources.mjs';

const STDERR_SHOWN = 500;

const allowedCores = () => {
  const list = /^Cpus_allowed_list:\s+(\S+)/m.exec(readFileSync('/proc/self/status', 'latin1'))?.[1] ?? '';
  return list.split(',').flatMap((range) => {
    const [first, last = first] = range.split('-').map(Number);
    return Array.from({ length: last - first + 1 }, (_, index) => first + index);
  });
};

/** What holds a command to a number of cores; empty where nothing can. */
export const pinTo = (cores) => {
  if (cores === undefined || !onPath('taskset')) return [];
  const allowed = allowedCores();
  if (cores > allowed.length) throw new RangeError(`--cores ${cores}, but there are ${allowed.length}`);
  return ['taskset', '-c', allowed.slice(0, cores).join(',')];
};

/** Runs a command: how it ended, and what it took. */
export const run = async ([program, ...args], stdio, folder) => {
  const cpuBefore = childSeconds();
  const begin = performance.now();
  const child = spawn(program, args, { stdio, cwd: folder });
  const peakSoFar = watchPeak(child.pid);
  try {
    const [code, signal] = await once(child, 'exit');
    const seconds = (performance.now() - begin) / 1000;
    const cpu = cpuBefore === undefined ? undefined : childSeconds() - cpuBefore;
    return { seconds, cpu, peak: peakSoFar(), code, signal };
  } finally {
    peakSoFar();
  }
};

/** Runs a contender once: what it took, and what it printed. */
export const measure = async ({ command, exits }, { pin, source, trace, folder }) => {
  const paths = ['stdout', 'stderr'].map((name) => join(folder, name));
  const outputs = paths.map((path) => openSync(path, 'w'));
  try {
    const { code, signal, ...sample } = await withSource(source, trace, (stdin) =>
      run([...pin, ...command], [stdin, ...outputs], folder),
    );
    const [stdout, stderr] = paths.map((path) => readFileSync(path, 'utf8'));
    if (exits.includes(code)) return { sample, stdout };
    throw new Error(`${command[0]} ended with ${signal ?? code}: ${stderr.slice(-STDERR_SHOWN)}`);
  } finally {
    for (const fd of outputs) closeSync(fd);
  }
};
