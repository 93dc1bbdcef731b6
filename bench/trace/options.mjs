// The words of the command line that say what trace to make.
import { DEFAULTS, PRESETS } from './trace.mjs';

const number = (word, text) => {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) {
    throw new RangeError(`--${word} must be a number from 0`);
  }
  return value;
};
const share = (word, text) => {
  const value = number(word, text);
  if (value > 1) throw new RangeError(`--${word} is a share from 0 to 1`);
  return value;
};
const whole = (word, text) => {
  const value = number(word, text);
  if (!Number.isSafeInteger(value) || value < 1) throw new RangeError(`--${word} must be a whole number from 1`);
  return value;
};
const digests = (word, text) => {
  if (text !== 'unique' && text !== 'repeated') throw new RangeError(`--${word} is unique or repeated`);
  return text;
};

const WORDS = {
  seed: ['seed', whole],
  mb: ['megabytes', number],
  runs: ['runs', whole],
  spans: ['spans', number],
  open: ['open', whole],
  'late-runs': ['lateRuns', share],
  'late-spans': ['lateSpans', share],
  model: ['model', share],
  other: ['other', share],
  optional: ['optional', share],
  hostile: ['hostile', share],
  digests: ['digests', digests],
};

/** For `parseArgs`. */
export const traceWords = Object.fromEntries(
  ['preset', ...Object.keys(WORDS)].map((word) => [word, { type: 'string' }]),
);

/** What the words ask for: the preset, and over it whatever is said beside it. */
export const traceOptions = ({ preset = 'speed', ...values }) => {
  if (!Object.hasOwn(PRESETS, preset)) throw new RangeError(`--preset is one of ${Object.keys(PRESETS).join(', ')}`);
  const said = Object.entries(WORDS).filter(([word]) => values[word] !== undefined);
  const own = Object.fromEntries(said.map(([word, [name, read]]) => [name, read(word, values[word])]));
  // A size takes the place of the preset's, whole: its number of runs would stretch or cut those that are asked for.
  const isSized = own.megabytes !== undefined || own.runs !== undefined;
  const { runs, ...shape } = PRESETS[preset];
  return isSized ? { ...DEFAULTS, ...shape, ...own } : { ...DEFAULTS, ...shape, runs, ...own };
};

/** The words that lead to the same trace. */
export const wordsOf = (options) =>
  Object.entries(WORDS).flatMap(([word, [name]]) =>
    options[name] === undefined ? [] : [`--${word}`, String(options[name])],
  );

/** What is other than usual about a trace, for people. */
export const describeTrace = (options) =>
  Object.entries(WORDS)
    .filter(([, [name]]) => options[name] !== undefined && options[name] !== DEFAULTS[name])
    .map(([word, [name]]) => `${word} ${options[name]}`)
    .join(', ');
