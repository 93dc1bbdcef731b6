/** How rules are mutated: by all that is judged in one process. */
export default {
  plugins: ['./mutation/runner.mjs', './mutation/prose.mjs', './mutation/living.mjs'],
  ignorers: ['prose'],
  testRunner: 'traces',
  coverageAnalysis: 'perTest',
  concurrency: 1,
  warnings: { slow: false },
  // The runner itself ends what never ends. Where this time is up, nobody knows whether the mutant lives.
  timeoutMS: 300_000,
  timeoutFactor: 1,
  // Modules that were loaded stay in memory.
  maxTestRunnerReuse: 600,
  reporters: ['living'],
  logLevel: 'warn',
  tempDirName: '.stryker-tmp',
  // The sandbox would rewrite tsconfig.json with the compiler's old interface; nothing in it needs to be rewritten.
  tsconfigFile: 'none',
};
