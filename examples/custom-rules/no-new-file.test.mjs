import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkSpans } from 'terminal-contract';
import { noNewFile } from './no-new-file.mjs';

/** A run whose iterations each write the files of one word: `a`, `a b`, or nothing. */
const run = (...iterations) => [
  { run_id: 'r', seq: 1, type: 'loop_start', iter: 0, goal: 'tests pass' },
  ...iterations.map((words, index) => ({
    run_id: 'r',
    seq: index + 2,
    type: 'tool',
    iter: index + 1,
    name: 'edit_file',
    args_hash: `${index}`.padStart(16, '0'),
    ...(words === '' ? { effect: 'read' } : { effect: 'write', path: words.split(' ') }),
  })),
  { run_id: 'r', seq: 99, type: 'terminal', iter: iterations.length, reason: 'done' },
];

/** What the rule says of a run: where it is broken, or that it cannot be judged. */
const said = async (...iterations) => {
  const { runs } = await checkSpans(run(...iterations), { customRules: [noNewFile(3)] });
  const finding = runs[0].findings.find(({ rule }) => rule === 'no-new-file');
  if (runs[0].unverifiable.some(({ rule }) => rule === 'no-new-file')) return 'unverifiable';
  return finding === undefined ? 'kept' : `iteration ${finding.evidence.iter}`;
};

test('three iterations without a new file break it', async () => {
  assert.equal(await said('a', 'a', 'a', 'a'), 'iteration 4');
  assert.equal(await said('a', '', 'a', ''), 'iteration 4');
});

test('two do not, and neither do three with a new file among them', async () => {
  assert.equal(await said('a', 'a', 'a'), 'kept');
  assert.equal(await said('a', 'a', 'a', 'a b', 'a', 'b'), 'kept');
});

test('a run that names no file cannot be judged', async () => {
  assert.equal(await said('', '', '', ''), 'unverifiable');
});
