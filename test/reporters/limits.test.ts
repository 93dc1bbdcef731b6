import { beforeAll, describe, expect, test } from 'vitest';
import { type Format, type Report, render } from '../../src/index.js';
import { reporterOf } from '../../src/reporters/index.js';
import { judged, wrongIn } from './reports.js';
import { parseCommand } from './runner-command.js';
import { parseSarif } from './sarif-schema.js';

const RUNS = 20_000;

/** A run without a terminal, one that skips iterations and stops for a reason of its own, one that repeats itself. */
const spansOf = (number: number): readonly object[] => {
  const run_id = `run-${String(number).padStart(5, '0')}-${'\u{1f600}'.repeat(40)}`;
  const call = { run_id, type: 'tool', name: 'edit_file', args_hash: '0123456789abcdef', status: 'ok' };
  const start = { run_id, seq: 1, type: 'loop_start', iter: 0, goal: 'tests pass' };
  if (number % 4 === 0) return [start, { ...call, seq: 2, iter: 1 }];
  if (number % 4 === 1) return [2, 3, 4].map((seq) => ({ ...call, seq, iter: seq - 1 }));
  return [
    { ...call, seq: 1, iter: 1 },
    { run_id, seq: 2, type: 'terminal', iter: 9, reason: 'tired', status: 'ok' },
  ];
};

let report: Report;
beforeAll(async () => {
  const lines = Array.from({ length: RUNS }, (_, number) => spansOf(number)).flat();
  const unusable = Array.from({ length: 1500 }, () => 'nonsense');
  report = await judged([['traces/all.jsonl', [...lines.map((span) => JSON.stringify(span)), ...unusable]]]);
});

const rendered = (format: Format): string => render(report, format);

describe(`a report of ${RUNS} runs that fail`, () => {
  test('is what it is made for', () => {
    expect(report.summary).toMatchObject({ runs: RUNS, failed: RUNS, unusableLines: 1500 });
    expect(Object.fromEntries(report.summary.byRule)).toMatchObject({
      'open-loop': 10_000,
      'no-progress': 5000,
      'bad-clock': 10_000,
      'bad-terminal': 10_000,
    });
    expect(wrongIn(report)).toMatchObject({ errors: 35_000, warnings: 15_000, inputErrors: 1500 });
  });

  test('has ten annotations a kind, and says how many it left out', () => {
    const commands = rendered('github').trimEnd().split('\n').map(parseCommand);
    expect(commands.map((command) => command?.name)).toEqual([
      ...Array(10).fill('error'),
      ...Array(10).fill('warning'),
      'notice',
    ]);
    expect(commands.at(-1)?.message).toContain('\nleft out: 36490 errors and 14990 warnings; ');
    const titles = commands.map((command) => command?.properties.get('title'));
    expect(titles.slice(0, 5)).toEqual([
      'invalid-json (1 of 1500)',
      'bad-clock (1 of 10000)',
      'no-progress (1 of 5000)',
      'open-loop (1 of 10000)',
      'bad-terminal (1 of 10000)',
    ]);
  });

  test('has a summary under 1 MiB that counts what it left out', () => {
    const summary = rendered('markdown');
    const bytes = Buffer.byteLength(summary);
    expect(bytes).toBeLessThan(1 << 20);
    const [, failing = '', input = ''] = summary.split('\n### ').slice(1);
    const rowsOf = (section: string): number => section.split('\n').filter((line) => line.startsWith('| ')).length - 2;
    expect([rowsOf(failing), rowsOf(input)]).toEqual([500, 500]);
    expect(failing).toContain(`\n${RUNS - 500} failing runs left out; `);
    expect(input).toContain('\n1000 input errors left out; ');
    expect(summary).toContain('| error | `open-loop` | 10000 | ');
  });

  test('has a summary under 1 MiB where few rows fill it', async () => {
    const lines = Array.from({ length: 400 }, (_, id) => `{"run_id":"${id}","seq":1,"type":"loop_start","goal":"x"}`);
    const summary = render(await judged([['\u{1f600}'.repeat(1000), lines]]), 'markdown');
    const shown = summary.match(/^\| `\d+` \|/gm)?.length ?? 0;
    expect(shown).toBeGreaterThan(200);
    expect(Buffer.byteLength(summary)).toBeGreaterThan(900_000);
    expect(Buffer.byteLength(summary)).toBeLessThan(1 << 20);
    expect(summary).toContain(`\n${400 - shown} failing runs left out; `);
  });

  test('has as many results as code scanning takes, errors first, and says how many it left out', () => {
    const { results, invocations } = parseSarif(rendered('sarif')).runs[0];
    expect(results.length).toBe(25_000);
    expect(new Set(results.map(({ level }) => level))).toEqual(new Set(['error']));
    const shown = results.slice(0, 5000).map(({ ruleId }) => ruleId);
    expect(shown.filter((id) => id === 'no-progress').length).toBe(1250);
    const [{ toolExecutionNotifications: notes }] = invocations;
    const textOf = (wanted: string) => notes.find(({ descriptor }) => descriptor.id === wanted)?.message.text;
    expect(textOf('left-out')).toBe('25000 results left out of 50000; --format json has them all');
    expect(textOf('many-results')).toBe('GitHub code scanning shows the first 5000 of 50000 results');
    expect(notes.filter(({ level }) => level === 'error').length).toBe(1500);
  });

  test('is short for an agent', () => {
    const text = rendered('agent');
    expect(text.length).toBeLessThan(8000);
    expect(text).toMatch(/^next: traces\/all\.jsonl:\d+:2: "not JSON from here on; .*" \(invalid-json\)\n/);
    expect(text).toContain('. error open-loop: 10000 runs\n');
    expect(text.match(/^ {3}and 9997 more$/gm)?.length).toBe(3);
  });

  test.each(['gitlab', 'junit', 'teamcity', 'csv'] as const)('is whole as %s, in pieces', (format) => {
    const pieces = [...reporterOf(format).render(report)];
    expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThan(4096);
    const text = pieces.join('');
    const pattern = {
      gitlab: /"check_name"/g,
      junit: /<testcase /g,
      teamcity: /##teamcity\[inspection /g,
      csv: /^(?:run|input_error),/gm,
    }[format];
    const expected = { gitlab: 51_500, junit: RUNS + 1500, teamcity: 51_500, csv: RUNS + 1500 }[format];
    expect(text.match(pattern)?.length).toBe(expected);
  });
});
