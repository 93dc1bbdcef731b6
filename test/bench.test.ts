import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { differences, linesOf } from '../bench/answers.mjs';
import { CONTENDERS } from '../bench/contenders/index.mjs';
import { withSection } from '../bench/results.mjs';
import { markdownOf, median, pairedRatio, tableOf } from '../bench/table.mjs';
import { describeTrace, traceOptions, wordsOf } from '../bench/trace/options.mjs';
import { createTrace, PRESETS } from '../bench/trace/trace.mjs';
import { checkTrace, exitCodeOf, render, VERDICTS } from '../src/index.js';

type TraceOptions = Parameters<typeof createTrace>[0];

const traceOf = (options: TraceOptions): { bytes: Buffer; answers: string[] } => {
  const trace = createTrace(options);
  // A piece is good until the next is asked for.
  const bytes = Buffer.concat([...copied(trace.pieces())]);
  return { bytes, answers: trace.answers() };
};
function* copied(pieces: Iterable<Uint8Array>): Iterable<Buffer> {
  for (const piece of pieces) yield Buffer.from(piece);
}
const digestOf = (options: TraceOptions): string => createHash('sha256').update(traceOf(options).bytes).digest('hex');

const SMALL = { runs: 100 };
const LATE = { ...SMALL, lateRuns: 0.3, lateSpans: 0.1 };
const HOSTILE = { ...LATE, hostile: 0.3 };

describe('a generated trace', () => {
  test.each([
    ['plain', SMALL],
    ['late', LATE],
    ['hostile', HOSTILE],
  ])('is the same for the same options, and another for another seed: %s', (_, options) => {
    expect(digestOf(options)).toBe(digestOf(options));
    expect(digestOf({ ...options, seed: 2 })).not.toBe(digestOf(options));
  });

  // Figures are compared over months: a change of these bytes makes the earlier ones worthless, so it is made on purpose.
  test('is the same everywhere', () => {
    expect(digestOf({ runs: 1000, hostile: 0.01, lateRuns: 0.1, lateSpans: 0.01 })).toBe(
      '72ccf3411f60f1f8b0ac177b3745339725b5aa81b94faacf8bf355a4f7c02753',
    );
    expect(digestOf({ runs: 1000 })).toBe('e32f1d0db1ae9f21e33b8b162e683f74eeef93b1d00a94d2a2945071bc870cdf');
  });

  test.each([
    ['plain', SMALL],
    ['late', LATE],
    ['hostile', HOSTILE],
    ['of few runs', { runs: 11 }],
    ['one run at a time', { ...SMALL, open: 1 }],
    ['of long runs', { runs: 12, spans: 900 }],
    ['with repeated digests', { ...SMALL, digests: 'repeated' as const }],
    ['of tools alone', { ...SMALL, model: 0, other: 0, optional: 0 }],
    ['of many kinds', { ...SMALL, model: 0.5, other: 0.5, optional: 1 }],
  ])('gets the verdicts that it is made for, each of them at least once: %s', async (_, options) => {
    const { bytes, answers } = traceOf(options);
    for (const profile of ['classic', 'terminal'] as const) {
      const report = await checkTrace(Readable.from([bytes], { objectMode: false }), { config: { profile } });
      expect(differences(answers, linesOf(render(report, 'tsv')))).toEqual([]);
      expect(exitCodeOf(report)).toBe('hostile' in options ? 2 : 1);
      expect(new Set(report.runs.map(({ verdict }) => verdict))).toEqual(new Set(VERDICTS));
    }
  });

  test('is of the size that is asked for', () => {
    expect(traceOf({ megabytes: 2 }).bytes.length / 2e6).toBeCloseTo(1, 1);
    const { bytes, answers } = traceOf({ megabytes: 2, runs: 50 });
    expect(bytes.length / 2e6).toBeCloseTo(1, 1);
    expect(answers).toHaveLength(50);
    expect(() => createTrace({})).toThrow(/needs megabytes, runs or both/);
  });

  test('of the preset has the shape of the file that the design measured', () => {
    const { bytes, answers } = traceOf({ ...PRESETS['speed'], runs: 4000 });
    const spans = answers.reduce((sum, line) => sum + Number(line.split('spans=')[1]), 0);
    expect(answers).toHaveLength(4000);
    expect(spans / 4000).toBeCloseTo(19.5, 0);
    expect(bytes.length / spans).toBeGreaterThan(215);
    expect(bytes.length / spans).toBeLessThan(225);
  });

  test('keeps as many runs open as asked', () => {
    const ids = traceOf({ runs: 200, open: 7 })
      .bytes.toString()
      .trimEnd()
      .split('\n')
      .map((line): { run_id: string } => JSON.parse(line))
      .map(({ run_id }) => run_id);
    const open = ids.map((_, index) => {
      const before = new Set(ids.slice(0, index + 1));
      return new Set(ids.slice(index).filter((id) => before.has(id))).size;
    });
    expect(Math.max(...open)).toBe(7);
  });

  test.each([
    [{}, { ...PRESETS['speed'], hostile: 0 }],
    [{ mb: '10' }, { megabytes: 10 }],
    [
      { preset: 'late', mb: '10', runs: '5' },
      { megabytes: 10, runs: 5, lateRuns: 0.1 },
    ],
    [
      { digests: 'repeated', 'late-spans': '0.5' },
      { digests: 'repeated', lateSpans: 0.5 },
    ],
  ])('is asked for in words: %j', (words, expected) => {
    const options = traceOptions(words);
    expect(options).toMatchObject(expected);
    const again = wordsOf(options)
      .join(' ')
      .matchAll(/--(\S+) (\S+)/g);
    expect(traceOptions(Object.fromEntries([...again].map(([, word, text]) => [word, text])))).toEqual(options);
  });

  test.each([{ preset: 'fast' }, { hostile: '2' }, { mb: 'many' }, { runs: '0' }, { digests: 'some' }])(
    'is not made from %j',
    (words) => {
      expect(() => traceOptions(words)).toThrow(RangeError);
    },
  );

  test('is described by what is unusual about it', () => {
    expect(describeTrace(traceOptions({ preset: 'late', seed: '3' }))).toBe('seed 3, runs 100000, late-runs 0.1');
  });
});

describe('answers', () => {
  test('are compared without their order and without what a profile adds', () => {
    const given = linesOf('b\tclosed_ok\titer=1\tspans=2\tbreaks=no-receipt\na\topen_loop\titer=0\tspans=1\n');
    expect(differences(['a\topen_loop\titer=0\tspans=1', 'b\tclosed_ok\titer=1\tspans=2'], given)).toEqual([]);
  });

  test.each([
    ['a missing run', ['a', 'b'], ['a'], '  1 of 2 lines are missing, 0 of 1 are others'],
    ['a run too many', ['a'], ['a', 'b'], '  0 of 1 lines are missing, 1 of 2 are others'],
    ['a run twice', ['a'], ['a', 'a'], '  0 of 1 lines are missing, 0 of 2 are others'],
    ['another verdict', ['a\tx'], ['a\ty'], '  1 of 1 lines are missing, 1 of 1 are others'],
  ])('differ by %s', (_, expected, given, first) => {
    expect(differences(expected, given)[0]).toBe(first);
  });
});

describe('the table', () => {
  test.each([
    [[3], 3],
    [[5, 1, 3], 3],
    [[10, 9, 1, 2], 5.5],
  ])('the median of %j is %d', (numbers, expected) => {
    expect(median(numbers)).toBe(expected);
  });

  test('ratios are taken in pairs before their median', () => {
    expect(pairedRatio([2, 30, 4], [1, 10, 1])).toBe(3);
  });

  const sample = (seconds: number, cpu?: number, peak?: number) => ({
    seconds,
    ...(cpu !== undefined && { cpu }),
    ...(peak !== undefined && { peak }),
  });
  const measured = [
    { id: 'ours', title: 'ours', role: 'judge', samples: [sample(1, 1.5, 100), sample(4, 5, 300), sample(2, 2, 99.6)] },
    { id: 'floor', title: 'the floor', role: 'floor', samples: [sample(0.5), sample(1), sample(1)] },
  ];

  test('has medians, and ratios to the floor and to this tool', () => {
    expect(tableOf(measured, { floor: 'floor', tool: 'ours' }).slice(1)).toEqual([
      ['ours', 'yes', '2.00', '2.00', '100', '2.00', '1.00'],
      ['the floor', 'no, floor', '1.00', '–', '–', '1.00', '0.50'],
    ]);
  });

  test('has no ratio to what was not measured', () => {
    const [, row] = tableOf(measured.slice(0, 1), { floor: 'floor', tool: 'ours' });
    expect(row?.slice(-2)).toEqual(['–', '1.00']);
  });

  test('is Markdown, its numbers to the right', () => {
    const cells = tableOf(measured, { floor: 'floor', tool: 'ours' }).map((row) => row.slice(0, 3));
    expect(markdownOf(cells).split('\n')).toEqual([
      '| contender | judges    | wall s |',
      '| --------- | --------- | -----: |',
      '| ours      | yes       |   2.00 |',
      '| the floor | no, floor |   1.00 |',
    ]);
  });

  test('takes the place of the one with its heading', () => {
    const section = (name: string, text: string) => ({ heading: `## ${name}`, text: `## ${name}\n\n${text}\n` });
    const [first, second, newer] = [section('a', 'one'), section('a b', 'two'), section('a', 'three')];
    const both = withSection(withSection('', first), second);
    expect(withSection(both, newer)).toBe(both.replace('\none\n', '\nthree\n'));
  });
});

test('contenders have names of their own', () => {
  expect(new Set(CONTENDERS.map(({ id }) => id)).size).toBe(CONTENDERS.length);
});
