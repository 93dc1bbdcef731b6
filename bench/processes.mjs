// What a process and all that it starts take, read from /proc; undefined where there is none.
import { readdirSync, readFileSync } from 'node:fs';

const TICKS_A_SECOND = 100;
const KILOBYTE = 1024;
const MEGABYTE = 1e6;
const SAMPLE_MS = 20;

/** The text of a file of /proc; empty where its process is gone. */
const textOf = (path) => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

const childrenOf = (pid) => {
  let threads;
  try {
    threads = readdirSync(`/proc/${pid}/task`);
  } catch {
    return [];
  }
  return threads.flatMap((thread) => textOf(`/proc/${pid}/task/${thread}/children`).split(' ').filter(Boolean));
};

const treeOf = (pid) => [String(pid), ...childrenOf(pid).flatMap(treeOf)];

// The greatest size so far, kept by the kernel: no peak between two looks is missed.
const peakOf = (pid) => Number(/^VmHWM:\s+(\d+) kB/m.exec(textOf(`/proc/${pid}/status`))?.[1] ?? 0) * KILOBYTE;

/** Looks at a process and those under it again and again; the returned function stops that and says the peak in MB. */
export const watchPeak = (pid) => {
  let peak = 0;
  const look = () => {
    const bytes = treeOf(pid).reduce((sum, one) => sum + peakOf(one), 0);
    if (bytes > peak) peak = bytes;
  };
  look();
  const timer = setInterval(look, SAMPLE_MS);
  return () => {
    clearInterval(timer);
    return peak === 0 ? undefined : peak / MEGABYTE;
  };
};

// Fields 16 and 17, counted from after the name, which may hold anything but ends with the last bracket.
const CHILD_TIMES = [13, 14];

/** Seconds that all ended children, and theirs, have computed so far. */
export const childSeconds = () => {
  const stat = textOf('/proc/self/stat');
  if (stat === '') return undefined;
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return CHILD_TIMES.reduce((sum, index) => sum + Number(fields[index]), 0) / TICKS_A_SECOND;
};
