import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FIELDS, wireName } from '../src/contract.js';
import { exampleLines } from '../src/rules/example.js';
import { RULES } from '../src/rules/index.js';
import type { Rule } from '../src/rules/rule.js';

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

const page = (rule: Rule): string =>
  [
    `# ${rule.id}\n`,
    `${rule.passing}\n`,
    `${rule.why}\n`,
    '| family | classic | terminal | strict | source |\n| --- | --- | --- | --- | --- |\n' +
      `| ${rule.family} | ${rule.severity.classic} | ${rule.severity.terminal} | ${rule.severity.strict} | ${rule.source} |\n`,
    section('Evidence', `Reads ${rule.evidence}.`),
    section('What to do', `${rule.action[0]?.toUpperCase()}${rule.action.slice(1)}.`),
    ...(rule.options.length === 0 ? [] : [section('Options', options(rule))]),
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

test('every page belongs to a rule', () => {
  expect(readdirSync('docs/rules').toSorted()).toEqual(PAGES.map(({ id }) => `${id}.md`).toSorted());
});
