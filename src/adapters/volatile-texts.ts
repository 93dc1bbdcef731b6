import type { VolatileText } from './digest.js';

/** What commands say of how long they took. */
export const CLOCKS: readonly VolatileText[] = [
  /\(\d+(?:\.\d+)? ?(?:ms|s|sec|seconds|min|m)\)/g,
  /\b(?:in|after|took) \d+(?:\.\d+)? ?(?:ms|s|sec|seconds|min|m)\b/gi,
].map((pattern) => ({ pattern, because: 'test runners and builds say how long they took' }));
