import { randomUUID } from 'node:crypto';
import { open, rename, stat, unlink } from 'node:fs/promises';
import { type CheckOptions, checkInputs } from '../check.js';
import { findInputs, type Stdin } from '../input.js';
import { exitCodeOf, type Report } from '../report.js';
import { REPORTERS } from '../reporters/index.js';
import { inputErrorLines, people } from '../reporters/people.js';
import type { Reporter } from '../reporters/reporter.js';
import type { CheckRequest, Output } from './request.js';

/** Where text goes; the promise settles when the text has been taken. */
type Write = (text: string) => Promise<void>;

/** A report that could not be written: the file's name and why. */
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

const isRegularOrNew = async (path: string): Promise<boolean> => {
  try {
    return (await stat(path)).isFile();
  } catch {
    return true;
  }
};

const fillFile = async (path: string, pieces: Iterable<string>): Promise<void> => {
  const file = await open(path, 'w');
  try {
    await writeAll(pieces, async (text) => {
      await file.write(text);
    });
  } finally {
    await file.close();
  }
};

/** Writes a report whole or not at all: a file under its final name is complete. */
const writeFile = async (path: string, pieces: Iterable<string>): Promise<void> => {
  // A device or a pipe cannot be replaced by a file.
  if (!(await isRegularOrNew(path))) return fillFile(path, pieces);
  const unfinished = `${path}.${randomUUID()}.tmp`;
  try {
    await fillFile(unfinished, pieces);
    await rename(unfinished, path);
  } catch (error) {
    await unlink(unfinished).catch(() => {});
    throw error;
  }
};

const reporterOf = ({ format }: Output): Reporter => REPORTERS.find(({ id }) => id === format) ?? REPORTERS[0];

const writeOutput = async (output: Output, report: Report, stdout: Write): Promise<void> => {
  const pieces = reporterOf(output).render(report);
  if (output.path === undefined) return writeAll(pieces, stdout);
  try {
    await writeFile(output.path, pieces);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error';
    throw new OutputFault(`${output.path}: the report cannot be written (${code})`);
  }
};

export interface CheckStreams {
  readonly stdin: Stdin;
  readonly stdout: Write;
  readonly stderr: Write;
  readonly isColoured: boolean;
}

const spokenTo = (request: CheckRequest, report: Report, isColoured: boolean): Iterable<string> =>
  // Classic is silent where every line is a span; what was left out is said in any case.
  request.isQuiet || report.profile === 'classic' ? inputErrorLines(report) : people(report, isColoured);

/** `terminal-contract [files..]`: judges the trace, writes the reports, and returns the exit code. */
export const check = async (request: CheckRequest, options: CheckOptions, streams: CheckStreams): Promise<number> => {
  const names = request.files.length === 0 ? ['-'] : request.files;
  const report = await checkInputs(await findInputs(names, streams.stdin), options);
  // A reader of stdout may leave early; files are complete by then.
  const filesFirst = request.outputs.toSorted(
    (left, right) => Number(left.path === undefined) - Number(right.path === undefined),
  );
  for (const output of filesFirst) await writeOutput(output, report, streams.stdout);
  await writeAll(spokenTo(request, report, streams.isColoured), streams.stderr);
  return exitCodeOf(report);
};
