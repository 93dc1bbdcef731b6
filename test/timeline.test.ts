import { Readable } from 'node:stream';
import { describe, expect, test } from 'vitest';
import { checkInputs } from '../src/check.js';
import { termsOf } from '../src/commands/terms.js';
import { EMPTY_PART } from '../src/contract.js';
import { checkTrace, type Report } from '../src/index.js';
import { findInputs, fromStream } from '../src/input.js';
import { readConfig } from '../src/read-config.js';
import type { Timeline } from '../src/timeline.js';
import { folder } from './run-command.js';
import { lines } from './trace-words.js';

type Reader = 'scanner' | 'plain';

/** Judges a trace from a pipe and draws its runs. */
const drawn = (trace: readonly string[], reader: Reader = 'scanner'): Promise<Report> => {
  const decisions = { profile: undefined, limits: undefined, part: EMPTY_PART, isPartial: false };
  const stream = Readable.from([Buffer.from(trace.map((line) => `${line}\n`).join(''))], { objectMode: false });
  const input = { name: 'trace', size: () => undefined, open: () => fromStream(stream) };
  const terms = termsOf(decisions, readConfig({}));
  return checkInputs([input], { terms, isEmptyAllowed: true, reader, drawsTimelines: true });
};

const timelineIn = (report: Report, id = 'r'): Timeline => {
  const timeline = report.timelines?.drawn.get(id);
  if (timeline === undefined) throw new Error(`no drawing of ${id}`);
  return timeline;
};

/** A drawing in words: of each mark its iteration, lane, kind and call, what breaks there, its tokens, what is left out before it. */
const marksOf = ({ lanes, marks }: Timeline): readonly string[] =>
  marks.map(({ iter, lane, kind, call, breaks, tokens, skipped }) =>
    [iter ?? '-', lanes[lane], kind, call, breaks ?? '', tokens, skipped].join(' '),
  );

describe.each(['scanner', 'plain'] as const)('drawn from the %s', (reader) => {
  test.each<readonly [string, string, readonly string[]]>([
    [
      'a call made again and again',
      'start@0 tool@1:a tool@2:a tool@3:a',
      ['0 run start 0  0 0', '1 edit_file tool 1  0 0', '2 edit_file tool 1  0 0', '3 edit_file tool 1 error 0 0'],
    ],
    [
      'other arguments, a failure, tokens of every kind',
      'start@0 model@1,tokens_in=5,tokens_out=2,tokens_cached=1,tokens_aux=1 tool@1:a!error tool@1:b tool@1:a stop@1:done',
      [
        '0 run start 0  0 0',
        '1 model model 0  9 0',
        '1 edit_file failed 1  0 0',
        '1 edit_file tool 2  0 0',
        '1 edit_file tool 1  0 0',
        '1 run stop 0  0 0',
      ],
    ],
    [
      'what comes late stands where its seq says',
      'start@0 tool@1:a#3 tool@1:b#2 stop@1:done',
      ['0 run start 0  0 0', '1 edit_file tool 1  0 0', '1 edit_file tool 2  0 0', '1 run stop 0  0 0'],
    ],
    [
      'work after the stop warns there',
      'start@0 stop@0:done tool@1:a',
      ['0 run start 0  0 0', '0 run stop 0  0 0', '1 edit_file tool 1 warn 0 0'],
    ],
    [
      'a tool that is called as a type is, no digest, no iteration',
      'start@0 model tool,name=model note tool,name=run stop:done',
      [
        '0 run start 0  0 0',
        '- model model 0  0 0',
        '- model tool 0  0 0',
        '- note other 0  0 0',
        '- run tool 0  0 0',
        '- run stop 0  0 0',
      ],
    ],
  ])('%s', async (_what, words, expected) => {
    expect(marksOf(timelineIn(await drawn(lines(words), reader)))).toEqual(expected);
  });

  test('a replay is a mark of its own, and does not count', async () => {
    const [start = '', ...rest] = lines('start@0 tool@1:a tool@2:a tool@3:a tool@4:a');
    const { marks, haltAt } = timelineIn(await drawn([start, start, ...rest], reader));
    expect(marks.map(({ kind }) => kind)).toEqual(['start', 'replay', 'tool', 'tool', 'tool', 'tool']);
    expect(haltAt).toBe(5);
  });

  test('of a long run, both ends and what breaks between them', async () => {
    const calls = Array.from({ length: 600 }, (_, index) => `tool@1:${index === 300 ? 'x,note=1#5' : `c${index}`}`);
    const report = await drawn(lines(`start@0 ${calls.join(' ')}`), reader);
    const { marks } = timelineIn(report);
    expect(marks.slice(0, 150).every(({ skipped }) => skipped === 0)).toBe(true);
    expect(marks.reduce((sum, { skipped }) => sum + 1 + skipped, 0)).toBe(601);
    expect(marks.filter(({ skipped }) => skipped > 0).length).toBeGreaterThan(0);
    for (const { at } of report.runs[0]?.findings ?? [])
      expect(marks.find(({ place }) => place.line === at.line)?.breaks).toBeDefined();
  });

  test('tools beyond the lanes share the last one', async () => {
    const calls = Array.from({ length: 20 }, (_, index) => `tool@1:a,name=t${index}`);
    const { lanes, marks } = timelineIn(await drawn(lines(`start@0 ${calls.join(' ')} stop@1:done`), reader));
    expect(lanes).toEqual(['run', ...Array.from({ length: 13 }, (_, index) => `t${index}`), 'all others']);
    expect(marks.filter(({ lane }) => lane === 14)).toHaveLength(7);
    expect(marks.find(({ lane }) => lane === 14)?.call).toBe(0);
  });

  test('of too many runs, those that fail, then those with findings; the rest is counted', async () => {
    const kept = Array.from({ length: 2500 }, (_, id) => lines('start@0 stop@0:done', `kept-${id}`)).flat();
    const trace = [...kept, ...lines('start@0', 'z-open'), ...lines('start@0 stop@0:done tool@1', 'z-goes-on')];
    const { drawn: found, ...left } = (await drawn(trace, reader)).timelines ?? { drawn: new Map() };
    expect(found.size).toBe(2000);
    expect(found.has('z-open') && found.has('z-goes-on')).toBe(true);
    expect(left).toEqual({ tooMany: 502, tooLong: 0, unread: 0 });
  });

  test('a run that is too long is left out, and counted', async () => {
    const long = Array.from({ length: 50_001 }, (_, seq) => `{"run_id":"long","seq":${seq},"type":"model","iter":1}`);
    const { drawn: found, ...left } = (await drawn([...long, ...lines('start@0')], reader)).timelines ?? {
      drawn: new Map(),
    };
    expect([...found.keys()]).toEqual(['r']);
    expect(left).toEqual({ tooMany: 0, tooLong: 1, unread: 0 });
  });

  test('the verdicts are the same as without drawings', async () => {
    const trace = [...lines('start@0 tool@1:a#3 tool@1:a#2'), ...lines('start@0 stop@0:done', 'kept')];
    const { timelines: _, ...rest } = await drawn(trace, reader);
    const plain = await checkTrace([Buffer.from(trace.map((line) => `${line}\n`).join(''))], { name: 'trace' });
    expect(rest.summary).toEqual(plain.summary);
    expect(plain.timelines).toBeUndefined();
  });
});

const FOREIGN = 'fixtures/formats/codex-exec/endings.jsonl';
test('marks of a foreign format stand where its records do', async () => {
  const decisions = { profile: undefined, limits: undefined, part: EMPTY_PART, isPartial: false };
  const inputs = await findInputs([FOREIGN], { fd: 0, isTTY: false, stream: () => Readable.from([]) }, () => '');
  const terms = termsOf(decisions, readConfig({}));
  const report = await checkInputs(inputs, { terms, isEmptyAllowed: true, drawsTimelines: true });
  const [run] = report.runs;
  const { marks } = timelineIn(report, run?.runId);
  expect(marks.length).toBe(run?.spans);
  expect([marks[0]?.place.file, marks[0]?.place.line]).toEqual([0, run?.first.line]);
  expect([marks.at(-1)?.place.file, marks.at(-1)?.place.line]).toEqual([0, run?.last.line]);
});

test('a file that has changed since it was read gives no drawing, and that is counted', async () => {
  const at = folder({
    'trace.jsonl': [...lines('start@0 tool@1:a'), ...lines('start@0 tool@1:a stop@1:done', 'kept')],
  });
  const decisions = { profile: undefined, limits: undefined, part: EMPTY_PART, isPartial: false };
  const inputs = await findInputs(
    [`${at.path}/trace.jsonl`],
    { fd: 0, isTTY: false, stream: () => Readable.from([]) },
    () => '',
  );
  // Its last byte has been read when the first look says so.
  const progress = { reach: () => at.write({ 'trace.jsonl': lines('start@0 tool@1:a', 'kept') }), end: () => {} };
  const options = { terms: termsOf(decisions, readConfig({})), isEmptyAllowed: true, drawsTimelines: true, progress };
  const { timelines, summary, inputErrors } = await checkInputs(inputs, options);
  expect([summary.runs, timelines?.drawn.size, timelines?.unread, inputErrors]).toEqual([2, 0, 2, []]);
});
