import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import type { Adapter } from '../src/adapters/adapter.js';
import { loadAdapters } from '../src/adapters/index.js';
import { reasonTable } from '../src/adapters/reasons.js';
import { agentHome } from './agent-home.js';
import { FORMATS_IN_GENERAL } from './formats-in-general.js';
import { blocks } from './markdown.js';

const FOLDER = 'fixtures/formats';
const PAGE = 'docs/formats.md';

const cell = (text: string): string => text.replaceAll('|', '\\|');
const table = (columns: readonly string[], rows: readonly (readonly string[])[]): string =>
  [columns, columns.map(() => '---'), ...rows].map((cells) => `| ${cells.map(cell).join(' | ')} |`).join('\n');

/** The fixture that shows a format: the first of those that pass, or else the first. */
const exampleOf = (id: string): string => {
  const names = readdirSync(join(FOLDER, id), { recursive: true, encoding: 'utf8' })
    .map((name) => name.replaceAll('\\', '/'))
    .filter((name) => /\.[a-z]+$/.test(name) && !/\.(?:verdicts\.tsv|report\.txt)$/.test(name))
    .toSorted();
  const passes = (name: string): boolean =>
    readFileSync(join(FOLDER, id, `${name.replace(/\.[a-z]+$/, '')}.report.txt`), 'utf8').endsWith('exit 0\n');
  return `${FOLDER}/${id}/${names.find(passes) ?? names[0]}`;
};

const volatileRows = ({ volatile: { args, results } }: Adapter): readonly (readonly string[])[] => [
  ...args.map(({ tool, key, because }) => [`\`${key}\` of ${tool === '*' ? 'all tools' : `\`${tool}\``}`, because]),
  ...results.map(({ pattern, because }) => [`results: \`${pattern.source}\``, because]),
];

const section = (adapter: Adapter): string => {
  const { id, title, where, run, stops, tells, lacks } = adapter;
  const rows = volatileRows(adapter);
  return [
    `## ${title}\n`,
    table(
      ['', `\`--from ${id}\``],
      [
        ['where', where],
        ['a run', run],
        ['how it stops', stops],
        ['evidence', tells],
        ['not recorded', lacks],
      ],
    ),
    '',
    ...(rows.length === 0 ? [] : ['What digests leave out:\n', table(['what', 'because'], rows), '']),
    `\`\`\`sh\nterminal-contract ${exampleOf(id)}\n\`\`\`\n`,
  ].join('\n');
};

const page = (adapters: readonly Adapter[]): string =>
  [
    FORMATS_IN_GENERAL,
    table(
      ['reason', 'words of the formats'],
      Object.entries(reasonTable()).map(([reason, words]) => [reason, words.map((word) => `\`${word}\``).join(', ')]),
    ),
    '',
    ...adapters.map(section),
  ].join('\n');

// `npm run pages` writes the page anew.
test(`${PAGE} is what the formats say of themselves`, async () => {
  await expect(page(await loadAdapters())).toMatchFileSnapshot(`../${PAGE}`);
});

test('every command on the page reads what it names as that format', { timeout: 120_000 }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'formats-'));
  try {
    symlinkSync(resolve('dist/cli.cjs'), join(folder, 'terminal-contract'));
    agentHome(folder);
    const env = { ...process.env, HOME: folder, PATH: `${folder}${delimiter}${process.env['PATH'] ?? ''}` };
    const commands = blocks(readFileSync(PAGE, 'utf8'), 'sh').flatMap((block) => block.trim().split('\n'));
    const said = commands.map((command) =>
      execFileSync('bash', ['-c', `${command} 2>&1 || [ $? -eq 1 ]`], { env, encoding: 'utf8' }),
    );
    for (const { id } of await loadAdapters()) expect(said.join('')).toContain(`read as ${id}: `);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
