import axe from 'axe-core';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { render } from '../../src/index.js';
import { check } from '../judge.js';
import { lines } from '../trace-words.js';
import { type Opened, openPage } from './browser.js';
import { findChromium, launch } from './find-chromium.mjs';

const TRACE = [
  ...lines('start@0 tool@1:a tool@2:a tool@3:a', 'stuck'),
  ...lines('start@0 model@1,tokens_in=900 tool@1:a model@2,tokens_in=1200 tool@2:b', 'silent'),
  ...lines('start@0 tool@1:a stop@1:done', 'kept'),
  ...lines('start@0 tool@1:a stop@1:done tool@2:b', 'goes-on'),
  ...lines('start@0 tool@1:a stop@1:blocked', 'blocked'),
];
const HOSTILE = [
  '</script><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '<!--<script>',
  '<svg/onload=alert(1)>',
  'javascript:alert(1)',
  '"><style>*{display:none}</style>',
  "'-alert(1)-'",
  '{{constructor.constructor("alert(1)")()}}',
  '__proto__',
  'toString',
  '&lt;b&gt;',
  'https://example.com/',
  '\u2028\u2029\ud800',
  '\u202eevil',
  '\u0000\u001b[2J',
];
/** A run that says the text wherever a trace may say one. */
const saying = (text: string): readonly string[] => {
  const more = { name: text, span_id: text, status: text, reason: text, detail: text, claim: text, args_hash: text };
  return lines('start@0 tool@1 tool@1!error tool@1 stop@1', text).map((line) => {
    const span = JSON.parse(line);
    return JSON.stringify(span.type === 'loop_start' ? span : { ...span, ...more });
  });
};
const pageFor = async (trace: readonly string[]): Promise<string> =>
  render(await check(trace, { timelines: true }), 'html');

describe('the page as text', () => {
  test('is the same each time, and asks for nothing from outside', async () => {
    const page = await pageFor(TRACE);
    expect(page).toBe(await pageFor(TRACE));
    const [policy] = /(?<=Content-Security-Policy" content=")[^"]*/.exec(page) ?? [];
    expect(policy).toMatch(
      /^default-src 'none'; script-src 'sha256-[\w+/=]{44}'; style-src 'sha256-[\w+/=]{44}'; base-uri 'none'; form-action 'none'; /,
    );
    expect(page).not.toMatch(/(?:src|href)="(?!#)|@import|url\(/);
  });

  test('what a trace says cannot end the element that it stands in', async () => {
    const page = await pageFor(lines('start@0', '</script><!--<script>\u2028'));
    expect(page.match(/<\/script>/g)).toHaveLength(2);
    expect(page).not.toContain('<!--<script>');
    expect(page).not.toContain('\u2028');
    expect(page).toContain('\\u003c/script>\\u003c!--\\u003cscript>\\\\u2028');
  });
});

const path = findChromium();
const WHERE = path === undefined ? 'skipped: there is no Chromium; CHROMIUM_PATH says where one is' : 'in Chromium';
if (path === undefined) console.error(`the page of a report is not tested, ${WHERE}`);

describe.skipIf(path === undefined)(`the page, ${WHERE}`, () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launch(path ?? '');
  });
  afterAll(() => browser?.close());

  const open = async (trace: readonly string[], options: Parameters<typeof openPage>[2] = {}) =>
    openPage(browser, await pageFor(trace), options);
  const groundOf = (page: Page): Promise<unknown> => page.evaluate('getComputedStyle(document.body).backgroundColor');
  const focused = async (page: Page): Promise<string> => (await page.locator(':focus').allTextContents()).join();
  const runsOf = (page: Page): Promise<string[]> => page.locator('tr.run .opener').allTextContents();

  test('says what was green, and lists the worst first', async () => {
    const { page, faults } = await open(TRACE);
    expect(await page.locator('h1').textContent()).toBe('4 jobs were green; 2 of them never stopped.');
    expect(await page.locator('#subline').textContent()).toBe('5 runs, 19 spans: 2 failed, 3 passed; profile terminal');
    expect(await runsOf(page)).toEqual(['silent', 'stuck', 'blocked', 'goes-on', 'kept']);
    expect(faults).toEqual([]);
  });

  let shared: Opened;
  beforeAll(async () => {
    shared = await open(TRACE);
  });
  test.each<readonly [string, (page: Page) => Promise<unknown>, readonly string[]]>([
    ['a result', (page) => page.getByLabel('Result').selectOption('failed'), ['silent', 'stuck']],
    ['a verdict', (page) => page.getByLabel('Verdict').selectOption('closed_blocked'), ['blocked']],
    ['a rule', (page) => page.getByLabel('Rule').selectOption('open-loop'), ['silent', 'stuck']],
    ['a rule, by its total', (page) => page.getByRole('button', { name: /^activity-after/ }).click(), ['goes-on']],
    ['a verdict, by its total', (page) => page.getByRole('button', { name: /^no_progress/ }).click(), ['stuck']],
    [
      'a file',
      (page) => page.getByLabel('File').selectOption('<trace>'),
      ['silent', 'stuck', 'blocked', 'goes-on', 'kept'],
    ],
    ['a name', (page) => page.getByLabel('Search').fill('STU'), ['stuck']],
    ['two words of what was found', (page) => page.getByLabel('Search').fill('terminal activity'), ['goes-on']],
    ['what nothing says', (page) => page.getByLabel('Search').fill('nowhere'), []],
    [
      'an order',
      (page) => page.getByRole('button', { name: 'Tokens' }).click(),
      ['silent', 'stuck', 'blocked', 'goes-on', 'kept'],
    ],
    [
      'an order by name',
      (page) => page.getByRole('button', { name: 'Run', exact: true }).click(),
      ['blocked', 'goes-on', 'kept', 'silent', 'stuck'],
    ],
  ])('shows %s', async (_what, act, expected) => {
    const { page, faults } = shared;
    await act(page);
    expect(await runsOf(page)).toEqual(expected);
    const status =
      expected.length === 5 ? '5 runs' : expected.length === 0 ? 'no run of 5 matches' : `${expected.length} of 5 runs`;
    expect(await page.getByRole('status').textContent()).toBe(status);
    await page.getByRole('button', { name: 'Show all' }).click();
    expect(await runsOf(page)).toEqual(['silent', 'stuck', 'blocked', 'goes-on', 'kept']);
    expect(faults).toEqual([]);
  });

  test('opens a run by the keyboard: what is broken, where, and what the rule asks', async () => {
    const { page, faults } = await open(TRACE);
    const opener = page.getByRole('button', { name: 'stuck' });
    for (let presses = 0; presses < 60 && (await focused(page)) !== 'stuck'; presses += 1)
      await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await opener.getAttribute('aria-expanded')).toBe('true');
    const details = page.locator(`#${await opener.getAttribute('aria-controls')}`);
    const finding = details.locator('.finding.error').filter({ hasText: 'no-progress' });
    expect(await finding.locator('.place').textContent()).toBe('<trace>:4');
    expect(await finding.textContent()).toContain('To do: halt on the next match.');
    await page.keyboard.press('Tab');
    while ((await focused(page)) !== 'What no-progress asks') await page.keyboard.press('Tab');
    await page.keyboard.press('Enter');
    expect(await finding.getByText('Passing means').isVisible()).toBe(true);
    await opener.press('Enter');
    expect(await details.count()).toBe(0);
    expect(faults).toEqual([]);
  });

  test('draws a run: iterations across, a lane a tool, what breaks, what was spent', async () => {
    const calls = Array.from({ length: 6 }, (_, at) => `model@${at + 1},tokens_in=${900 + at} tool@${at + 1}:a`);
    const { page, faults } = await open(lines(`start@0 ${calls.join(' ')}`), { hash: '#?run=r' });
    const drawing = page.getByRole('img', { name: '13 spans in 3 lanes, 2 of them where a rule is broken' });
    expect(await page.locator('.lanes li').allTextContents()).toEqual([
      'run',
      'model',
      'edit_file',
      'tokens, up to 905',
    ]);
    expect(await drawing.locator('.tick').allTextContents()).toEqual(['0', '1', '2', '3', '4', '5', '6']);
    expect(await drawing.locator('g.mark').count()).toBe(13);
    expect(await drawing.locator('g.mark text').allTextContents()).toEqual(['1', '1', '1', '1', '1', '1']);
    expect(await drawing.locator('rect.tokens').count()).toBe(6);
    expect(await drawing.locator('g.mark.error title').allTextContents()).toEqual([
      'iteration 3 · edit_file · call 1 · <trace>:7 · breaks no-progress, repeated-call',
      'iteration 6 · edit_file · call 1 · <trace>:13 · breaks open-loop',
    ]);
    expect(await drawing.locator('path.halt').count()).toBe(1);
    await page.getByText('The 13 spans as a table').click();
    expect(await page.getByRole('table', { name: 'Spans of r' }).getByRole('row').count()).toBe(14);
    expect(await page.locator('tr.run .strip path.error').count()).toBe(1);
    expect(faults).toEqual([]);
  });

  test('keeps what is shown in its address', async () => {
    const { page } = await open(TRACE, { hash: '#?rule=open-loop&run=stuck&order=id' });
    expect(await runsOf(page)).toEqual(['silent', 'stuck']);
    expect(await page.getByRole('button', { name: 'stuck' }).getAttribute('aria-expanded')).toBe('true');
    await page.getByLabel('Search').fill('sil');
    await page.waitForURL(/query=sil/);
    await page.reload();
    expect(await page.getByLabel('Search').inputValue()).toBe('sil');
    expect(await runsOf(page)).toEqual(['silent']);
  });

  test('shows many runs a page at a time', async () => {
    const many = Array.from({ length: 10_000 }, (_, id) =>
      lines(id % 2 === 0 ? 'start@0' : 'start@0 stop@1:done', `run-${id}`),
    ).flat();
    const { page, faults } = await open(many);
    expect(await page.locator('tr.run').count()).toBe(50);
    expect(await page.locator('h1').textContent()).toBe('10000 jobs were green; 5000 of them never stopped.');
    await page.getByRole('button', { name: 'Next' }).click();
    expect(await page.locator('#pages span').textContent()).toBe('51 – 100 of 10\u202f000');
    await page.getByLabel('Search').fill('run-9999');
    expect(await runsOf(page)).toEqual(['run-9999']);
    expect(await page.locator('#pages').isVisible()).toBe(false);
    expect(faults).toEqual([]);
  });

  let hostile: Opened;
  beforeAll(async () => {
    hostile = await open(HOSTILE.flatMap(saying));
  });
  test.each(HOSTILE)('a trace that says %j is text', async (text) => {
    const { page, faults } = hostile;
    const [id = ''] = render(await check(saying(text)), 'tsv').split('\t');
    await page.getByLabel('Search').fill(id);
    expect(await runsOf(page)).toContain(id);
    await page.locator('.opener', { hasText: id }).first().click();
    expect(await page.locator('.opened').count()).toBe(1);
    expect(await page.locator('img, iframe, object, a:not(.skip), [onload], [onerror]').count()).toBe(0);
    expect(await page.evaluate('[document.scripts.length, document.styleSheets.length]')).toEqual([2, 1]);
    expect(faults).toEqual([]);
  });

  test.each(['light', 'dark'] as const)('is fit for all in the %s scheme, by the rules of axe', async (colorScheme) => {
    const { page, faults } = await open(TRACE, { colorScheme, hash: '#?run=stuck' });
    const ground = await groundOf(page);
    expect(ground).toBe(colorScheme === 'light' ? 'rgb(244, 245, 247)' : 'rgb(15, 19, 24)');
    await page.evaluate(axe.source);
    const violations = await page.evaluate(
      'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => [id, ...nodes.map(({ html }) => html)]))',
    );
    expect(violations).toEqual([]);
    expect(faults).toEqual([]);
  });

  test('a scheme can be chosen', async () => {
    const { page } = await open(TRACE, { colorScheme: 'light' });
    const theme = page.getByRole('button', { name: /^Theme/ });
    await theme.click();
    await theme.click();
    expect(await theme.textContent()).toBe('Theme: dark');
    expect(await groundOf(page)).toBe('rgb(15, 19, 24)');
  });

  test('of no run at all says so', async () => {
    const { page, faults } = await open([]);
    expect(await page.locator('h1').textContent()).toBe('No job was green.');
    expect(await page.locator('.warning').allTextContents()).toEqual(['The report holds no run.']);
    expect(await page.getByRole('status').textContent()).toBe('no run of 0 matches');
    expect(faults).toEqual([]);
  });

  test('says what could not be judged', async () => {
    const { page } = await open(['[]', ...TRACE, '{"run_id":']);
    expect(await page.locator('.warning').allTextContents()).toEqual([
      'Not everything could be judged: what is listed below is missing from the verdicts.',
    ]);
    expect(await page.locator('#more li').first().textContent()).toMatch(/^<trace>:1:1: not-an-object: /);
  });
});
