/**
 * The contract's termination and order families, written once more as slowly and plainly as possible.
 * It shares no code with the checker, so that a slip in one of them shows as a difference.
 */

export interface NaiveOptions {
  profile: 'classic' | 'terminal';
  partial: boolean;
  budget?: number;
  window?: number;
}

interface Span {
  position: number;
  line: string;
  runId: string;
  seq: number | undefined;
  iter: number | undefined;
  fields: Map<string, unknown>;
}

interface Run {
  /** In order, replays included. */
  everySpan: Span[];
  /** In order, replays left out. */
  spans: Span[];
  options: Required<NaiveOptions>;
}

const REASONS: unknown[] = ['done', 'rejected', 'budget', 'blocked', 'handoff'];
const PASSING = ['closed_ok', 'closed_done', 'closed_cap', 'closed_rejected', 'closed_blocked', 'closed_handoff'];

export function naive(
  lines: readonly string[],
  options: NaiveOptions,
): { stdout: string; exit: 0 | 1 | 2; findings: Map<string, Set<string>> } {
  const full = { budget: 24, window: 3, ...options };
  const read = lines.map((line, index) => readLine(line, index + 1));
  const spans = read.filter((span) => typeof span !== 'string');
  const runIds = [...new Set(spans.map((span) => span.runId))].sort(byCodePoints);
  const runs = runIds.map((runId) =>
    gatherRun(
      spans.filter((span) => span.runId === runId),
      full,
    ),
  );

  const stdout = runs.map((run, index) => tsvLine(runIds[index] ?? '', run)).join('');
  const findings = new Map(runs.map((run, index) => [runIds[index] ?? '', brokenRules(run)]));
  const notJudged = read.includes('unusable') || (full.profile === 'terminal' && spans.length === 0);
  return { stdout, exit: notJudged ? 2 : runs.some(fails) ? 1 : 0, findings };
}

// Lines

function readLine(text: string, position: number): Span | 'blank' | 'unusable' {
  const line = text.replace(/^[ \t\r]+/, '').replace(/[ \t\r]+$/, '');
  if (line === '') return 'blank';
  const fields = readFields(line);
  if (fields === undefined) return 'unusable';

  const runId = fields.get('run_id');
  if (typeof runId !== 'string' || runId === '') return 'unusable';
  const seq = fields.get('seq');
  if (seq !== undefined && !isSafeInteger(seq)) return 'unusable';
  const iter = fields.get('iter');
  if (iter !== undefined && !(isSafeInteger(iter) && iter >= 0)) return 'unusable';
  for (const key of ['type', 'name', 'args_hash', 'result_hash']) {
    if (fields.has(key) && typeof fields.get(key) !== 'string') return 'unusable';
  }
  return { position, line, runId, seq: plainZero(seq), iter: plainZero(iter), fields };
}

/** The fields of one line, null ones left out because null counts as missing. */
function readFields(line: string): Map<string, unknown> | undefined {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined;
  return new Map(Object.entries(value).filter(([, field]) => field !== null));
}

function isSafeInteger(value: unknown): value is number {
  return Number.isSafeInteger(value);
}

function plainZero(value: number | undefined): number | undefined {
  return value === 0 ? 0 : value;
}

// Runs

function gatherRun(unordered: Span[], options: Required<NaiveOptions>): Run {
  const everySpan = unordered.toSorted((a, b) => sortKey(a) - sortKey(b) || a.position - b.position);
  if (options.profile === 'classic') return { everySpan, spans: everySpan, options };
  const spans = everySpan.filter((span) => !everySpan.some((earlier) => isReplay(span, earlier)));
  return { everySpan, spans, options };
}

function sortKey(span: Span): number {
  return span.seq ?? span.position;
}

function isReplay(span: Span, earlier: Span): boolean {
  return span.seq !== undefined && earlier.position < span.position && earlier.line === span.line;
}

function typeOf(span: Span): unknown {
  return span.fields.get('type');
}

function terminals(run: Run): Span[] {
  return run.spans.filter((span) => typeOf(span) === 'terminal');
}

function loopStarts(run: Run): Span[] {
  return run.spans.filter((span) => typeOf(span) === 'loop_start');
}

function iters(run: Run): number[] {
  return run.spans.map((span) => span.iter).filter((iter) => iter !== undefined);
}

function greatestIter(run: Run): number {
  return Math.max(0, ...iters(run));
}

function pairs(numbers: number[]): [left: number, right: number][] {
  return numbers.slice(1).map((right, index) => [numbers[index] ?? right, right]);
}

// Verdict

function verdictOf(run: Run): string {
  const [first, second] = terminals(run);
  if (second !== undefined) return 'double_stop';
  if (skipsIteration(run)) return 'bad_clock';
  if (makesNoProgress(run)) return 'no_progress';
  if (first === undefined) return 'open_loop';
  switch (first.fields.get('reason')) {
    case 'done':
      return greatestIter(run) <= run.options.budget ? 'closed_ok' : 'closed_done';
    case 'budget':
      return 'closed_cap';
    case 'rejected':
      return 'closed_rejected';
    case 'blocked':
      return 'closed_blocked';
    case 'handoff':
      return 'closed_handoff';
    default:
      return 'bad_terminal';
  }
}

function fails(run: Run): boolean {
  const verdict = verdictOf(run);
  if (verdict === 'open_loop') return !run.options.partial;
  return !PASSING.includes(verdict);
}

function skipsIteration(run: Run): boolean {
  return pairs(iters(run)).some(([left, right]) => left + 1 < right);
}

function makesNoProgress(run: Run): boolean {
  return run.options.profile === 'classic' ? endsInOneDigest(run) : endsInOneCall(run);
}

function endsInOneDigest(run: Run): boolean {
  const { window } = run.options;
  const last = run.spans.filter((span) => typeOf(span) === 'tool').slice(-window);
  return last.length === window && last.every((span) => hasArgs(span) && sameField('args_hash', span, last[0]));
}

function endsInOneCall(run: Run): boolean {
  const { window } = run.options;
  const last = steps(run)
    .slice(-window)
    .map((step) => step[0]);
  return last.length === window && last.every((span) => hasArgs(span) && sameCall(span, last[0]));
}

function steps(run: Run): Span[][] {
  const found: Span[][] = [];
  for (const span of steppingTools(run)) {
    const step = found.at(-1);
    const latest = step?.at(-1);
    if (step !== undefined && latest !== undefined && belongsToStep(span, latest)) step.push(span);
    else found.push([span]);
  }
  return found;
}

/** The tool spans that are not part of a declared wait. */
function steppingTools(run: Run): Span[] {
  const stepping: Span[] = [];
  let waits = 0;
  for (const span of run.spans) {
    if (typeOf(span) === 'wait_start') waits += 1;
    if (typeOf(span) === 'wait_end' && waits > 0) waits -= 1;
    if (typeOf(span) === 'tool' && waits === 0 && span.fields.get('effect') !== 'wait') stepping.push(span);
  }
  return stepping;
}

function belongsToStep(span: Span, latest: Span): boolean {
  if (!sameCall(span, latest)) return false;
  const sharesIter = span.iter !== undefined && span.iter === latest.iter;
  return sharesIter || (isRetry(span) && hasFailed(latest));
}

function isRetry(span: Span): boolean {
  const retry = span.fields.get('retry');
  return typeof retry === 'number' && retry >= 2;
}

function hasFailed(span: Span): boolean {
  const status = span.fields.get('status');
  const exitCode = span.fields.get('exit_code');
  return (typeof status === 'string' && status !== 'ok') || (typeof exitCode === 'number' && exitCode !== 0);
}

function sameCall(a: Span | undefined, b: Span | undefined): boolean {
  return sameField('name', a, b) && sameField('args_hash', a, b);
}

function sameField(key: string, a: Span | undefined, b: Span | undefined): boolean {
  return a?.fields.get(key) === b?.fields.get(key);
}

function hasArgs(span: Span | undefined): boolean {
  const args = span?.fields.get('args_hash');
  return args !== undefined && args !== '';
}

// Rules

const failingVerdictRules: Record<string, (run: Run) => boolean> = {
  'double-stop': (run) => terminals(run).length >= 2,
  'bad-clock': skipsIteration,
  'no-progress': makesNoProgress,
  'open-loop': (run) => terminals(run).length === 0 && !run.options.partial,
  'bad-terminal': (run) =>
    terminals(run)
      .slice(0, 1)
      .some((stop) => !REASONS.includes(stop.fields.get('reason'))),
};

const otherRules: Record<string, (run: Run) => boolean> = {
  'over-budget': (run) => iters(run).some((iter) => iter > run.options.budget),
  'activity-after-terminal': (run) => afterTerminal(run).some(isActivity),
  'terminal-status': (run) => terminals(run).some(contradictsDone),
  'missing-goal': hasNoGoal,
  'missing-seq': (run) => run.spans.some((span) => span.seq === undefined),
  'seq-conflict': (run) => run.spans.some((a) => run.spans.some((b) => areInConflict(a, b))),
  'duplicate-line': (run) => run.everySpan.length > run.spans.length,
  'seq-gap': (run) => run.spans.filter((span) => typeOf(span) === 'trace_end').some((end) => wasPromisedMore(run, end)),
  'head-cut': hasNoHead,
  'iter-backwards': (run) => pairs(iters(run)).some(([left, right]) => right < left),
  'short-digest': (run) => run.spans.some(hasShortDigest),
};

function brokenRules(run: Run): Set<string> {
  const rules = run.options.profile === 'classic' ? failingVerdictRules : { ...failingVerdictRules, ...otherRules };
  return new Set(
    Object.entries(rules)
      .filter(([, isBroken]) => isBroken(run))
      .map(([id]) => id),
  );
}

function afterTerminal(run: Run): Span[] {
  const index = run.spans.findIndex((span) => typeOf(span) === 'terminal');
  return index === -1 ? [] : run.spans.slice(index + 1);
}

function isActivity(span: Span): boolean {
  const lawful: unknown[] = ['terminal', 'trace_end', 'child_end'];
  return !lawful.includes(typeOf(span));
}

function contradictsDone(terminal: Span): boolean {
  const status = terminal.fields.get('status');
  return terminal.fields.get('reason') === 'done' && typeof status === 'string' && status !== 'ok';
}

function hasNoGoal(run: Run): boolean {
  const goals = loopStarts(run).map((span) => span.fields.get('goal'));
  if (goals.length === 0) return !run.options.partial;
  return !goals.some((goal) => typeof goal === 'string' && goal !== '');
}

function hasNoHead(run: Run): boolean {
  const [first] = iters(run);
  return !run.options.partial && loopStarts(run).length === 0 && first !== undefined && first > 1;
}

function areInConflict(a: Span, b: Span): boolean {
  return a.seq !== undefined && a.seq === b.seq && a.line !== b.line;
}

function wasPromisedMore(run: Run, end: Span): boolean {
  const count = end.fields.get('count');
  if (isSafeInteger(count) && run.spans.length < count) return true;
  const lastSeq = end.fields.get('last_seq');
  if (!isSafeInteger(lastSeq) || lastSeq === end.seq) return false;
  const others = run.spans.filter((span) => typeOf(span) !== 'trace_end').map((span) => span.seq);
  return !others.some((seq) => seq !== undefined && seq >= lastSeq);
}

function hasShortDigest(span: Span): boolean {
  return ['args_hash', 'result_hash'].some((key) => {
    const digest = span.fields.get(key);
    return typeof digest === 'string' && digest !== '' && digest.replace(/^[A-Za-z0-9_-]+:/, '').length < 16;
  });
}

// Output

function tsvLine(runId: string, run: Run): string {
  const columns = [escaped(runId), verdictOf(run), `iter=${greatestIter(run)}`, `spans=${run.everySpan.length}`];
  return `${columns.join('\t')}\n`;
}

function escaped(id: string): string {
  const characters = [...id];
  return characters.map((character, index) => escapedCharacter(character, characters[index + 1])).join('');
}

function escapedCharacter(character: string, next: string | undefined): string {
  if (character === '\t') return '\\t';
  if (character === '\n') return '\\n';
  if (character === '\r') return '\\r';
  if (character === '\\') return next !== undefined && beginsEscape(next) ? '\\\\' : '\\';
  const point = codePoint(character);
  return isHidden(point) ? `\\u${point.toString(16).padStart(4, '0')}` : character;
}

function beginsEscape(next: string): boolean {
  return ['t', 'n', 'r', 'u', '\\'].includes(next) || isHidden(codePoint(next));
}

function isHidden(point: number): boolean {
  const ranges: [from: number, to: number][] = [
    [0x0000, 0x001f],
    [0x007f, 0x009f],
    [0x061c, 0x061c],
    [0x200e, 0x200f],
    [0x2028, 0x202e],
    [0x2066, 0x2069],
    [0xd800, 0xdfff],
    [0xfeff, 0xfeff],
  ];
  return ranges.some(([from, to]) => from <= point && point <= to);
}

function byCodePoints(a: string, b: string): number {
  const left = [...a].map(codePoint);
  const right = [...b].map(codePoint);
  const index = left.findIndex((point, at) => point !== right[at]);
  if (index === -1) return left.length - right.length;
  return (left[index] ?? 0) - (right[index] ?? -1);
}

function codePoint(character: string): number {
  return character.codePointAt(0) ?? 0;
}
