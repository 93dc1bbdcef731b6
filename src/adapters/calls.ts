import type { World } from './adapter.js';
import { createEarlyResults } from './early-results.js';
import { createIds } from './ids.js';
import type { Call, LineOf, Result, RunWriter } from './run-writer.js';

/** Calls and results of runs, each told once, and in whatever order they come. */
export const createCalls = (world: World) => {
  const called = createIds();
  const early = createEarlyResults(world);
  return {
    /** A call; false where it was told before. */
    call(writer: RunWriter, line: LineOf, call: Call & { readonly id: string }): boolean {
      const key = `${writer.runId} ${call.id}`;
      if (called.get(key) !== undefined) return false;
      called.set(key, 0);
      writer.call(line, call);
      const result = early.take(key);
      if (result !== undefined) writer.result(call.id, result);
      return true;
    },
    /** A result; it is kept where its call has not come. Whether a call was waiting for it. */
    result(writer: RunWriter, id: unknown, result: Result): boolean {
      if (typeof id !== 'string') return false;
      if (writer.result(id, result)) return true;
      const key = `${writer.runId} ${id}`;
      if (called.get(key) === undefined) early.hold(key, result);
      return false;
    },
    end: early.end,
  };
};
