import { defineRule, hasFailed, placeOf } from 'terminal-contract';

/** @typedef {import('terminal-contract').Span} Span */
/** @typedef {import('terminal-contract').RunFacts} RunFacts */

/**
 * The files that a call names: `path` is one, or a list. Objects and the like have been left out before.
 * @param {Span} span
 */
const pathsOf = ({ fields }) => (fields['path'] === undefined ? [] : [fields['path']].flat().map(String));

/** @param {Span} span */
const isWrite = (span) => span.effect === 'write' && !hasFailed(span) && span.details?.outcome !== 'blocked';

/**
 * What the rule keeps of a run.
 * @typedef {object} Kept
 * @property {Set<string>} seen files that the run has changed
 * @property {boolean} isBlind some write names no file: nobody can say that it was no new one
 * @property {number | undefined} iter the iteration at hand
 * @property {boolean} mayBeNew whether it changed a file that is new, or may be
 * @property {number} row iterations in a row, up to the one at hand, that changed no new file
 * @property {ReturnType<typeof placeOf>} at where the last call stands
 * @property {Broken | undefined} reached where the row was long enough first
 */
/** @typedef {{ at: Kept['at'], iter: number, halt: ReturnType<RunFacts['spent']> }} Broken */

/**
 * @param {Span} span
 * @returns {Kept}
 */
const startRun = (span) => ({
  seen: new Set(),
  isBlind: false,
  iter: undefined,
  mayBeNew: false,
  row: 0,
  at: placeOf(span),
  reached: undefined,
});

/**
 * @param {Kept} state
 * @param {RunFacts} run
 * @param {number} limit
 */
const closeIteration = (state, run, limit) => {
  if (state.iter === undefined) return;
  state.row = state.mayBeNew ? 0 : state.row + 1;
  if (state.row < limit || state.reached !== undefined) return;
  state.reached = { at: state.at, iter: state.iter, halt: run.spent() };
};

/**
 * @param {Kept} state
 * @param {readonly string[]} paths
 */
const takeWrite = (state, paths) => {
  if (paths.length === 0) state.isBlind = true;
  const isNew = paths.length === 0 || paths.some((path) => !state.seen.has(path));
  for (const path of paths) state.seen.add(path);
  state.mayBeNew ||= isNew;
};

/**
 * No new file changed in `limit` iterations.
 * @param {number} limit
 */
export const noNewFile = (limit) =>
  defineRule({
    id: 'no-new-file',
    family: 'loop',
    passing: `In each ${limit} iterations in a row, the run changes at least one file that it had not changed before.`,
    why: 'A loop that edits the same files again and again is often undoing its own work.',
    evidence: 'tool spans by iter; of those with effect write, path: a file, or a list of files',
    needs: 'tool span with effect write and path',
    unjudged: 'No write names its path; or some name none, and no row of iterations without these is long enough.',
    action: 'stop, or ask for another plan, when no new file is changed',
    source: 'terminal-contract examples',
    sees: ['tool'],
    fields: ['path'],
    step(/** @type {Kept | undefined} */ kept, span, run) {
      const state = kept ?? startRun(span);
      if (span.iter !== undefined && span.iter !== state.iter) {
        closeIteration(state, run, limit);
        state.iter = span.iter;
        state.mayBeNew = false;
      }
      state.at = placeOf(span);
      if (isWrite(span)) takeWrite(state, pathsOf(span));
      return state;
    },
    end(state, run) {
      if (state === undefined) return undefined;
      closeIteration(state, run, limit);
      if (state.seen.size === 0) return { kind: 'unverifiable', because: 'no write names its path' };
      if (state.reached === undefined) {
        return state.isBlind ? { kind: 'unverifiable', because: 'some writes name no path' } : undefined;
      }
      const { at, iter, halt } = state.reached;
      return {
        kind: 'broken',
        at,
        message: `${limit} iterations in a row, up to iteration ${iter}, change no new file`,
        evidence: { limit, iter, files: state.seen.size },
        halt,
      };
    },
  });

export default noNewFile(5);
