const COLUMNS = 4;
const SHOWN = 3;

/** The lines of an answer, in one order and without what a profile adds to them. */
export const linesOf = (text) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => line.split('\t').slice(0, COLUMNS).join('\t'))
    .sort();

const missingFrom = (lines, others) => {
  const known = new Set(others);
  return lines.filter((line) => !known.has(line));
};

const sample = (word, lines) => lines.slice(0, SHOWN).map((line) => `  ${word} ${JSON.stringify(line)}`);

/**
 * How an answer differs from the one that the trace was made for; empty where it does not.
 * @param {readonly string[]} expected sorted lines
 * @param {readonly string[]} given sorted lines
 */
export const differences = (expected, given) => {
  if (expected.length === given.length && expected.every((line, index) => line === given[index])) return [];
  const left = missingFrom(expected, given);
  const added = missingFrom(given, expected);
  return [
    `  ${left.length} of ${expected.length} lines are missing, ${added.length} of ${given.length} are others`,
    ...sample('expected', left),
    ...sample('given   ', added),
  ];
};
