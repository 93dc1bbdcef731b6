// Mutates the rules, and fails where a mutant lives that `accepted.yaml` does not name: `npm run mutation`, or
// `npm run mutation -- src/rules/few.ts` for some files alone. With `--quick`, what a module computes when it is
// loaded is left alone: each mutant of that needs a load of its own.
import { parseArgs } from 'node:util';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 15)) {
  console.error(`Mutation testing needs Node 22.15 or later, and this is ${process.versions.node}.`);
  process.exit(2);
}
const { Stryker } = await import('@stryker-mutator/core');
const { accepted, described, isAccepted, lives, nameOf, ruleFile } = await import('./living.mjs');

const { values, positionals: files } = parseArgs({ allowPositionals: true, options: { quick: { type: 'boolean' } } });
const mutants = await new Stryker({
  configFile: 'mutation/stryker.config.mjs',
  ...(files.length > 0 && { mutate: files }),
  ...(values.quick && { ignoreStatic: true }),
}).runMutationTest();

const alive = mutants.filter(lives).map(described);
const unknown = alive.filter((mutant) => !isAccepted(mutant));
const looked = new Set(mutants.map(ruleFile));
const unseen = values.quick ? mutants.filter(({ status }) => status === 'Ignored').map(described) : [];
const met = new Set([...alive, ...unseen].map(nameOf));
const stale = accepted.filter((mutant) => looked.has(mutant.file) && !met.has(nameOf(mutant)));

for (const { file, line, from, to } of stale) {
  console.error(
    `${file} has no such mutant alive:\n    line: ${JSON.stringify(line)}\n    from: ${JSON.stringify(from)}`,
  );
  console.error(`    to: ${JSON.stringify(to)}`);
}
console.error(`${mutants.length} mutants, ${alive.length} alive: ${alive.length - unknown.length} accepted`);
process.exitCode = unknown.length + stale.length > 0 ? 1 : 0;
