import { turnId } from './adapter.js';

const WRAPPED = /\.(gz|zst|br)$/;
const WRITTEN = /(?<=[^\\/])(\.traj\.json|\.jsonl?|\.ndjson|\.traj|\.eval)$/;
/** Names that all sessions of a tool share: the folder around them tells them apart. */
const SHARED = new Set(['agent', 'events', 'logs', 'messages', '.system_generated', 'trajectory', 'transcript']);

/** The parts of an input's name up to the one that tells it from others, without what says how it is written. */
const partsOf = (name: string): readonly string[] => {
  const parts = name
    .replace(WRAPPED, '')
    .replace(WRITTEN, '')
    .split(/[\\/]/)
    .filter((part) => part !== '');
  const telling = parts.findLastIndex((part) => !SHARED.has(part));
  return telling < 0 ? parts : parts.slice(0, telling + 1);
};

/** What an input is called without its folder and its ending: a session's name where nothing in it says one. */
export const stemOf = (name: string): string => partsOf(name).at(-1) ?? name;

/**
 * Names runs after their inputs, where nothing in a format names them: by the file's name, or, where an input of
 * another folder has it already, by the folder's as well.
 */
export const createFileNames = () => {
  const taken = new Map<string, number>();
  return (file: number, name: string): string => {
    const stem = stemOf(name);
    const withFolder = partsOf(name).slice(-2).join('/');
    const free = [stem, withFolder].find((each) => (taken.get(each) ?? file) === file);
    const own = free ?? `${withFolder}@${file + 1}`;
    taken.set(own, file);
    return own;
  };
};

/** Tells runs apart that are named alike: the second run of a name gets its ordinal. */
export const createRunIds = () => {
  const counts = new Map<string, number>();
  return (runId: string): string => {
    const count = (counts.get(runId) ?? 0) + 1;
    counts.set(runId, count);
    return count === 1 ? runId : turnId(runId, count);
  };
};
