import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import fc from 'fast-check';
import stringWidth from 'string-width';
import { afterAll, describe, expect, test } from 'vitest';
import { checkSpans } from '../../src/index.js';
import { pretty } from '../../src/reporters/pretty.js';
import { run } from '../run-main.js';

const INCIDENT = 'fixtures/verdicts/open_loop/staging-incident.jsonl';
const BAD = 'fixtures/verdicts/no_progress/known-bad.jsonl';

const work = mkdtempSync(join(tmpdir(), 'pretty-'));
afterAll(() => rmSync(work, { recursive: true }));

interface Step {
  readonly type: string;
  readonly [key: string]: unknown;
}
const spansOf = (run_id: string, steps: readonly Step[]): object[] =>
  steps.map((step, seq) => ({ run_id, seq, iter: seq, ...step }));
const shown = async (spans: Iterable<object>, width = 100, isColoured = false): Promise<string> => {
  const report = await checkSpans(spans, { timelines: true, allowEmpty: true });
  return [...pretty.render(report, { width, isColoured })].join('');
};

test('who sees the incident can say what broke, where, and what to do', async () => {
  const { stdout } = await run(['--format', 'pretty', INCIDENT]);
  expect(stdout).toBe(
    [
      'open_loop: 1 run',
      '  staging-deploy-0303 (31 spans, 15 calls, 15 iterations, 59580 tokens, 52 min)',
      `  ▷${'○●'.repeat(15)}`,
      `  error open-loop ${INCIDENT}:31`,
      '    no terminal span: nothing says that the loop stopped',
      '    → cap the run and page',
      '',
      '▷ start  ○ model  ● call  × failed call  ■ stop  ┊ the contract would have halted it',
      '',
      '1 run, 31 spans: 1 failed, 0 passed (open_loop 1)',
      '1 job was green, and it never stopped.',
      '',
    ].join('\n'),
  );
});

test('runs that fail alike are told once, with a count and examples', async () => {
  const open = [{ type: 'loop_start', goal: 'x' }, { type: 'model' }];
  const spans = Array.from({ length: 9 }, (_, index) => spansOf(`run-${index}`, open)).flat();
  const said = await shown([
    ...spans,
    ...spansOf('twice', [
      { type: 'terminal', reason: 'done' },
      { type: 'terminal', reason: 'done' },
    ]),
  ]);
  expect(said.match(/^\S.*: \d+ runs?$/gm)).toEqual(['open_loop: 9 runs', 'double_stop: 1 run']);
  expect(said.match(/no terminal span/g)).toHaveLength(1);
  expect(said.match(/^ {2}run-\d/gm)).toHaveLength(3);
  expect(said).toContain('  … and 6 more runs alike\n');
});

test('a run that passes is not drawn', async () => {
  const said = await shown(
    spansOf('a', [
      { type: 'loop_start', goal: 'x' },
      { type: 'terminal', reason: 'done' },
    ]),
  );
  expect(said).toBe('1 run, 2 spans: 0 failed, 1 passed (closed_ok 1)\n1 job was green, and it stopped.\n');
});

describe('the picture', () => {
  test('shows what was left out by its number, and where the contract would have halted the run', async () => {
    const call = { type: 'tool', name: 'edit', args_hash: '0123456789abcdef', status: 'ok' };
    const said = await shown(
      spansOf('a', [{ type: 'loop_start', goal: 'x' }, ...Array.from({ length: 2000 }, () => call)]),
      60,
    );
    const [picture = ''] = /^ {2}▷.*$/m.exec(said) ?? [];
    const drawn = [...picture.matchAll(/[▷○●×■·~]/g)].length;
    const skipped = [...picture.matchAll(/…(\d+)…/g)].reduce((sum, [, count]) => sum + Number(count), 0);
    expect(drawn + skipped).toBe(2001);
    expect(picture).toMatch(/^ {2}▷.*┊/);
  });

  test('keeps to the width, whatever the run is', async () => {
    const step = fc.constantFrom<Step>(
      { type: 'model' },
      { type: 'tool', name: 'a', args_hash: '0123456789abcdef' },
      { type: 'tool', name: 'b', args_hash: 'fedcba9876543210', status: 'error' },
      { type: 'terminal', reason: 'done' },
      { type: 'note' },
    );
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 400 }),
        fc.integer({ min: 40, max: 200 }),
        async (steps, width) => {
          const said = await shown(spansOf('a', steps), width);
          const pictures = said.split('\n').filter((line) => /^ {2}[▷○●×■·~…┊]/.test(line));
          for (const line of pictures) expect(stringWidth(line)).toBeLessThanOrEqual(width);
          const drawn = pictures.join('').match(/[▷○●×■·~]/g)?.length ?? 0;
          const skipped = [...pictures.join('').matchAll(/…(\d+)…/g)].reduce(
            (sum, [, count]) => sum + Number(count),
            0,
          );
          if (pictures.length > 0) expect(drawn + skipped).toBe(steps.length);
        },
      ),
      { numRuns: 300 },
    );
  });
});

test('nothing of a trace acts on a terminal, and no line of a message is wider than it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
      fc.boolean(),
      async (text, isColoured) => {
        const said = await shown(
          spansOf(text, [
            { type: 'loop_start' },
            { type: 'tool', name: text, args_hash: text },
            { type: 'terminal', reason: text },
          ]),
          80,
          isColoured,
        );
        expect(stripVTControlCharacters(said)).not.toMatch(/[\p{Cc}\u2028\u2029\u202a-\u202e](?<!\n)/u);
        if (!isColoured) expect(said).not.toContain('\u001b');
      },
    ),
    { numRuns: 300 },
  );
});

describe('colours', () => {
  const escapes = (text: string): boolean => text.includes('\u001b[');
  const onTerminal = { isOutputTerminal: true, isErrorTerminal: true };
  test.each([
    ['on a terminal', [], onTerminal, true],
    ['in a pipe', ['--format', 'pretty'], {}, false],
    ['where NO_COLOR is set', [], { ...onTerminal, env: { NO_COLOR: '1' } }, false],
    ['on a dumb terminal', [], { ...onTerminal, env: { TERM: 'dumb' } }, false],
    ['as asked for', ['--format', 'pretty', '--color', 'always'], { env: { NO_COLOR: '1' } }, true],
    ['as refused', ['--color=never'], onTerminal, false],
  ])('%s', async (_, words, outside, isColoured) => {
    const { stdout } = await run([...words, BAD], outside);
    expect(stdout).toContain('edit_file');
    expect(escapes(stdout)).toBe(isColoured);
  });

  test('a word that is none is refused', async () => {
    expect(await run(['--color', 'pink', BAD])).toMatchObject({ code: 2, stdout: '' });
  });

  test('a file has none, whatever the terminal', async () => {
    const path = join(work, 'pretty.txt');
    const { stdout } = await run(['--format', `pretty=${path}`, '--format', 'tsv', BAD], onTerminal);
    expect(escapes(stdout)).toBe(false);
  });
});

describe('the default format', () => {
  test('on a terminal it is pretty, and stderr does not say it again', async () => {
    const { stdout, stderr, code } = await run([BAD], {
      isOutputTerminal: true,
      isErrorTerminal: true,
      env: { NO_COLOR: '1' },
    });
    expect(stdout).toContain('no_progress with open-loop: 1 run\n');
    expect([stderr, code]).toEqual(['', 1]);
  });

  test('elsewhere, where it is asked for, and under classic it is not', async () => {
    const terminal = { isOutputTerminal: true, isErrorTerminal: true };
    for (const [words, outside] of [
      [[], {}],
      [['--format', 'tsv'], terminal],
      [['--profile', 'classic'], terminal],
    ] as const)
      expect((await run([...words, BAD], outside)).stdout).toBe('run_bad\tno_progress\titer=3\tspans=4\n');
  });

  test('what could not be read is said where stderr is no terminal, and on the terminal', async () => {
    const path = join(work, 'odd.jsonl');
    writeFileSync(path, 'no json\n');
    const both = await run([path], { isOutputTerminal: true, isErrorTerminal: true });
    expect(both.stdout).toContain('invalid-json');
    const one = await run([path], { isOutputTerminal: true, isErrorTerminal: false });
    expect(one.stderr).toContain('invalid-json');
    expect([both.code, one.code]).toEqual([2, 2]);
  });
});
