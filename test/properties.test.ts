import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, test, vi } from 'vitest';
import { type CustomRule, defineRule, exitCodeOf, type Report, render } from '../src/index.js';
import { RULES } from '../src/rules/index.js';
import { check, checkBytes, foundRules } from './judge.js';
import { type NaiveOptions, naive } from './naive-model.js';
import { reorderedTrace, traceLines, usableTraceLines } from './random-trace.js';
import { run } from './run-main.js';
import { lines } from './trace-words.js';

// A longer search: TRACES=10000 npm test.
const TRACES = Number(process.env['TRACES'] ?? 500);
// A longer search takes longer than the tests around it may.
vi.setConfig({ testTimeout: 600_000 });

/** Rules that the naive model leaves out: these, and all of the other families. */
const UNMODELLED = new Set<string>([
  ...['false-budget', 'open-handoff', 'contract-loosened', 'iter-stuck'],
  ...RULES.filter(({ family }) => family !== 'termination' && family !== 'order').map(({ id }) => id),
]);

const findingsOf = ({ runs }: Report): Map<string, string[]> =>
  new Map(
    runs.map((run) => [
      run.runId,
      foundRules(run)
        .filter((rule) => !UNMODELLED.has(rule))
        .toSorted(),
    ]),
  );

const settingsOf = ({ profile, partial, budget, window }: NaiveOptions) => ({
  partial,
  config: {
    profile,
    ...(budget !== undefined && { budget }),
    ...(window !== undefined && { no_progress_window: window }),
  },
});

const optionsOf = (profile: NaiveOptions['profile']): fc.Arbitrary<NaiveOptions> =>
  fc.record(
    {
      profile: fc.constant(profile),
      partial: profile === 'classic' ? fc.constant(false) : fc.boolean(),
      budget: fc.integer({ min: 0, max: 30 }),
      window: fc.integer({ min: 1, max: 4 }),
    },
    { requiredKeys: ['profile', 'partial'] },
  );

describe.each(['classic', 'terminal'] as const)(
  'under %s the checker agrees with a naive model of the contract',
  (profile) => {
    test('over random traces', async () => {
      await fc.assert(
        fc.asyncProperty(traceLines, optionsOf(profile), async (trace, options) => {
          const expected = naive(trace, options);
          const report = await check(trace, settingsOf(options));
          expect(render(report, 'tsv')).toBe(expected.stdout);
          expect(exitCodeOf(report)).toBe(expected.exit);
          expect(findingsOf(report)).toEqual(
            new Map(report.runs.map(({ runId }) => [runId, [...(expected.findings.get(runId) ?? [])].toSorted()])),
          );
        }),
        { numRuns: TRACES },
      );
    });
  },
);

/** A report without the places of lines, which move with the lines. */
const withoutPlaces = (report: Report): unknown =>
  JSON.parse(render(report, 'json'), (key, value) => (key === 'line' || key === 'column' ? undefined : value));

describe('what may not change a report', () => {
  test('the order of the lines, where every span has its own seq', async () => {
    await fc.assert(
      fc.asyncProperty(reorderedTrace, async ({ lines: trace, reordered }) => {
        expect(withoutPlaces(await check(reordered))).toEqual(withoutPlaces(await check(trace)));
      }),
      { numRuns: TRACES },
    );
  });

  test('how the bytes are cut into chunks', async () => {
    await fc.assert(
      fc.asyncProperty(traceLines, fc.integer({ min: 1, max: 40 }), async (trace, chunk) => {
        expect(await check(trace, {}, chunk)).toEqual(await check(trace));
      }),
      { numRuns: Math.ceil(TRACES / 5) },
    );
  });

  test('the line ends, and white space around a line', async () => {
    await fc.assert(
      fc.asyncProperty(traceLines, fc.constantFrom('\r', ' ', '\t', ' \r'), async (trace, end) => {
        expect(render(await check(trace.map((line) => line + end)), 'tsv')).toBe(render(await check(trace), 'tsv'));
      }),
      { numRuns: Math.ceil(TRACES / 5) },
    );
  });
});

describe('runs are judged each for itself', () => {
  test('the verdict of a run does not depend on other runs', async () => {
    await fc.assert(
      fc.asyncProperty(usableTraceLines, fc.nat(), async (trace, at) => {
        // Positions stand in for a missing seq, so only where other runs' lines are left blank is a run the same.
        const ids = [...new Set(trace.filter((line) => line.trim() !== '').map((line) => JSON.parse(line).run_id))];
        const chosen = ids[at % Math.max(1, ids.length)];
        const alone = trace.map((line) => (line.trim() !== '' && JSON.parse(line).run_id === chosen ? line : ''));
        const [only] = (await check(alone)).runs;
        const among = (await check(trace)).runs.find(({ runId }) => runId === chosen);
        expect([only?.verdict, only?.iter, only?.spans]).toEqual([among?.verdict, among?.iter, among?.spans]);
      }),
      { numRuns: Math.ceil(TRACES / 5) },
    );
  });

  test('another run never lowers the exit code', async () => {
    await fc.assert(
      fc.asyncProperty(traceLines, traceLines, async (trace, other) => {
        fc.pre(trace.length > 0);
        const before = await check(trace, { allowEmpty: true });
        const after = await check([...trace, ...other.map(renamed)], { allowEmpty: true });
        expect(exitCodeOf(after)).toBeGreaterThanOrEqual(exitCodeOf(before));
      }),
      { numRuns: Math.ceil(TRACES / 5) },
    );
  });

  test('a kept run without its terminal is broken', async () => {
    await fc.assert(
      fc.asyncProperty(usableTraceLines, async (trace) => {
        const kept = new Set((await check(trace)).runs.filter(({ fails }) => !fails).map(({ runId }) => runId));
        const cut = trace.filter((line) => line.trim() === '' || JSON.parse(line).type !== 'terminal');
        const { runs } = await check(cut, { allowEmpty: true });
        expect(runs.filter(({ runId, fails }) => kept.has(runId) && !fails)).toEqual([]);
      }),
      { numRuns: Math.ceil(TRACES / 5) },
    );
  });
});

describe('a rule of the user leaves all else as it is', () => {
  const ruleWith = (step: NonNullable<CustomRule['step']>, end: NonNullable<CustomRule['end']>): CustomRule =>
    defineRule({ id: 'own', family: 'loop', passing: 'p', action: 'a', sees: 'every', fields: ['name'], step, end });
  const silent = ruleWith(
    (kept, span) => [kept, span.fields],
    () => undefined,
  );
  const failing = ruleWith(
    (kept, span) => {
      if (span.iter === 2) throw new Error('two');
      return kept;
    },
    () => undefined,
  );

  test('where it says nothing', async () => {
    await fc.assert(
      fc.asyncProperty(traceLines, async (trace) => {
        const without = render(await check(trace), 'json');
        expect(render(await check(trace, { customRules: [silent] }), 'json')).toBe(without);
      }),
      { numRuns: Math.ceil(TRACES / 5) },
    );
  });

  test('and where it fails: only that is said, and the exit is 2', async () => {
    await fc.assert(
      fc.asyncProperty(traceLines, async (trace) => {
        const without = await check(trace);
        const report = await check(trace, { customRules: [failing] });
        expect(render(report, 'tsv')).toBe(render(without, 'tsv'));
        expect(findingsOf(report)).toEqual(findingsOf(without));
        const faults = report.inputErrors.filter(({ code }) => code === 'rule-failed');
        const isFailing = report.runs.some(({ unverifiable }) => unverifiable.some(({ rule }) => rule === 'own'));
        expect(faults).toHaveLength(isFailing ? 1 : 0);
        expect(exitCodeOf(report)).toBe(isFailing ? 2 : exitCodeOf(without));
      }),
      { numRuns: Math.ceil(TRACES / 5) },
    );
  });

  test('and what it finds does not depend on the order of the lines', async () => {
    const counts = ruleWith(
      (kept, span, run) => `${String(kept)} ${span.type}${span.iter}${run.calls}${String(span.fields['name'])}`,
      (kept, run) => ({ kind: 'broken', at: run.last, message: 'm', evidence: { kept: String(kept) } }),
    );
    const settings = { customRules: [counts] };
    await fc.assert(
      fc.asyncProperty(reorderedTrace, async ({ lines: trace, reordered }) => {
        expect(withoutPlaces(await check(reordered, settings))).toEqual(withoutPlaces(await check(trace, settings)));
      }),
      { numRuns: Math.ceil(TRACES / 5) },
    );
  });
});

const renamed = (line: string): string => {
  try {
    const span = JSON.parse(line);
    return JSON.stringify({ ...span, run_id: `other ${span.run_id}` });
  } catch {
    return line;
  }
};

describe('any bytes', () => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc
      .tuple(traceLines, fc.array(fc.tuple(fc.nat(), fc.nat({ max: 255 })), { maxLength: 5 }))
      .map(([trace, changes]) => {
        const text = Buffer.from(`${trace.join('\n')}\n`);
        for (const [at, byte] of changes) if (text.length > 0) text[at % text.length] = byte;
        return text;
      }),
  );

  test('are judged without a crash, and every line is a span, unusable, or blank, or the input is refused', async () => {
    await fc.assert(
      fc.asyncProperty(bytes, async (input) => {
        const report = await checkBytes(Buffer.from(input));
        JSON.parse(render(report, 'json'));
        // An input that is no text, or no trace, is refused whole.
        if (report.inputErrors.some(({ code }) => code === 'unreadable-input')) {
          expect([exitCodeOf(report), report.summary.spans]).toEqual([2, 0]);
          return;
        }
        const text = Buffer.from(input)
          .toString('latin1')
          .replace(/^\u00ef\u00bb\u00bf/, '');
        const all = text.split('\n').filter((line) => !/^[ \t\r]*$/.test(line));
        const headers = all.length - report.summary.spans - report.summary.unusableLines;
        expect([0, 1]).toContain(headers);
        if (headers === 1) expect(all[0]).toContain('contract');
      }),
      { numRuns: TRACES },
    );
  });
});

describe('the second look', () => {
  const folder = mkdtempSync(join(tmpdir(), 'second-look-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  test('at files says what the kept rows of a pipe say, and what the naive model says', async () => {
    await fc.assert(
      fc.asyncProperty(traceLines, fc.nat(), async (trace, cut) => {
        const at = cut % (trace.length + 1);
        const paths = [join(folder, 'a.jsonl'), join(folder, 'b.jsonl')] as const;
        writeFileSync(
          paths[0],
          trace
            .slice(0, at)
            .map((line) => `${line}\n`)
            .join(''),
        );
        writeFileSync(
          paths[1],
          trace
            .slice(at)
            .map((line) => `${line}\n`)
            .join(''),
        );
        const { stdout, code } = await run(paths);
        const expected = naive(trace, { profile: 'terminal', partial: false });
        expect([stdout, code]).toEqual([expected.stdout, expected.exit]);
      }),
      { numRuns: Math.ceil(TRACES / 2) },
    );
  });

  test('finds what stands between two copies of a line', async () => {
    const trace = lines('start@0 tool@1:a tool@2:a tool@3:a stop@3:done');
    const { runs } = await check([...trace.toReversed(), ...trace]);
    expect(runs.map((run) => [run.verdict, run.spans, foundRules(run)])).toEqual([
      ['no_progress', 10, ['no-progress', 'duplicate-line']],
    ]);
  });

  test('holds a run to a contract that its second span brings', async () => {
    const trace = [
      '{"run_id":"r","seq":1,"type":"tool","iter":3,"name":"x"}',
      '{"run_id":"r","seq":2,"type":"loop_start","iter":3,"goal":"g","contract":{"budget":2}}',
      '{"run_id":"r","seq":3,"type":"terminal","iter":3,"reason":"done"}',
    ];
    const { runs } = await check(trace);
    expect(
      runs.map(({ verdict, findings }) => [verdict, findings.find(({ rule }) => rule === 'over-budget')?.at.seq]),
    ).toEqual([['closed_done', 1]]);
  });
});
