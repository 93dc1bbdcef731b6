import type { World } from './adapter.js';
import type { Result } from './run-writer.js';

/** Results that stand before their calls: kept by their digests until the call comes. */
export const createEarlyResults = (world: World) => {
  const results = new Map<string, Result>();
  return {
    hold(id: string, { value, more, ...said }: Result): void {
      const { result, raw } = world.digests.result(value);
      const digests = { result_hash: result, ...(raw !== result && { result_hash_raw: raw }) };
      results.set(id, { ...said, more: { ...digests, ...more } });
    },
    take(id: string): Result | undefined {
      const result = results.get(id);
      results.delete(id);
      return result;
    },
    /** Nothing more comes: results whose calls never came are counted. */
    end(): void {
      for (const _ of results.keys()) world.notUnderstood('(a result without its call)');
      results.clear();
    },
  };
};
