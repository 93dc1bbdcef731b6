import { openLine, type ProgressLine } from './progress-line.js';
import type { Progress } from './trace.js';

/** So long is nothing said of work that may be over soon. */
const PATIENCE_MS = 1000;
/** And so long what is said may stand. */
const PAUSE_MS = 100;

/** Shows on a terminal how far the work has come, if it lasts. */
export const startProgress = (openTerminal: () => NodeJS.WriteStream): Progress => {
  const begun = performance.now();
  let look = { isSecond: false, begun };
  let dueAt = begun + PATIENCE_MS;
  let line: ProgressLine | undefined;
  return {
    reach(reached) {
      const now = performance.now();
      const isAnotherLook = reached.isSecondLook !== look.isSecond;
      if (isAnotherLook) look = { isSecond: reached.isSecondLook, begun: now };
      const isDue = now >= dueAt || (isAnotherLook && line !== undefined);
      if (!isDue) return;
      dueAt = now + PAUSE_MS;
      line ??= openLine(openTerminal());
      line.show(reached, now - look.begun);
    },
    end() {
      line?.end();
      line = undefined;
    },
  };
};
