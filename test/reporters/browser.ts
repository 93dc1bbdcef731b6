import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Browser, Page } from 'playwright-core';

/** A page in the browser, and what it should not have done. */
export interface Opened {
  readonly page: Page;
  /** Script errors, words on the console, violations of the policy, dialogs, and requests beside the page itself. */
  readonly faults: readonly string[];
}

/** What a browser makes of a page that stands in a file. */
export const openPage = async (
  browser: Browser,
  html: string,
  { hash = '', ...options }: { readonly hash?: string } & Parameters<Browser['newPage']>[0] = {},
): Promise<Opened> => {
  const folder = mkdtempSync(join(tmpdir(), 'terminal-contract-'));
  const path = join(folder, 'report.html');
  writeFileSync(path, html);
  const url = pathToFileURL(path).href;
  const page = await browser.newPage(options);
  page.on('close', () => rmSync(folder, { recursive: true, force: true }));
  const faults: string[] = [];
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`));
  page.on('console', (message) => faults.push(`console: ${message.text()}`));
  page.on('dialog', (dialog) => {
    faults.push('dialog');
    void dialog.dismiss();
  });
  page.on('request', (request) => {
    if (request.url().split('#')[0] !== url) faults.push(`request: ${request.url().slice(0, 100)}`);
  });
  const content = "addEventListener('securitypolicyviolation', (event) => console.error(event.effectiveDirective))";
  await page.addInitScript({ content });
  await page.goto(url + hash);
  return { page, faults };
};
