import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

const FILES = {
  '.claude/projects/-w/5e55.jsonl': 'claude-code/two-turns.jsonl',
  '.codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-019e.jsonl': 'codex-rollout/turns.jsonl',
};

/** Makes a home folder in which Claude Code and Codex have worked, on the given day. */
export const agentHome = (home: string, day = '2026-03-01'): void => {
  for (const [name, fixture] of Object.entries(FILES)) {
    const path = join(home, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, readFileSync(join('fixtures', 'formats', fixture), 'utf8').replaceAll('2026-03-01', day));
  }
};
