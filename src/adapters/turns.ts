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

export const inferredStop = (value: string, detail?: string): Stop => ({ value, detail, isInferred: true });
export const recordedStop = (value: string, detail?: string): Stop => ({ value, detail, isInferred: false });
