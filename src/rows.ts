import { createPages } from './pages.js';
import type { Row } from './run.js';
import { NO_SPAN, type Span } from './span.js';

/**
 * Compact rows of spans, for the second look at runs that arrived out of order.
 * A row is a JSON list of the span's field values, in pages of bytes, chained to the run's row before it.
 */
export interface RowStore {
  /** Keeps a span; `previous` is the number of the run's row before it, -1 for none. Returns the row's number. */
  append(previous: number, span: Span, identity: string | undefined): number;
  /** The rows of a chain that ends in row `last`, newest first. */
  read(last: number, runId: string): Row[];
}

// Object.keys forgets the key type that the object has.
const NAMES = Object.keys(NO_SPAN) as readonly (keyof typeof NO_SPAN)[];

const encode = (span: Span, identity: string | undefined): string => {
  const values: unknown[] = [identity];
  let length = 1;
  for (const name of NAMES) {
    const value = span[name];
    const isBlank = value === NO_SPAN[name];
    values.push(isBlank ? undefined : value);
    if (!isBlank) length = values.length;
  }
  values.length = length;
  return JSON.stringify(values);
};

const decode = (text: string, runId: string): Row => {
  // The list is the one that encode wrote.
  const values = JSON.parse(text) as readonly unknown[];
  const span: Record<string, unknown> = { runId };
  NAMES.forEach((name, index) => {
    span[name] = values[index + 1] ?? NO_SPAN[name];
  });
  // Every field stands in NAMES, with the value that encode found in a span.
  return { span: span as unknown as Span, identity: (values[0] as string | null) ?? undefined };
};

export const createRows = (): RowStore => {
  const pages = createPages();
  return {
    append: (previous, span, identity) => pages.append(previous, Buffer.from(encode(span, identity))),
    read: (last, runId) => Array.from(pages.read(last), (bytes) => decode(bytes.toString('utf8'), runId)),
  };
};
