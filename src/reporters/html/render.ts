import type { Report } from '../../report.js';
import { safeJson } from '../../text.js';
import type { RunReport } from '../../verdict.js';
import { AFTER_DATA, BEFORE_DATA } from './page.js';
import { type PageTimeline, RESULTS } from './page-data.js';
import { pageHead } from './page-head.js';
import { pageRun, resultOf } from './page-run.js';
import { pageTimeline } from './page-timeline.js';
import { createTexts } from './texts.js';

/** How many runs a page holds: a browser has to keep them all. */
const RUNS_SHOWN = 50_000;

/** JSON that ends no script element and begins no comment in one. */
const embedded = (value: unknown): string => safeJson(value).replaceAll('<', '\\u003c');

/** The worst first: what fails, what is not decided, what passes. */
const ranked = (runs: readonly RunReport[]): readonly RunReport[] =>
  RESULTS.flatMap((result) => runs.filter((run) => resultOf(run) === result));

const leftOut = (count: number): readonly string[] =>
  count <= RUNS_SHOWN
    ? []
    : [`The page holds the worst ${RUNS_SHOWN} runs; ${count - RUNS_SHOWN} more are in --format json.`];

/** The whole page, in pieces. */
export function* renderPage(report: Report): Iterable<string> {
  const texts = createTexts();
  const { warnings, ...head } = pageHead(report);
  const drawn = (runId: string): PageTimeline | null => {
    const timeline = report.timelines?.drawn.get(runId);
    return timeline === undefined ? null : pageTimeline(report.files, timeline, texts);
  };
  yield BEFORE_DATA;
  yield `{"warnings":${embedded([...warnings, ...leftOut(report.runs.length)])}`;
  for (const [key, value] of Object.entries(head)) yield `,"${key}":${embedded(value)}`;
  yield ',"runs":[';
  let separator = '\n';
  for (const run of ranked(report.runs).slice(0, RUNS_SHOWN)) {
    yield separator + embedded({ ...pageRun(report.files, run, texts), timeline: drawn(run.runId) });
    separator = ',\n';
  }
  yield `\n],"texts":${embedded(texts.all)}}`;
  yield AFTER_DATA;
}
