// `npm run images`: the pictures of docs/images, from the project's own fixtures; it needs the built command and a Chromium.
import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { findChromium, launch } from '../../test/reporters/find-chromium.mjs';

const PICTURES = [
  { name: 'report-light', colorScheme: 'light', hash: '', height: 860 },
  { name: 'report-dark', colorScheme: 'dark', hash: '', height: 860 },
  { name: 'report-run', colorScheme: 'light', hash: '#?run=staging-deploy-0303', height: 600 },
];
const TRACES = ['fixtures/verdicts/**/*.jsonl', 'fixtures/rules/**/*.jsonl', 'fixtures/incidents/*.jsonl'];

const executable = findChromium();
if (executable === undefined) throw new Error('there is no Chromium; CHROMIUM_PATH says where one is');
const folder = mkdtempSync(join(tmpdir(), 'terminal-contract-'));
const page = join(folder, 'report.html');
const root = fileURLToPath(new URL('../..', import.meta.url));
try {
  execFileSync(process.execPath, ['dist/cli.cjs', '--quiet', '--format', `html=${page}`, ...TRACES], { cwd: root });
} catch ({ status }) {
  // Runs that fail are what the pictures show.
  if (status !== 1) throw new Error(`the report could not be made: exit ${status}`);
}
const browser = await launch(executable);
for (const { name, colorScheme, hash, height } of PICTURES) {
  const opened = await browser.newPage({ colorScheme, viewport: { width: 1200, height } });
  await opened.goto(pathToFileURL(page).href + hash);
  await opened
    .locator(hash === '' ? 'tr.run' : 'tr.open')
    .first()
    .waitFor();
  await opened.screenshot({ path: fileURLToPath(new URL(`${name}.png`, import.meta.url)) });
}
await browser.close();
rmSync(folder, { recursive: true });
