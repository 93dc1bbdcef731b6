import type { Report } from '../report.js';

/** One output format: a pure function from a report to text, in pieces so that a large report is never one string. */
export interface Reporter {
  /** What users type after --format. */
  readonly id: string;
  readonly description: string;
  /** It draws the report's timelines, for which the trace is read once more. */
  readonly drawsTimelines?: true;
  render(report: Report): Iterable<string>;
}

export const defineReporter = <const Id extends string>(reporter: Reporter & { readonly id: Id }) => reporter;
