import type { Adapter, RunUnit } from './adapters/adapter.js';
import type { VolatileArgument, VolatileText } from './adapters/digest.js';
import type { ReasonTable } from './adapters/reasons.js';
import { recordSecrets } from './faults.js';
import type { Input, OpenInput, Source } from './input.js';
import { createValueReader } from './json-values.js';
import { NEWLINE } from './lines.js';
import { type From, recognise } from './recognise.js';
import type { Wanted } from './span.js';
import type { TraceListener } from './trace.js';

/** An input of a foreign format. */
export interface ForeignInput {
  /** Indexes the inputs. */
  readonly file: number;
  readonly name: string;
  readonly adapter: Adapter;
  /** @throws what the file system says */
  open(): Source | Promise<Source>;
}

/** What the user's config says of foreign formats. */
export interface Wishes {
  readonly reasons: ReasonTable;
  readonly volatile: { readonly args: readonly VolatileArgument[]; readonly results: readonly VolatileText[] };
}
export const NO_WISHES: Wishes = { reasons: new Map(), volatile: { args: [], results: [] } };

/** The same, and what a run is. */
export interface TranslationOptions extends Wishes {
  readonly unit: RunUnit;
}

/**
 * Opens an input, and says whether it is to be read as it is or to be translated later; or that it is all JSON of no
 * known format, printed over several lines.
 * @throws what the input fails with
 */
export const lookAt = async (
  input: Input,
  file: number,
  from: From,
): Promise<
  | { readonly kind: 'native' | 'unknown'; readonly opened: OpenInput }
  | { readonly kind: 'printed'; readonly opened: OpenInput; readonly bytes: Buffer }
  | { readonly kind: 'foreign'; readonly input: ForeignInput }
> => {
  const { adapter, isNative, printed, opened, reopen } = await recognise(input, from);
  if (printed !== undefined) return { kind: 'printed', opened, bytes: printed };
  if (adapter === undefined) return { kind: isNative ? 'native' : 'unknown', opened };
  const { name } = input;
  if (reopen === undefined) return { kind: 'foreign', input: { file, name, adapter, open: () => opened.source } };
  // Thousands of files may be given: each is open only while it is read.
  opened.source.close();
  return { kind: 'foreign', input: { file, name, adapter, open: reopen } };
};

const printedText = (bytes: Buffer): string => {
  let lines = bytes.at(-1) === NEWLINE ? 0 : 1;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) lines += 1;
  return `JSON of no known format, printed over several lines: its ${lines} lines are left out; terminal-contract formats lists what can be read`;
};

/** Says once of JSON that nobody knows that it is not judged; credentials in it are looked for all the same. */
export const refusePrinted = (
  bytes: Buffer,
  file: number,
  { onFault, onMiss }: Pick<TraceListener, 'onFault' | 'onMiss'>,
  wanted: Wanted,
): void => {
  onMiss(file, 'unreadable-input', printedText(bytes));
  if (wanted.secretsIn === undefined) return;
  const look = (text: string, value: unknown, line: number): void => {
    for (const fault of recordSecrets(text, value, wanted)) onFault(file, fault, line);
  };
  let hasMore = false;
  const reader = createValueReader({
    onObject() {},
    onText: look,
    onFault() {
      hasMore = true;
    },
  });
  reader.push(bytes);
  reader.end();
  // What stands beside objects is no record, and may hold one as well.
  if (hasMore) look(bytes.toString('utf8'), undefined, 1);
};
