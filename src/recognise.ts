import { isUtf8 } from 'node:buffer';
import type { Adapter } from './adapters/adapter.js';
import { FORMAT_IDS, type FormatId, loadAdapters } from './adapters/index.js';
import { decode, type Encoding } from './decoders.js';
import { encodingOf, refusalOf } from './encodings.js';
import { type Input, InputRefused, type OpenInput, type Source } from './input.js';
import { createValueReader, isObject, type JsonObject } from './json-values.js';
import { BYTE_ORDER_MARK, NEWLINE } from './lines.js';

/** What the user says of the inputs: what they are, or that each is to be looked at. */
export type From = 'auto' | 'native' | FormatId;
export const FROM: readonly From[] = ['auto', 'native', ...FORMAT_IDS];

const HEAD_BYTES = 1 << 16;
/** One value may be all of a file: so much of it is read before it is given up. */
const MOST_HEAD_BYTES = 1 << 26;
const SAMPLE = 64;
/** What stands before the first value is white space, if not much of it. */
const LOOKED_AT = 1 << 10;

/** A source whose first bytes can be looked at before it is read. What it fails with meanwhile is heard by its reader. */
const lookInto = (source: Source) => {
  let head: Buffer = Buffer.alloc(0);
  let taken = 0;
  let failure: { readonly error: unknown } | undefined;
  return {
    /** At least so many of its first bytes, where it has them; where it may be slow, its first line is enough. */
    async peek(length: number, isLineEnough: boolean): Promise<Buffer> {
      const larger = Buffer.alloc(length);
      let filled = head.copy(larger);
      while (filled < length && !(isLineEnough && larger.subarray(0, filled).includes(NEWLINE))) {
        try {
          const bytes = await source.read(larger, filled, length - filled);
          if (bytes === 0) break;
          filled += bytes;
        } catch (error) {
          failure = { error };
          break;
        }
      }
      head = larger.subarray(0, filled);
      return head;
    },
    source: {
      read(into, at, length) {
        if (taken < head.length) {
          const bytes = head.copy(into, at, taken, taken + length);
          taken += bytes;
          return bytes;
        }
        if (failure !== undefined) throw failure.error;
        return source.read(into, at, length);
      },
      close: () => source.close(),
    } satisfies Source,
  };
};

/** A source without what it is wrapped in, which it closes with itself. */
const decoded = async (encoding: Encoding, wrapped: Source): Promise<Source> => {
  try {
    const source = await decode(encoding, wrapped);
    return {
      read: (into, at, length) => source.read(into, at, length),
      close() {
        source.close();
        wrapped.close();
      },
    };
  } catch (error) {
    wrapped.close();
    throw error;
  }
};

const isMarked = (head: Buffer): boolean => head.subarray(0, BYTE_ORDER_MARK.length).equals(BYTE_ORDER_MARK);

const firstLine = (head: Buffer): string => {
  let at = isMarked(head) ? BYTE_ORDER_MARK.length : 0;
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

const isNativeRecord = (record: unknown): boolean =>
  isObject(record) &&
  ((typeof record['run_id'] === 'string' && record['run_id'] !== '') ||
    (record['type'] === 'contract' && !('payload' in record)));

/** Whether what begins here may be a long value. */
const mayGoOn = (head: Buffer): boolean => /^\ufeff?\s*[[{]/.test(head.toString('utf8', 0, LOOKED_AT));

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

/** Whether an input, all of it, is JSON that is printed over several lines, and none of it native. */
const isPrinted = (all: Buffer): boolean => {
  if (!isUtf8(all) || parsed(firstLine(all)) !== undefined) return false;
  const value = parsed(all.toString('utf8', isMarked(all) ? BYTE_ORDER_MARK.length : 0));
  if (value !== undefined) return ![value].flat().some(isNativeRecord);
  let goesOn = false;
  let isOther = false;
  const reader = createValueReader({
    onObject(record) {
      isOther ||= isNativeRecord(record);
    },
    onText(text) {
      goesOn ||= text.includes('\n');
    },
    onFault() {
      isOther = true;
    },
  });
  reader.push(all);
  reader.end();
  return goesOn && !isOther;
};

/** What an input is, and how it is to be read then. */
export interface Recognised {
  /** Undefined where it is native, or nobody knows it. */
  readonly adapter: Adapter | undefined;
  /** Whether it is native beyond doubt, or was said to be. */
  readonly isNative: boolean;
  readonly opened: OpenInput;
  /** All of it, where it is JSON of no known format, printed over several lines. */
  readonly printed: Buffer | undefined;
  /** Its bytes from the beginning on once more; undefined where they can be had only once. */
  readonly reopen: (() => Source | Promise<Source>) | undefined;
}

/** Bytes of an input, as far as they are looked at. */
interface Looked {
  readonly opened: OpenInput;
  readonly reopen: Recognised['reopen'];
  readonly head: Buffer;
  /** More of it: at least so many bytes, where it has them. */
  more(length: number): Promise<Buffer>;
}

/** Looks at the first bytes of an input, which it still has afterwards; what it is wrapped in is taken off. */
const look = async (opened: OpenInput, reopen: Recognised['reopen'], name: string): Promise<Looked> => {
  const { file, source } = opened;
  const looked = lookInto(source);
  const peek = async (length: number, isLineEnough: boolean): Promise<Buffer> =>
    file?.peek(0, length) ?? (await looked.peek(length, isLineEnough));
  const head = await peek(HEAD_BYTES, true);
  const rewound: OpenInput = file === undefined ? { ...opened, source: looked.source } : opened;
  const encoding = encodingOf(head, name);
  if (encoding !== undefined) {
    const unwrapped = await decoded(encoding, rewound.source);
    const again = reopen && (async () => decoded(encoding, await reopen()));
    return look({ source: unwrapped, again: undefined, file: undefined }, again, '');
  }
  const refusal = refusalOf(head);
  if (refusal !== undefined) throw new InputRefused(refusal);
  return { opened: rewound, reopen, head, more: (length) => peek(length, false) };
};

/** Finds out by its content what an input is. */
export const recognise = async ({ name, open }: Input, from: From): Promise<Recognised> => {
  const first = open();
  const { again } = first;
  const { opened, reopen, head, more } = await look(first, again && (() => again(0)), name);
  const result = (adapter: Adapter | undefined, isNative: boolean, printed?: Buffer): Recognised => ({
    adapter,
    isNative,
    printed,
    opened,
    reopen,
  });
  if (from === 'native') return result(undefined, true);
  if (from !== 'auto')
    return result(
      (await loadAdapters()).find(({ id }) => id === from),
      false,
    );
  // Most traces are native, and need nothing else to be loaded.
  if (isNativeRecord(parsed(firstLine(head)))) return result(undefined, true);
  if (head.length === 0) return result(undefined, false);
  const adapters = await loadAdapters();
  for (let wanted = HEAD_BYTES; ; wanted *= 4) {
    const seen = await more(wanted);
    const sample = sampleOf(seen, seen.length < wanted);
    if (sample.some(isNativeRecord)) return result(undefined, true);
    const adapter = adapters.find((each) => each.recognises(sample));
    const isAll = seen.length < wanted;
    // A value may be longer than that, or say late what it is.
    if (adapter !== undefined || !mayGoOn(seen)) return result(adapter, false);
    if (isAll && isPrinted(seen)) return result(undefined, false, seen);
    if (isAll || wanted >= MOST_HEAD_BYTES) return result(undefined, false);
  }
};
