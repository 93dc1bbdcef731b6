/** A workflow command as the runner of GitHub Actions reads one. */
export interface Command {
  readonly name: string;
  readonly properties: ReadonlyMap<string, string>;
  readonly message: string;
}

const MARKS: readonly (readonly [string, string])[] = [
  ['%0D', '\r'],
  ['%0A', '\n'],
];
const PROPERTY_MARKS: readonly (readonly [string, string])[] = [...MARKS, ['%3A', ':'], ['%2C', ',']];
const unescaped = (text: string, marks: typeof MARKS): string =>
  [...marks, ['%25', '%'] as const].reduce((so, [mark, character]) => so.replaceAll(mark, character), text);

/** Parses a line by the runner's grammar: `::name key=value,key=value::message`, after white space. */
export const parseCommand = (line: string): Command | undefined => {
  const text = line.trimStart();
  const end = text.indexOf('::', 2);
  if (!text.startsWith('::') || end < 0) return undefined;
  const info = text.slice(2, end);
  const space = info.indexOf(' ');
  const list = space < 0 ? [] : info.slice(space + 1).split(',');
  const pairs = list.map((pair): [string, string] => {
    const at = pair.indexOf('=');
    return [pair.slice(0, at), unescaped(pair.slice(at + 1), PROPERTY_MARKS)];
  });
  return {
    name: space < 0 ? info : info.slice(0, space),
    properties: new Map(pairs),
    message: unescaped(text.slice(end + 2), MARKS),
  };
};
