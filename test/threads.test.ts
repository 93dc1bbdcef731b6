import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

// Threads load the built files, so they are asked for through them, as users do.
const folder = mkdtempSync(join(tmpdir(), 'threads-'));
afterAll(() => rmSync(folder, { recursive: true }));

const RUNS = 400;
const digest = (number: number): string => number.toString(16).padStart(16, '0');

const LEAK = 'https://ci:s3cr3t-of-ci@git.example.org/app';
/** Runs side by side, ten at a time; some spin, stop twice, stop late, lack a seq, or carry what the kernel leaves out. */
const trace = (): string => {
  const lines: string[] = [`{"type":"contract","budget":6,"rules":{"missing-goal":"error"},"note":"${LEAK}"}`];
  for (let first = 0; first < RUNS; first += 10) {
    for (let step = 0; step < 8; step += 1) {
      for (let run = first; run < first + 10; run += 1) lines.push(...spanLines(run, step));
    }
  }
  return `${lines.join('\n')}\n{"run_id":"cut`;
};

const spanLines = (run: number, step: number): string[] => {
  const kind = run % 13;
  const line = (span: object): string => JSON.stringify({ run_id: kind === 7 ? `rün ${run}` : `run ${run}`, ...span });
  const seq = kind === 4 && step === 3 ? undefined : step;
  if (step === 0) return [line({ seq, type: 'loop_start', iter: 0, goal: kind === 5 ? '' : 'g' })];
  if (step === 7) return stopLines(line, kind, step);
  const args_hash = digest(kind === 1 ? 1 : run * 100 + step);
  const tool = line({ seq, type: 'tool', iter: step, name: 'bash', args_hash, status: 'ok', mono_ms: run * 10 + step });
  if (kind === 10 && step === 4) return [tool.replace('}', `,"note":"${LEAK}"}`)];
  return kind === 9 && step === 4 ? [tool, `no JSON, ${LEAK}`, '', tool] : [tool];
};

const stopLines = (line: (span: object) => string, kind: number, seq: number): string[] => {
  const stop = { type: 'terminal', iter: 6, reason: kind === 8 ? 'budget' : 'done' };
  if (kind === 2) return [];
  if (kind === 3) return [line({ seq, ...stop }), line({ seq: seq + 1, ...stop })];
  return [line({ seq: kind === 6 ? 5.5 - 6.5 : seq, ...stop })];
};

const path = join(folder, 'trace.jsonl');
/** Runs that go on in another file, which no thread reads. */
const rest = join(folder, 'rest.jsonl');
beforeAll(() => {
  writeFileSync(path, trace());
  writeFileSync(rest, `${JSON.stringify({ run_id: 'run 2', seq: 99, type: 'terminal', iter: 6, reason: 'done' })}\n`);
});

/** What the built checker makes of files, in a process of its own, where ranges may be as short as these files need. */
const inProcess = (
  files: readonly string[],
  settings: { readonly jobs: number; readonly reader: string; readonly watched?: string | undefined },
  use: string,
  rules: readonly (readonly [string, string])[] = [],
): string => {
  const at = (name: string): string => JSON.stringify(pathToFileURL(join('dist', name)).href);
  const program = `
    const { watchInputs } = await import(${at('check.js')});
    const { findInputs } = await import(${at('input.js')});
    const { termsOf } = await import(${at('commands/terms.js')});
    const { render } = await import(${at('index.js')});
    const terms = termsOf({ profile: undefined, limits: undefined, part: { values: {}, rules: new Map(${JSON.stringify(rules)}) }, isPartial: false });
    const inputs = await findInputs(${JSON.stringify(files)}, undefined, () => '');
    const options = { terms, isEmptyAllowed: false, threadBytes: 1000, ...${JSON.stringify(settings)} };
    ${use}
  `;
  return execFileSync(process.execPath, ['--input-type=module', '-e', program], {
    encoding: 'utf8',
    maxBuffer: 1 << 26,
  });
};

/** What the checker says; or the spans of a run. */
const judged = (
  files: readonly string[],
  jobs: number,
  reader: string,
  watched?: string,
  rules: readonly (readonly [string, string])[] = [],
): string => {
  const use = `
    const { report, spans } = await watchInputs(inputs, options);
    process.stdout.write(options.watched === undefined ? render(report, 'json') : JSON.stringify(spans));
  `;
  return inProcess(files, { jobs, reader, watched }, use, rules);
};

/** What is told to who watches. */
const watched = (files: readonly string[], jobs: number, reader: string): string => {
  const use = `
    const told = [];
    let ends = 0;
    const progress = { reach: (reached) => told.push(reached), end: () => (ends += 1) };
    await watchInputs(inputs, { ...options, progress });
    process.stdout.write(JSON.stringify({ told, ends }));
  `;
  return inProcess(files, { jobs, reader }, use);
};

/** The drawings of all runs. */
const drawn = (files: readonly string[], jobs: number, reader: string): string => {
  const use = `
    const { report } = await watchInputs(inputs, { ...options, drawsTimelines: true });
    process.stdout.write(JSON.stringify({ ...report.timelines, drawn: [...report.timelines.drawn].sort() }));
  `;
  return inProcess(files, { jobs, reader }, use);
};

describe('threads that share a file', () => {
  test.each([2, 3, 12])('say by %i what the plain reader says alone', (jobs) => {
    expect(judged([path], jobs, 'scanner')).toBe(judged([path], 1, 'plain'));
  });

  // One that the first thread sees, one that the last one sees, one that a cut goes through, one that there is not.
  test.each(['run 0', 'run 398', 'run 203', 'no run'])('show the spans of the run that is watched: %s', (watched) => {
    const spans = JSON.parse(judged([path], 2, 'scanner', watched));
    expect(spans).toEqual(JSON.parse(judged([path], 1, 'plain', watched)));
    expect(spans).toHaveLength(watched === 'no run' ? 0 : 8);
  });

  test.each([2, 3])('and what they say of credentials, by %i', (jobs) => {
    const alone = judged([path], 1, 'plain', undefined, [['leaked-secret', 'warn']]);
    expect(judged([path], jobs, 'scanner', undefined, [['leaked-secret', 'warn']])).toBe(alone);
    const { summary, input_errors } = JSON.parse(alone);
    const outside = input_errors.filter(({ code }: { code: string }) => code === 'leaked-secret');
    // A header, and a line that is no JSON in each run of its kind.
    expect([summary.by_rule['leaked-secret'], outside.length]).toEqual([30, 1 + 31]);
  });

  test.each([1, 3, 12])('draw by %i what the plain reader draws alone', (jobs) => {
    const alone = drawn([path, rest], 1, 'plain');
    expect(drawn([path, rest], jobs, 'scanner')).toBe(alone);
    expect(JSON.parse(alone)).toMatchObject({ tooMany: 0, tooLong: 0, unread: 0 });
    expect(JSON.parse(alone).drawn).toHaveLength(RUNS);
  });

  test('and so over several files', () => {
    expect(judged([path, rest], 5, 'scanner')).toBe(judged([path, rest], 1, 'plain'));
  });
});

describe('who watches is told of all bytes and spans', () => {
  const size = (): number => statSync(path).size + statSync(rest).size;
  const isSpan = (line: string): boolean => line.startsWith('{"run_id":') && line.endsWith('}');
  const spans = (): number => trace().split('\n').filter(isSpan).length + 1;

  test.each([
    ['scanner', 1],
    ['scanner', 3],
    ['plain', 1],
  ] as const)('by the %s in %i threads', (reader, jobs) => {
    const { told, ends } = JSON.parse(watched([path, rest], jobs, reader));
    const [first, second] = [false, true].map((isSecond) =>
      told.filter(({ isSecondLook }: { isSecondLook: boolean }) => isSecondLook === isSecond),
    );
    expect(first.at(-1)).toEqual({ isSecondLook: false, bytes: size(), of: size(), spans: spans(), share: 1 });
    expect(second.at(-1)).toMatchObject({ isSecondLook: true, share: 1, bytes: second.at(-1).of });
    for (const look of [first, second]) {
      const shares = look.map(({ share }: { share: number }) => share);
      expect(shares).toEqual(shares.toSorted((left: number, right: number) => left - right));
    }
    expect(ends).toBe(1);
  });
});

describe('runs out of order, far from one another', () => {
  const far = join(folder, 'far.jsonl');
  const filler = `${JSON.stringify({ run_id: 'filler', type: 'note', text: 'x'.repeat(5000) })}\n`;
  const pair = (run: string): string =>
    [2, 1, 3]
      .map((seq) => `${JSON.stringify({ run_id: run, seq, type: seq === 3 ? 'terminal' : 'note', reason: 'done' })}\n`)
      .join('');
  beforeAll(() => {
    // Gaps from none to more than the second look passes over, so that ranges are joined, touched and left apart.
    const gaps = [60, 60, 60, 0, 1, 40, 52, 53, 60, 100, 105, 110, 0, 300];
    const giant = filler.replace('xxx', 'x'.repeat(3_000_000));
    const around = pair('around').replace('\n', `\n${giant}`);
    writeFileSync(far, around + gaps.map((gap, index) => `${filler.repeat(gap)}${pair(`run ${index}`)}`).join(''));
  });

  test('are read once more, each line once', () => {
    expect(judged([far, path], 1, 'scanner')).toBe(judged([far, path], 1, 'plain'));
  });
});
