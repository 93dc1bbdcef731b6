import { readdirSync, readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { describe, expect, test } from 'vitest';
import { jsonSchema } from '../src/index.js';
import { RULES } from '../src/rules/index.js';
import { askingFor, ruleOfFixture } from './judge.js';
import { run } from './run-main.js';

const FOLDER = 'fixtures';
const CASES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((path) => /\.[a-z]+$/.test(path) && !/\.(?:verdicts\.tsv|report\.txt)$/.test(path))
  .map((path) => `${FOLDER}/${path.replaceAll('\\', '/')}`)
  .toSorted();

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
const isReport = ajv.compile(jsonSchema('report'));
const isReportLine = ajv.compile(jsonSchema('report-line'));
const isSpan = ajv.compile(jsonSchema('span'));

/** The words that have a fixture's rule judged. */
const asks = (path: string): readonly string[] =>
  Object.entries(askingFor(ruleOfFixture(path)).rules).flatMap(([id, severity]) => ['--rule', `${id}=${severity}`]);

const stem = (path: string): string => `../${path.replace(/\.[a-z]+$/, '')}`;

describe.each(CASES)('%s', (path) => {
  test('prints what stands beside it', async () => {
    const { stdout, stderr, code } = await run([...asks(path), path]);
    const { input_errors } = JSON.parse((await run([...asks(path), '--format', 'json', path])).stdout);
    const unusable = input_errors.map(({ line, code }: { line: number; code: string }) => `# line ${line}: ${code}\n`);
    await expect([stdout, ...unusable].join('')).toMatchFileSnapshot(`${stem(path)}.verdicts.tsv`);
    await expect(`${stderr}exit ${code}\n`).toMatchFileSnapshot(`${stem(path)}.report.txt`);
  });

  test('its json report keeps the schema, and so does each line of ndjson', async () => {
    const json = await run([...asks(path), '--format', 'json', path]);
    expect(isReport(JSON.parse(json.stdout)), ajv.errorsText(isReport.errors)).toBe(true);
    const ndjson = await run([...asks(path), '--format', 'ndjson', path]);
    for (const line of ndjson.stdout.trimEnd().split('\n')) {
      expect(isReportLine(JSON.parse(line)), ajv.errorsText(isReportLine.errors)).toBe(true);
    }
  });
});

const rulesIn = async (path: string): Promise<string[]> => {
  const { stdout } = await run([...asks(path), '--format', 'json', path]);
  return Object.keys(JSON.parse(stdout).summary.by_rule);
};

describe('every rule has a trace that breaks it and nothing else, and one that keeps it', () => {
  test.each(RULES.map(({ id }) => id))('%s', async (id) => {
    expect(await rulesIn(`${FOLDER}/rules/${id}/breaks.jsonl`)).toEqual([id]);
    expect(await rulesIn(`${FOLDER}/rules/${id}/keeps.jsonl`)).toEqual([]);
  });
});

describe('a fixture of a format is read as that format', () => {
  test.each(CASES.filter((path) => path.startsWith(`${FOLDER}/formats/`)))('%s', async (path) => {
    const { stdout } = await run(['--format', 'json', path]);
    expect(JSON.parse(stdout).translated.map(({ format }: { format: string }) => format)).toEqual([path.split('/')[2]]);
  });
});

test('every verdict has a trace', async () => {
  const { stdout } = await run([`${FOLDER}/verdicts/*/*.jsonl`]);
  const verdicts = new Set(stdout.split('\n').map((line) => line.split('\t')[1]));
  expect([...verdicts].filter((verdict) => verdict !== undefined).toSorted()).toEqual(
    readdirSync(`${FOLDER}/verdicts`).toSorted(),
  );
});

test('the spans of the fixtures are what the span schema says', () => {
  const spans = CASES.filter((path) => /\/(?:verdicts|rules)\//.test(path))
    .flatMap((path) => readFileSync(path, 'utf8').trimEnd().split('\n'))
    .map((line) => JSON.parse(line));
  const odd = spans.filter((span) => !isSpan(span));
  // Only a terminal whose reason is none of the five is read without being what should be written.
  expect(odd.every(({ type, reason }) => type === 'terminal' && reason === 'finished')).toBe(true);
  expect(odd).toHaveLength(2);
});
