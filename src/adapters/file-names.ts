import { turnId } from './adapter.js';

/** The last part of an input's name, without what says how it is written. */
const stemOf = (name: string): string =>
  name
    .replace(/^.*[\\/]/, '')
    .replace(/\.(gz|zst|br)$/, '')
    .replace(/(?<=.)(\.traj\.json|\.jsonl|\.ndjson|\.json|\.traj|\.eval)$/, '');

/**
 * Names runs after their inputs, where nothing in a format names them: by the file's name, or, where an input of
 * another folder has it already, by the folder's as well.
 */
export const createFileNames = () => {
  const taken = new Map<string, number>();
  return (file: number, name: string): string => {
    const stem = stemOf(name);
    const folder = name.replace(/[\\/][^\\/]*$/, '').replace(/^.*[\\/]/, '');
    const free = [stem, `${folder}/${stem}`].find((each) => (taken.get(each) ?? file) === file);
    const own = free ?? `${folder}/${stem}@${file + 1}`;
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
