import { createHash } from 'node:crypto';

const LENGTH = 32;

/**
 * Tells what is found from whatever else is, by what it is and not by ids, lines or order; of several alike, by how many
 * came before. The same trace with other ids, or with lines before it, gives the same set of fingerprints.
 */
export const startFingerprints = (): ((...parts: readonly string[]) => string) => {
  const seen = new Map<string, number>();
  return (...parts) => {
    const key = JSON.stringify(parts);
    const before = seen.get(key) ?? 0;
    seen.set(key, before + 1);
    return createHash('sha256').update(`${key} ${before}`).digest('hex').slice(0, LENGTH);
  };
};
