import type { Adapter } from './adapter.js';

/** Every format that is translated, each loaded when it is asked for; of two that recognise one input, the first. */
const LOADERS = {
  openinference: async () => (await import('./openinference.js')).openinference,
  'openai-agents': async () => (await import('./openai-agents.js')).openaiAgents,
  langfuse: async () => (await import('./langfuse.js')).langfuse,
  langsmith: async () => (await import('./langsmith.js')).langsmith,
  otlp: async () => (await import('./otlp.js')).otlp,
  'claude-stream-json': async () => (await import('./claude-stream-json.js')).claudeStreamJson,
  'codex-exec': async () => (await import('./codex-exec.js')).codexExec,
  'codex-rollout': async () => (await import('./codex-rollout.js')).codexRollout,
  'claude-code': async () => (await import('./claude-code.js')).claudeCode,
  hermes: async () => (await import('./hermes.js')).hermes,
  'hermes-trajectory': async () => (await import('./hermes-trajectory.js')).hermesTrajectory,
  'swe-agent': async () => (await import('./swe-agent.js')).sweAgent,
  'mini-swe-agent': async () => (await import('./mini-swe-agent.js')).miniSweAgent,
  openhands: async () => (await import('./openhands.js')).openhands,
  'inspect-ai': async () => (await import('./inspect-ai.js')).inspectAi,
  'gemini-cli': async () => (await import('./gemini-cli.js')).geminiCli,
  'gemini-stream': async () => (await import('./gemini-stream.js')).geminiStream,
  'copilot-cli': async () => (await import('./copilot-cli.js')).copilotCli,
  'managed-agents': async () => (await import('./managed-agents.js')).managedAgents,
  atif: async () => (await import('./atif.js')).atif,
  pi: async () => (await import('./pi.js')).pi,
  opencode: async () => (await import('./opencode.js')).opencode,
  'kiro-cli': async () => (await import('./kiro-cli.js')).kiroCli,
  'mistral-vibe': async () => (await import('./mistral-vibe.js')).mistralVibe,
  antigravity: async () => (await import('./antigravity.js')).antigravity,
} satisfies Readonly<Record<string, () => Promise<Adapter>>>;

/** What `--from` takes, beside `auto` and `native`. */
export type FormatId = keyof typeof LOADERS;
// The type of keys forgets what they are.
export const FORMAT_IDS = Object.keys(LOADERS) as readonly FormatId[];

export const loadAdapters = (): Promise<readonly Adapter[]> =>
  Promise.all(Object.values(LOADERS).map((load) => load()));
