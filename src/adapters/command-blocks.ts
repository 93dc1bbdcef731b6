const FENCE = '```';

interface Block {
  /** What stands behind the fence that opens it: the language. */
  readonly info: string;
  readonly body: string;
}

/** The fenced blocks of a message. */
const blocksIn = (text: string): readonly Block[] => {
  // Every other part stands between two fences; the last one, of an odd count, is not closed.
  const parts = text.split(FENCE);
  const isClosed = parts.length % 2 === 1;
  return parts
    .filter((_, index) => index % 2 === 1 && (isClosed || index < parts.length - 1))
    .map((part) => {
      const lineEnd = part.indexOf('\n');
      return { info: part.slice(0, Math.max(0, lineEnd)).trim(), body: part.slice(lineEnd + 1).trim() };
    });
};

/** The command that a model's message gives to be run: its last fenced block. */
export const commandIn = (text: string): string | undefined => blocksIn(text).at(-1)?.body || undefined;

/** The commands that a message gives in blocks of one of the languages. */
export const commandsIn = (text: string, languages: ReadonlySet<string>): readonly string[] =>
  blocksIn(text).flatMap(({ info, body }) => (languages.has(info) && body !== '' ? [body] : []));
