import { parentPort, workerData } from 'node:worker_threads';
import type { Terms } from './contract.js';
import { rangeSource } from './input.js';
import { startJudging } from './judging.js';
import { numberOf } from './kept-reports.js';
import { createPart } from './part.js';
import type { LineFault } from './scan/plain.js';
import { copyRecords } from './scan/records.js';
import { startScanner } from './scan/scanner.js';
import { addTo } from './tally.js';
import type { Failed, Found, Task } from './threads.js';
import { ownFields, profileSeverity } from './verdict.js';

const readPart = async ({ terms, header, fd, start, range, tally, kernel }: Task): Promise<Found> => {
  const scanner = startScanner(kernel);
  if (scanner === undefined) throw new Error('the scanner does not start in a thread');
  const known: Terms = {
    ...terms,
    isChosen: () => terms.isChosen,
    severityOf: (ruleId) => profileSeverity(terms.profile, ruleId),
  };
  const judging = await startJudging(known);
  const { contracts } = judging;
  if (header !== undefined) contracts.setHeader(range.file, header);
  const faults: { fault: LineFault; line: number }[] = [];
  const add = tally && addTo(tally);
  let spansAdded = 0;
  const part = createPart(scanner, judging, undefined, {
    onFault: (_file, fault, line) => void faults.push({ fault, line }),
    onPiece({ length }) {
      add?.(length, part.spansRead() - spansAdded);
      spansAdded = part.spansRead();
    },
  });
  const lines = await part.read(rangeSource(fd, start + range.from, range.to - range.from), range);
  add?.(0, part.spansRead() - spansAdded);
  const ids = Array.from({ length: scanner.records.count() }, (_, run) => scanner.records.idOf(run));
  const shared = contracts.of(range.file, []);
  const reports: [number, Found['reports'] extends ReadonlyMap<number, infer R> ? R : never][] = [];
  const kept: [number, number][] = [];
  for (const run of part.loudRuns()) {
    const report = part.judgeLoud(run);
    if (report === undefined) continue;
    const number = report.contract === shared ? numberOf(report) : undefined;
    if (number !== undefined) kept.push([run, number]);
    else reports.push([run, report.contract === shared ? { ...report, contract: undefined } : ownFields(report)]);
  }
  return {
    kind: 'found',
    lines,
    records: copyRecords(scanner.kernel, ids),
    kept: new Map(kept),
    pages: part.kept.pages.buffers(),
    reports: new Map(reports),
    faults,
  };
};

const failureOf = (error: unknown): Failed => ({
  kind: 'failed',
  code: error instanceof Error && 'code' in error ? String(error.code) : undefined,
  message: error instanceof Error ? error.message : 'unknown',
});

// The task is the one that threads.ts gives.
const task = workerData as Task;
readPart(task).then(
  (found) => parentPort?.postMessage(found, [found.records.bytes, ...found.pages]),
  (error: unknown) => parentPort?.postMessage(failureOf(error)),
);
