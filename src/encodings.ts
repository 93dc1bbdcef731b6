import type { Encoding } from './decoders.js';

/** What an input begins with that is wrapped in something. */
const MARKS: readonly (readonly [Encoding, Buffer])[] = [
  ['gzip', Buffer.from([0x1f, 0x8b])],
  ['zstd', Buffer.from([0x28, 0xb5, 0x2f, 0xfd])],
  ['zip', Buffer.from('PK\x03\x04')],
  ['utf-16le', Buffer.from([0xff, 0xfe])],
  ['utf-16be', Buffer.from([0xfe, 0xff])],
];
/** Brotli has no mark. */
const BROTLI = /\.br$/i;

const beginsWith = (head: Buffer, mark: Buffer): boolean => head.subarray(0, mark.length).equals(mark);

/** What an input is wrapped in, by its first bytes and its name; undefined where it is in nothing. */
export const encodingOf = (head: Buffer, name: string): Encoding | undefined =>
  MARKS.find(([, mark]) => beginsWith(head, mark))?.[0] ?? (BROTLI.test(name) ? 'brotli' : undefined);

const SQLITE = Buffer.from('SQLite format 3\0');
const LOOKED_AT = 64;
/** How protobuf begins: its first field, or, as the collector writes it, the length of what follows. */
const FIRST_FIELD = 0x0a;
const FIRST_FIELD_AFTER_LENGTH = 4;

const isProtobuf = (head: Buffer): boolean => {
  const at = head[0] === 0 && head[1] === 0 ? FIRST_FIELD_AFTER_LENGTH : 0;
  const next = head.subarray(at + 1, LOOKED_AT);
  return head[at] === FIRST_FIELD && next.some((byte) => byte > 0 && byte < 0x09);
};

/** Why an input can be no trace, by its first bytes, and what to do; undefined where it may be one. */
export const refusalOf = (head: Buffer): string | undefined => {
  if (beginsWith(head, SQLITE)) {
    return 'it is a SQLite database; export what it holds first: hermes sessions export, or opencode export';
  }
  return isProtobuf(head)
    ? 'it is binary, and no JSON; where it is OTLP in protobuf, have the file exporter write format: json'
    : undefined;
};
