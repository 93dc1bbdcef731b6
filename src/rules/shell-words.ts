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
  /** The commands of each substitution by the mark that a word holds in their place. */
  readonly substitutions: Map<string | undefined, readonly ShellCommand[]>;
  readonly variables: Map<string, string>;
}

/** A private character that the marks of substitutions stand in; `newMemory`'s caller takes it out of the text. */
export const MARK = '\uE000';

/** Longer texts are not read. */
export const MAX_LENGTH = 64 * 1024;
const MAX_DEPTH = 24;
const MAX_VALUE = 128;

export const newMemory = (): ShellMemory => ({
  left: 2 * MAX_LENGTH,
  depth: 0,
  isUnreadable: false,
  substitutions: new Map(),
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
  /** Raw words, their quotes on, and the raw word at hand: empty between words. */
  raws: string[];
  word: string;
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
  word: '',
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
  'function',
]);
const ASSIGNMENT = /^([A-Za-z_]\w*)\+?=/;
const DECLARATIONS: ReadonlySet<string | undefined> = new Set(['export', 'local', 'readonly', 'declare', 'typeset']);

/** Where a command's name stands: behind the grammar's words and the variables that are set for it. */
export const nameIndex = (words: readonly string[]): number => {
  const index = words.findIndex(
    (word, at) => !OPENERS.has(word) && !ASSIGNMENT.test(word) && words[at - 1] !== 'function',
  );
  return index === -1 ? words.length : index;
};

/** What a sticky pattern finds at a place: nothing where it does not fit. */
const textAt = (pattern: RegExp, text: string, at: number): string => {
  pattern.lastIndex = at;
  return pattern.exec(text)?.[0] ?? '';
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
  const index = nameIndex(words);
  if (index < words.length && !DECLARATIONS.has(words[index])) return;
  for (const word of words) {
    const name = ASSIGNMENT.exec(word)?.[1];
    if (name === undefined) continue;
    const value = word.slice(word.indexOf('=') + 1);
    // A value that grows by holding others is forgotten: what it hides stays unknown, and nothing explodes.
    if (value.length <= MAX_VALUE) memory.variables.set(name, value);
    else memory.variables.delete(name);
  }
};

const takeTarget = (raw: string, redirect: string, list: List, memory: ShellMemory): void => {
  const target = wordsOf(raw, memory).join(' ');
  if (redirect === '<<' || redirect === '<<-') {
    list.heredocs.push({ delimiter: target, isQuoted: QUOTING.test(raw), stripsTabs: redirect === '<<-' });
  } else if (redirect === '<<<' || (redirect === '<' && memory.substitutions.has(target))) list.input = target;
  else if (redirect.includes('>')) list.writes.push(target);
};

const endWord = (list: List, memory: ShellMemory): void => {
  if (list.word === '') return;
  if (list.redirect === undefined) list.raws.push(list.word);
  else takeTarget(list.word, list.redirect, list, memory);
  list.word = '';
  list.redirect = undefined;
};

const CASES: ReadonlyMap<string | undefined, number> = new Map([
  ['case', 1],
  ['esac', -1],
]);
/** What a command adds to the open `case` commands; a word in quotes is no word of the grammar. */
const casesOpenedBy = (raws: readonly string[]): number => CASES.get(raws[nameIndex(raws)]) ?? 0;

const endCommand = (reader: Reader, list: List): void => {
  const { memory } = reader;
  endWord(list, memory);
  const { raws, writes, input, before, heredocs } = list;
  if (raws.length > 0 || writes.length > 0 || heredocs.length > 0) {
    const words = raws.flatMap((raw) => wordsOf(raw, memory));
    const command: ShellCommand = { words, writes, input, before };
    setVariables(words, memory);
    list.cases += casesOpenedBy(raws);
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
  const marked = `${MARK}${memory.substitutions.size}${MARK}`;
  memory.substitutions.set(marked, commands);
  return marked;
};

/** `$(…)`, `<(…)`, `>(…)`, from behind the bracket. */
const readSubstitution = (reader: Reader, list: List): string => {
  const isArithmetic = list.isArithmetic || reader.text[reader.at] === '(';
  return mark(readNested(reader, newList(true, isArithmetic, undefined)), list, reader.memory);
};

const BACKQUOTED = /(?:[^`\\]|\\[\s\S])*/y;
const readBackquoted = (reader: Reader, list: List): string => {
  const inner = textAt(BACKQUOTED, reader.text, reader.at + 1);
  reader.at += inner.length + 2;
  return mark(readShell(inner.replace(/\\([`\\$])/g, '$1'), reader.memory), list, reader.memory);
};

const NAME = /[A-Za-z_]\w*/y;
/** A variable in a raw word; without a name the dollar sign is text. */
const variable = (name: string): string => (name === '' ? '\\$' : `\${${name}}`);
const DEFAULT = /^:?[-=]([\w./-]+)$/;

/** `${…}`: the variable, or the plain word that stands in for it; what is substituted inside is read. */
const readParameter = (reader: Reader, list: List): string => {
  const { text, memory } = reader;
  reader.at += 2;
  const name = textAt(NAME, text, reader.at);
  reader.at += name.length;
  const begin = reader.at;
  for (let depth = 1; depth > 0 && reader.at < text.length; ) {
    const [here, next] = [text[reader.at], text[reader.at + 1]];
    if (here === '`') readBackquoted(reader, list);
    else if (here === '$' && next === '(') {
      reader.at += 2;
      readSubstitution(reader, list);
    } else {
      if (here === '}') depth -= 1;
      else if (here === '$' && next === '{') depth += 1;
      reader.at += here === '\\' ? 2 : 1;
    }
  }
  if (memory.variables.has(name)) return variable(name);
  return DEFAULT.exec(text.slice(begin, reader.at - 1))?.[1] ?? variable(name);
};

/** What a dollar sign begins. */
const readDollar = (reader: Reader, list: List): string => {
  const next = reader.text[reader.at + 1];
  if (next === '{') return readParameter(reader, list);
  if (next === '(') {
    reader.at += 2;
    return readSubstitution(reader, list);
  }
  const name = textAt(NAME, reader.text, reader.at + 1);
  reader.at += 1 + name.length;
  return variable(name);
};

/** A backslash and what it stands before: nothing where it joins two lines. */
const readEscape = (reader: Reader): string => {
  const pair = reader.text.slice(reader.at, reader.at + 2);
  reader.at += 2;
  return pair === '\\\n' ? '' : pair;
};

// The first may be a quote: in a heredoc, it is text.
const PLAIN_IN_QUOTES = /[\s\S][^"\\$`]*/y;
/** Text in double quotes, or a heredoc's: what is substituted in it is read, all else is text. */
const readQuoted = (reader: Reader, list: List, closes: boolean): string => {
  const pieces: string[] = [];
  while (reader.at < reader.text.length) {
    const here = reader.text[reader.at];
    if (here === '"' && closes) break;
    if (here === '$') pieces.push(readDollar(reader, list));
    else if (here === '`') pieces.push(readBackquoted(reader, list));
    else if (here === '\\') pieces.push(readEscape(reader));
    else {
      const plain = textAt(PLAIN_IN_QUOTES, reader.text, reader.at);
      pieces.push(plain);
      reader.at += plain.length;
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
  let body = '';
  while (reader.at < reader.text.length) {
    const line = nextLine(reader).replace(/\r$/, '');
    const text = stripsTabs ? line.replace(/^\t+/, '') : line;
    if (text === delimiter) break;
    body += `${text}\n`;
  }
  return body;
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

const REDIRECT = /&>>|&>|<<<|<<-|<<|<&|<>|<|>>|>&|>\||>/y;
const takeRedirect = (reader: Reader, list: List): void => {
  const { text, at } = reader;
  if (text[at + 1] === '(') {
    reader.at += 2;
    list.word += readSubstitution(reader, list);
    return;
  }
  const sign = textAt(REDIRECT, text, at);
  // The number of the stream that is redirected.
  if (/^\d+$/.test(list.word)) list.word = '';
  endWord(list, reader.memory);
  list.redirect = list.isArithmetic && sign.startsWith('<<') ? '<' : sign;
  reader.at += sign.length;
};

const ANSI_QUOTED = /\$'(?:[^'\\]|\\[\s\S])*'/y;

type Take = (reader: Reader, list: List) => void;

const takeSeparator: Take = (reader, list) => {
  endCommand(reader, list);
  reader.at += 1;
};

/** What each character that is more than itself does; all others are parts of words. */
const TAKES: ReadonlyMap<string | undefined, Take> = new Map<string, Take>([
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
      reader.at += isOr ? 2 : 1;
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
      if (list.word === '') {
        const end = reader.text.indexOf('\n', reader.at);
        reader.at = end === -1 ? reader.text.length : end;
        return;
      }
      list.word += '\\#';
      reader.at += 1;
    },
  ],
  [
    '\\',
    (reader, list) => {
      list.word += readEscape(reader);
    },
  ],
  [
    "'",
    (reader, list) => {
      const end = reader.text.indexOf("'", reader.at + 1);
      const last = end === -1 ? reader.text.length : end;
      list.word += `'${reader.text.slice(reader.at + 1, last)}'`;
      reader.at = last + 1;
    },
  ],
  [
    '"',
    (reader, list) => {
      reader.at += 1;
      list.word += `"${readQuoted(reader, list, true)}"`;
      reader.at += 1;
    },
  ],
  [
    '$',
    (reader, list) => {
      const quoted = textAt(ANSI_QUOTED, reader.text, reader.at);
      reader.at += quoted.length;
      list.word += quoted || readDollar(reader, list);
    },
  ],
  [
    '`',
    (reader, list) => {
      list.word += readBackquoted(reader, list);
    },
  ],
  ...[' ', '\t', '\r'].map((space): [string, Take] => [
    space,
    (reader, list) => {
      endWord(list, reader.memory);
      reader.at += 1;
    },
  ]),
]);

const PLAIN = /[^;\n&|()<>#\\'"$` \t\r]+/y;
const takePlain: Take = (reader, list) => {
  const plain = textAt(PLAIN, reader.text, reader.at);
  list.word += plain;
  reader.at += plain.length;
};

const isClosed = (reader: Reader, list: List): boolean => {
  if (!list.closes || reader.text[reader.at] !== ')') return false;
  endWord(list, reader.memory);
  return list.cases + casesOpenedBy(list.raws) <= 0;
};

const readList = (reader: Reader, list: List): readonly ShellCommand[] => {
  while (reader.at < reader.text.length && !isClosed(reader, list)) {
    (TAKES.get(reader.text[reader.at]) ?? takePlain)(reader, list);
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
