import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { rulesText } from '../src/commands/rules.js';
import { FAMILIES, type Family, FIELDS, wireName } from '../src/contract.js';
import { exampleLines } from '../src/rules/example.js';
import { GATED_CLASSES, gateOf } from '../src/rules/gated-commands.js';
import { RULES } from '../src/rules/index.js';
import { type Rule, type Table, unjudgedText } from '../src/rules/rule.js';

import { RULES_IN_GENERAL } from './rules-in-general.js';

const PAGES: readonly Rule[] = RULES;

const section = (title: string, body: string): string => `## ${title}\n\n${body}\n`;
const fence = (lines: readonly string[]): string => `\`\`\`jsonl\n${lines.join('\n')}\n\`\`\``;

const options = (rule: Rule): string =>
  rule.options
    .map((name) => {
      const { fallback, meaning } = FIELDS[name];
      return `- \`${wireName(name)}\` (default ${fallback === undefined ? 'none' : `\`${JSON.stringify(fallback)}\``}): ${meaning}`;
    })
    .join('\n');

const code = (text: string): string => `\`${text.replaceAll('|', '\\|')}\``;
const table = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

/** The last columns of a rule's table are examples. */
const EXAMPLES: readonly string[] = ['gated', 'not gated'];
const ruleTable = ({ note, columns, rows }: Table): string => {
  const cell = (text: string, at: number): string => (EXAMPLES.includes(columns[at] ?? '') ? code(text) : text);
  const marked = rows.map((cells) => cells.map(cell));
  return `${note}\n\n${table(columns, marked)}`;
};

const page = (rule: Rule): string =>
  [
    `# ${rule.id}\n`,
    `${rule.passing}\n`,
    `${rule.why}\n`,
    '| family | classic | terminal | strict | source |\n| --- | --- | --- | --- | --- |\n' +
      `| ${rule.family} | ${rule.severity.classic} | ${rule.severity.terminal} | ${rule.severity.strict} | ${rule.source} |\n`,
    section('Evidence', `Reads ${rule.evidence}.`),
    ...[unjudgedText(rule)].flatMap((text) => (text === undefined ? [] : [section('Cannot be judged', text)])),
    section('What to do', `${rule.action[0]?.toUpperCase()}${rule.action.slice(1)}.`),
    ...(rule.options.length === 0 ? [] : [section('Options', options(rule))]),
    ...(rule.table === undefined ? [] : [section(rule.table.title, ruleTable(rule.table))]),
    section('Breaks it', fence(exampleLines(rule.example.breaks))),
    section('Keeps it', fence(exampleLines(rule.example.keeps))),
  ].join('\n');

// The examples themselves are judged in rules.test.ts. `npm run pages` writes the pages anew.
test.each(PAGES.map((rule) => [rule.id, rule] as const))(
  'docs/rules/%s.md is what the rule says of itself',
  async (id, rule) => {
    await expect(page(rule)).toMatchFileSnapshot(`../docs/rules/${id}.md`);
  },
);

test.each(PAGES.map((rule) => [rule.id, rule] as const))('rules %s prints what its page says', (id, rule) => {
  const text = rulesText(id, []);
  const unjudged = unjudgedText(rule);
  expect(text.includes('Cannot be judged: ')).toBe(unjudged !== undefined);
  for (const said of [rule.passing, rule.evidence, unjudged ?? '', ...(rule.table?.rows.flat() ?? [])]) {
    expect(text).toContain(said);
  }
});

test('every page belongs to a rule', () => {
  expect(readdirSync('docs/rules').toSorted()).toEqual(['README.md', ...PAGES.map(({ id }) => `${id}.md`)].toSorted());
});

const index = (family: Family): string =>
  table(
    ['rule', 'classic', 'terminal', 'strict', 'what a run does that keeps it'],
    PAGES.filter((rule) => rule.family === family).map(({ id, severity, passing }) => [
      `[${id}](${id}.md)`,
      ...[severity.classic, severity.terminal, severity.strict],
      passing,
    ]),
  );

test('docs/rules/README.md lists every rule under what holds for all of them', async () => {
  const families = FAMILIES.map((family) => section(`The rules of ${family}`, index(family)));
  await expect([RULES_IN_GENERAL, ...families].join('\n')).toMatchFileSnapshot('../docs/rules/README.md');
});

test.each(GATED_CLASSES)('of the examples of gated commands, $gated is of class $id and $harmless of none', (row) => {
  expect([gateOf(row.gated), gateOf(row.harmless)]).toEqual([row.id, undefined]);
});
