import { type LinePlace, NO_FIELDS, NO_SECRETS, REASON_LENGTH, type Span } from '../span.js';
import type { Kernel } from './kernel.js';
import { KEY_CODES } from './keys.js';

// Types, names and statuses come again and again: most are found by their bytes instead of being made anew.
const KNOWN_WORDS = 1 << 10;
const LONGEST_WORD = 24;

/** Texts of the kernel's memory, all of them ASCII. */
const wordReader = () => {
  const known: string[] = new Array(KNOWN_WORDS).fill('');
  const isAt = (word: string, bytes: Buffer, at: number, length: number): boolean => {
    if (word.length !== length) return false;
    for (let index = 0; index < length; index += 1) if (word.charCodeAt(index) !== bytes[at + index]) return false;
    return true;
  };
  return (bytes: Buffer, at: number, length: number): string => {
    if (length === 0) return '';
    if (length > LONGEST_WORD) return bytes.toString('latin1', at, at + length);
    const first = bytes[at] ?? 0;
    const last = bytes[at + length - 1] ?? 0;
    const slot = (first * 31 + last * 7 + length) % KNOWN_WORDS;
    const word = known[slot] ?? '';
    if (isAt(word, bytes, at, length)) return word;
    const fresh = bytes.toString('latin1', at, at + length);
    known[slot] = fresh;
    return fresh;
  };
};

/** Reads lines without rare keys, which the kernel has read before, as spans: nothing of them goes through JSON. */
export const rowSpans = ({ call, bytes, words, doubles }: Kernel) => {
  const wordAt = wordReader();
  const texts = call.texts.value >>> 2;
  const row = call.row.value;
  const numbers = row >>> 3;
  const marks = (row + 32) >>> 2;
  const HAS_SEQ = call.HAS_SEQ.value;
  const HAS_MONO = call.HAS_MONO.value;
  const HAS_EXIT_CODE = call.HAS_EXIT_CODE.value;
  const lengthOf = (memory: Uint32Array, key: number): number => memory[texts + 2 * key + 1] ?? 0;

  /** @param runId the run's id, where it is known */
  return (start: number, place: LinePlace, runId: string | undefined): Span => {
    call.readRow(start);
    const memory = bytes();
    const lines = words();
    const values = doubles();
    const mark = lines[marks] ?? 0;
    const iter = values[numbers + 3] ?? -1;
    /** A text that comes again in other lines, and one that does not. */
    const word = (key: number): string | undefined => {
      const at = lines[texts + 2 * key] ?? 0;
      return at === 0 ? undefined : wordAt(memory, at, lengthOf(lines, key));
    };
    const text = (key: number): string | undefined => {
      const at = lines[texts + 2 * key] ?? 0;
      return at === 0 ? undefined : memory.toString('latin1', at, at + lengthOf(lines, key));
    };
    return {
      file: place.file,
      line: place.line,
      position: place.position,
      runId: runId ?? text(KEY_CODES.run_id) ?? '',
      seq: (mark & HAS_SEQ) === 0 ? undefined : values[numbers],
      type: word(KEY_CODES.type) ?? '',
      iter: iter < 0 ? undefined : iter,
      name: word(KEY_CODES.name),
      argsHash: text(KEY_CODES.args_hash),
      resultHash: text(KEY_CODES.result_hash),
      ts: text(KEY_CODES.ts),
      monoMs: (mark & HAS_MONO) === 0 ? undefined : values[numbers + 1],
      spanId: text(KEY_CODES.span_id),
      hasGoal: lengthOf(lines, KEY_CODES.goal) !== 0,
      contract: undefined,
      status: word(KEY_CODES.status),
      exitCode: (mark & HAS_EXIT_CODE) === 0 ? undefined : values[numbers + 2],
      effect: word(KEY_CODES.effect),
      retry: undefined,
      round: undefined,
      emitter: word(KEY_CODES.emitter),
      reason: text(KEY_CODES.reason)?.slice(0, REASON_LENGTH),
      successorRun: undefined,
      detail: undefined,
      claim: undefined,
      isInferred: false,
      lastSeq: undefined,
      count: undefined,
      tokensIn: values[numbers + 5] ?? 0,
      tokensCached: values[numbers + 6] ?? 0,
      tokensOut: values[numbers + 7] ?? 0,
      tokensAux: values[numbers + 8] ?? 0,
      details: undefined,
      fields: NO_FIELDS,
      secrets: NO_SECRETS,
    };
  };
};
