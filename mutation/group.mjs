// Mutates some files, and hands over what became of each mutant.
import { Stryker } from '@stryker-mutator/core';
import { described, isUnjudged, lives } from './living.mjs';

const [, , isQuick, ...files] = process.argv;
const fateOf = (mutant) => {
  if (lives(mutant)) return 'lives';
  if (isUnjudged(mutant)) return 'unjudged';
  return mutant.status === 'Ignored' ? 'ignored' : 'dead';
};

const mutants = await new Stryker({
  configFile: 'mutation/stryker.config.mjs',
  mutate: files,
  ignoreStatic: isQuick === 'true',
}).runMutationTest();
const fates = mutants.map((mutant) => ({ ...described(mutant), fate: fateOf(mutant) }));
process.send(fates, () => process.disconnect());
