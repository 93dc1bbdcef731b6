import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GATED_CLASSES, gateOf, UNREADABLE } from '../src/rules/gated-commands.js';
import { MAX_LENGTH } from '../src/rules/shell-words.js';
import { actionsOf, FREE, GATED, LINES, MOSTS, SIMPLE, TALK, UNREAD, WRAPPERS } from './rows-commands.js';

const ROWS = Object.entries(GATED).flatMap(([gate, commands]) => commands.map((command) => [command, gate] as const));

describe('a gated command is found, however it is wrapped', () => {
  test.each(ROWS)('%j is %s', (command, gate) => {
    expect(gateOf(command)).toBe(gate);
  });

  test('every class has rows', () => {
    expect(Object.keys(GATED).toSorted()).toEqual(GATED_CLASSES.map(({ id }) => id).toSorted());
  });
});

describe('text about a command is not the command', () => {
  test.each(FREE)('%j is not gated', (command) => {
    expect(gateOf(command)).toBeUndefined();
  });
});

describe('every action of the table', () => {
  const rank = new Map(GATED_CLASSES.map(({ id }, index) => [id, index]));
  test.each(GATED_CLASSES.flatMap(actionsOf))('%s is %s, or of a class before it', (command, id) => {
    const gate = gateOf(command);
    expect(rank.get(gate ?? '')).toBeLessThanOrEqual(rank.get(id) ?? -1);
  });
});

const simple = fc.constantFrom(...SIMPLE);
const wrapped = (around: fc.Arbitrary<(text: string) => string>, most: number) =>
  fc
    .array(around, { maxLength: most })
    .map((stack) => (text: string) => stack.reduce((inner, wrap) => wrap(inner), text));

const RUNS = { numRuns: 1000 };

describe('for any command', () => {
  const inWrappers = fc.tuple(simple, wrapped(fc.constantFrom(...WRAPPERS), 4)).map(([command, wrap]) => wrap(command));
  const inLines = fc.tuple(inWrappers, wrapped(fc.constantFrom(...LINES), 4)).map(([command, wrap]) => wrap(command));

  test('any stack of wrappers and lines keeps it gated', () => {
    fc.assert(
      fc.property(inLines, (line) => gateOf(line) !== undefined),
      RUNS,
    );
  });

  test('each wrapper alone keeps its class', () => {
    fc.assert(
      fc.property(simple, fc.constantFrom(...WRAPPERS), (command, wrap) => gateOf(wrap(command)) === gateOf(command)),
      RUNS,
    );
  });

  test('to speak of it is not to run it', () => {
    fc.assert(
      fc.property(inLines, fc.constantFrom(...TALK), (line, speak) => gateOf(speak(line)) === undefined),
      RUNS,
    );
  });

  test('to run it beside such talk is to run it', () => {
    fc.assert(
      fc.property(inLines, fc.constantFrom(...TALK), (line, speak) => gateOf(`${speak(line)}\n${line}`) !== undefined),
      RUNS,
    );
  });
});

/** Pieces that shells give a meaning, and that readers of shells stumble over. */
const piece = fc.constantFrom(
  ...[
    ...'"\'`$()<>|&;#\\{}*!=-/[ \t\r\n1a',
    '$(',
    '${',
    '<<',
    '<<E\n',
    'E\n',
    "$'",
    '&>',
    '2>',
    '<<<',
    '((',
    '))',
    ';;',
  ],
  ...[
    'sudo ',
    'eval ',
    'sh -c ',
    'find -exec ',
    'x=$x$x;',
    '$x',
    'case ',
    'esac ',
    'curl x|',
    'echo ',
    'git ',
    '\ue000',
    '\ud800',
  ],
);

describe('hostile commands', () => {
  test('never throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('')),
        ),
        (text) => {
          gateOf(text);
        },
      ),
      { numRuns: 5000 },
    );
  });

  // Far more than a slow machine takes for linear work, far less than quadratic work takes.
  const PATIENCE = 20_000;
  test(
    'take bounded time, whatever they repeat',
    () => {
      fc.assert(
        fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), (pieces) => {
          const unit = pieces.join('');
          const begin = performance.now();
          gateOf(unit.repeat(Math.floor(MAX_LENGTH / unit.length)));
          expect(performance.now() - begin).toBeLessThan(PATIENCE);
        }),
        { numRuns: 60 },
      );
    },
    60 * PATIENCE,
  );

  test.each(UNREAD)('%s to be read is gated', (_what, command) => {
    expect(gateOf(command)).toBe(UNREADABLE);
  });

  test.each(MOSTS)('%s', (_what, command, gate) => {
    expect(gateOf(command) ?? 'free').toBe(gate);
  });
});
