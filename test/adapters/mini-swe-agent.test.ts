import { expect, test } from 'vitest';
import { jsonLines, judged } from './judged.js';

const MESSAGES = [
  { role: 'system', content: 'You use bash.' },
  { role: 'user', content: 'Fix it.' },
  { role: 'assistant', content: 'Next.\n```mswea_bash_command\nls\n```' },
  { role: 'user', content: '<returncode>0</returncode>\n<output>\na.py\n</output>' },
];

test('two bare lists are two runs', async () => {
  const { verdicts } = await judged({ 'one.json': JSON.stringify(MESSAGES), 'two.json': JSON.stringify(MESSAGES) });
  expect(verdicts).toEqual(['one open_loop iter=1', 'two open_loop iter=1']);
});

test('a bare list that is cut is judged on what remains', async () => {
  const text = JSON.stringify(MESSAGES, null, 2);
  const { verdicts, stderr } = await judged({ 'one.json': text.slice(0, -90) });
  expect(verdicts).toEqual(['one open_loop iter=1']);
  expect(stderr).toContain('torn-tail');
});

test('messages may stand one a line', async () => {
  expect((await judged({ 'one.jsonl': jsonLines(MESSAGES) })).verdicts).toEqual(['one open_loop iter=1']);
});
