import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, test } from 'vitest';

/** The stages in the order in which a trace passes them: each imports only from its left. */
const STAGES =
  `version text window nearest span-schema span read-span contract contract-schema run pages rows canonical-json word-table rules custom-rules verdict
  mark-kinds timeline kept-reports report json-text secrets judging lines scan json-values adapters input line-memory read-lines faults spool trace plain-trace zip decoders encodings recognise foreign translation look-ahead part tally threads part-thread scanned-trace check
  report-schema schema-names schemas reporters config-fault rule-modules config read-config config-file find-config
  commands flags requests command-line options progress-line progress main cli index matchers vitest`.split(/\s+/);

/** Where the outside comes in: a package, or a part of Node, and the stages that may name it. */
const DOORS: Readonly<Record<string, readonly string[]>> = {
  zod: ['span-schema', 'read-span', 'contract-schema', 'custom-rules', 'report-schema', 'schemas'],
  split2: ['read-lines'],
  yargs: ['command-line'],
  'yargs-parser': ['options'],
  lilconfig: ['config-file'],
  'import-meta-resolve': ['rule-modules'],
  yaml: ['config-file'],
  leven: ['nearest'],
  tinyglobby: ['input'],
  yauzl: ['zip'],
  'yocto-spinner': ['progress-line'],
  'node:fs': ['cli', 'find-config', 'input', 'scan', 'spool'],
  'node:os': ['cli', 'spool'],
  'node:worker_threads': ['part-thread', 'threads'],
  canonicalize: ['canonical-json'],
  'node:crypto': ['adapters', 'commands', 'plain-trace', 'reporters', 'rules', 'spool'],
  'shell-quote': ['rules'],
  '@secretlint/secretlint-rule-preset-recommend': ['secrets'],
  '@secretlint/types': ['secrets'],
  'node:fs/promises': ['commands'],
  vitest: ['vitest'],
  'string-width': ['reporters'],
  'node:tty': ['cli'],
  'node:module': ['cli'],
};

const FILES = readdirSync('src', { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.startsWith('scan/wasm/'),
);
const stageOf = (file: string): string => file.replace(/\.[jt]s$/, '').split(/[\\/]/)[0] ?? '';
const importsOf = (file: string): string[] =>
  [...readFileSync(join('src', file), 'utf8').matchAll(/(?:from |import |import\(|getBuiltinModule\()'([^']+)'/g)].map(
    ([, name]) => name ?? '',
  );

test.each(FILES)('%s imports only from its left', (file) => {
  const stage = stageOf(file);
  expect(STAGES).toContain(stage);
  for (const name of importsOf(file).filter((imported) => imported.startsWith('.'))) {
    const other = stageOf(normalize(join(dirname(file), name)));
    if (other !== stage) expect(STAGES.indexOf(other), `${file} imports ${name}`).toBeLessThan(STAGES.indexOf(stage));
  }
});

test.each(Object.entries(DOORS))('%s comes in through %s alone', (door, stages) => {
  const users = FILES.filter((file) => importsOf(file).includes(door)).map(stageOf);
  expect([...new Set(users)].toSorted()).toEqual(stages.toSorted());
});

test('the process and the console are for cli alone', () => {
  const users = FILES.filter((file) => /\b(?:process|console)\./.test(readFileSync(join('src', file), 'utf8')));
  expect(users).toEqual(['cli.ts']);
});
