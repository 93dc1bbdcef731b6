import { Readable } from 'node:stream';
import { type CheckSettings, checkTrace, type Report, type RunReport } from '../src/index.js';

/** Judges the lines of a trace, whole or in pieces of a given size. */
export const check = (lines: readonly string[], settings: CheckSettings = {}, chunk?: number): Promise<Report> => {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  return checkBytes(bytes, settings, chunk ?? Math.max(1, bytes.length));
};

export const checkBytes = (bytes: Buffer, settings: CheckSettings = {}, chunk = bytes.length): Promise<Report> => {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunk) pieces.push(bytes.subarray(at, at + chunk));
  return checkTrace(Readable.from(pieces, { objectMode: false }), settings);
};

/** The report of the only run. */
export const onlyRun = (report: Report): RunReport => {
  const [run, ...others] = report.runs;
  if (run === undefined || others.length > 0) throw new Error(`${report.runs.length} runs`);
  return run;
};

export const foundRules = (run: RunReport): string[] => run.findings.map(({ rule }) => rule);
