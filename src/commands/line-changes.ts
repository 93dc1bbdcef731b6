/** A line that only one of two texts has: `-` the first, `+` the second. */
export interface LineChange {
  readonly sign: '-' | '+';
  readonly line: string;
}

const linesOf = (text: string): readonly string[] => (text === '' ? [] : text.replace(/\n$/, '').split('\n'));

const countOf = (lines: readonly string[]): Map<string, number> => {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
};

/** The lines that have no partner among the others, in order. */
const without = (lines: readonly string[], others: readonly string[]): readonly string[] => {
  const left = countOf(others);
  return lines.filter((line) => {
    const count = left.get(line) ?? 0;
    left.set(line, count - 1);
    return count <= 0;
  });
};

const keyOf = (line: string): string => line.split('\t', 1)[0] ?? '';

/** What differs between two lists of runs: for each run what it was, then what it is. */
export const changesOf = (expected: string, found: string): readonly LineChange[] => {
  const [before, after] = [linesOf(expected), linesOf(found)];
  const gone = without(before, after).map((line): LineChange => ({ sign: '-', line }));
  const come = without(after, before).map((line): LineChange => ({ sign: '+', line }));
  if (gone.length + come.length === 0 && expected !== found) {
    // The same lines in another order, or with another end.
    return [
      ...before.map((line): LineChange => ({ sign: '-', line })),
      ...after.map((line): LineChange => ({ sign: '+', line })),
    ];
  }
  const partners = new Map<string, LineChange[]>();
  for (const change of come) partners.set(keyOf(change.line), [...(partners.get(keyOf(change.line)) ?? []), change]);
  const paired = gone.flatMap((change) => {
    const partner = partners.get(keyOf(change.line))?.shift();
    return partner === undefined ? [change] : [change, partner];
  });
  return [...paired, ...[...partners.values()].flat()];
};
