import type { Report } from '../report.js';
import type { RunReport } from '../verdict.js';

/** What somebody would have called a success, and how much of it never stopped. */
export interface Headline {
  /** Runs that a dashboard shows as green: they say `done`, or say nothing and nothing threw. */
  readonly green: number;
  /** Of those, the runs without a terminal. */
  readonly neverStopped: number;
}

const isSilent = ({ terminal, isInconclusive }: RunReport): boolean => terminal === undefined && !isInconclusive;

/** A run that may go on outside of the input is neither green nor anything else. */
export const headlineOf = ({ runs }: Pick<Report, 'runs'>): Headline => {
  let green = 0;
  let neverStopped = 0;
  for (const run of runs) {
    if (isSilent(run)) neverStopped += 1;
    if (isSilent(run) || run.terminal?.reason === 'done') green += 1;
  }
  return { green, neverStopped };
};

const jobs = (count: number): string => (count === 1 ? '1 job was green' : `${count} jobs were green`);

/** The headline in words. */
export const headlineText = ({ green, neverStopped }: Headline): string => {
  if (green === 0) return 'No job was green.';
  if (neverStopped === 0) return `${jobs(green)}${green === 1 ? ', and it stopped.' : ', and all of them stopped.'}`;
  if (green === 1) return '1 job was green, and it never stopped.';
  return `${jobs(green)}; ${neverStopped === green ? 'all' : neverStopped} of them never stopped.`;
};
