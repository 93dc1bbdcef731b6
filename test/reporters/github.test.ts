import { describe, expect, test } from 'vitest';
import type { Report } from '../../src/index.js';
import { render } from '../../src/index.js';
import { CASES, judged, ofAnyReport, wrongIn } from './reports.js';
import { type Command, parseCommand } from './runner-command.js';

const commandsOf = (report: Report): readonly Command[] => {
  const lines = render(report, 'github').split('\n');
  expect(lines.pop()).toBe('');
  return lines.map((line) => {
    const command = parseCommand(line);
    if (command === undefined) throw new Error(`no command: ${line}`);
    return command;
  });
};

const LEFT_OUT = /^left out: (?:(\d+) errors?)?(?: and )?(?:(\d+) warnings?)?; --format markdown and json say more$/m;
const leftOutIn = (message: string): readonly number[] =>
  [...(LEFT_OUT.exec(message) ?? [])].slice(1).map((count) => Number(count ?? 0));

const check = (report: Report): void => {
  const commands = commandsOf(report);
  const of = (wanted: string): readonly Command[] => commands.filter(({ name }) => name === wanted);
  const { errors, warnings, inputErrors, inputWarnings, empty } = wrongIn(report);
  const [wrong, warned] = [errors + inputErrors + empty, warnings + inputWarnings];
  expect(of('error').length).toBe(Math.min(10, wrong));
  expect(of('warning').length).toBe(Math.min(10, warned));
  expect(of('notice').length).toBe(1);
  expect(commands.length).toBe(of('error').length + of('warning').length + 1);
  const [left = 0, leftWarnings = 0] = leftOutIn(of('notice')[0]?.message ?? '');
  expect([left, leftWarnings]).toEqual([Math.max(0, wrong - 10), Math.max(0, warned - 10)]);
  for (const { name, properties, message } of commands) {
    expect(message.length).toBeLessThan(4096);
    expect([...properties.keys()].filter((key) => !['file', 'line', 'col', 'title'].includes(key))).toEqual([]);
    const text = [...properties.values(), name === 'notice' ? message.replaceAll('\n', ' ') : message].join(' ');
    expect(text).not.toMatch(/\p{Control}|\p{Surrogate}|\p{Bidi_Control}|##/u);
  }
};

describe('annotations', () => {
  test.each(Object.keys(CASES))('of %s', async (name) => {
    check(await judged(...(CASES[name] ?? [[]])));
  });

  test('of whatever report', () => ofAnyReport(check));

  test('say where, what and what to do', async () => {
    const report = await judged(...(CASES['several files, and a run over two'] ?? [[]]));
    expect(render(report, 'github')).toBe(
      '::error file=./a/two.jsonl,line=1,title=open-loop::run open: no terminal span: nothing says that the loop ' +
        'stopped; cap the run and page\n' +
        '::warning file=./a/two.jsonl,line=2,title=missing-goal::run warns: no loop_start: nothing says what done would mean; emit loop_start with the goal before the first iteration\n' +
        '::notice title=terminal-contract::3 runs, 8 spans: 1 failed, 2 passed (open_loop 1, closed_ok 2)\n',
    );
  });

  test('without a file have the place in their text', async () => {
    const report = await judged(...(CASES['standard input'] ?? [[]]));
    const [first] = commandsOf(report);
    expect(first?.properties.has('file')).toBe(false);
    expect(first?.message).toMatch(/^<stdin>:3: run open: no terminal span/);
  });

  test('show each kind before a second of any', async () => {
    const runs = Array.from({ length: 30 }, (_, at) => `{"run_id":"open-${at}","seq":1,"type":"loop_start","iter":0}`);
    const twice = [
      '{"run_id":"x","seq":1,"type":"terminal","iter":9}',
      '{"run_id":"x","seq":2,"type":"terminal","iter":11}',
    ];
    const commands = commandsOf(await judged([['a.jsonl', [...runs, ...twice, 'nonsense']]]));
    const titles = commands.map(({ properties }) => properties.get('title'));
    expect(titles.slice(0, 6)).toEqual([
      'invalid-json',
      'double-stop',
      'bad-clock',
      'open-loop (1 of 30)',
      'bad-terminal',
      'open-loop (2 of 30)',
    ]);
  });
});
