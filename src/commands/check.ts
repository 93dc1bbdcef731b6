import { randomUUID } from 'node:crypto';
import { open, realpath, rename, stat, unlink } from 'node:fs/promises';
import { type CheckOptions, checkInputs } from '../check.js';
import { findInputs, type Stdin } from '../input.js';
import { didYouMean } from '../nearest.js';
import { EXIT, exitCodeOf, type Report } from '../report.js';
import { reporterOf, TERMINAL_FORMAT } from '../reporters/index.js';
import { people, unjudged } from '../reporters/people.js';
import { type Medium, PLAIN } from '../reporters/reporter.js';
import { printable } from '../text.js';
import { type CheckRequest, COMMAND_NAMES, type Output } from './request.js';

/** Where text goes; the promise settles when the text has been taken. */
type Write = (text: string) => Promise<void>;

/** What could not be written: its file's name and why. */
export class OutputFault extends Error {}

const BATCH_LENGTH = 1 << 16;

/** Pieces of text gathered into larger ones, so that each write is worth its system call. */
function* batches(pieces: Iterable<string>): Iterable<string> {
  let batch = '';
  for (const piece of pieces) {
    batch += piece;
    if (batch.length < BATCH_LENGTH) continue;
    yield batch;
    batch = '';
  }
  if (batch !== '') yield batch;
}

const writeAll = async (pieces: Iterable<string>, write: Write): Promise<void> => {
  for (const batch of batches(pieces)) await write(batch);
};

/** The file behind a name: links are followed, so that they stay links. */
const fileBehind = async (path: string): Promise<string> => {
  try {
    return await realpath(path);
  } catch {
    return path;
  }
};

// Names of open descriptors: the file behind one is somebody's output already.
const DESCRIPTORS = /^\/(?:dev|proc)\//;
const isRegularOrNew = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isFile() && !DESCRIPTORS.test(path);
  } catch {
    return true;
  }
};

const fillFile = async (path: string, flags: 'w' | 'a', pieces: Iterable<string>, mode = 0o666): Promise<void> => {
  const file = await open(path, flags, mode);
  try {
    await writeAll(pieces, (text) => file.writeFile(text));
  } finally {
    await file.close();
  }
};

const PERMISSIONS = 0o777;
/** The permissions of the file that a report replaces; undefined where there is none. */
const modeOf = async (path: string): Promise<number | undefined> => {
  try {
    return (await stat(path)).mode & PERMISSIONS;
  } catch {
    return undefined;
  }
};

/** Writes a report whole or not at all: a file under its final name is complete. */
export const writeFile = async (name: string, pieces: Iterable<string>): Promise<void> => {
  // A device or a pipe cannot be replaced by a file.
  if (!(await isRegularOrNew(name))) return fillFile(name, 'a', pieces);
  const path = await fileBehind(name);
  const unfinished = `${path}.${randomUUID()}.tmp`;
  try {
    await fillFile(unfinished, 'w', pieces, await modeOf(path));
    await rename(unfinished, path);
  } catch (error) {
    await unlink(unfinished).catch(() => {});
    throw error;
  }
};

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
export const isClosedPipe = (error: unknown): boolean => codeOf(error) === 'EPIPE';

const writeOutput = async (output: Output, report: Report, { stdout, output: medium }: CheckStreams): Promise<void> => {
  const pieces = reporterOf(output.format).render(report, output.path === undefined ? medium : PLAIN);
  try {
    await (output.path === undefined ? writeAll(pieces, stdout) : writeFile(output.path, pieces));
  } catch (error) {
    // A reader of stdout who has seen enough is no fault.
    if (output.path === undefined && isClosedPipe(error)) throw error;
    throw new OutputFault(`${output.path ?? 'standard output'}: the report cannot be written (${codeOf(error)})`);
  }
};

export interface CheckStreams {
  readonly stdin: Stdin;
  readonly stdout: Write;
  readonly stderr: Write;
  /** Of what is said on stderr. */
  readonly isColoured: boolean;
  readonly isErrorTerminal: boolean;
  readonly isOutputTerminal: boolean;
  /** What stdout shows a report on. */
  readonly output: Medium;
}

const isPretty = ({ format, path }: Output): boolean => format === TERMINAL_FORMAT && path === undefined;

const spokenTo = (outputs: readonly Output[], request: CheckRequest, report: Report, streams: CheckStreams) => {
  const { isColoured, isErrorTerminal, isOutputTerminal } = streams;
  // One terminal need not show all of it twice.
  if (isErrorTerminal && isOutputTerminal && outputs.some(isPretty)) return [];
  // Classic is silent where every line is a span; what was left out is said in any case.
  return request.isQuiet || report.profile === 'classic' ? unjudged(report) : people(report, isColoured);
};

/** What is written where, once it is known what stdout is. */
const outputsOn = ({ outputs }: CheckRequest, { terms }: CheckOptions, { isOutputTerminal }: CheckStreams) =>
  outputs.map((output) =>
    output.isDefault === true && isOutputTerminal && terms.profile !== 'classic'
      ? { ...output, format: TERMINAL_FORMAT }
      : output,
  );

/** Somebody who types a command's name with a slip means no file. */
const commandHint = (name: string): string => didYouMean(name, COMMAND_NAMES).replace('mean ', 'mean the command ');

/** `terminal-contract [files..]`: judges the trace, writes the reports, and returns the exit code. */
export const check = async (request: CheckRequest, options: CheckOptions, streams: CheckStreams): Promise<number> => {
  const names = request.files.length === 0 ? ['-'] : request.files;
  const outputs = outputsOn(request, options, streams);
  const drawsTimelines = outputs.some((output) => reporterOf(output.format).drawsTimelines === true);
  const inputs = await findInputs(names, streams.stdin, commandHint);
  const report = await checkInputs(inputs, { ...options, drawsTimelines });
  // A reader of stdout may leave early; files are complete by then.
  const filesFirst = outputs.toSorted(
    (left, right) => Number(left.path === undefined) - Number(right.path === undefined),
  );
  const faults: string[] = [];
  for (const output of filesFirst) {
    try {
      await writeOutput(output, report, streams);
    } catch (error) {
      if (!(error instanceof OutputFault)) throw error;
      faults.push(error.message);
    }
  }
  await writeAll(spokenTo(outputs, request, report, streams), streams.stderr);
  // The verdicts have been said as far as they could be; that a report is missing outranks them.
  for (const fault of faults) await streams.stderr(`terminal-contract: ${printable(fault)}\n`);
  if (faults.length > 0) return EXIT.unjudged;
  return exitCodeOf(report);
};
