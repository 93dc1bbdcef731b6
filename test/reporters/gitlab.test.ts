import { Ajv } from 'ajv';
import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/index.js';
import { render } from '../../src/index.js';
import { lines } from '../trace-words.js';
import { CASES, judged, ofAnyReport, wrongIn } from './reports.js';

interface Violation {
  readonly description: string;
  readonly check_name: string;
  readonly fingerprint: string;
  readonly severity: string;
  readonly location: { readonly path: string; readonly lines: { readonly begin: number } };
}

// What GitLab asks of an entry, and takes of its severities; a second entry of one fingerprint replaces the first.
const text = { type: 'string', minLength: 1 } as const;
const isReport = new Ajv({ strict: true, allErrors: true }).compile<readonly Violation[]>({
  type: 'array',
  items: {
    type: 'object',
    required: ['description', 'check_name', 'fingerprint', 'severity', 'location'],
    additionalProperties: false,
    properties: {
      description: text,
      check_name: text,
      fingerprint: { type: 'string', pattern: '^[0-9a-f]{32}$' },
      severity: { enum: ['info', 'minor', 'major', 'critical', 'blocker'] },
      location: {
        type: 'object',
        required: ['path', 'lines'],
        properties: {
          path: { type: 'string' },
          lines: { type: 'object', required: ['begin'], properties: { begin: { type: 'integer', minimum: 1 } } },
        },
      },
    },
  },
});
const violationsOf = (report: Report): readonly Violation[] => {
  const parsed: unknown = JSON.parse(render(report, 'gitlab'));
  if (!isReport(parsed)) throw new Error(JSON.stringify(isReport.errors));
  return parsed;
};

const check = (report: Report): void => {
  const violations = violationsOf(report);
  const { errors, warnings, inputErrors, inputWarnings, empty, doubts } = wrongIn(report);
  expect(violations.length).toBe(errors + warnings + inputErrors + inputWarnings + empty + doubts);
  expect(new Set(violations.map(({ fingerprint }) => fingerprint)).size).toBe(violations.length);
  const of = (...wanted: readonly string[]) => violations.filter(({ severity }) => wanted.includes(severity)).length;
  expect(of('critical', 'major')).toBe(errors);
  expect(of('blocker')).toBe(inputErrors + empty);
  expect(of('info')).toBe(doubts);
  for (const { description } of violations)
    expect(description).not.toMatch(/\p{Control}|\p{Surrogate}|\p{Bidi_Control}/u);
};

const FAILS = 'start@0 tool@1:a tool@2:a tool@3:a';
const fingerprintsOf = async (trace: readonly string[]): Promise<readonly string[]> =>
  violationsOf(await judged([['a.jsonl', trace]]))
    .map(({ fingerprint }) => fingerprint)
    .toSorted();

describe('a code quality report', () => {
  test.each(Object.keys(CASES))('of %s', async (name) => {
    check(await judged(...(CASES[name] ?? [[]])));
  });

  test('of whatever report', () => ofAnyReport(check));

  test('has the fingerprints of the same trace with other ids, and with lines before', async () => {
    const before = await fingerprintsOf([...lines(FAILS, 'x1'), ...lines(FAILS, 'x2')]);
    const kept = lines('start@0 tool@1:b stop@1:done', 'before');
    const after = await fingerprintsOf([...kept, ...lines(FAILS, 'y9'), '', ...lines(FAILS, 'y1')]);
    expect(after).toEqual(before);
    expect(before.length).toBe(4);
  });

  test('keeps the fingerprints of what was there when one more comes', async () => {
    const before = await fingerprintsOf(lines(FAILS, 'x1'));
    const after = await fingerprintsOf([...lines(FAILS, 'a0'), ...lines(FAILS, 'x1')]);
    expect(after).toEqual(expect.arrayContaining([...before]));
  });

  test('says how bad each is: a verdict, another error, a warning', async () => {
    const report = await judged([['./a/x.jsonl', lines('tool@1:a tool@2:a tool@3:a', 'x')]]);
    const said = violationsOf(report).map((each) => [each.check_name, each.severity, each.location]);
    const location = { path: 'a/x.jsonl', lines: { begin: 3 } };
    expect(said.slice(0, 2)).toEqual([
      ['no-progress', 'critical', location],
      ['open-loop', 'major', location],
    ]);
    expect(said.slice(2).map(([, severity]) => severity)).toEqual(said.slice(2).map(() => 'minor'));
    expect(said.length).toBeGreaterThan(2);
  });
});
