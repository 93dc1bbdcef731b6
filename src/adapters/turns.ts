import { turnId, type World } from './adapter.js';
import type { RunWriter, Stop } from './run-writer.js';

/** The writer of a session's next turn: a run of its own, or one for all of the session. */
export const createTurns = (world: World) => {
  const ordinals = new Map<string, number>();
  return (session: string): RunWriter => {
    if (world.unit === 'session') {
      const writer = world.run(session);
      // What stopped goes on with another turn.
      writer.resume();
      return writer;
    }
    const ordinal = (ordinals.get(session) ?? 0) + 1;
    ordinals.set(session, ordinal);
    return world.run(turnId(session, ordinal));
  };
};

/** Names that all sessions of a tool share: the folder around them tells them apart. */
const SHARED = new Set(['agent', 'events', 'logs', 'messages', '.system_generated', 'trajectory', 'transcript']);

/** What an input is called without its folder and its ending: a session's name where nothing in it says one. */
export const stemOf = (name: string): string => {
  const parts = name.replace(/(\.jsonl?|\.ndjson)?(\.(gz|zst|br))?$/, '').split(/[\\/]/);
  return parts.findLast((part) => part !== '' && !SHARED.has(part)) ?? parts.at(-1) ?? name;
};

export const inferredStop = (value: string, detail?: string): Stop => ({ value, detail, isInferred: true });
export const recordedStop = (value: string, detail?: string): Stop => ({ value, detail, isInferred: false });
