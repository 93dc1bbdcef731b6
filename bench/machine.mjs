import { availableParallelism, cpus, release, totalmem, type } from 'node:os';

const GIGABYTE = 2 ** 30;
// What follows the numbers names a builder, now and then a machine.
const kernel = () => /^\d+(?:\.\d+)*/.exec(release())?.[0] ?? '';

/** What a figure depends on. */
export const describeMachine = () =>
  [
    cpus()[0]?.model.trim() || 'unknown processor',
    `${availableParallelism()} cores`,
    `${Math.round(totalmem() / GIGABYTE)} GB`,
    `${type()} ${kernel()}`.trim(),
    `Node ${process.versions.node}`,
  ].join(', ');
