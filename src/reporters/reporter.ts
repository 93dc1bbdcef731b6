import type { Report } from '../report.js';

/** What a report is shown on. */
export interface Medium {
  readonly isColoured: boolean;
  /** Columns. */
  readonly width: number;
}
export const PLAIN: Medium = { isColoured: false, width: 100 };

/** One output format: a pure function from a report to text, in pieces so that a large report is never one string. */
export interface Reporter {
  /** What users type after --format. */
  readonly id: string;
  readonly description: string;
  /** It draws the report's timelines, for which the trace is read once more. */
  readonly drawsTimelines?: true;
  /** @param medium what is known of it; a file has no colours */
  render(report: Report, medium?: Medium): Iterable<string>;
}

export const defineReporter = <const Id extends string>(reporter: Reporter & { readonly id: Id }) => reporter;
