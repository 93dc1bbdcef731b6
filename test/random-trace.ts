/**
 * Traces for properties: plausible loops, then bent in the ways that the rules ask about, then written down in the
 * ways that JSON allows. Everything shrinks towards a short, plainly written, well-formed loop.
 */
import fc from 'fast-check';

/** A span before it is written down. An undefined field is missing. */
interface Draft {
  seq: number | null | undefined;
  iter: number | null | undefined;
  fields: Record<string, unknown>;
  /** One bit for each of `dressings`. */
  dress: number;
  /** One bit for each of `margins`. */
  margin: number;
}

type Unplaced = Pick<Draft, 'iter' | 'fields'>;

interface Latitude {
  withUnusable: boolean;
  /** Every span has a seq, and no two different spans share one. */
  isSettled: boolean;
}

// Ids

const knownIds = [
  'a',
  'b',
  'a\t',
  'a\\t',
  'a\n',
  'a\\n',
  'a\r',
  '\\',
  '\\\\',
  'a\\u001b',
  'a\u001b',
  'a\u001b[31m',
  'a\u0000',
  'a\u007f',
  'a\u009b',
  'a\u061c',
  'a\u200e',
  'a\u2028',
  'a\u202e',
  'a\u2066',
  'a\ud800',
  'a\udfff',
  '\ud83d',
  '\udc00\ud800',
  '\u{1f600}',
  '\u{10ffff}',
  '\uffff',
  '\ufeff',
  '\ue000',
  '\u00e9',
  'e\u0301',
  '__proto__',
  'constructor',
  'toString',
  'null',
  '0',
  '10',
  '9',
  '-1',
  ' a',
  'a ',
  'A',
  '"',
  '=1',
  'x","seq":1',
  'closed_ok',
];
const idUnits = [
  'a',
  't',
  'u',
  '\\',
  '\t',
  '\n',
  '\u001b',
  '\u202e',
  '\ud83d',
  '\ude00',
  '\uffff',
  '\u{1f600}',
  '/',
  '"',
];
const runId = weighted(
  [3, fc.constantFrom(...knownIds)],
  [1, fc.string({ unit: fc.constantFrom(...idUnits), minLength: 1, maxLength: 4 })],
);

// Loops

interface Call {
  name: string;
  digest: string;
  times: number;
}

const digests = ['0123456789abcdef', 'sha256:0123456789abcdef', 'fedcba9876543210', ' 123456789abcdef'];
const oddDigests = [
  'sha256:0123456789abcde',
  '0123456789abcde',
  ':0123456789abcde',
  ':0123456789abcdef',
  'a:b:0123456789abcd',
  'a',
  'h:',
  '',
];

const call: fc.Arbitrary<Call> = fc.record({
  name: fc.constantFrom('edit', 'bash', 'x_poll', '__proto__', ''),
  digest: weighted([40, fc.constantFrom(...digests)], [1, fc.constantFrom(...oddDigests)]),
  times: fc.integer({ min: 1, max: 3 }),
});

/** Ways to spend an iteration. */
const moves: Record<string, (call: Call, iter: number) => Unplaced[]> = {
  call: (call, iter) => [tool(call, iter, { status: 'ok' })],
  round: (call, iter) => [span('model', iter), tool(call, iter, { result_hash: call.digest })],
  parallel: (call, iter) => copies(call.times, () => tool(call, iter)),
  failed: (call, iter) => [tool(call, iter, { status: 'error' })],
  exited: (call, iter) => [tool(call, iter, { status: 'ok', exit_code: call.times - 1 })],
  retried: (call, iter) => copies(call.times, (at) => tool(call, iter + at, { status: 'error', retry: at + 1 })),
  polled: (call, iter) => [
    span('wait_start', iter),
    ...copies(call.times, () => tool(call, iter)),
    span('wait_end', null),
  ],
  slept: (call, iter) => [tool(call, iter, { effect: 'wait' })],
  read: (call, iter) => [tool(call, iter, { effect: 'read', status: 5 })],
  bare: (call) => [tool(call, undefined)],
  nameless: (call, iter) => [span('tool', iter, { args_hash: call.digest })],
  child: (_, iter) => [span('child_start', iter, { child_run: 'b' }), span('child_end', undefined, { reason: 'done' })],
  unknown: (call, iter) => [span('toString', iter, { args_hash: call.digest })],
  untyped: (call, iter) => [span(undefined, iter, { name: call.name })],
};

/** Laps at the end of a loop that stands still, or only seems to. */
const laps: Record<string, (call: Call, iter: number, lap: number) => Unplaced[]> = {
  same: (call, iter) => [tool(call, iter)],
  rounds: (call, iter) => [span('model', iter), tool(call, iter), span('state', undefined)],
  otherNames: (call, iter, lap) => [tool({ ...call, name: `${call.name}${lap}` }, iter)],
  parallel: (call, iter) => copies(2, () => tool(call, iter)),
  oneIter: (call, iter, lap) => [tool(call, iter - lap)],
  bare: (call) => [tool(call, undefined)],
  nameless: (call, iter) => [span('tool', iter, { args_hash: call.digest })],
  retried: (call, iter, lap) => [tool(call, iter, { status: 'error', retry: lap + 1 })],
  retriedExit: (call, iter, lap) => [tool(call, iter, { exit_code: 1, retry: lap + 1 })],
  retriedOk: (call, iter, lap) => [tool(call, iter, { status: 'ok', exit_code: 0, retry: lap + 1 })],
  firstTries: (call, iter) => [tool(call, iter, { status: 'error', retry: 1 })],
  emptyStatus: (call, iter) => [tool(call, iter, { status: '', retry: 2 })],
  oddStatus: (call, iter) => [tool(call, iter, { status: 5, retry: 2 })],
  oddExit: (call, iter) => [tool(call, iter, { exit_code: '1', retry: 2 })],
  oddRetry: (call, iter) => [tool(call, iter, { status: 'error', retry: '2' })],
  retriedTwice: (call, iter) => [tool(call, iter, { status: 'error' }), tool(call, iter + 1, { retry: 2 })],
  slept: (call, iter) => [tool(call, iter, { effect: 'wait' })],
  polled: (call, iter) => [span('wait_start', null), tool(call, iter), span('wait_end', iter)],
  besideSleep: (call, iter) => [tool(call, iter), tool({ ...call, name: 'sleep' }, iter, { effect: 'wait' })],
  besideOther: (call, iter) => [tool(call, iter), tool({ ...call, name: 'other' }, iter)],
  argless: (call, iter) => [span('tool', iter, { name: call.name })],
};

const body = fc.array(
  fc.record({
    make: fc.constantFrom(...Object.values(moves)),
    advance: fc.constantFrom(1, 1, 1, 0),
    call,
  }),
  { maxLength: 4 },
);
const stall = fc.record({
  make: fc.constantFrom(...Object.values(laps)),
  times: weighted([1, fc.constant(0)], [1, fc.integer({ min: 2, max: 4 })]),
  call,
});

const goal = fc.constantFrom<Record<string, unknown> | undefined>(
  ...copies(16, () => ({ goal: 'g' })),
  {},
  { goal: '' },
  { goal: 5 },
  { goal: null },
  undefined,
  undefined,
  undefined,
);
const firstIter = fc.constantFrom(1, 0, 1, 0, 1, 0, 2, 3, 23, 24, 25, 26);
const iterOfEnd = fc.constantFrom<'same' | null | undefined>('same', 'same', null, undefined);

const oddReasons: unknown[] = [
  'stopped',
  'DONE',
  'done ',
  '',
  null,
  undefined,
  0,
  true,
  {},
  ['done'],
  { reason: 'done' },
  'constructor',
  '__proto__',
];
const stop = fc.record({
  reason: weighted<unknown>(
    [4, fc.constant('done')],
    [5, fc.constantFrom('budget', 'rejected', 'blocked', 'handoff')],
    [1, fc.constantFrom(...oddReasons)],
  ),
  status: fc.constantFrom<unknown>('ok', undefined, 'ok', undefined, undefined, null, 5, 'error', ''),
  iter: iterOfEnd,
});
const stops = weighted(
  [16, stop.map((only) => [only])],
  [2, fc.array(stop, { maxLength: 0 })],
  [1, fc.array(stop, { minLength: 2, maxLength: 3 })],
);

const afterwards = fc.constantFrom<(string | undefined)[]>(
  ...copies(6, () => []),
  ['trace_end'],
  ['trace_end'],
  ['trace_end'],
  ['child_end'],
  ['child_end', 'trace_end'],
  ['trace_end', 'trace_end'],
  ['model'],
  ['tool', 'trace_end'],
  [undefined],
);
/** What a trace_end promises: a number is added to what is true, anything else is written as it is. */
const promise = fc.record({
  count: fc.constantFrom<unknown>(0, 0, undefined, null, -1, '99', 1),
  lastSeq: fc.constantFrom<unknown>(0, 0, undefined, null, -1, '99', 1, 9),
});

function span(
  type: string | undefined,
  iter: number | null | undefined,
  fields: Record<string, unknown> = {},
): Unplaced {
  return { iter, fields: { type, ...fields } };
}

function tool(call: Call, iter: number | undefined, fields: Record<string, unknown> = {}): Unplaced {
  return span('tool', iter, { name: call.name, args_hash: call.digest, ...fields });
}

// Bends

type Bend = (drafts: Draft[], at: number, nth: number) => Draft[];

/** Ways to bend a well-formed run at one span. */
const bends: Record<string, Bend> = {
  lose: (drafts, at) => drafts.filter((_, index) => index !== at),
  lateLine: (drafts, at) => [...drafts.filter((_, index) => index !== at), ...drafts.slice(at, at + 1)],
  lateSeq: (drafts, at, nth) => changeAt(drafts, at, { seq: 1000 + nth }),
  earlySeq: (drafts, at, nth) => changeAt(drafts, at, { seq: -1000 - nth }),
  skipIter: (drafts, at) => drafts.map((draft, index) => (index < at ? draft : { ...draft, ...shiftedIter(draft, 2) })),
  lowerIter: (drafts, at) => changeAt(drafts, at, shiftedIter(drafts[at], -1)),
  farIter: (drafts, at) => changeAt(drafts, at, { iter: 30 }),
  noIter: (drafts, at) => changeAt(drafts, at, { iter: null }),
  sleep: (drafts, at) => changeFieldsAt(drafts, at, { effect: 'wait' }),
  oddDigest: (drafts, at, nth) =>
    changeFieldsAt(drafts, at, { result_hash: oddDigests[(at + nth) % oddDigests.length] }),
  secondStop: (drafts, at) => changeFieldsAt(drafts, at, { type: 'terminal', reason: 'done' }),
};

/** Those after which the lines' own order means something. */
const unsettlingBends: Record<string, Bend> = {
  noSeq: (drafts, at) => changeAt(drafts, at, { seq: undefined }),
  nullSeq: (drafts, at) => changeAt(drafts, at, { seq: null }),
  sameSeq: (drafts, at) => changeAt(drafts, at, { seq: drafts[at - 1]?.seq }),
  rewritten: (drafts, at) =>
    drafts.flatMap((draft, index) => (index === at ? [draft, otherwiseDressed(draft)] : [draft])),
};

function changeAt(drafts: Draft[], at: number, change: Partial<Draft>): Draft[] {
  return drafts.map((draft, index) => (index === at ? { ...draft, ...change } : draft));
}

function changeFieldsAt(drafts: Draft[], at: number, fields: Record<string, unknown>): Draft[] {
  return changeAt(drafts, at, { fields: { ...drafts[at]?.fields, ...fields } });
}

function shiftedIter(draft: Draft | undefined, by: number): Pick<Draft, 'iter'> {
  const iter = draft?.iter;
  return { iter: typeof iter === 'number' ? Math.max(0, iter + by) : iter };
}

function otherwiseDressed(draft: Draft): Draft {
  return { ...draft, dress: draft.dress ^ 1 };
}

// Dress

/** A key and its value as JSON texts. */
type Field = readonly [key: string, value: string];

/** Ways to write the same span down, in the order in which they are put on. The first one always changes the line. */
const dressings: ((fields: Field[]) => Field[])[] = [
  (fields) => [...fields, ['"note"', '"\\"seq\\":1}"']],
  (fields) => fields.toReversed(),
  (fields) => [
    ...fields,
    ['"inner"', '{"run_id":"z","seq":-7,"iter":99,"type":"terminal","list":[{"reason":"done"}]}'],
  ],
  (fields) => [['"__proto__"', '{"run_id":"z","type":"terminal"}'], ...fields],
  withNulls,
  (fields) => [
    ...fields.map(([key], index): Field => [key, ['"terminal"', '7', '{}'][index % 3] ?? 'null']),
    ...fields,
  ],
  (fields) => fields.map(([key, value]) => [key, /^-?\d+$/.test(value) ? otherNumber(value) : value]),
  (fields) => fields.map(([key, value]) => [inEscapes(key), value.startsWith('"') ? inEscapes(value) : value]),
  (fields) => fields.map(([key, value]) => [` ${key}\t`, `  ${value} `]),
];
const margins: ((line: string) => string)[] = [(line) => `${line}\r`, (line) => ` \t${line}`, (line) => `${line} `];

const dress = weighted(
  [4, fc.constant(0)],
  [3, fc.constantFrom(...dressings.keys()).map((bit) => 2 ** bit)],
  [1, fc.nat(2 ** dressings.length - 1)],
);
const margin = weighted([3, fc.constant(0)], [1, fc.nat(2 ** margins.length - 1)]);

function withNulls(fields: Field[]): Field[] {
  const keys = [
    '"seq"',
    '"iter"',
    '"name"',
    '"args_hash"',
    '"result_hash"',
    '"status"',
    '"retry"',
    '"goal"',
    '"reason"',
  ];
  const absent = keys.filter((key) => !fields.some(([present]) => present === key));
  return [...absent.map((key): Field => [key, 'null']), ...fields];
}

function otherNumber(text: string): string {
  return text === '0' ? '-0' : `${text}0e-1`;
}

function inEscapes(text: string): string {
  const units = String(JSON.parse(text)).split('');
  return `"${units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`).join('')}"`;
}

function writeDown(id: string, { seq, iter, fields, dress, margin }: Draft): string {
  const present = Object.entries({ run_id: id, seq, iter, ...fields }).filter(([, value]) => value !== undefined);
  const plain = present.map(([key, value]): Field => [JSON.stringify(key), JSON.stringify(value)]);
  const written = chosen(dressings, dress).reduce((so, dressing) => dressing(so), plain);
  const line = `{${written.map(([key, value]) => `${key}:${value}`).join(',')}}`;
  return chosen(margins, margin).reduce((so, put) => put(so), line);
}

function chosen<T>(list: readonly T[], bits: number): T[] {
  return list.filter((_, bit) => (bits & (2 ** bit)) !== 0);
}

// Runs

function runArbitrary({ isSettled }: Latitude) {
  const possibleBends = isSettled ? Object.values(bends) : [...Object.values(bends), ...Object.values(unsettlingBends)];
  const bend = fc.record({ make: fc.constantFrom(...possibleBends), at: fc.nat(30) });
  const replay = fc.record({ at: fc.nat(30), to: fc.nat(30), margin });
  return fc.record({
    id: runId,
    goal,
    startIter: iterOfEnd,
    firstIter,
    body,
    stall,
    stops,
    afterwards,
    promise,
    seqs: weighted<'kept' | null | undefined>(
      [20, fc.constant('kept')],
      ...(isSettled ? [] : [[1, fc.constantFrom(null, undefined)] as const]),
    ),
    firstSeq: fc.constantFrom(1, 0, -3, 100),
    stride: fc.constantFrom(1, 1, 2),
    bends: seldom(3, 2, fc.array(bend, { minLength: 1, maxLength: 2 })),
    replays: seldom(7, 1, fc.array(replay, { minLength: 1, maxLength: 2 })),
    dresses: seldom(2, 3, fc.array(fc.record({ dress, margin }), { minLength: 1, maxLength: 6 })),
  });
}

type Plan = ReturnType<typeof runArbitrary> extends fc.Arbitrary<infer T> ? T : never;

function runLines(plan: Plan): string[] {
  const placed = place(plan, loopOf(plan));
  const bent = plan.bends.reduce((drafts, { make, at }, nth) => make(drafts, at % drafts.length, nth), placed);
  return withReplays(plan, bent).map((draft) => writeDown(plan.id, draft));
}

function loopOf(plan: Plan): Unplaced[] {
  const { firstIter, goal, stall } = plan;
  const starts =
    goal === undefined ? [] : [span('loop_start', plan.startIter === 'same' ? firstIter : plan.startIter, goal)];
  let iter = firstIter;
  const worked = plan.body.flatMap(({ make, advance, call }) => {
    const made = make(call, iter);
    iter = latestIter(made, iter) + advance;
    return made;
  });
  const stalled = copies(stall.times, (lap) => {
    const made = stall.make(stall.call, iter, lap);
    iter = latestIter(made, iter) + 1;
    return made;
  }).flat();
  const last = latestIter([...worked, ...stalled], firstIter);
  const stopped = plan.stops.map(({ reason, status, iter }) =>
    span('terminal', iter === 'same' ? last : iter, { reason, status }),
  );
  return [...starts, ...worked, ...stalled, ...stopped, ...plan.afterwards.map((type) => span(type, undefined))];
}

function latestIter(spans: Unplaced[], otherwise: number): number {
  return Math.max(...spans.map(({ iter }) => iter ?? -1), otherwise);
}

function place(plan: Plan, spans: Unplaced[]): Draft[] {
  const { seqs, firstSeq, stride, promise, dresses } = plan;
  const lastSeq = firstSeq + stride * (spans.length - 2);
  return spans.map(({ iter, fields }, index) => ({
    seq: seqs === 'kept' ? firstSeq + stride * index : seqs,
    iter,
    fields:
      fields['type'] === 'trace_end'
        ? { ...fields, count: promised(spans.length, promise.count), last_seq: promised(lastSeq, promise.lastSeq) }
        : fields,
    ...(dresses[index % dresses.length] ?? { dress: 0, margin: 0 }),
  }));
}

function promised(truth: number, promise: unknown): unknown {
  return typeof promise === 'number' ? truth + promise : promise;
}

function withReplays(plan: Plan, drafts: Draft[]): Draft[] {
  return plan.replays.reduce((so, { at, to, margin }) => {
    const original = so[at % so.length];
    return original === undefined ? so : so.toSpliced(to % (so.length + 1), 0, { ...original, margin });
  }, drafts);
}

// Traces

const blankText = fc.constantFrom('', ' ', '\t', '\r', ' \t \r');
const unusableText = fc.constantFrom(
  '{',
  'x',
  '[]',
  'null',
  '5',
  '"a"',
  '{}',
  '\f',
  '\u00a0',
  '{"run_id":""}',
  '{"run_id":null,"seq":1}',
  '{"run_id":5}',
  '{"run_id":"a","seq":"1"}',
  '{"run_id":"a","seq":1.5}',
  '{"run_id":"a","seq":9007199254740992}',
  '{"run_id":"a","seq":1e400}',
  '{"run_id":"a","iter":-1}',
  '{"run_id":"a","iter":0.5}',
  '{"run_id":"a","iter":"1"}',
  '{"run_id":"a","type":5}',
  '{"run_id":"a","type":"tool","name":[]}',
  '{"run_id":"a","args_hash":{}}',
  '{"run_id":"a","result_hash":true}',
  '{"run_id":"a"} x',
  '{"run_id":"a"}{"run_id":"b"}',
  '{"run_id":"a",}',
  "{'run_id':'a'}",
  '{"run_id":"a\u0001"}',
  '{"run_id":"a","seq":01}',
  '{"run_id":"a","seq":+1}',
  '{"run_id":"a","x":NaN}',
  '{"run_id":"a","x":"\\x"}',
  '{"run_id":"a","run_id":5}',
  '{"run_id":"a"}\u00a0',
);

function traceArbitrary(latitude: Latitude): fc.Arbitrary<string[]> {
  const stray = latitude.withUnusable ? weighted([4, blankText], [1, unusableText]) : blankText;
  return fc
    .record({
      runs: fc.uniqueArray(runArbitrary(latitude), { minLength: 1, maxLength: 5, selector: (run) => run.id }),
      picks: seldom(1, 3, fc.array(fc.nat(99), { minLength: 4, maxLength: 12 })),
      isScattered: weighted([2, fc.constant(false)], [1, fc.constant(true)]),
      strays: seldom(2, 1, fc.array(fc.record({ text: stray, at: fc.nat(60) }), { minLength: 1, maxLength: 3 })),
    })
    .map(({ runs, picks, isScattered, strays }) => {
      const lanes = runs.map(runLines);
      const lines = interleave(isScattered ? lanes.flat().map((line) => [line]) : lanes, picks);
      return strays.reduce((so, { text, at }) => so.toSpliced(at % (so.length + 1), 0, text), lines);
    });
}

/** Takes the lanes' first lines in the order that the picks say, over and over. */
function interleave(lanes: string[][], picks: number[]): string[] {
  const open = lanes.filter((lane) => lane.length > 0).map((lane) => [...lane]);
  const lines: string[] = [];
  while (open.length > 0) {
    const at = (picks[lines.length % picks.length] ?? 0) % open.length;
    lines.push(...(open[at]?.splice(0, 1) ?? []));
    if (open[at]?.length === 0) open.splice(at, 1);
  }
  return lines;
}

/** Shrinks towards the first choice. */
function weighted<T>(...choices: (readonly [weight: number, arbitrary: fc.Arbitrary<T>])[]): fc.Arbitrary<T> {
  return fc.oneof({ withCrossShrink: true }, ...choices.map(([weight, arbitrary]) => ({ weight, arbitrary })));
}

/** An empty list `none` times for every `some` times that it is not. */
function seldom<T>(none: number, some: number, list: fc.Arbitrary<T[]>): fc.Arbitrary<T[]> {
  return weighted([none, fc.constant<T[]>([])], [some, list]);
}

function copies<T>(times: number, make: (at: number) => T): T[] {
  return Array.from({ length: times }, (_, at) => make(at));
}

// What properties use

const spanless = fc.array(blankText, { maxLength: 3 });

/** Traces of 1 to 5 runs (rarely of none), now and then with an unusable line. */
export const traceLines: fc.Arbitrary<string[]> = weighted(
  [80, traceArbitrary({ withUnusable: true, isSettled: false })],
  [1, spanless],
);

/** The same without unusable lines. */
export const usableTraceLines: fc.Arbitrary<string[]> = weighted(
  [80, traceArbitrary({ withUnusable: false, isSettled: false })],
  [1, spanless],
);

/** Usable traces in which `seq` alone settles the order of every run, so that the lines' own order means nothing. */
const settledTraceLines: fc.Arbitrary<string[]> = traceArbitrary({ withUnusable: false, isSettled: true });

/** Any order of the lines. */
function shuffled(lines: readonly string[]): fc.Arbitrary<string[]> {
  return fc.shuffledSubarray([...lines], { minLength: lines.length, maxLength: lines.length });
}

/** A settled trace, and its lines in another order. */
export const reorderedTrace: fc.Arbitrary<{ lines: string[]; reordered: string[] }> = settledTraceLines.chain((lines) =>
  shuffled(lines).map((reordered) => ({ lines, reordered })),
);
