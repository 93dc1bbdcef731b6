import { parse } from 'shell-quote';

/** One simple command of a shell text, its words without their quotes. */
export interface ShellCommand {
  readonly words: readonly string[];
  /** The files that its output is redirected to. */
  readonly writes: readonly string[];
  /** What it reads, where the text itself says so: a heredoc or a here-string. */
  input: string | undefined;
  /** The command whose output it reads. */
  readonly before: ShellCommand | undefined;
}

/** What is known while the texts of one command are read, and how much may still be read. */
export interface ShellMemory {
  /** Characters that may still be read: what a hostile text makes of itself stays bounded. */
  left: number;
  depth: number;
  /** Too long or too deep: what was not read may be anything. */
  isUnreadable: boolean;
  /** The commands of each substitution; a word holds `markOf` its index in their place. */
  readonly substitutions: (readonly ShellCommand[])[];
  readonly variables: Map<string, string>;
}

// A private character, which `newMemory`'s caller takes out of the text, stands around the index.
export const MARK = '\uE000';
const markOf = (index: number): string => `${MARK}${index}${MARK}`;
/** The index of the substitution that the word consists of. */
export const markedIn = (word: string): number | undefined => {
  const digits = new RegExp(`^${MARK}(\\d+)${MARK}$`).exec(word)?.[1];
  return digits === undefined ? undefined : Number(digits);
};

/** Longer texts are not read. */
export const MAX_LENGTH = 64 * 1024;
const MAX_DEPTH = 24;
const MAX_VALUE = 128;

export const newMemory = (): ShellMemory => ({
  left: 2 * MAX_LENGTH,
  depth: 0,
  isUnreadable: false,
  substitutions: [],
  variables: new Map([['IFS', ' ']]),
});

interface Heredoc {
  readonly delimiter: string;
  readonly isQuoted: boolean;
  readonly stripsTabs: boolean;
}

/** A text, how far it is read, and the heredocs whose bodies begin after the next line end. */
interface Reader {
  readonly text: string;
  at: number;
  readonly memory: ShellMemory;
  bodies: { readonly heredoc: Heredoc; readonly command: ShellCommand }[];
}

/** A list of commands up to the end of the text or its closing bracket, and the command at hand. */
interface List {
  readonly found: ShellCommand[];
  readonly closes: boolean;
  readonly isArithmetic: boolean;
  /** What every pipeline of the list reads: the list stands behind a pipe itself. */
  readonly source: ShellCommand | undefined;
  /** Open `case` commands: their patterns end in brackets that close nothing. */
  cases: number;
  before: ShellCommand | undefined;
  last: ShellCommand | undefined;
  /** Raw words, their quotes on, and the raw word at hand. */
  raws: string[];
  word: string | undefined;
  redirect: string | undefined;
  writes: string[];
  input: string | undefined;
  heredocs: Heredoc[];
}

const newList = (closes: boolean, isArithmetic: boolean, source: ShellCommand | undefined): List => ({
  found: [],
  closes,
  isArithmetic,
  source,
  cases: 0,
  before: source,
  last: undefined,
  raws: [],
  word: undefined,
  redirect: undefined,
  writes: [],
  input: undefined,
  heredocs: [],
});

/** Words of the grammar that may stand before a command. */
const OPENERS: ReadonlySet<string> = new Set([
  'if',
  'then',
  'elif',
  'else',
  'while',
  'until',
  'do',
  '!',
  '{',
  'coproc',
]);
const ASSIGNMENT = /^([A-Za-z_]\w*)\+?=/;
const DECLARATIONS: ReadonlySet<string> = new Set(['export', 'local', 'readonly', 'declare', 'typeset']);

/** Where a command's name stands: behind the grammar's words and the variables that are set for it. */
export const nameIndex = (words: readonly string[]): number => {
  let index = 0;
  for (; index < words.length; index += 1) {
    const word = words[index] ?? '';
    if (word === 'function') index += 1;
    else if (!OPENERS.has(word) && !ASSIGNMENT.test(word)) break;
  }
  return index;
};

const QUOTING = /['"\\$]/;

/** What the shell makes of a raw word: nothing, one word, or several. */
const wordsOf = (raw: string, { variables }: ShellMemory): readonly string[] => {
  if (!QUOTING.test(raw)) return [raw];
  const lookUp = (name: string): string => variables.get(name) ?? `$${name}`;
  return parse(raw, lookUp, { splitUnquoted: true }).map((entry) => {
    if (typeof entry === 'string') return entry;
    return 'pattern' in entry ? entry.pattern : '';
  });
};

const setVariables = (words: readonly string[], memory: ShellMemory): void => {
  const isDeclared = DECLARATIONS.has(words[0] ?? '');
  if (!isDeclared && nameIndex(words) < words.length) return;
  for (const word of words) {
    const [prefix, name] = ASSIGNMENT.exec(word) ?? [];
    if (prefix === undefined || name === undefined) continue;
    const value = word.slice(prefix.length);
    // A value that grows by holding others is forgotten: what it hides stays unknown, and nothing explodes.
    if (value.length <= MAX_VALUE) memory.variables.set(name, value);
    else memory.variables.delete(name);
  }
};

const takeTarget = (raw: string, redirect: string, list: List, memory: ShellMemory): void => {
  const target = wordsOf(raw, memory).join(' ');
  if (redirect === '<<' || redirect === '<<-') {
    list.heredocs.push({ delimiter: target, isQuoted: QUOTING.test(raw), stripsTabs: redirect === '<<-' });
  } else if (redirect === '<<<' || (redirect === '<' && markedIn(target) !== undefined)) list.input = target;
  else if (redirect.includes('>')) list.writes.push(target);
};

const endWord = (list: List, memory: ShellMemory): void => {
  if (list.word === undefined) return;
  if (list.redirect === undefined) list.raws.push(list.word);
  else takeTarget(list.word, list.redirect, list, memory);
  list.word = undefined;
  list.redirect = undefined;
};

const endCommand = (reader: Reader, list: List): void => {
  const { memory } = reader;
  endWord(list, memory);
  const { raws, writes, input, before, heredocs } = list;
  if (raws.length > 0 || writes.length > 0 || heredocs.length > 0) {
    const words = raws.flatMap((raw) => wordsOf(raw, memory));
    const command: ShellCommand = { words, writes, input, before };
    setVariables(words, memory);
    const name = words[nameIndex(words)];
    if (name === 'case') list.cases += 1;
    else if (name === 'esac') list.cases = Math.max(0, list.cases - 1);
    list.found.push(command);
    list.last = command;
    list.before = list.source;
    for (const heredoc of heredocs) reader.bodies.push({ heredoc, command });
  }
  Object.assign(list, { raws: [], writes: [], input: undefined, heredocs: [], redirect: undefined });
};

const addAll = (found: ShellCommand[], commands: readonly ShellCommand[]): void => {
  for (const command of commands) found.push(command);
};

/** The rest of a text counts as unread from here on. */
const giveUp = (reader: Reader): void => {
  reader.memory.isUnreadable = true;
  reader.at = reader.text.length;
};

const readNested = (reader: Reader, list: List): readonly ShellCommand[] => {
  const { memory } = reader;
  if (memory.depth >= MAX_DEPTH) {
    giveUp(reader);
    return [];
  }
  memory.depth += 1;
  const found = readList(reader, list);
  memory.depth -= 1;
  return found;
};

const mark = (commands: readonly ShellCommand[], list: List, memory: ShellMemory): string => {
  addAll(list.found, commands);
  memory.substitutions.push(commands);
  return markOf(memory.substitutions.length - 1);
};

/** `$(…)`, `<(…)`, `>(…)`, from behind the bracket. */
const readSubstitution = (reader: Reader, list: List): string => {
  const isArithmetic = list.isArithmetic || reader.text[reader.at] === '(';
  return mark(readNested(reader, newList(true, isArithmetic, undefined)), list, reader.memory);
};

const BACKQUOTED = /`((?:[^`\\]|\\[\s\S])*)`?/y;
const readBackquoted = (reader: Reader, list: List): string => {
  BACKQUOTED.lastIndex = reader.at;
  const [whole = '`', inner = ''] = BACKQUOTED.exec(reader.text) ?? [];
  reader.at += whole.length;
  return mark(readShell(inner.replace(/\\([`\\$])/g, '$1'), reader.memory), list, reader.memory);
};

const NAME = /[A-Za-z_]\w*/y;
const nameAt = (text: string, at: number): string | undefined => {
  NAME.lastIndex = at;
  return NAME.exec(text)?.[0];
};
const DEFAULT = /^:?[-=]([\w./-]+)$/;

/** `${…}`: the variable, or the plain word that stands in for it; what is substituted inside is read. */
const readParameter = (reader: Reader, list: List): string => {
  reader.at += 2;
  const name = nameAt(reader.text, reader.at) ?? '';
  reader.at += name.length;
  const begin = reader.at;
  for (let depth = 1; depth > 0 && reader.at < reader.text.length; ) {
    const [here, next] = [reader.text[reader.at], reader.text[reader.at + 1]];
    if (here === '`') readBackquoted(reader, list);
    else if (here === '$' && next === '(') {
      reader.at += 2;
      readSubstitution(reader, list);
    } else {
      if (here === '}') depth -= 1;
      else if (here === '$' && next === '{') depth += 1;
      reader.at += here === '\\' || (here === '$' && next === '{') ? 2 : 1;
    }
  }
  const rest = reader.text.slice(begin, reader.at - 1);
  if (name === '') return '\\$';
  const other = rest.length > MAX_VALUE ? undefined : DEFAULT.exec(rest)?.[1];
  return other === undefined || reader.memory.variables.has(name) ? `\${${name}}` : other;
};

/** What a dollar sign begins. */
const readDollar = (reader: Reader, list: List): string => {
  const next = reader.text[reader.at + 1];
  if (next === '{') return readParameter(reader, list);
  if (next === '(') {
    reader.at += 2;
    return readSubstitution(reader, list);
  }
  const name = nameAt(reader.text, reader.at + 1);
  reader.at += 1 + (name?.length ?? 0);
  return name === undefined ? '\\$' : `\${${name}}`;
};

const PLAIN_IN_QUOTES = /[^"\\$`]+/y;
/** Text in double quotes, or a heredoc's: what is substituted in it is read, all else is text. */
const readQuoted = (reader: Reader, list: List, closes: boolean): string => {
  const pieces: string[] = [];
  while (reader.at < reader.text.length) {
    const here = reader.text[reader.at];
    PLAIN_IN_QUOTES.lastIndex = reader.at;
    const plain = PLAIN_IN_QUOTES.exec(reader.text)?.[0];
    if (here === '"' && closes) break;
    if (here === '$') pieces.push(readDollar(reader, list));
    else if (here === '`') pieces.push(readBackquoted(reader, list));
    else if (here === '\\') {
      const next = reader.text[reader.at + 1] ?? '\\';
      if (next !== '\n') pieces.push(here, next);
      reader.at += 2;
    } else {
      pieces.push(plain ?? '"');
      reader.at += plain?.length ?? 1;
    }
  }
  return pieces.join('');
};

const nextLine = (reader: Reader): string => {
  const end = reader.text.indexOf('\n', reader.at);
  const line = reader.text.slice(reader.at, end === -1 ? undefined : end);
  reader.at = end === -1 ? reader.text.length : end + 1;
  return line;
};

const readBody = (reader: Reader, { delimiter, stripsTabs }: Heredoc): string => {
  const lines: string[] = [];
  while (reader.at < reader.text.length) {
    const line = nextLine(reader).replace(/\r$/, '');
    const text = stripsTabs ? line.replace(/^\t+/, '') : line;
    if (text === delimiter) break;
    lines.push(text);
  }
  return lines.join('\n');
};

const readBodies = (reader: Reader, list: List): void => {
  const { bodies, memory } = reader;
  reader.bodies = [];
  for (const { heredoc, command } of bodies) {
    const body = readBody(reader, heredoc);
    command.input = body;
    if (!heredoc.isQuoted) readQuoted({ text: body, at: 0, memory, bodies: [] }, list, false);
  }
};

const append = (list: List, raw: string): void => {
  list.word = (list.word ?? '') + raw;
};

const startRedirect = (reader: Reader, list: List, sign: string): void => {
  // The number of the stream that is redirected.
  if (list.word !== undefined && /^\d+$/.test(list.word)) list.word = undefined;
  endWord(list, reader.memory);
  list.redirect = sign;
  reader.at += sign.length;
};

const REDIRECT = /&>>|&>|<<<|<<-|<<|<&|<>|<|>>|>&|>\||>/y;
const takeRedirect = (reader: Reader, list: List): void => {
  const { text, at } = reader;
  if (text[at + 1] === '(') {
    reader.at += 2;
    append(list, readSubstitution(reader, list));
    return;
  }
  REDIRECT.lastIndex = at;
  const sign = REDIRECT.exec(text)?.[0] ?? '<';
  startRedirect(reader, list, list.isArithmetic && sign.startsWith('<<') ? '<' : sign);
};

const ANSI_QUOTED = /\$'(?:[^'\\]|\\[\s\S])*'/y;

type Take = (reader: Reader, list: List) => void;

const takeSeparator: Take = (reader, list) => {
  endCommand(reader, list);
  reader.at += 1;
};

/** What each character that is more than itself does; all others are parts of words. */
const TAKES: ReadonlyMap<string, Take> = new Map<string, Take>([
  [';', takeSeparator],
  [
    '\n',
    (reader, list) => {
      takeSeparator(reader, list);
      readBodies(reader, list);
    },
  ],
  [
    '&',
    (reader, list) => {
      if (reader.text[reader.at + 1] === '>') takeRedirect(reader, list);
      else takeSeparator(reader, list);
    },
  ],
  [
    '|',
    (reader, list) => {
      endCommand(reader, list);
      const isOr = reader.text[reader.at + 1] === '|';
      if (!isOr) list.before = list.last;
      reader.at += isOr || reader.text[reader.at + 1] === '&' ? 2 : 1;
    },
  ],
  [
    '(',
    (reader, list) => {
      const source = list.before;
      endCommand(reader, list);
      list.before = list.source;
      reader.at += 1;
      const isArithmetic = list.isArithmetic || reader.text[reader.at] === '(';
      addAll(list.found, readNested(reader, newList(true, isArithmetic, source)));
      // Stands for the whole group where its output is read.
      list.last = { words: [')'], writes: [], input: undefined, before: source };
      list.found.push(list.last);
    },
  ],
  [')', takeSeparator],
  ['<', takeRedirect],
  ['>', takeRedirect],
  [
    '#',
    (reader, list) => {
      if (list.word === undefined) {
        const end = reader.text.indexOf('\n', reader.at);
        reader.at = end === -1 ? reader.text.length : end;
        return;
      }
      append(list, '\\#');
      reader.at += 1;
    },
  ],
  [
    '\\',
    (reader, list) => {
      const next = reader.text[reader.at + 1] ?? '\\';
      if (next !== '\n') append(list, `\\${next}`);
      reader.at += 2;
    },
  ],
  [
    "'",
    (reader, list) => {
      const end = reader.text.indexOf("'", reader.at + 1);
      const last = end === -1 ? reader.text.length : end;
      append(list, `'${reader.text.slice(reader.at + 1, last)}'`);
      reader.at = last + 1;
    },
  ],
  [
    '"',
    (reader, list) => {
      reader.at += 1;
      append(list, `"${readQuoted(reader, list, true)}"`);
      reader.at += 1;
    },
  ],
  [
    '$',
    (reader, list) => {
      ANSI_QUOTED.lastIndex = reader.at;
      const quoted = ANSI_QUOTED.exec(reader.text)?.[0];
      if (quoted !== undefined) {
        append(list, quoted);
        reader.at += quoted.length;
      } else append(list, readDollar(reader, list));
    },
  ],
  ['`', (reader, list) => append(list, readBackquoted(reader, list))],
  ...[' ', '\t', '\r'].map((space): [string, Take] => [
    space,
    (reader, list) => {
      endWord(list, reader.memory);
      reader.at += 1;
    },
  ]),
]);

const PLAIN = /[^;\n&|()<>#\\'"$` \t\r]+/y;

const isClosed = (reader: Reader, list: List): boolean => {
  if (!list.closes || reader.text[reader.at] !== ')' || list.cases > 0) return false;
  endWord(list, reader.memory);
  return list.raws[nameIndex(list.raws)] !== 'case';
};

const readList = (reader: Reader, list: List): readonly ShellCommand[] => {
  while (reader.at < reader.text.length && !isClosed(reader, list)) {
    PLAIN.lastIndex = reader.at;
    const plain = PLAIN.exec(reader.text)?.[0];
    if (plain === undefined) TAKES.get(reader.text[reader.at] ?? '')?.(reader, list);
    else {
      append(list, plain);
      reader.at += plain.length;
    }
  }
  endCommand(reader, list);
  reader.at += 1;
  return list.found;
};

/** The simple commands of a shell text, in the order in which they end; those of substitutions are among them. */
export const readShell = (text: string, memory: ShellMemory): readonly ShellCommand[] => {
  memory.left -= text.length;
  const reader: Reader = { text, at: 0, memory, bodies: [] };
  if (text.length > MAX_LENGTH || memory.left < 0) giveUp(reader);
  return readNested(reader, newList(false, false, undefined));
};
