/**
 * A trace written as words, one a span: `start@0 tool@1:a tool@2:a#7!error stop@2:done`.
 * `@` iter, `:` args digest, `=` result digest, `#` seq (else counted from 1, `#-` none), `!` status, `,key=value` anything else.
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
  ['note', { type: 'note' }],
]);

const PARTS =
  /^(?<type>\w+)(?:@(?<iter>\d+))?(?::(?<arg>[\w-]*))?(?:=(?<result>\w+))?(?:#(?<seq>-?\d*))?(?:!(?<status>\w+))?(?<more>(?:,\w+=[^,]*)*)$/;

/** Sixteen hex digits for a word. */
const digestOf = (word: string): string => Buffer.from(word).toString('hex').repeat(16).slice(0, 16);

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
  const isStop = parts['type'] === 'stop';
  return {
    run_id: runId,
    ...seqOf(seq, index),
    ...base,
    ...(iter === undefined ? {} : { iter: Number(iter) }),
    ...(arg === undefined ? {} : isStop ? { reason: arg } : { args_hash: arg === '' ? '' : digestOf(arg) }),
    ...(result === undefined ? {} : { result_hash: digestOf(result) }),
    ...(status === undefined ? {} : { status }),
    ...Object.fromEntries(
      (more ?? '')
        .split(',')
        .filter((pair) => pair !== '')
        .map((pair) => [pair.slice(0, pair.indexOf('=')), valueFrom(pair.slice(pair.indexOf('=') + 1))]),
    ),
  };
};

/** The native lines of one run. */
export const lines = (words: string, runId = 'r'): string[] =>
  words
    .split(/\s+/)
    .filter((word) => word !== '')
    .map((word, index) => JSON.stringify(spanOf(word, index, runId)));
