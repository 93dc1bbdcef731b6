// `npm run bench`: asks every contender the same question about a generated trace and prints what each took.
// --help says what can be asked for.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { differences, linesOf } from './answers.mjs';
import { CONTENDERS, FLOOR, TOOL } from './contenders/index.mjs';
import { writeTraceFile } from './generate.mjs';
import { describeMachine } from './machine.mjs';
import { measure, pinTo } from './measure.mjs';
import { sectionOf, withSection } from './results.mjs';
import { SOURCES } from './sources.mjs';
import { startLines } from './start.mjs';
import { markdownOf, tableOf } from './table.mjs';
import { describeTrace, traceOptions, traceWords, wordsOf } from './trace/options.mjs';
import { createTrace } from './trace/trace.mjs';
import { transcriptLines } from './transcripts.mjs';

const RESULTS = new URL('RESULTS.md', import.meta.url);
/** What --smoke asks: a little of everything, so that no part of the benchmark rots. */
const SMOKE = [
  { source: 'file', cores: 1, trace: traceOptions({ mb: '1', 'late-runs': '0.1', 'late-spans': '0.02' }) },
  { source: 'pipe', trace: traceOptions({ mb: '1', digests: 'repeated' }) },
  { source: 'generated', trace: traceOptions({ mb: '1', hostile: '0.05', 'late-runs': '0.1' }) },
];
const HELP = `npm run bench -- [options]

  --preset NAME      speed (default), late, hostile: the trace; every word of bench/generate.mjs changes it, such as
                     --mb 433, --runs 100000, --late-runs 0.1, --hostile 0.02, --digests repeated, --seed 2
  --source NAME      ${SOURCES.join(', ')}: what the contenders' stdin is
  --cores N          hold them to so many cores
  --reps N           how often each is asked, in turn with the others (5; of --start 41)
  --only ID,ID       of ${CONTENDERS.map(({ id }) => id).join(', ')}
  --install          first install what is not on the machine
  --all              in order and a tenth of the runs shuffled, each on one core and on two; takes an hour or so
  --write            put the tables into bench/RESULTS.md
  --start            instead: what a small run takes beside a Node that does nothing
  --transcripts      instead: how fast transcripts of Claude Code are judged (--mb 500)
  --smoke            a little of everything, to see that the benchmark works
`;

const WORDS = {
  ...traceWords,
  source: { type: 'string', default: 'file' },
  cores: { type: 'string' },
  reps: { type: 'string' },
  only: { type: 'string' },
  install: { type: 'boolean', default: false },
  all: { type: 'boolean', default: false },
  write: { type: 'boolean', default: false },
  start: { type: 'boolean', default: false },
  transcripts: { type: 'boolean', default: false },
  smoke: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
};

const wholeFrom1 = (word, text) => {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new RangeError(`--${word} must be a whole number from 1`);
  return Number(text);
};

const namedContenders = (only) => {
  if (only === undefined) return CONTENDERS;
  const ids = only.split(',');
  const unknown = ids.find((id) => !CONTENDERS.some((contender) => contender.id === id));
  if (unknown !== undefined) throw new RangeError(`--only: no contender is named ${unknown}`);
  return CONTENDERS.filter(({ id }) => ids.includes(id));
};

const namedRound = ({ source, cores, ...words }) => {
  if (!SOURCES.includes(source)) throw new RangeError(`--source is one of ${SOURCES.join(', ')}`);
  return { source, cores: cores && wholeFrom1('cores', cores), trace: traceOptions(words) };
};

/** What --all asks, whatever else is said of the trace. */
const ALL = [
  { preset: 'speed', cores: '1' },
  { preset: 'speed', cores: '2' },
  { preset: 'late', cores: '1' },
  { preset: 'late', cores: '2' },
];

/** What the command line asks for. */
const readRequest = ({ only, reps = '5', install, all, write, start, smoke, help, ...round }) => {
  if (all && (round.preset !== undefined || round.cores !== undefined))
    throw new RangeError('--all says itself which presets, on how many cores');
  const named = (all ? ALL : [{}]).map((words) => namedRound({ ...round, ...words }));
  return {
    contenders: namedContenders(only),
    reps: smoke ? 1 : wholeFrom1('reps', reps),
    rounds: smoke ? SMOKE : named,
  };
};

/** Those that can be asked, and why the others cannot. */
const findContenders = (contenders, { cores, trace }) => {
  const isHostile = trace.hostile > 0;
  const terms = { cores: cores ?? availableParallelism(), isHostile };
  const seen = contenders.map((contender) => ({
    ...contender,
    ...(isHostile && !contender.takesHostile ? { missing: 'reads well-formed lines only' } : contender.find(terms)),
  }));
  return { found: seen.filter(({ missing }) => missing === undefined), skipped: seen.filter(({ missing }) => missing) };
};

/** The trace in a file, or its words where it is generated anew each time; and the answers that it is made for. */
const layTrace = ({ source, trace }, folder) => {
  const path = join(folder, 'trace.jsonl');
  const place = { path, fifo: join(folder, 'fifo'), words: wordsOf(trace) };
  if (source !== 'generated') return { ...place, answers: writeTraceFile(path, trace)() };
  const made = createTrace(trace);
  for (const _ of made.pieces());
  return { ...place, answers: made.answers() };
};

const compare = ({ id, role }, stdout, answers) => {
  if (role !== 'judge') return;
  const found = differences(answers, linesOf(stdout));
  if (found.length > 0) throw new Error([`${id} gives another answer`, ...found].join('\n'));
};

/** Asks all of them, in turn, and each time another one first. */
const measureAll = async (found, reps, settings) => {
  const measured = found.map((contender) => ({ ...contender, samples: [] }));
  for (let rep = 0; rep < reps; rep += 1) {
    for (let turn = 0; turn < measured.length; turn += 1) {
      const contender = measured[(rep + turn) % measured.length];
      const { sample, stdout } = await measure(contender, settings);
      compare(contender, stdout, settings.trace.answers);
      contender.samples.push(sample);
    }
  }
  return measured;
};

const benchRound = async (contenders, reps, round) => {
  const { found, skipped } = findContenders(contenders, round);
  const folder = await mkdtemp(join(tmpdir(), 'bench-'));
  try {
    const trace = layTrace(round, folder);
    const settings = { pin: pinTo(round.cores), source: round.source, trace, folder };
    const measured = await measureAll(found, reps, settings);
    const spans = trace.answers.reduce((sum, line) => sum + Number(line.split('spans=')[1]), 0);
    return sectionOf({
      ...round,
      isPinned: settings.pin.length > 0,
      reps,
      runs: trace.answers.length,
      spans,
      describedTrace: describeTrace(round.trace),
      machine: describeMachine(),
      versions: [...new Set(measured.flatMap(({ version }) => version ?? []))],
      table: markdownOf(tableOf(measured, { floor: FLOOR, tool: TOOL })),
      skipped,
    });
  } finally {
    await rm(folder, { recursive: true });
  }
};

const transcriptsText = async ({ mb = '500', reps = '5' }) =>
  (await transcriptLines(wholeFrom1('mb', mb), wholeFrom1('reps', reps))).join('\n');
const startText = (reps = '41') => startLines(wholeFrom1('reps', reps)).join('\n');

const main = async () => {
  const { values } = parseArgs({ options: WORDS });
  if (values.help) return console.log(HELP);
  if (values.start) return console.log(startText(values.reps));
  if (values.transcripts) return console.log(await transcriptsText(values));
  const { reps, contenders, rounds } = readRequest(values);
  if (values.install) for (const { install } of contenders) install?.();
  for (const round of rounds) {
    const section = await benchRound(contenders, reps, round);
    console.log(section.text);
    if (!values.write) continue;
    const before = existsSync(RESULTS) ? readFileSync(RESULTS, 'utf8') : '';
    writeFileSync(RESULTS, withSection(before, section));
  }
  if (values.smoke) console.log([startText('1'), await transcriptsText({ mb: '1', reps: '1' })].join('\n'));
};

try {
  await main();
} catch (error) {
  console.error(`bench: ${error.message}`);
  process.exitCode = 1;
}
