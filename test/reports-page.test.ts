import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { FORMATS, reporterOf } from '../src/reporters/index.js';
import { blocks } from './markdown.js';
import { folder, ROOT } from './run-command.js';

const PAGE = readFileSync('docs/reports.md', 'utf8');
const words = (text: string): string => text.replace(/\s+/g, ' ').toLowerCase();
const sections = new Map(
  PAGE.split('\n## ')
    .slice(1)
    .map((section) => [section.slice(0, section.indexOf('\n')), section]),
);

test('the page has a section for each format, in the order of the list', () => {
  expect([...sections.keys()]).toEqual([...FORMATS]);
  const [table = ''] = /^\| `tsv`[\s\S]*?\n\n/m.exec(PAGE) ?? [];
  expect([...table.matchAll(/`(\w+)`/g)].map(([, id]) => id)).toEqual([...FORMATS]);
});

test.each(FORMATS.map((id) => [id, sections.get(id) ?? ''] as const))(
  '%s: the page says what it is, and its command runs',
  async (id, section) => {
    const { description, id: own } = reporterOf(id);
    expect(own).toBe(id);
    expect(words(section)).toContain(words(description));
    const [command = '', ...others] = blocks(section, 'sh');
    expect(others).toEqual([]);
    const at = folder();
    const { stdout, code } = await at.shell(command.replace('fixtures/', `'${ROOT}'/fixtures/`));
    expect(code).toBe(1);
    const [, path] = /--format "?\w+=(?:\$\{\w+:-)?([\w.-]+)/.exec(command) ?? [];
    expect(path === undefined ? stdout : at.read(path)).toMatch(/open.loop/);
  },
);

test('several reports at once are written', async () => {
  const [command = ''] = blocks(PAGE, 'sh');
  const at = folder();
  const { stdout, code } = await at.shell(command.replace('fixtures/', `'${ROOT}'/fixtures/`));
  expect([code, at.names()]).toEqual([1, ['out.sarif', 'summary.md']]);
  expect(stdout).toMatch(/^::error file=.*,title=open-loop/m);
});
