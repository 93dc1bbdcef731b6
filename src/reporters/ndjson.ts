import { safeJson } from '../text.js';
import { defineReporter } from './reporter.js';
import { wireHead, wireInputError, wireRun } from './wire.js';

const line = (kind: string, value: object): string => `${safeJson({ kind, ...value })}\n`;

export const ndjson = defineReporter({
  id: 'ndjson',
  description: 'one JSON object a line: the runs, the input errors, then the summary',
  *render(report) {
    const { files, runs, inputErrors } = report;
    for (const run of runs) yield line('run', wireRun(files, run));
    for (const error of inputErrors) yield line('input_error', wireInputError(files, error));
    yield line('summary', wireHead(report));
  },
});
