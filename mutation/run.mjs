// Mutates the rules, and fails where a mutant lives that `accepted.yaml` does not name: `npm run mutation`, or
// `npm run mutation -- src/rules/few.ts` for some files alone. With `--quick`, what a module computes when it is
// loaded is left alone: each mutant of that needs a load of its own.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';

const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
if (major < 22 || (major === 22 && minor < 15)) {
  console.error(`Mutation testing needs Node 22.15 or later, and this is ${process.versions.node}.`);
  process.exit(2);
}
const { accepted, isAccepted, nameOf, print } = await import('./living.mjs');

const FOLDER = 'src/rules';
const all = readdirSync(FOLDER).map((name) => `${FOLDER}/${name}`);
const { values, positionals } = parseArgs({ allowPositionals: true, options: { quick: { type: 'boolean' } } });
const isQuick = values.quick ?? false;
const files = positionals.length > 0 ? positionals : all;

// Modules that were loaded stay in memory, so that a process slows down: it gets so much to mutate, and no more.
const MOST_BYTES = 40_000;
const groups = [];
let room = 0;
for (const file of files) {
  const { size } = statSync(file);
  if (size > room) {
    groups.push([]);
    room = MOST_BYTES;
  }
  groups.at(-1).push(file);
  room -= size;
}

const mutate = async (group) => {
  const child = fork(new URL('group.mjs', import.meta.url), [String(isQuick), ...group]);
  let mutants;
  child.on('message', (message) => {
    mutants = message;
  });
  const [code] = await once(child, 'close');
  if (code === 0 && mutants !== undefined) return mutants;
  console.error(`Mutating ${group.join(', ')} ended with ${code}.`);
  process.exit(2);
};

const counts = (mutants) => {
  const of = (fate) => mutants.filter((mutant) => mutant.fate === fate);
  const unjudged = of('unjudged').length > 0 ? `, ${of('unjudged').length} not judged` : '';
  return `${mutants.length} mutants, ${of('lives').length} alive: ${of('lives').filter(isAccepted).length} accepted${unjudged}`;
};

const mutants = [];
for (const [index, group] of groups.entries()) {
  const begin = performance.now();
  const found = await mutate(group);
  mutants.push(...found);
  const names = [group.at(0), group.at(-1)].map((file) => basename(file, '.ts'));
  const seconds = Math.round((performance.now() - begin) / 1000);
  console.error(`${index + 1}/${groups.length}, ${names.join(' to ')}: ${counts(found)}, in ${seconds} s`);
}

const looked = new Set(files.map((file) => basename(file)));
const isLooked = ({ file }) => positionals.length === 0 || looked.has(file);
const met = new Set(mutants.filter(({ fate }) => fate === 'lives' || (isQuick && fate === 'ignored')).map(nameOf));
const stale = accepted.filter((mutant) => isLooked(mutant) && !met.has(nameOf(mutant)));
for (const mutant of stale) print(`${mutant.file} has no such mutant alive:`, mutant);

const unknown = mutants.filter(
  (mutant) => mutant.fate === 'unjudged' || (mutant.fate === 'lives' && !isAccepted(mutant)),
);
console.error(counts(mutants));
process.exitCode = unknown.length + stale.length > 0 ? 1 : 0;
