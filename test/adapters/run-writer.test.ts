import { expect, test } from 'vitest';
import { createDigests, digestOf } from '../../src/adapters/digest.js';
import { RunWriter } from '../../src/adapters/run-writer.js';
import type { WireSpan } from '../../src/span.js';

const LINE = { file: 0, line: 1 };
const at = (line: number) => ({ file: 0, line });

/** What a writer has written after it was told something. */
const written = (tell: (writer: RunWriter) => void, results: { pattern: RegExp; because: string }[] = []) => {
  const spans: WireSpan[] = [];
  const lines: number[] = [];
  const writer = new RunWriter('r', {
    write: (span, { line }) => {
      spans.push(span);
      lines.push(line);
    },
    digests: createDigests({ args: [{ tool: 'sh', key: 'note', because: 'prose' }], results }),
    reasonOf: (value) => (value === 'end' ? 'done' : value),
  });
  tell(writer);
  writer.close();
  return { spans, lines };
};

test('a run has dense seq, iterations by model round, and one terminal', () => {
  const { spans } = written((run) => {
    run.start(LINE, 'prompt');
    run.round(LINE, { in: 3, out: 4 });
    run.call(LINE, { id: 'a', name: 'sh', args: { cmd: 'ls', note: 'x' } });
    run.result('a', { value: 'ok', isError: false });
    run.round(LINE);
    run.stop(LINE, { value: 'end', isInferred: true });
  });
  const call = { args_hash: digestOf({ cmd: 'ls' }), call_id: 'a', result_hash: digestOf('ok'), status: 'ok' };
  expect(spans).toEqual([
    { run_id: 'r', seq: 1, iter: 0, type: 'loop_start', goal: 'prompt' },
    { run_id: 'r', seq: 2, iter: 1, type: 'model', tokens_in: 3, tokens_out: 4 },
    { run_id: 'r', seq: 3, iter: 1, type: 'tool', name: 'sh', ...call },
    { run_id: 'r', seq: 4, iter: 2, type: 'model' },
    {
      run_id: 'r',
      seq: 5,
      iter: 2,
      type: 'terminal',
      reason: 'done',
      detail: 'end',
      inferred: true,
      claim: 'turn_ended',
    },
  ]);
});

test('calls keep the order in which they were made, whatever the order of their results', () => {
  const { spans, lines } = written((run) => {
    run.round(at(1));
    run.call(at(2), { id: 'a', name: 'one' });
    run.call(at(3), { id: 'b', name: 'two' });
    expect(run.openCalls).toBe(2);
    run.result('b', { isError: true });
    expect(run.result('c', {})).toBe(false);
    run.result('a', { exitCode: 0 });
  });
  expect(spans.map(({ name, status, exit_code: code }) => [name, status, code])).toEqual([
    [undefined, undefined, undefined],
    ['one', undefined, 0],
    ['two', 'error', undefined],
  ]);
  expect(lines).toEqual([1, 2, 3]);
});

test('a stop that work follows is none, and neither is a wait', () => {
  const reasons = (tell: (writer: RunWriter) => void) =>
    written(tell).spans.map(({ type, reason, on }) => reason ?? on ?? type);
  expect(
    reasons((run) => {
      run.stop(LINE, { value: 'end', isInferred: false });
      run.round(LINE);
    }),
  ).toEqual(['model']);
  expect(
    reasons((run) => {
      run.stop(LINE, { value: 'end', isInferred: false });
      run.stop(LINE, { value: 'max_turns', isInferred: false });
    }),
  ).toEqual(['max_turns']);
  expect(
    reasons((run) => {
      run.stop(LINE, { value: 'end', isInferred: false });
      run.wait(LINE, 'human');
    }),
  ).toEqual(['human']);
  expect(
    reasons((run) => {
      run.wait(LINE, 'human');
      run.done(LINE, { name: 'a' }, {});
      run.stop(LINE, { value: 'end', isInferred: false });
    }),
  ).toEqual(['tool', 'done']);
});

test('a call without a result is written when the run is closed, and holds back no more than some spans', () => {
  let early = 0;
  const { spans } = written((run) => {
    run.call(LINE, { id: 'never', name: 'lost' });
    for (let index = 0; index < 10_000; index += 1) run.done(LINE, { name: 'x' }, {});
    early = run.openCalls;
  });
  expect(early).toBe(1);
  expect(spans).toHaveLength(10_001);
  expect(spans[0]?.name).toBe('lost');
});

test('a result carries both digests where something volatile stands in it', () => {
  const volatile = [{ pattern: /in \d+ ms/g, because: 'a clock' }];
  const { spans } = written((run) => {
    run.done(LINE, { name: 'x' }, { value: { out: ['ran in 12 ms'] } });
    run.done(LINE, { name: 'x' }, { value: '{"out":["ran in 99 ms"]}' });
    run.done(LINE, { name: 'x' }, { value: 'still' });
  }, volatile);
  const [one, other, still] = spans;
  expect(one?.result_hash).toBe(other?.result_hash);
  expect(one?.result_hash_raw).toBe(digestOf({ out: ['ran in 12 ms'] }));
  expect(other?.result_hash_raw).toBe(digestOf({ out: ['ran in 99 ms'] }));
  expect(still?.result_hash).toBe(digestOf('still'));
  expect(still).not.toHaveProperty('result_hash_raw');
});

test('digests are RFC 8785 and SHA-256, of what an argument string holds', () => {
  // printf '{"a":1,"b":[true,null]}' | sha256sum
  expect(digestOf({ b: [true, null], a: 1 })).toBe('1cc69c7fa23616ca');
  const { spans } = written((run) => {
    run.done(LINE, { name: 'x', args: '{"b":[true,null],"a":1}' }, {});
    run.done(LINE, { name: 'x', args: { a: 1, b: [true, null] } }, {});
    run.done(LINE, { name: 'x', args: '{"b":' }, {});
    run.done(LINE, { name: 'x' }, {});
  });
  expect(spans.map(({ args_hash: digest }) => digest)).toEqual([
    '1cc69c7fa23616ca',
    '1cc69c7fa23616ca',
    digestOf('{"b":'),
    undefined,
  ]);
});
