// import 'terminal-contract/vitest': gives vitest's expect the matcher.
import { expect } from 'vitest';
import type { CheckSettings } from './index.js';
import { toKeepTheContract } from './matchers.js';

declare module 'vitest' {
  interface Matchers<T> {
    /** Whether every run of the trace keeps the contract: of a path, bytes, or spans. Await it. */
    toKeepTheContract(settings?: CheckSettings): Promise<void>;
  }
}

expect.extend({ toKeepTheContract });
