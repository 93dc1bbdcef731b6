import type { World } from './adapter.js';
import type { Call, LineOf, Result, RunWriter } from './run-writer.js';

/** Calls and results of runs, each told once, and in whatever order they come. */
export const createCalls = (world: World) => {
  const called = new Set<string>();
  const early = new Map<string, Result>();
  const digested = ({ value, ...said }: Result): Result => {
    const { result, raw } = world.digests.result(value);
    return { ...said, more: { result_hash: result, ...(raw !== result && { result_hash_raw: raw }), ...said.more } };
  };
  return {
    /** A call; false where it was told before. */
    call(writer: RunWriter, line: LineOf, call: Call & { readonly id: string }): boolean {
      const key = `${writer.runId} ${call.id}`;
      if (called.has(key)) return false;
      called.add(key);
      writer.call(line, call);
      const result = early.get(key);
      early.delete(key);
      if (result !== undefined) writer.result(call.id, result);
      return true;
    },
    /** A result; it is kept where its call has not come. Whether a call was waiting for it. */
    result(writer: RunWriter, id: unknown, result: Result): boolean {
      if (typeof id !== 'string') return false;
      const key = `${writer.runId} ${id}`;
      if (!called.has(key)) early.set(key, digested(result));
      return writer.result(id, result);
    },
    /** All has been read: what came of no call is counted. */
    end(): void {
      for (const _ of early.keys()) world.notUnderstood('result without its call');
    },
  };
};
