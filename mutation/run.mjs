// Mutates the rules, and fails where a mutant lives that `accepted.yaml` does not name: `npm run mutation`, or
// `npm run mutation -- src/rules/few.ts` for some files alone.
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { parse } from 'yaml';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 15)) {
  console.error(`Mutation testing needs Node 22.15 or later, and this is ${process.versions.node}.`);
  process.exit(2);
}
const { Stryker } = await import('@stryker-mutator/core');

const files = process.argv.slice(2);
const mutants = await new Stryker({
  configFile: 'mutation/stryker.config.mjs',
  ...(files.length > 0 && { mutate: files }),
}).runMutationTest();

const flat = (text) => text.replace(/\s+/g, ' ').trim();

/** The text of a file between two places; lines and columns count from 1. */
const cut = (lines, { start, end }) =>
  lines
    .slice(start.line - 1, end.line)
    .map((line, index, { length }) => line.slice(0, index === length - 1 ? end.column - 1 : undefined))
    .map((line, index) => line.slice(index === 0 ? start.column - 1 : 0))
    .join('\n');

/** What names a mutant, wherever its line moves to. */
const nameOf = ({ file, line, from, to }) => JSON.stringify([file, line, from, to].map(flat));

const sources = new Map();
const linesOf = (path) => {
  if (!sources.has(path)) sources.set(path, readFileSync(path, 'utf8').split('\n'));
  return sources.get(path);
};
const described = ({ fileName, location, replacement }) => {
  const lines = linesOf(fileName);
  return {
    file: relative('src/rules', fileName),
    number: location.start.line,
    line: flat(lines[location.start.line - 1]),
    from: flat(cut(lines, location)),
    to: flat(replacement),
  };
};

const accepted = parse(readFileSync('mutation/accepted.yaml', 'utf8')).flatMap(({ file, because, mutants: alike }) =>
  alike.map((mutant) => ({ file, because, ...mutant })),
);
const reasons = new Map(accepted.map((mutant) => [nameOf(mutant), mutant.because]));

const alive = mutants.filter(({ status }) => status === 'Survived' || status === 'NoCoverage').map(described);
const living = new Set(alive.map(nameOf));
const unknown = alive.filter((mutant) => !reasons.has(nameOf(mutant)));
const looked = new Set(mutants.map(({ fileName }) => relative('src/rules', fileName)));
const stale = accepted.filter((mutant) => looked.has(mutant.file) && !living.has(nameOf(mutant)));

for (const { file, number, line, from, to } of unknown) {
  console.error(`${file}:${number} lives:\n    line: ${JSON.stringify(line)}\n    from: ${JSON.stringify(from)}`);
  console.error(`    to: ${JSON.stringify(to)}`);
}
for (const { file, line, to } of stale) console.error(`${file} has no such mutant alive: ${line} → ${to}`);
console.error(`${mutants.length} mutants, ${alive.length} alive: ${alive.length - unknown.length} accepted`);
process.exitCode = unknown.length + stale.length > 0 ? 1 : 0;
