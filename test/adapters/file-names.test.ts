import { expect, test } from 'vitest';
import { createFileNames, stemOf } from '../../src/adapters/file-names.js';

test.each([
  ['a.jsonl', 'a'],
  ['in/some folder/a.json', 'a'],
  ['in\\a.ndjson', 'a'],
  ['a.jsonl.gz', 'a'],
  ['a.traj.json', 'a'],
  ['a.traj.zst', 'a'],
  ['2026-03-01_task.eval', '2026-03-01_task'],
  ['a.jsonl.bak', 'a.jsonl.bak'],
  ['.jsonl', '.jsonl'],
  ['in/.jsonl', '.jsonl'],
  ['<stdin>', '<stdin>'],
  ['s1/events.jsonl', 's1'],
  ['s1/agent/trajectory.json', 's1'],
  ['s1/.system_generated/logs/transcript.jsonl', 's1'],
  ['events.jsonl', 'events'],
  ['/events.jsonl', 'events'],
  ['', ''],
])('%j is called %j', (name, stem) => {
  expect(stemOf(name)).toBe(stem);
});

test('inputs of one name are told apart, and each keeps its own', () => {
  const nameOf = createFileNames();
  const named = ['a/x.json', 'b/x.jsonl', 'c/b/x.json', 'x.json', 'one/s/events.jsonl', 'two/s/events.jsonl'];
  const names = ['x', 'b/x', 'b/x@3', 'x@4', 's', 'two/s'];
  expect(named.map((name, file) => nameOf(file, name))).toEqual(names);
  expect(named.map((name, file) => nameOf(file, name))).toEqual(names);
});
