import type { AdapterDescription } from '../adapters/adapter.js';
import { loadAdapters } from '../adapters/index.js';

const section = ({ id, title, where, run, stops, tells, lacks }: AdapterDescription): string =>
  [
    `${id}: ${title}`,
    `  where: ${where}`,
    `  a run: ${run}`,
    `  how it stops: ${stops}`,
    `  evidence: ${tells}`,
    `  not recorded: ${lacks}`,
  ].join('\n');

/** `terminal-contract formats`. */
export const formatsText = async (): Promise<string> => `${(await loadAdapters()).map(section).join('\n\n')}\n`;
