import type { Adapter, RunUnit } from './adapters/adapter.js';
import type { VolatileArgument, VolatileText } from './adapters/digest.js';
import type { ReasonTable } from './adapters/reasons.js';
import type { Input, OpenInput, Source } from './input.js';
import { type From, recognise } from './recognise.js';

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
 * Opens an input, and says whether it is to be read as it is or to be translated later.
 * @throws what the input fails with
 */
export const lookAt = async (
  input: Input,
  file: number,
  from: From,
): Promise<
  | { readonly kind: 'native' | 'unknown'; readonly opened: OpenInput }
  | { readonly kind: 'foreign'; readonly input: ForeignInput }
> => {
  const { adapter, isNative, opened, reopen } = await recognise(input, from);
  if (adapter === undefined) return { kind: isNative ? 'native' : 'unknown', opened };
  const { name } = input;
  if (reopen === undefined) return { kind: 'foreign', input: { file, name, adapter, open: () => opened.source } };
  // Thousands of files may be given: each is open only while it is read.
  opened.source.close();
  return { kind: 'foreign', input: { file, name, adapter, open: reopen } };
};
