// Transcripts as Claude Code keeps them, with lines as long as recorded ones: 1.4 KB on average. Same seed, same bytes.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { below, randomFrom } from './random.mjs';

const WORDS = `the a run loop test file line read write edit call result value span reason stop done error count list
key path name type function const return import export from if else for while new class this that with without`.split(
  /\s+/,
);
const TOOLS = [
  ['Read', (n) => ({ file_path: `/repo/src/part-${n}.ts` })],
  ['Bash', (n) => ({ command: `npm test -- part-${n}`, description: `Run the tests of part ${n}` })],
  ['Grep', (n) => ({ pattern: `part${n}\\b`, path: '/repo/src', output_mode: 'content' })],
  [
    'Edit',
    (n) => ({ file_path: `/repo/src/part-${n}.ts`, old_string: `part${n}("x")`, new_string: `part${n}('x')\n` }),
  ],
];
const upTo = (random, limit) => below(limit, random());

const HEX = 16;
const PROJECTS = 12;
const START = Date.UTC(2026, 0, 5);
const STEP_MS = 1_500;
const HOUR_MS = 3_600_000;
const PART_LIMIT = 400;

/** Text of about so many characters, in lines such as source code has. */
const textOf = (random, length) => {
  const lines = [];
  for (let size = 0; size < length; ) {
    const indent = ' '.repeat(2 * upTo(random, 4));
    const words = Array.from({ length: 3 + upTo(random, 10) }, () => WORDS[upTo(random, WORDS.length)]);
    const line = `${indent}${words.join(' ')} "${words[0]}";`;
    lines.push(line);
    size += line.length + 1;
  }
  return lines.join('\n');
};

const hexOf = (random, digits) => Array.from({ length: digits }, () => upTo(random, HEX).toString(HEX)).join('');
const uuidOf = (random) => [8, 4, 4, 4, 12].map((digits) => hexOf(random, digits)).join('-');

/** Some are short, a few long. */
const lengthOf = (random, usual) =>
  Math.round(usual * (0.2 + 1.6 * (upTo(random, 1_000) / 1_000) ** 2 + (upTo(random, 20) === 0 ? 6 : 0)));

/** One session: a line a record. */
const sessionOf = (random, id, startMs) => {
  const lines = [];
  let parentUuid = null;
  let ms = startMs;
  const write = (record) => lines.push(JSON.stringify(record));
  const chain = (type, fields) => {
    const uuid = uuidOf(random);
    ms += 1 + upTo(random, 2 * STEP_MS);
    const timestamp = new Date(ms).toISOString();
    const where = { cwd: '/repo', sessionId: id, version: '2.1.0', gitBranch: 'main' };
    write({ parentUuid, isSidechain: false, userType: 'external', ...where, type, ...fields, uuid, timestamp });
    parentUuid = uuid;
  };
  const respond = (content, stopReason) => {
    const usage = {
      input_tokens: 4 + upTo(random, 9),
      cache_creation_input_tokens: upTo(random, 4_000),
      cache_read_input_tokens: upTo(random, 90_000),
      cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
      output_tokens: 20 + upTo(random, 900),
      service_tier: 'standard',
    };
    const message = { model: 'claude-sonnet-4', id: `msg_${hexOf(random, 24)}`, type: 'message', role: 'assistant' };
    chain('assistant', {
      message: { ...message, content, stop_reason: stopReason, stop_sequence: null, usage },
      requestId: `req_${hexOf(random, 24)}`,
    });
  };
  write({ type: 'permission-mode', permissionMode: 'acceptEdits', sessionId: id });
  for (let turn = 2 + upTo(random, 5); turn > 0; turn -= 1) {
    const prompt = textOf(random, lengthOf(random, 500));
    write({ type: 'file-history-snapshot', messageId: uuidOf(random), snapshot: {}, isSnapshotUpdate: false });
    chain('user', { message: { role: 'user', content: prompt }, permissionMode: 'acceptEdits' });
    for (let round = 2 + upTo(random, 14); round > 0; round -= 1) {
      const [name, inputOf] = TOOLS[upTo(random, TOOLS.length)];
      const call = `toolu_${hexOf(random, 24)}`;
      if (upTo(random, 3) === 0) {
        const signature = hexOf(random, 300 + upTo(random, 1_000));
        respond([{ type: 'thinking', thinking: textOf(random, lengthOf(random, 500)), signature }], null);
      }
      respond([{ type: 'tool_use', id: call, name, input: inputOf(upTo(random, PART_LIMIT)) }], 'tool_use');
      const content = textOf(random, lengthOf(random, 1_100));
      chain('user', {
        message: { role: 'user', content: [{ tool_use_id: call, type: 'tool_result', content, is_error: false }] },
        toolUseResult: { stdout: content.slice(0, 400), stderr: '', interrupted: false },
      });
    }
    respond([{ type: 'text', text: textOf(random, lengthOf(random, 700)) }], 'end_turn');
    chain('system', { subtype: 'turn_duration', durationMs: upTo(random, 90_000), isMeta: false });
  }
  return `${lines.join('\n')}\n`;
};

/** Writes so many bytes of them into the folders of some projects; how many bytes that are, and how many lines. */
export const writeTranscripts = (folder, bytes, seed) => {
  const random = randomFrom(seed);
  let written = 0;
  let lines = 0;
  for (let sessions = 0; written < bytes; sessions += 1) {
    const id = uuidOf(random);
    const text = sessionOf(random, id, START + sessions * HOUR_MS);
    const place = join(folder, `project-${sessions % PROJECTS}`);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, `${id}.jsonl`), text);
    written += text.length;
    lines += text.split('\n').length - 1;
  }
  return { written, lines };
};
