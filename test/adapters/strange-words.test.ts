import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { run } from '../run-main.js';
import { jsonLines, judged } from './judged.js';

const codex = jsonLines([
  { timestamp: '2026-03-01T10:00:00Z', type: 'session_meta', payload: { id: 's-1', cwd: '/w', cli_version: '0.99.0' } },
  { timestamp: '2026-03-01T10:00:01Z', type: 'event_msg', payload: { type: 'task_started', turn_id: 't1' } },
  { timestamp: '2026-03-01T10:00:02Z', type: 'event_msg', payload: { type: 'user_message', message: 'go' } },
  { timestamp: '2026-03-01T10:00:03Z', type: 'event_msg', payload: { type: 'task_complete', turn_id: 't1' } },
]);
const claude = jsonLines([
  {
    type: 'user',
    uuid: 'u1',
    parentUuid: null,
    sessionId: 'c-1',
    timestamp: '2026-03-01T10:00:00Z',
    message: { role: 'user', content: 'go' },
  },
  {
    type: 'assistant',
    uuid: 'u2',
    parentUuid: 'u1',
    sessionId: 'c-1',
    timestamp: '2026-03-01T10:00:01Z',
    message: {
      id: 'm',
      role: 'assistant',
      stop_reason: 'tool_use',
      content: [{ type: 'tool_use', id: 'x', name: 'Bash', input: {} }],
    },
  },
]);

describe('two formats in one file', () => {
  test.each([
    ['the killed run last', codex + claude, [5, 6]],
    ['the killed run first', claude + codex, [1, 2]],
  ])('%s: what is not judged is said, and the exit is 2', async (_, text, lines) => {
    const { verdicts, stderr, code } = await judged({ 'both.jsonl': text });
    expect(verdicts).toEqual(['s-1#0001 closed_ok iter=0']);
    for (const line of lines)
      expect(stderr).toContain(`both.jsonl:${line}:1: wrong-type: a record of another format, claude-code`);
    expect(code).toBe(2);
  });

  test('in two files they are judged apart, though these are called alike', async () => {
    const swe = { trajectory: [], history: [{ role: 'user', content: 'x' }], info: { exit_status: 'submitted' } };
    const mini = {
      info: { exit_status: '', mini_version: '2.0.0' },
      messages: [{ role: 'user', content: 'x' }],
      trajectory_format: 'mini-swe-agent-1.1',
    };
    const { verdicts, stderr } = await judged({ 'a.traj': JSON.stringify(swe), 'a.traj.json': JSON.stringify(mini) });
    expect(new Set(verdicts.map((verdict) => verdict.split(' ')[0])).size).toBe(2);
    expect(stderr).not.toMatch(/seq-conflict|double-stop/);
  });

  test('a record that is only newer is no other format', async () => {
    const newer = jsonLines([{ timestamp: '2026-03-01T10:00:04Z', type: 'novelty', payload: { type: 'x' } }]);
    const { stderr, code } = await judged({ 'newer.jsonl': codex + newer });
    expect(stderr).toContain('not understood: novelty 1');
    expect(code).toBe(0);
  });
});

const TRACE = 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa';
const otlp = (root: string, child: string, attributes: Readonly<Record<string, readonly [string, unknown]>>): string =>
  JSON.stringify({
    resourceSpans: [
      {
        scopeSpans: [
          {
            spans: [
              { spanId: '2222222222222222', parentSpanId: '1111111111111111', name: child, start: 2, end: 3 },
              { spanId: '1111111111111111', name: root, start: 1, end: 4 },
            ].map(({ start, end, ...span }) => ({
              ...span,
              traceId: TRACE,
              startTimeUnixNano: `177000000000000000${start}`,
              endTimeUnixNano: `177000000000000000${end}`,
              attributes: Object.entries(attributes).flatMap(([key, [of, value]]) =>
                of === span.name ? [{ key, value }] : [],
              ),
            })),
          },
        ],
      },
    ],
  });
const text = (stringValue: string) => ({ stringValue });
const vercel = (reason: string): string =>
  otlp('ai.generateText', 'ai.generateText.doGenerate', {
    'ai.response.finishReason': ['ai.generateText', text(reason)],
  });
const genai = (reason: string): string =>
  otlp('invoke_agent a', 'chat m', {
    'gen_ai.operation.name': ['invoke_agent a', text('invoke_agent')],
    'gen_ai.request.model': ['chat m', text('m')],
    'gen_ai.response.finish_reasons': ['chat m', { arrayValue: { values: [text(reason)] } }],
  });
const langsmith = (status: string): string =>
  jsonLines([
    {
      id: 'r1',
      trace_id: 'r1',
      run_type: 'chain',
      name: 'g',
      start_time: '2026-01-01T00:00:00Z',
      end_time: '2026-01-01T00:00:09Z',
      status,
      inputs: {},
      outputs: {},
    },
    {
      id: 'r2',
      trace_id: 'r1',
      parent_run_id: 'r1',
      run_type: 'llm',
      name: 'l',
      start_time: '2026-01-01T00:00:01Z',
      end_time: '2026-01-01T00:00:02Z',
      status: 'success',
      inputs: {},
      outputs: {},
    },
  ]);
const gemini = (type: string): string =>
  jsonLines([
    { type: 'init', timestamp: '2026-01-01T00:00:00Z', session_id: 's', model: 'm' },
    { type: 'message', role: 'user', content: 'x' },
    { type: 'result', status: 'error', error: { type, message: 'm' }, stats: {} },
  ]);
const hermes = (more: object): string =>
  `${JSON.stringify({
    id: 'h1',
    source: 'cli',
    model: 'm',
    system_prompt: 's',
    started_at: 1,
    ended_at: 9,
    end_reason: 'cli_close',
    messages: [1, 3].flatMap((id) => [
      { id, session_id: 'h1', role: 'user', content: 'go', timestamp: 1, ...more },
      { id: id + 1, session_id: 'h1', role: 'assistant', content: 'bye', finish_reason: 'stop', timestamp: 2, ...more },
    ]),
  })}\n`;

test.each([
  ['an end of Vercel that is known', vercel('stop'), ['closed_ok']],
  ['one that says nothing', vercel('other'), ['bad_terminal']],
  ['one that is not known', vercel('unknown'), ['bad_terminal']],
  ['a last response that is known', genai('stop'), ['closed_ok']],
  ['one that asks for a call: the end of the agent decides', genai('tool_call'), ['closed_ok']],
  ['one that is not known', genai('weird'), ['bad_terminal']],
  ['a status of LangSmith that is known', langsmith('success'), ['closed_ok']],
  ['one that is not known', langsmith('novel'), ['bad_terminal']],
  ['an error of Gemini with a reason of its own', gemini('MAX_TURNS'), ['closed_cap']],
  ['another', gemini('Error'), ['closed_blocked']],
  ['rows of Hermes that are alike, both active', hermes({ active: 1 }), ['closed_ok', 'closed_ok']],
  ['the same where nothing says so: a copy', hermes({}), ['closed_ok']],
])('%s', async (_, content, expected) => {
  const { verdicts } = await judged({ 'trace.jsonl': content });
  expect(verdicts.map((verdict) => verdict.split(' ')[1])).toEqual(expected);
});

test('what convert writes does nothing at a terminal or in a log, and says the same', async () => {
  const name = '\u001b[31m\u009b2J\u202e##[error]x\u2028';
  const folder = mkdtempSync(join(tmpdir(), 'strange-'));
  try {
    const path = join(folder, 'c.jsonl');
    writeFileSync(path, claude.replace('"Bash"', JSON.stringify(name)));
    const { stdout, code } = await run(['convert', path]);
    expect(code).toBe(0);
    expect(stdout.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}]|##\[/u);
    const spans = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(spans.find(({ type }) => type === 'tool')?.name).toBe(name);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
