import type { Row } from './run.js';
import { NO_FIELDS, type Span } from './span.js';

const PAGE_BYTES = 1 << 20;
const PREVIOUS_BYTES = 8;
const HEADER_BYTES = PREVIOUS_BYTES + 4;

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

// What most spans say little of stands last, so that a row ends early.
const BLANK = {
  position: 0,
  file: 0,
  line: 0,
  seq: undefined,
  type: '',
  iter: undefined,
  name: undefined,
  argsHash: undefined,
  resultHash: undefined,
  status: undefined,
  ts: undefined,
  monoMs: undefined,
  spanId: undefined,
  tokensIn: 0,
  tokensCached: 0,
  tokensOut: 0,
  tokensAux: 0,
  round: undefined,
  emitter: undefined,
  effect: undefined,
  retry: undefined,
  exitCode: undefined,
  reason: undefined,
  hasGoal: false,
  contract: undefined,
  successorRun: undefined,
  claim: undefined,
  isInferred: false,
  lastSeq: undefined,
  count: undefined,
  details: undefined,
  fields: NO_FIELDS,
} as const satisfies Record<keyof Omit<Span, 'runId'>, unknown>;
// Object.keys forgets the key type that the table has.
const NAMES = Object.keys(BLANK) as readonly (keyof typeof BLANK)[];

const encode = (span: Span, identity: string | undefined): string => {
  const values: unknown[] = [identity];
  let length = 1;
  for (const name of NAMES) {
    const value = span[name];
    const isBlank = value === BLANK[name];
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
    span[name] = values[index + 1] ?? BLANK[name];
  });
  // Every field stands in NAMES, with the value that encode found in a span.
  return { span: span as unknown as Span, identity: (values[0] as string | null) ?? undefined };
};

export const createRows = (): RowStore => {
  const pages: Buffer[] = [];
  let used = PAGE_BYTES;
  const pageFor = (bytes: number): Buffer => {
    const page = pages.at(-1);
    if (page !== undefined && used + bytes <= page.length) return page;
    const fresh = Buffer.allocUnsafeSlow(Math.max(PAGE_BYTES, bytes));
    pages.push(fresh);
    used = 0;
    return fresh;
  };
  return {
    append(previous, span, identity) {
      const text = encode(span, identity);
      const bytes = Buffer.byteLength(text);
      const page = pageFor(HEADER_BYTES + bytes);
      page.writeDoubleLE(previous, used);
      page.writeUInt32LE(bytes, used + PREVIOUS_BYTES);
      page.write(text, used + HEADER_BYTES);
      const row = (pages.length - 1) * PAGE_BYTES + used;
      used += HEADER_BYTES + bytes;
      return row;
    },
    read(last, runId) {
      const rows: Row[] = [];
      for (let row = last; row >= 0; ) {
        const page = pages[Math.floor(row / PAGE_BYTES)];
        if (page === undefined) break;
        const at = row % PAGE_BYTES;
        const start = at + HEADER_BYTES;
        rows.push(decode(page.toString('utf8', start, start + page.readUInt32LE(at + PREVIOUS_BYTES)), runId));
        row = page.readDoubleLE(at);
      }
      return rows;
    },
  };
};
