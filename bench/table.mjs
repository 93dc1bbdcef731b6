/** The middle of the numbers; between the two in the middle where their count is even. */
export const median = (numbers) => {
  const sorted = numbers.toSorted((left, right) => left - right);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

/** How many times as long one took as the other: the median over pairs that were measured in one repetition. */
export const pairedRatio = (ones, others) => median(ones.map((one, index) => one / others[index]));

/**
 * @typedef {object} Measured
 * @property {string} id
 * @property {string} title
 * @property {string} role
 * @property {readonly Sample[]} samples one a repetition
 *
 * @typedef {object} Sample
 * @property {number} seconds
 * @property {number} [cpu] seconds of all processes that it took
 * @property {number} [peak] megabytes of all processes at once
 */

const HEAD = ['contender', 'judges', 'wall s', 'CPU s', 'peak MB', '× read', '× this tool'];
const ROLES = { judge: 'yes', part: 'no', floor: 'no, floor' };
const UNKNOWN = '–';

const medianOf = (samples, key, digits) => {
  const values = samples.map((sample) => sample[key]);
  return values.includes(undefined) ? UNKNOWN : median(values).toFixed(digits);
};

const ratioTo = (samples, other) => {
  if (other === undefined) return UNKNOWN;
  const seconds = (list) => list.map((sample) => sample.seconds);
  return pairedRatio(seconds(samples), seconds(other.samples)).toFixed(2);
};

/**
 * The table's cells, head first.
 * @param {readonly Measured[]} measured
 * @param {{ floor: string, tool: string }} bases ids of what the ratios are to
 */
export const tableOf = (measured, bases) => {
  const [floor, tool] = [bases.floor, bases.tool].map((base) => measured.find(({ id }) => id === base));
  const rows = measured.map(({ title, role, samples }) => [
    title,
    ROLES[role],
    medianOf(samples, 'seconds', 2),
    medianOf(samples, 'cpu', 2),
    medianOf(samples, 'peak', 0),
    ratioTo(samples, floor),
    ratioTo(samples, tool),
  ]);
  return [HEAD, ...rows];
};

const isNumeric = (column) => column >= 2;

/** The cells as a table of Markdown, aligned for those who read it as text. */
export const markdownOf = (cells) => {
  const widths = cells[0].map((_, column) => Math.max(...cells.map((row) => row[column].length)));
  const pad = (text, column) => (isNumeric(column) ? text.padStart(widths[column]) : text.padEnd(widths[column]));
  const rule = widths.map((width, column) => (isNumeric(column) ? `${'-'.repeat(width - 1)}:` : '-'.repeat(width)));
  const [head, ...rows] = cells.map((row) => row.map(pad));
  return [head, rule, ...rows].map((row) => `| ${row.join(' | ')} |`).join('\n');
};
