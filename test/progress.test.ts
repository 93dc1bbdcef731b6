import { spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import headless from '@xterm/headless';
import { describe, expect, test } from 'vitest';
import { progressText } from '../src/progress-line.js';
import { type Folder, folder, KNOWS_COMMAND } from './run-command.js';
import { lines } from './trace-words.js';

const FIRST = { isSecondLook: false, bytes: 0, of: undefined, spans: 0, share: undefined };

test.each([
  [{ bytes: 999 }, 1000, '999 B'],
  [{ bytes: 1000, spans: 12 }, 1000, '1.0 kB, 12 spans/s'],
  [{ bytes: 999_499 }, 1000, '999 kB'],
  [{ bytes: 999_500 }, 1000, '1.0 MB'],
  [{ bytes: 9_949_999, spans: 5000 }, 2000, '9.9 MB, 2.5k spans/s'],
  [{ bytes: 9_950_000, spans: 6_000_000 }, 2000, '10 MB, 3.0M spans/s'],
  [{ bytes: 1.5e15 }, 1000, '1500 TB'],
  [{ bytes: 25, of: 100, share: 0.25 }, 2000, '25 B of 100 B, 6 s left'],
  [{ bytes: 50, of: 100, share: 0.5 }, 59_000, '50 B of 100 B, 59 s left'],
  [{ bytes: 50, of: 100, share: 0.5 }, 59_001, '50 B of 100 B, 1 min left'],
  [{ bytes: 50, of: 100, share: 0.5 }, 3_540_000, '50 B of 100 B, 59 min left'],
  [{ bytes: 50, of: 100, share: 0.5 }, 3_540_001, '50 B of 100 B, 1 h 0 min left'],
  [{ bytes: 25, of: 100, share: 0.25 }, 2_460_000, '25 B of 100 B, 2 h 3 min left'],
  // A file that has grown since it was opened.
  [{ bytes: 120, of: 100, share: 1 }, 1000, '120 B'],
  [{ isSecondLook: true, bytes: 0, of: 100, share: 0 }, 0, 'late runs: 0 B of 100 B'],
])('%o after %i ms is %s', (reached, milliseconds, text) => {
  expect(progressText({ ...FIRST, ...reached }, milliseconds)).toBe(text);
});

const HAS_TERMINAL = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true;

/** What somebody sees on a terminal in the end. */
const screenOf = async (bytes: string): Promise<string[]> => {
  const terminal = new headless.Terminal({ cols: 200, rows: 50, allowProposedApi: true });
  await new Promise<void>((resolve) => terminal.write(bytes, resolve));
  const { active } = terminal.buffer;
  return Array.from({ length: active.length }, (_, row) => active.getLine(row)?.translateToString(true) ?? '');
};
const written = (text: string): string[] => text.split('\n').filter((line) => line !== '');

// The sequences with which a terminal is asked to show all of a frame at once.
const FRAME = '\u001b[?2026h';
const FRAME_END = '\u001b[?2026l';
const framesOf = (bytes: string): string[] =>
  bytes
    .split(FRAME)
    .slice(1)
    .map((frame) => stripVTControlCharacters(frame.split(FRAME_END)[0] ?? '').slice(2));
const SAID = /^(late runs: )?\d+ B( of \d+ B)?(, \d+ spans\/s)?(, \d s left)?$/;

/** A rule that takes a while to look at a terminal span. */
const SLOW = `
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const step = () => void Atomics.wait(pause, 0, 0, 1100);
  export default { id: 'slow', family: 'loop', passing: 'p', action: 'a', sees: ['terminal'], step, end() {} };
`;
const PIPED = '(cat 1.jsonl; sleep 3; cat 2.jsonl; sleep 0.2; cat 3.jsonl) | terminal-contract';

describe.skipIf(!HAS_TERMINAL)('progress at a terminal, as the script command of util-linux makes one', () => {
  const RULES = { 'slow.mjs': SLOW, 'terminal-contract.config.json': '{"custom_rules":["./slow.mjs"]}' };
  const TRACE = {
    '1.jsonl': lines('start@0 tool@1:a stop@2:done', 'one'),
    '2.jsonl': lines('start@0 tool@1:a tool@2:a tool@3:a', 'two'),
    '3.jsonl': lines('start@0 tool@1:b', 'three'),
    'late.jsonl': lines('start@0#1 tool@1:a#2 stop@2:done#4 tool@2:b#3', 'late'),
  };
  /** What a script writes to the terminal that is its stderr; stdout is a file. */
  const terminal = async (at: Folder, script: string, env: Record<string, string> = {}) => {
    at.write({ 'script.sh': `${KNOWS_COMMAND}${script} > out\n` });
    const { stdout } = await at.shell('script -qec "bash script.sh" /dev/null < /dev/null', {
      env: { TERM: 'xterm', ...env },
    });
    return stdout;
  };

  test.concurrent.for<readonly [string, string, readonly RegExp[]]>([
    ['a pipe: bytes and spans', PIPED, [/^\d+ B, \d+ spans\/s$/]],
    [
      'files: all bytes, and how long it will take',
      'terminal-contract 1.jsonl 2.jsonl 3.jsonl',
      [/^\d+ B of \d+ B, .*s left$/],
    ],
    ['the second look', 'terminal-contract late.jsonl', [/^late runs: \d+ B of \d+ B/]],
    ['explain', 'terminal-contract explain two 1.jsonl 2.jsonl 3.jsonl', [/^\d+ B of \d+ B/]],
  ])('%s; it is gone when the work is done', async ([, script, shown], { onTestFinished }) => {
    const at = folder(script === PIPED ? TRACE : { ...TRACE, ...RULES }, onTestFinished);
    const bytes = await terminal(at, script);
    const frames = framesOf(bytes);
    for (const frame of frames) expect(frame).toMatch(SAID);
    for (const pattern of shown) expect(frames).toContainEqual(expect.stringMatching(pattern));
    const said = at.read('out');
    // The cursor would be gone for good after a signal.
    expect(bytes).not.toContain('\u001b[?25');
    const { stderr } = await at.shell(`${script} > again`);
    expect((await screenOf(bytes)).filter((line) => line !== '')).toEqual(written(stderr));
    expect(at.read('again')).toBe(said);
    expect(said).not.toBe('');
  });

  test.concurrent.for<readonly [string, string, Record<string, string>]>([
    ['--quiet', `${PIPED} --quiet`, {}],
    ['under classic', `${PIPED} --profile classic`, {}],
    ['in CI', PIPED, { CI: 'true' }],
    ['on a dumb terminal', PIPED, { TERM: 'dumb' }],
    ['where stderr is no terminal', `${PIPED} 2>err`, {}],
    ['where it is soon over', 'terminal-contract 1.jsonl 2.jsonl 3.jsonl', {}],
  ])('none %s', async ([, script, env], { onTestFinished }) => {
    const at = folder(TRACE, onTestFinished);
    const bytes = await terminal(at, script, env);
    const { stderr } = await at.shell(`${script} > again`, { env });
    expect(stripVTControlCharacters(bytes).replaceAll('\r', '')).toBe(stderr);
    expect(at.read('again')).toContain('two\tno_progress');
    if (at.names().includes('err')) expect(at.read('err')).not.toContain('spans/s');
  });
});
