import { printable } from '../text.js';
import { defineReporter } from './reporter.js';

export const tsv = defineReporter({
  id: 'tsv',
  description: 'one line a run: run_id, verdict, iter, spans, and what breaks a run whose verdict passes',
  *render({ runs }) {
    for (const run of runs) {
      const columns = [printable(run.runId), run.verdict, `iter=${run.iter}`, `spans=${run.spans}`];
      if (run.fails && !run.failsByVerdict) columns.push(`breaks=${run.breaks.join(',')}`);
      yield `${columns.join('\t')}\n`;
    }
  },
});
