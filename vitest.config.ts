import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    // The built command is started as a process, many times, beside other tests.
    testTimeout: 60_000,
    hookTimeout: 180_000,
  },
});
