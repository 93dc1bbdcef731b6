import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { declareValuePlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { parse } from 'yaml';

const flat = (text) => text.replace(/\s+/g, ' ').trim();

/** The text of a file between two places; lines and columns count from 1. */
const cut = (lines, { start, end }) =>
  lines
    .slice(start.line - 1, end.line)
    .map((line, index, { length }) => line.slice(0, index === length - 1 ? end.column - 1 : undefined))
    .map((line, index) => line.slice(index === 0 ? start.column - 1 : 0))
    .join('\n');

const sources = new Map();
const linesOf = (path) => {
  if (!sources.has(path)) sources.set(path, readFileSync(path, 'utf8').split('\n'));
  return sources.get(path);
};

export const ruleFile = ({ fileName }) => relative('src/rules', fileName);

export const described = ({ fileName, location, replacement }) => {
  const lines = linesOf(fileName);
  return {
    file: ruleFile({ fileName }),
    number: location.start.line,
    line: flat(lines[location.start.line - 1]),
    from: flat(cut(lines, location)),
    to: flat(replacement),
  };
};

/** What names a mutant, wherever its line moves to. */
export const nameOf = ({ file, line, from, to }) => JSON.stringify([file, line, from, to].map(flat));

export const lives = ({ status }) => status === 'Survived' || status === 'NoCoverage';

/** Whether nobody knows if it lives: the runner gives a reason where it ends what never ends. */
export const isUnjudged = ({ status, statusReason }) =>
  status === 'RuntimeError' || (status === 'Timeout' && statusReason === undefined);

export const accepted = parse(readFileSync('mutation/accepted.yaml', 'utf8')).flatMap(({ file, mutants: alike }) =>
  alike.map((mutant) => ({ file, ...mutant })),
);
const names = new Set(accepted.map(nameOf));
export const isAccepted = (mutant) => names.has(nameOf(mutant));

export const print = (heading, { line, from, to }) => {
  console.error(heading);
  for (const [name, text] of Object.entries({ line, from, to })) console.error(`    ${name}: ${JSON.stringify(text)}`);
};

/** Says of each mutant that lives against the list, or may live, as soon as it is found. */
const living = {
  onMutantTested(result) {
    const mutant = described(result);
    if (isUnjudged(result)) print(`${mutant.file}:${mutant.number} could not be judged:`, mutant);
    if (lives(result) && !isAccepted(mutant)) print(`${mutant.file}:${mutant.number} lives:`, mutant);
  },
};

export const strykerPlugins = [declareValuePlugin(PluginKind.Reporter, 'living', living)];
