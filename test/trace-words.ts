/**
 * A trace written as words, one a span: `start@0 tool@1:a tool@2:a#7!error stop@2:done`.
 * `@` iter, `:` args digest (of a terminal the reason, of receipts their id or item), `=` result digest, `#` seq (else
 * counted from 1, `#-` none), `!` status, `,key=value` anything else, `,items=a|b` a list.
 */
const TYPES: ReadonlyMap<string, object> = new Map([
  ['start', { type: 'loop_start', goal: 'tests pass' }],
  ['tool', { type: 'tool', name: 'edit_file', status: 'ok' }],
  ['stop', { type: 'terminal', status: 'ok' }],
  ['model', { type: 'model' }],
  ['wait', { type: 'wait_start', on: 'timer' }],
  ['waited', { type: 'wait_end' }],
  ['end', { type: 'trace_end' }],
  ['child', { type: 'child_end' }],
  ['spawn', { type: 'child_start' }],
  ['state', { type: 'state' }],
  ['check', { type: 'goal_check', satisfied: true, emitter: 'harness' }],
  ['note', { type: 'note' }],
  ['gated', { type: 'tool', name: 'shell', status: 'ok', gate: 'push' }],
  ['ask', { type: 'checkpoint_request' }],
  ['yes', { type: 'checkpoint_resolve', decision: 'approved', actor: 'human' }],
  ['no', { type: 'checkpoint_resolve', decision: 'denied', actor: 'human' }],
  ['verify', { type: 'verify', exit_code: 0, scope: 'full', emitter: 'verifier' }],
  ['receipt', { type: 'receipt', emitter: 'verifier' }],
  ['reply', { type: 'checkpoint_resolve' }],
  ['glance', { type: 'goal_check' }],
  ['try', { type: 'verify' }],
  ['slip', { type: 'receipt' }],
  ['complete', { type: 'complete' }],
  ['guard', { type: 'guard' }],
]);

const PARTS =
  /^(?<type>\w+)(?:@(?<iter>\d+))?(?::(?<arg>[\w-]*))?(?:=(?<result>\w+))?(?:#(?<seq>-?\d*))?(?:!(?<status>\w+))?(?<more>(?:,\w+=.*)?)$/;

/** Sixteen hex digits for a word. */
const digestOf = (word: string): string => Buffer.from(word).toString('hex').repeat(16).slice(0, 16);

/** What the word after the colon says, where it is no digest. */
const ABOUT_ACTIONS: ReadonlySet<string> = new Set(['gated', 'ask', 'yes', 'no']);
const NAMED: ReadonlyMap<string, string> = new Map([
  ['stop', 'reason'],
  ['verify', 'verify_id'],
  ['receipt', 'receipt_id'],
  ['complete', 'item'],
]);
const argOf = (type: string, arg: string): object => {
  const key = NAMED.get(type);
  if (key !== undefined) return { [key]: arg };
  return { [ABOUT_ACTIONS.has(type) ? 'action_hash' : 'args_hash']: arg === '' ? '' : digestOf(arg) };
};

const LISTS: ReadonlySet<string> = new Set(['verify_ids', 'receipt_ids', 'items']);
const pairFrom = (text: string): readonly [string, unknown] => {
  const at = text.indexOf('=');
  const key = text.slice(0, at);
  const value = text.slice(at + 1);
  return [key, LISTS.has(key) && /^[\w|]*$/.test(value) ? value.split('|') : valueFrom(value)];
};

const valueFrom = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const seqOf = (seq: string | undefined, index: number): object => {
  if (seq === undefined) return { seq: index + 1 };
  return seq === '-' || seq === '' ? {} : { seq: Number(seq) };
};

const spanOf = (word: string, index: number, runId: string): object => {
  const parts = PARTS.exec(word)?.groups;
  const base = parts && TYPES.get(parts['type'] ?? '');
  if (parts === undefined || base === undefined) throw new Error(`no span: ${word}`);
  const { iter, arg, result, seq, status, more } = parts;
  return {
    run_id: runId,
    ...seqOf(seq, index),
    ...base,
    ...(iter === undefined ? {} : { iter: Number(iter) }),
    ...(arg === undefined ? {} : argOf(parts['type'] ?? '', arg)),
    ...(result === undefined ? {} : { result_hash: digestOf(result) }),
    ...(status === undefined ? {} : { status }),
    ...Object.fromEntries(
      (more ?? '')
        .split(/,(?=\w+=)/)
        .filter((pair) => pair !== '')
        .map(pairFrom),
    ),
  };
};

/** The native lines of one run. */
export const lines = (words: string, runId = 'r'): string[] =>
  words
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word, index) => JSON.stringify(spanOf(word, index, runId)));

/** A trace as words, and whether a rule finds something in it. */
export interface Row {
  readonly rule: string;
  /** What the row shows. */
  readonly shows: string;
  readonly words: string;
  readonly finds: boolean;
  readonly config?: object;
  readonly partial?: boolean;
}

/** As many words as asked for, one after the other. */
export const many = (length: number, word: (index: number) => string): string =>
  Array.from({ length }, (_, index) => word(index)).join(' ');
