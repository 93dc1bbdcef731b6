import { Worker } from 'node:worker_threads';
import type { Contract, ContractPart, Terms } from './contract.js';
import { readKept } from './kept-reports.js';
import { openPages } from './pages.js';
import type { Range } from './part.js';
import { kernelModule } from './scan/kernel.js';
import type { LineFault } from './scan/plain.js';
import { type CopiedRecords, type RunRecords, readCopied } from './scan/records.js';
import { movePlaces, type RunReport } from './verdict.js';

/** Terms that know no rule of the user's own, as plain data. */
export type ToldTerms = Omit<Terms, 'severityOf' | 'isChosen'> & { readonly isChosen: boolean };

export const tell = ({ profile, isPartial, window, commandLine, config, isChosen }: Terms): ToldTerms => ({
  profile,
  isPartial,
  window,
  commandLine,
  config,
  // Of the built-in rules, all are chosen with the profile.
  isChosen: isChosen(''),
});

/** What a thread is told: the terms, what the file's header says, and the bytes of an open file that it reads. */
export interface Task {
  readonly terms: ToldTerms;
  readonly header: ContractPart | undefined;
  readonly fd: number;
  /** Where the input begins in the file. */
  readonly start: number;
  readonly range: Range;
  /** Where the thread adds what it has read, if anybody watches. */
  readonly tally: SharedArrayBuffer | undefined;
  /** The scanner's code, compiled once for all threads. */
  readonly kernel: WebAssembly.Module;
}

/** What a thread has found. Lines count from the beginning of its range. */
export interface Found {
  readonly kind: 'found';
  readonly lines: number;
  readonly records: CopiedRecords;
  /** Reports of loud runs that are held to the contract of their file: by run, the number of its bytes in the pages. */
  readonly kept: ReadonlyMap<number, number>;
  readonly pages: readonly ArrayBuffer[];
  /** Those of other loud runs; one without a contract is held to the one of its file. */
  readonly reports: ReadonlyMap<number, Omit<RunReport, 'contract'> & { readonly contract: Contract | undefined }>;
  readonly faults: readonly { readonly fault: LineFault; readonly line: number }[];
}
/** Why a thread could not do its work: what the system said, or a fault of the checker. */
export interface Failed {
  readonly kind: 'failed';
  readonly code: string | undefined;
  readonly message: string;
}

const entry = new URL('./part-thread.js', import.meta.url);

/** Has another thread read a range. @throws what reading it failed with */
export const readElsewhere = (task: Omit<Task, 'kernel'>): Promise<Found> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(entry, { workerData: { ...task, kernel: kernelModule() } satisfies Task, execArgv: [] });
    worker.once('message', (message: Found | Failed) => {
      if (message.kind === 'found') resolve(message);
      else reject(Object.assign(new Error(message.message), message.code === undefined ? {} : { code: message.code }));
    });
    // No fault of the input, whatever its code.
    worker.once('error', (error) => reject(new Error('a thread failed', { cause: error })));
    worker.once('exit', () => reject(new Error('a thread ended before its work was done')));
  });

/** A report whose lines count from a later line than its file does. */
const shift = (report: RunReport, lines: number): RunReport =>
  movePlaces(report, (place) => ({ ...place, line: place.line + lines }));

/** What a thread has found, as a part of the trace. */
export interface ForeignPart {
  readonly records: RunRecords;
  judgeLoud(run: number): RunReport | undefined;
}

export const partOf = (found: Found, linesBefore: number, contract: Contract): ForeignPart => {
  const records = readCopied(found.records, linesBefore);
  const readReport = readKept(openPages(found.pages), linesBefore);
  return {
    records,
    judgeLoud(run) {
      const number = found.kept.get(run);
      if (number !== undefined) return readReport(number, records.idOf(run), contract);
      const report = found.reports.get(run);
      return report && shift({ ...report, contract: report.contract ?? contract }, linesBefore);
    },
  };
};
