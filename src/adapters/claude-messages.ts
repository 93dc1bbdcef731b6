// What Claude Code's transcripts and its streams have in common: the messages of the model's interface.
import type { Volatile } from './digest.js';
import type { Result } from './run-writer.js';
import { countIn, fieldsOf, type JsonObject, objectsIn, proseOf, textIn } from './values.js';
import { CLOCKS } from './volatile-texts.js';

/** Tools that start a sub-agent. */
export const SPAWNING = new Set(['Task', 'Agent']);
/** Tools that only a person can answer. */
export const ASKING = new Set(['AskUserQuestion', 'ExitPlanMode']);

const CALL = /^(server_|mcp_)?tool_use$/;
const RESULT = /_tool_result$/;
const SILENT = /^(?:text|thinking|redacted_thinking|image|document|search_result|tool_result|tool_reference)$/;

/** What a block of a message of the model is. */
export const kindOf = ({ type }: JsonObject): 'call' | 'result' | 'silent' | 'unknown' => {
  const word = textIn(type) ?? '';
  return CALL.test(word) ? 'call' : RESULT.test(word) ? 'result' : SILENT.test(word) ? 'silent' : 'unknown';
};

export const blocksOf = (content: unknown): readonly JsonObject[] =>
  typeof content === 'string' ? [{ type: 'text', text: content }] : objectsIn(content);

export const usageOf = (usage: unknown) => {
  const said = fieldsOf(usage);
  return {
    in: countIn(said['input_tokens']) + countIn(said['cache_creation_input_tokens']),
    cached: countIn(said['cache_read_input_tokens']),
    out: countIn(said['output_tokens']),
  };
};

const EXIT_CODE = /^(?:Error: )?Exit code (\d{1,3})\b/;
/** What a tool gave back: that nothing is said of an error means that there was none. */
export const resultOf = ({ content, is_error: isError }: JsonObject): Result => {
  const code = isError === true ? EXIT_CODE.exec(proseOf(content))?.[1] : undefined;
  return { value: content, isError: isError === true, exitCode: code === undefined ? undefined : Number(code) };
};

export const VOLATILE: Volatile = {
  args: [
    ...['Agent', 'Bash', 'Monitor', 'Task'].map((tool) => ({
      tool,
      key: 'description',
      because: 'the model words it anew for the same call',
    })),
    { tool: 'Bash', key: 'timeout', because: 'how long the harness waits is not what is run' },
    { tool: 'Bash', key: 'run_in_background', because: 'how the harness waits is not what is run' },
  ],
  results: [
    {
      pattern: /<system-reminder>[\s\S]*?<\/system-reminder>/g,
      because: 'the harness adds reminders to results; the tool did not give them',
    },
    { pattern: /<usage>[\s\S]*?<\/usage>/g, because: 'tokens and time that a sub-agent took' },
    { pattern: /^agentId: .*$/gm, because: 'each sub-agent has another id' },
    {
      pattern: /running in background with ID: \S+|Output is being written to: \S+/g,
      because: 'each background command has another id and file',
    },
    { pattern: /^\[\d+\] \d+$/gm, because: 'the number of a process that a shell has started' },
    ...CLOCKS,
  ],
};
