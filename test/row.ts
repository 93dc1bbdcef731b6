/** What a trace shows of a rule, as a test. */
export interface Row {
  readonly rule: string;
  /** What the row shows. */
  readonly shows: string;
  readonly words: string;
  readonly finds: boolean;
  readonly config?: object;
  readonly partial?: boolean;
}

/** As many words as asked for, one after the other. */
export const many = (length: number, word: (index: number) => string): string =>
  Array.from({ length }, (_, index) => word(index)).join(' ');
