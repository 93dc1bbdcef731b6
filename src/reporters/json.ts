import { safeJson } from '../text.js';
import { defineReporter } from './reporter.js';
import { wireHead, wireInputError, wireRun } from './wire.js';

function* list<T>(items: readonly T[], wire: (item: T) => unknown): Iterable<string> {
  let separator = '\n    ';
  for (const item of items) {
    yield separator + safeJson(wire(item));
    separator = ',\n    ';
  }
}

export const json = defineReporter({
  id: 'json',
  description: 'the whole report as one JSON object',
  *render(report) {
    const { files, runs, inputErrors } = report;
    const { truncated, ...head } = wireHead(report);
    yield '{\n';
    for (const [key, value] of Object.entries(head)) yield `  "${key}": ${safeJson(value)},\n`;
    yield '  "runs": [';
    yield* list(runs, (run) => wireRun(files, run));
    yield '\n  ],\n  "input_errors": [';
    yield* list(inputErrors, (error) => wireInputError(files, error));
    yield `\n  ],\n  "truncated": ${truncated}\n}\n`;
  },
});
