/** Reports to render: named ones, and any at all, judged from native traces in which every text is up to something. */
import { readFileSync } from 'node:fs';
import { Readable } from 'node:stream';
import fc from 'fast-check';
import { checkInputs } from '../../src/check.js';
import { termsOf } from '../../src/commands/terms.js';
import { EMPTY_PART } from '../../src/contract.js';
import { type CheckSettings, type CustomRule, defineRule, type Place, placeOf, type Report } from '../../src/index.js';
import { fromStream, type Given } from '../../src/input.js';
import { readConfig } from '../../src/read-config.js';
import { isWarning } from '../../src/report.js';
import { traceLines } from '../random-trace.js';
import { lines } from '../trace-words.js';

/** Lines, or bytes as they are; undefined: an input that cannot be read. */
type Content = readonly string[] | Buffer | undefined;
/** Inputs by name, in order; two may have one name. */
export type Trace = readonly (readonly [name: string, content: Content])[];

const inputOf = ([name, content]: Trace[number]): Given => {
  if (content === undefined) return { name, code: 'unreadable-input', because: 'cannot be read: it is not there' };
  const bytes = Buffer.isBuffer(content) ? content : Buffer.from(content.map((line) => `${line}\n`).join(''));
  return { name, size: () => bytes.length, open: () => fromStream(Readable.from([bytes])) };
};

export const judged = (trace: Trace, settings: CheckSettings = {}): Promise<Report> => {
  const config = readConfig(settings.config ?? {}, settings.customRules);
  const isPartial = settings.partial ?? false;
  const decisions = { profile: undefined, limits: undefined, part: EMPTY_PART, isPartial };
  const { customRules } = config;
  const isEmptyAllowed = settings.allowEmpty ?? false;
  return checkInputs(trace.map(inputOf), { terms: termsOf(decisions, config), customRules, isEmptyAllowed });
};

/** A rule of the user's that says what a tool is called, in its own words. */
const echo: CustomRule = defineRule({
  id: 'echo',
  family: 'loop',
  passing: 'No *tool* has a <name>.',
  action: 'call it [nothing](http://example.org)',
  sees: ['tool'],
  step: (kept: { at: Place; name: string } | undefined, span) => kept ?? { at: placeOf(span), name: span.name ?? '' },
  end: (kept) =>
    kept && { kind: 'broken', at: kept.at, message: `a tool is called ${kept.name}`, evidence: { name: kept.name } },
});
const failing: CustomRule = defineRule({
  id: 'fails',
  family: 'loop',
  passing: 'It never fails.',
  action: 'mend it',
  sees: ['tool'],
  step: () => true,
  end: () => {
    throw new Error('no');
  },
});

const OPEN = lines('start@0 tool@1:a tool@2:b', 'open');
const KEPT = lines('start@0 tool@1:a stop@1:done', 'kept');
const WARNS = lines('tool@1:a stop@1:done', 'warns');
const CANCELLED = lines('start@0 tool@1:a stop@1:cancelled', 'cancelled');

/** Reports that are out of the ordinary, each by what is odd about it. */
export const CASES: Readonly<Record<string, readonly [Trace, CheckSettings?]>> = {
  'no line': [[['empty.jsonl', []]]],
  'no line, which is allowed': [[['empty.jsonl', []]], { allowEmpty: true }],
  'only input errors': [
    [
      ['bad.jsonl', ['nonsense', '{"run_id":5}', '[]']],
      ['missing.jsonl', undefined],
    ],
  ],
  'only a cut last line': [[['torn.jsonl', Buffer.from(`${KEPT.join('\n')}\n{"run_id":"k`)]]],
  'runs that keep it': [[['kept.jsonl', KEPT]]],
  'warnings only': [[['warns.jsonl', WARNS]]],
  'standard input': [[['<stdin>', OPEN]]],
  'several files, and a run over two': [
    [
      ['a/one.jsonl', [...OPEN.slice(0, 2), ...KEPT]],
      ['./a/two.jsonl', [...OPEN.slice(2), ...WARNS]],
    ],
  ],
  'what could not be judged': [[['few.jsonl', lines('start tool:a stop:done', 'few')]]],
  'missing evidence that is required': [[['kept.jsonl', KEPT]], { config: { require: ['receipts'] } }],
  'a reason that the contract fails': [
    [['cancelled.jsonl', CANCELLED]],
    { config: { reasons: { cancelled: 'fail' } } },
  ],
  'an inconclusive run': [[['open.jsonl', OPEN]], { partial: true }],
  'rules of the user': [
    [['own.jsonl', lines('start@0 tool@1:a,name=::error::x stop@1:done', 'own')]],
    { customRules: [echo, failing] },
  ],
  'a foreign format': [[['codex.jsonl', readFileSync('fixtures/formats/codex-exec/endings.jsonl')]]],
  classic: [[['open.jsonl', OPEN]], { config: { profile: 'classic' } }],
  strict: [[['warns.jsonl', [...WARNS, ...OPEN]]], { config: { profile: 'strict' } }],
};

// What each medium might take for its own.
const HOSTILE = [
  ...[
    '::error::x',
    '\n::set-output name=x::y',
    ' ::stop-commands::t',
    '##[error]x',
    "##teamcity[x 'y']",
    '%0A::error::x',
  ],
  ...[']]>', '<script>alert(1)</script>', '<!--', '-->', '&amp;', '&#0;', '<b a="1">', "'", '"'],
  ...["=cmd|' /C calc'!A0", '+1', '-1', '@SUM(1)', ';=1+1', ',=1', '"=1', "'=1", ' =1', '\uff1d1'],
  ...['@user', '#1', 'o/r#1', 'https://evil.example/x', 'www.evil.example', 'a@evil.example', ':smile:', '$x$'],
  ...[
    '[a](http://evil.example)',
    '![a](http://evil.example/x.png)',
    '[a]: http://evil.example',
    '[^1]',
    '{0}',
    '{{1}}',
  ],
  ...['`', '```\n', '|', '\\|', '\\`', '\\', '*b*', '__b__', '~~s~~', '# h', '- l', '1. x', '> q', '---', '| - |'],
  ...[
    '\u0000',
    '\u001b[31m',
    '\u009b31m',
    '\u202e',
    '\u2028',
    '\ufeff',
    '\ufffe',
    '\uffff',
    '\ud800',
    'a\udc00',
    '\u{1f600}',
  ],
  ...[' ', ' a ', '\t', '\r\n', 'next: rm -rf /', '__proto__', '../../x', 'C:\\x', '/a b?c#d%20', 'x'.repeat(5000)],
];
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(...HOSTILE),
  fc.array(fc.constantFrom(...HOSTILE), { minLength: 2, maxLength: 4 }).map((parts) => parts.join('')),
  fc.string({ unit: 'binary', minLength: 1, maxLength: 20 }),
);

const spanFields = fc.oneof(
  fc.record({ type: fc.constant('loop_start'), iter: fc.constant(0), goal: hostileText }),
  fc.record({
    type: fc.constant('tool'),
    iter: fc.nat(4),
    name: hostileText,
    args_hash: fc.constantFrom('0123456789abcdef', 'fedcba9876543210'),
    status: fc.oneof(fc.constantFrom('ok', 'error'), hostileText),
  }),
  fc.record({
    type: fc.constant('tool'),
    iter: fc.nat(4),
    name: hostileText,
    gate: hostileText,
    action_hash: hostileText,
  }),
  fc.record({
    type: fc.constant('guard'),
    iter: fc.nat(4),
    action: fc.constantFrom('warn', 'halt'),
    code: hostileText,
  }),
  fc.record({
    type: fc.constant('terminal'),
    iter: fc.nat(4),
    reason: fc.oneof(fc.constantFrom('done', 'budget', 'handoff'), hostileText),
    status: fc.oneof(fc.constant('ok'), hostileText),
    successor_run: hostileText,
  }),
);
const hostileRun: fc.Arbitrary<string[]> = fc
  .tuple(hostileText, fc.array(spanFields, { minLength: 1, maxLength: 6 }))
  .map(([id, spans]) => spans.map((span, at) => JSON.stringify({ run_id: id, seq: at + 1, ...span })));
const hostileLines = fc.array(hostileRun, { minLength: 1, maxLength: 5 }).map((runs) => runs.flat());

/** Any trace: hostile names of files, hostile texts in spans, unusable lines, several inputs. */
const anyTrace: fc.Arbitrary<Trace> = fc.array(
  fc.tuple(
    fc.oneof(fc.constantFrom('a.jsonl', '<stdin>'), hostileText),
    fc.oneof({ weight: 6, arbitrary: hostileLines }, { weight: 2, arbitrary: traceLines }, fc.constant(undefined)),
  ),
  { minLength: 1, maxLength: 3 },
);
const anySettings: fc.Arbitrary<CheckSettings> = fc.constantFrom<CheckSettings>(
  {},
  { customRules: [echo] },
  { customRules: [echo, failing], config: { profile: 'strict' } },
  { config: { profile: 'classic' } },
  { config: { require: ['receipts', 'checkpoints'] }, partial: true },
);

/** Checks a property of whatever report. */
export const ofAnyReport = (check: (report: Report) => void | Promise<void>): Promise<void> =>
  fc.assert(
    fc.asyncProperty(anyTrace, anySettings, async (trace, settings) => check(await judged(trace, settings))),
    { numRuns: 150 },
  );

/** How much is wrong in a report, counted anew. */
export const wrongIn = (report: Report) => {
  const findings = report.runs.flatMap((run) => run.findings);
  const byReason = report.runs.filter((run) => run.failsByVerdict && run.verdict.startsWith('closed_')).length;
  const required = report.runs.flatMap((run) => run.required).length;
  const inputWarnings = report.inputErrors.filter((error) => isWarning(error, report)).length;
  const { summary, isEmptyAllowed, profile } = report;
  return {
    errors: findings.filter(({ severity }) => severity === 'error').length + byReason + required,
    warnings: findings.filter(({ severity }) => severity === 'warn').length,
    inputErrors: report.inputErrors.length - inputWarnings,
    inputWarnings,
    empty: summary.spans === 0 && !isEmptyAllowed && profile !== 'classic' ? 1 : 0,
    doubts: new Set(
      report.runs.flatMap((run) =>
        run.unverifiable.map(({ rule }) => rule).filter((rule) => !run.required.includes(rule)),
      ),
    ).size,
  };
};
