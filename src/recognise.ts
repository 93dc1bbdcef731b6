import type { Adapter } from './adapters/adapter.js';
import { loadAdapters } from './adapters/index.js';
import type { OpenInput, Source } from './input.js';
import { createValueReader, isObject, type JsonObject } from './json-values.js';
import { BYTE_ORDER_MARK, NEWLINE } from './lines.js';

/** What the user says of the inputs: what they are, or that each is to be looked at. */
export type From = 'auto' | 'native' | string;

const HEAD_BYTES = 1 << 16;
/** One value may be all of a file: so much of it is read before it is given up. */
const MOST_HEAD_BYTES = 1 << 26;
const SAMPLE = 64;

/** A source that begins with bytes which have been taken from it already. */
const withHead = (head: Buffer, source: Source): Source => {
  let rest = head;
  return {
    read(into, at, length) {
      if (rest.length === 0) return source.read(into, at, length);
      const taken = rest.copy(into, at, 0, length);
      rest = rest.subarray(taken);
      return taken;
    },
    close: () => source.close(),
  };
};

/** The first bytes of a source: as many as asked for, or, of a source that may be slow, its first line. */
const readHead = async (source: Source, before: Buffer, length: number, isLineEnough: boolean): Promise<Buffer> => {
  const head = Buffer.alloc(length);
  let filled = before.copy(head);
  while (filled < length && !(isLineEnough && head.subarray(0, filled).includes(NEWLINE))) {
    const bytes = await source.read(head, filled, length - filled);
    if (bytes === 0) break;
    filled += bytes;
  }
  return head.subarray(0, filled);
};

const firstLine = (head: Buffer): string => {
  const start = head.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK) ? BYTE_ORDER_MARK.length : 0;
  let at = start;
  while (at < head.length && (head[at] ?? 0) <= 0x20) at += 1;
  const end = head.indexOf(NEWLINE, at);
  return head.toString('utf8', at, end < 0 ? head.length : end);
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

const isNative = (record: unknown): boolean =>
  isObject(record) &&
  ((typeof record['run_id'] === 'string' && record['run_id'] !== '') ||
    (record['type'] === 'contract' && !('payload' in record)));

/** The objects that stand whole in the first bytes of an input. */
const sampleOf = (head: Buffer, isAll: boolean): readonly JsonObject[] => {
  const sample: JsonObject[] = [];
  const reader = createValueReader({
    onObject: (value) => void (sample.length < SAMPLE && sample.push(value)),
    onFault() {},
  });
  reader.push(head);
  if (isAll) reader.end();
  return sample;
};

/** What an input is: native, or of a format; and the input as it is to be read then. */
export interface Recognised {
  readonly adapter: Adapter | undefined;
  readonly opened: OpenInput;
}

/** Finds out by its content what an input is. What nobody knows is native: its lines are then said to be none. */
export const recognise = async (opened: OpenInput, from: From): Promise<Recognised> => {
  if (from === 'native') return { adapter: undefined, opened };
  if (from !== 'auto') return { adapter: (await loadAdapters()).find(({ id }) => id === from), opened };
  const headOf = async (length: number, before: Buffer, isLineEnough: boolean): Promise<Buffer> =>
    opened.file?.peek(0, length) ?? (await readHead(opened.source, before, length, isLineEnough));
  let head = await headOf(HEAD_BYTES, Buffer.alloc(0), true);
  const isTaken = opened.file === undefined;
  const result = (adapter: Adapter | undefined): Recognised => ({
    adapter,
    opened: isTaken ? { ...opened, source: withHead(head, opened.source) } : opened,
  });
  // Most traces are native, and need nothing else to be loaded.
  if (head.length === 0 || isNative(parsed(firstLine(head)))) return result(undefined);
  const adapters = await loadAdapters();
  for (let wanted = HEAD_BYTES; ; wanted *= 4) {
    head = await headOf(wanted, head, false);
    const sample = sampleOf(head, head.length < wanted);
    if (sample.some(isNative)) return result(undefined);
    const adapter = adapters.find((each) => each.recognises(sample));
    if (adapter !== undefined || head.length < wanted || wanted >= MOST_HEAD_BYTES) return result(adapter);
    // A value may be longer than that, or say late what it is.
  }
};
