import type { PageData, PageRun } from '../page-data.js';
import type { Order, View } from './view.js';

/** A run, and what of it is asked about. */
export interface Entry {
  readonly run: PageRun;
  readonly verdict: string;
  readonly rules: readonly string[];
  readonly files: readonly string[];
  /** In lower case, all that a search looks through. */
  readonly haystack: string;
}

export const entriesOf = ({ runs, texts }: PageData): readonly Entry[] =>
  runs.map((run) => {
    const text = (number: number): string => texts[number] ?? '';
    const verdict = text(run.verdict);
    const rules = [...new Set(run.findings.map(({ rule }) => text(rule)))];
    const files = run.files.map(text);
    const messages = run.findings.flatMap(({ message, saw }) => [text(message), text(saw)]);
    const haystack = [run.id, verdict, ...rules, ...files, ...messages].join('\n').toLowerCase();
    return { run, verdict, rules, files, haystack };
  });

const byUnits = (left: string, right: string): number => Number(left > right) - Number(left < right);
const BY = {
  worst: undefined,
  id: (left, right) => byUnits(left.run.id, right.run.id),
  iter: (left, right) => right.run.iter - left.run.iter,
  spans: (left, right) => right.run.spans - left.run.spans,
  tokens: (left, right) => right.run.tokens - left.run.tokens,
  seconds: (left, right) => (right.run.seconds ?? -1) - (left.run.seconds ?? -1),
} as const satisfies Record<Order, ((left: Entry, right: Entry) => number) | undefined>;

/** The entries that a view asks for, in its order; the entries stand in the order of the worst first. */
export const find = (
  entries: readonly Entry[],
  { query, result, verdict, rule, file, order }: View,
): readonly Entry[] => {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '');
  const found = entries.filter(
    (entry) =>
      (result === '' || entry.run.result === result) &&
      (verdict === '' || entry.verdict === verdict) &&
      (rule === '' || entry.rules.includes(rule)) &&
      (file === '' || entry.files.includes(file)) &&
      words.every((word) => entry.haystack.includes(word)),
  );
  const compare = BY[order];
  return compare === undefined ? found : found.sort(compare);
};
