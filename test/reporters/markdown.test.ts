import { micromark } from 'micromark';
import { gfm, gfmHtml } from 'micromark-extension-gfm';
import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/index.js';
import { render } from '../../src/index.js';
import { CASES, judged, ofAnyReport, wrongIn } from './reports.js';

/** The Markdown of a report as a renderer of GitHub's dialect makes HTML of it; HTML in it would come through. */
const htmlOf = (markdown: string): string =>
  micromark(markdown, { allowDangerousHtml: true, extensions: [gfm()], htmlExtensions: [gfmHtml()] });

const TAGS = new Set(
  ['h2', 'h3', 'p', 'code', 'table', 'thead', 'tbody', 'tr', 'th', 'td'].flatMap((tag) => [`<${tag}>`, `</${tag}>`]),
);
const decoded = (html: string): string =>
  html.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&quot;', '"').replaceAll('&amp;', '&');

/** The tables of a report by their titles: rows of cells, as HTML. */
const tablesOf = (html: string): ReadonlyMap<string, readonly (readonly string[])[]> =>
  new Map(
    html
      .split('<h3>')
      .slice(1)
      .map((section) => [
        section.slice(0, section.indexOf('</h3>')),
        section
          .split('<tr>')
          .slice(1)
          .map((row) => [...row.matchAll(/<t[dh]>(.*?)<\/t[dh]>/gs)].map(([, cell]) => cell ?? '')),
      ]),
  );
const textOf = (cell: string | undefined): string => decoded((cell ?? '').replace(/<\/?code>/g, ''));

const check = (report: Report): void => {
  const html = htmlOf(render(report, 'markdown'));
  for (const [tag] of html.matchAll(/<[^>]*>/g)) expect(TAGS).toContain(tag);
  // Outside of code there are our own words alone.
  expect(html.replace(/<code>.*?<\/code>/gs, '').replace(/<[^>]*>/g, '')).toMatch(/^[\w\s.,;:()-]*$/);
  const tables = tablesOf(html);
  for (const [head = [], ...rows] of tables.values()) {
    expect(rows.length).toBeGreaterThan(0);
    for (const row of rows) expect(row.length).toBe(head.length);
  }
  const counted = (tables.get('What is wrong') ?? []).slice(1).reduce((sum, row) => sum + Number(row[2]), 0);
  const { errors, warnings, inputErrors, inputWarnings, empty, doubts } = wrongIn(report);
  expect(counted).toBe(errors + warnings + inputErrors + inputWarnings + empty);
  expect((tables.get('Runs that fail') ?? [[]]).length - 1).toBe(report.summary.failed);
  expect((tables.get('Input that could not be judged') ?? [[]]).length - 1).toBe(report.inputErrors.length);
  expect((tables.get('Rules that could not be judged') ?? [[]]).length - 1).toBe(doubts);
};

describe('a summary', () => {
  test.each(Object.keys(CASES))('of %s', async (name) => {
    check(await judged(...(CASES[name] ?? [[]])));
  });

  test('of whatever report', () => ofAnyReport(check));

  test.each([
    ['a|b`c', String.raw`a\u007cb\u0060c`],
    [String.raw`a\|b`, String.raw`a\\\u007cb`],
    [String.raw`a\u007cb`, String.raw`a\\u007cb`],
    [' a ', String.raw`\u0020a\u0020`],
    ['@user https://evil.example <b>', '@user https://evil.example <b>'],
    ['x'.repeat(100), `${'x'.repeat(64)}…`],
  ])('shows the id %j as %s, as code', async (id, shown) => {
    const span = { run_id: id, seq: 1, type: 'loop_start', iter: 0, goal: 'x' };
    const html = htmlOf(render(await judged([['a.jsonl', [JSON.stringify(span)]]]), 'markdown'));
    const [, row] = tablesOf(html).get('Runs that fail') ?? [];
    expect(row?.[0]).toMatch(/^<code>.*<\/code>$/);
    expect(textOf(row?.[0])).toBe(shown);
  });

  test('says what fails, where, and what to do', async () => {
    const report = await judged(...(CASES['several files, and a run over two'] ?? [[]]));
    expect(render(report, 'markdown')).toBe(`## terminal-contract: not every run kept the contract

\`3 runs, 8 spans: 1 failed, 2 passed (open_loop 1, closed_ok 2)\`

### What is wrong

|  | what | count | first | seen | what to do |
| --- | --- | --- | --- | --- | --- |
| error | \`open-loop\` | 1 | \`open\` at \`./a/two.jsonl:1\` | \`no terminal span: nothing says that the loop stopped\` | \`cap the run and page\` |
| warn | \`missing-goal\` | 1 | \`warns\` at \`./a/two.jsonl:2\` | \`no loop_start: nothing says what done would mean\` | \`emit loop_start with the goal before the first iteration\` |

### Runs that fail

| run | verdict | breaks | first | seen | spent after it should have halted |
| --- | --- | --- | --- | --- | --- |
| \`open\` | \`open_loop\` | \`open-loop\` | \`./a/two.jsonl:1\` | \`no terminal span: nothing says that the loop stopped\` |  |
`);
  });
});
