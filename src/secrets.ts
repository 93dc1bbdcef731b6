import type { SecretLintRuleContext, SecretLintSourceCode } from '@secretlint/types';
import type { Secret, SecretsIn } from './span.js';

const PREFIX = '@secretlint/secretlint-rule-';
/** It would let a comment in the text switch off the others. */
const COMMENTS = `${PREFIX}filter-comments`;

// Characters that are looked at together, and how many of them once more with the next ones: more than any credential
// that the detectors know has.
const PIECE = 1 << 16;
const OVERLAP = 1 << 14;
/** Between texts that are looked at together: no pattern goes over both a NUL and a line end. */
const BETWEEN = '\0\n';
const LONGEST_KEY = 64;
const DEEPEST = 8;

/** A value in a line: its key, and what holds it; undefined in the outermost object. */
interface Spot {
  readonly parent: Spot | undefined;
  readonly key: string | number;
  readonly value: unknown;
}

function* childrenOf(value: unknown, parent: Spot | undefined): Generator<Spot> {
  if (typeof value !== 'object' || value === null) return;
  if (Array.isArray(value)) for (const [key, item] of value.entries()) yield { parent, key, value: item };
  else for (const [key, member] of Object.entries(value)) yield { parent, key, value: member };
}

/** Every value in a value, as they are written; without recursion, for a line may be nested as deep as it is long. */
function* spotsIn(value: unknown): Iterable<Spot> {
  const open = [childrenOf(value, undefined)];
  for (let children = open.at(-1); children !== undefined; children = open.at(-1)) {
    const next = children.next();
    if (next.done) {
      open.pop();
      continue;
    }
    yield next.value;
    open.push(childrenOf(next.value.value, next.value));
  }
}

/** What a detector is shown of a value: a string beside its key, as some tell a credential by its name. */
const textOf = ({ key, value }: Spot): string => {
  const text = typeof value === 'string' ? value : '';
  return typeof key === 'number' ? text : `${key}: ${text}`;
};

/** The kinds of the credentials in a text. */
type KindsIn = (text: string) => readonly string[];

// A key may hold a credential, or the half of one that a detector does not know without the other.
const NAME = /^[\w .-]*$/;
const RANDOM = /(?=[A-Za-z]*\d)[A-Za-z\d]{16}/;
const isName = (key: string): boolean => key.length <= LONGEST_KEY && NAME.test(key) && !RANDOM.test(key);

/** Where a value stands; a key that may be more than a name is not said. */
const fieldOf = (spot: Spot, kindsIn: KindsIn): string => {
  const keys: (string | number)[] = [];
  for (let at: Spot | undefined = spot; at !== undefined; at = at.parent) keys.push(at.key);
  const parts = keys
    .toReversed()
    .slice(0, DEEPEST)
    .map((key, index) => {
      if (typeof key === 'number') return `[${key}]`;
      if (!isName(key) || kindsIn(key).length > 0) return '[…]';
      return /^[A-Za-z_]\w*$/.test(key) ? `${index === 0 ? '' : '.'}${key}` : `[${JSON.stringify(key)}]`;
    });
  return `${parts.join('')}${keys.length > DEEPEST ? '…' : ''}`;
};

/** Finds where kinds of credentials first stand among values: the more of them are looked at together, the less it costs. */
const place = (spots: readonly Spot[], kindsIn: KindsIn, fields: Map<string, string | undefined>): void => {
  const kinds = kindsIn(spots.map(textOf).join(BETWEEN)).filter((kind) => !fields.has(kind));
  if (kinds.length === 0) return;
  const [only, ...others] = spots;
  if (only !== undefined && others.length === 0) {
    for (const kind of kinds) fields.set(kind, fieldOf(only, kindsIn));
    return;
  }
  const half = spots.length >> 1;
  place(spots.slice(0, half), kindsIn, fields);
  place(spots.slice(half), kindsIn, fields);
};

const placeAll = (value: unknown, kindsIn: KindsIn): Map<string, string | undefined> => {
  const fields = new Map<string, string | undefined>();
  let spots: Spot[] = [];
  let length = 0;
  for (const spot of spotsIn(value)) {
    spots.push(spot);
    length += textOf(spot).length + BETWEEN.length;
    if (length < PIECE) continue;
    place(spots, kindsIn, fields);
    spots = [];
    length = 0;
  }
  place(spots, kindsIn, fields);
  return fields;
};

const NONE: readonly never[] = [];

// What a backslash and a character stand for, where it is not the character itself.
const ESCAPED: ReadonlyMap<string, string> = new Map([
  ['b', '\b'],
  ['f', '\f'],
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
]);
/** A line, JSON or nearly so, as its strings read. */
const unescaped = (text: string): string =>
  text.replace(/\\(?:u([\da-fA-F]{4})|(.))/gs, (_escape, code: string | undefined, character: string) =>
    code === undefined ? (ESCAPED.get(character) ?? character) : String.fromCharCode(Number.parseInt(code, 16)),
  );

/** Strings in strings that are read: JSON in JSON in JSON. */
const ROUNDS = 4;
// A string ends here, and not a key.
const STRING_END = /"(?=[ \t\r\n]*[,}\]])/g;
/** The text so that no pattern goes over the end of a string: what it would hide, or make up, stands in two fields. */
const separated = (text: string): string => text.replace(STRING_END, `"${BETWEEN}`);

/** Looks at a text as it is written, and as the strings in it read, and the strings in those. */
const readThrough =
  (kindsIn: KindsIn): KindsIn =>
  (text) => {
    const kinds = new Set(kindsIn(separated(text)));
    let read = text;
    for (let round = 1; round < ROUNDS && read.includes('\\'); round += 1) {
      read = unescaped(read);
      for (const kind of kindsIn(separated(read))) kinds.add(kind);
    }
    return kinds.size === 0 ? NONE : [...kinds];
  };

const secretsBy =
  (kindsIn: KindsIn): SecretsIn =>
  (text, value) => {
    const written = kindsIn(text);
    if (written.length === 0) return NONE;
    const fields = placeAll(value, kindsIn);
    // A key that stands twice has one value; the other one is in the text alone.
    for (const kind of written) if (!fields.has(kind)) fields.set(kind, undefined);
    return Array.from(fields, ([kind, field]): Secret => ({ kind, field }));
  };

/** Loads the detectors, and gives what finds credentials by them. */
export const loadSecretsIn = async (): Promise<SecretsIn> => {
  const { rules } = await import('@secretlint/secretlint-rule-preset-recommend');
  const found = new Set<string>();
  const detectors = rules
    .filter(({ meta }) => meta.id !== COMMENTS)
    .map(({ meta, create }) => {
      const detector = meta.id.replace(PREFIX, '');
      const context: SecretLintRuleContext = {
        sharedOptions: {},
        // The texts of the messages would quote the credential.
        createTranslator: () => (messageId) => ({ message: '', messageId: String(messageId), data: undefined }),
        report: ({ message }) => void found.add(`${detector}/${message.messageId}`),
        ignore() {},
      };
      return create(context, {});
    });
  const look = (content: string): void => {
    // Of a text that is no file, detectors read no more than this.
    const source = { content, contentType: 'text', ext: '', filePath: '' } as SecretLintSourceCode;
    for (const detector of detectors) detector.file?.(source);
  };
  const kindsIn = (text: string): readonly string[] => {
    found.clear();
    try {
      look(text);
    } catch (error) {
      // Some patterns need more of the stack the longer the text is.
      if (!(error instanceof RangeError)) throw error;
      for (let at = 0; at < text.length; at += PIECE - OVERLAP) look(text.slice(at, at + PIECE));
    }
    return found.size === 0 ? NONE : [...found];
  };
  return secretsBy(readThrough(kindsIn));
};
