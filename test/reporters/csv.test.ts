import { parse } from 'csv-parse/sync';
import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/index.js';
import { render } from '../../src/index.js';
import { printable } from '../../src/text.js';
import { CASES, judged, ofAnyReport } from './reports.js';

type Row = Readonly<Record<string, string>>;
const rowsOf = (report: Report): readonly Row[] => {
  const text = render(report, 'csv');
  const [head = '', ...rest] = text.split('\r\n');
  expect(rest.pop()).toBe('');
  expect(head).toMatch(/^kind,run_id,verdict,fails,/);
  return parse<Row>(text, { columns: true, record_delimiter: '\r\n' });
};

/** What was there before the apostrophes. */
const withoutGuard = (cell: string): string =>
  cell.replace(/(?<=(?:^|[,;|"])\s*)'(?='*[=+\-@\uff0b\uff0d\uff1d\uff20])/g, '');
const FORMULA = /^\s*[=+\-@\uff0b\uff0d\uff1d\uff20]/;

const check = (report: Report): void => {
  const rows = rowsOf(report);
  const runs = rows.filter(({ kind }) => kind === 'run');
  expect(runs.map((row) => withoutGuard(row['run_id'] ?? ''))).toEqual(
    report.runs.map(({ runId }) => printable(runId)),
  );
  expect(runs.map((row) => row['fails'])).toEqual(report.runs.map(({ fails }) => String(fails)));
  expect(rows.filter(({ kind }) => kind === 'input_error').length).toBe(report.inputErrors.length);
  expect(rows.length).toBe(report.runs.length + report.inputErrors.length);
  // A sheet of another locale may take another character for the end of a cell.
  for (const cell of rows.flatMap((row) => Object.values(row)).flatMap((text) => text.split(/[,;|"]/)))
    expect(cell).not.toMatch(FORMULA);
};

describe('a table', () => {
  test.each(Object.keys(CASES))('of %s', async (name) => {
    check(await judged(...(CASES[name] ?? [[]])));
  });

  test('of whatever report', () => ofAnyReport(check));

  test.each([
    ["=cmd|' /C calc'!A0", `'=cmd|' /C calc'!A0`],
    ["'=1", "''=1"],
    ['a;-1', `a;'-1`],
    [' @x', ` '@x`],
    ['a-b=c', 'a-b=c'],
    ['a,"b"', 'a,"b"'],
    ['a\r\n=1', String.raw`a\r\n=1`],
  ])('holds the id %j as %j', async (id, cell) => {
    const span = { run_id: id, seq: 1, type: 'loop_start', iter: 0, goal: 'x' };
    const [row] = rowsOf(await judged([['a.jsonl', [JSON.stringify(span)]]]));
    expect(row?.['run_id']).toBe(cell);
  });

  test('says of each run what it breaks and what it spent', async () => {
    const report = await judged(...(CASES['several files, and a run over two'] ?? [[]]));
    const told = rowsOf(report).map((row) =>
      ['run_id', 'verdict', 'fails', 'file', 'line', 'errors', 'warnings', 'calls'].map((name) => row[name]),
    );
    expect(told).toEqual([
      ['kept', 'closed_ok', 'false', 'a/one.jsonl', '5', '', '', '1'],
      ['open', 'open_loop', 'true', './a/two.jsonl', '1', 'open-loop', '', '2'],
      ['warns', 'closed_ok', 'false', './a/two.jsonl', '2', '', 'missing-goal', '1'],
    ]);
  });
});
