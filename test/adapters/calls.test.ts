import { expect, test } from 'vitest';
import { runsOf } from './runs-of.js';

const pi = (message: object) => ({ type: 'message_end', message });
const copilot = (type: string, data: object, at: number) => ({
  type,
  data,
  id: `e${at}`,
  timestamp: '2026-03-05T08:00:00Z',
});
const managed = (type: string, id: string, more: object = {}) => ({ type, id, processed_at: null, ...more });

/** A call, its result, and what stands before both; of each format that is written while an agent works. */
const FORMATS: Readonly<Record<string, readonly [object[], object, object]>> = {
  'gemini-stream': [
    [
      { type: 'init', session_id: 's', model: 'm' },
      { type: 'message', role: 'user', content: 'a' },
    ],
    { type: 'tool_use', tool_name: 'ls', tool_id: 'c', parameters: {} },
    { type: 'tool_result', tool_id: 'c', status: 'success', output: 'x' },
  ],
  pi: [
    [{ type: 'session', id: 's', version: 3 }, pi({ role: 'user', content: 'a' })],
    pi({
      role: 'assistant',
      content: [{ type: 'toolCall', id: 'c', name: 'ls', arguments: {} }],
      stopReason: 'toolUse',
    }),
    pi({ role: 'toolResult', toolCallId: 'c', content: 'x', isError: false }),
  ],
  'copilot-cli': [
    [copilot('session.start', { sessionId: 's' }, 1), copilot('user.message', { content: 'a' }, 2)],
    copilot('assistant.message', { content: '', toolRequests: [{ toolCallId: 'c', name: 'ls' }] }, 3),
    copilot('tool.execution_complete', { toolCallId: 'c', success: true }, 4),
  ],
  'managed-agents': [
    [{ type: 'session', id: 's' }, managed('user.message', 'u', { content: 'a' })],
    managed('agent.tool_use', 'c', { name: 'ls', input: {} }),
    managed('agent.tool_result', 'r', { tool_use_id: 'c', content: 'x' }),
  ],
};

test.each(Object.entries(FORMATS))(
  '%s: a call and its result are one, whichever comes first, and once',
  async (format, told) => {
    const [before, call, result] = told;
    const whole = { 's#0001': 'loop_start model ls:ok' };
    expect(await runsOf(format, [[...before, call, result]])).toEqual(whole);
    expect(await runsOf(format, [[...before, result, call]])).toEqual(whole);
    expect(await runsOf(format, [[...before, result]])).toEqual({ 's#0001': 'loop_start' });
  },
);
