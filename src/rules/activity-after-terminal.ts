import { type Place, placeOf, type Spent } from '../run.js';
import { start, stop, tool } from './example.js';
import { defineRule, WARNING } from './rule.js';

interface Activity {
  readonly at: Place;
  readonly halt: Spent;
  count: number;
}

// The emitter's footer and the end of a child are no work; a second terminal is for double-stop.
const NO_ACTIVITY: readonly string[] = ['terminal', 'trace_end', 'child_end'];

export const activityAfterTerminal = defineRule<Activity, 'activity-after-terminal'>({
  id: 'activity-after-terminal',
  family: 'termination',
  severity: WARNING,
  passing:
    "Nothing of the run comes after its terminal but trace_end, child_end and further terminals, double-stop's matter.",
  why: 'A run that works after it said that it stopped has not stopped.',
  evidence: 'the type of every span after the first terminal, in seq order',
  action: 'emit the terminal last, or stop the loop where it says so',
  source: 'terminal-span contract',
  options: [],
  example: {
    breaks: [start(), tool(1, 'a'), stop(1), tool(2, 'b')],
    keeps: [start(), tool(1, 'a'), tool(2, 'b'), stop(2)],
  },
  sees: 'every',
  step(state, span, run) {
    if (run.terminals === 0 || NO_ACTIVITY.includes(span.type)) return state;
    if (state === undefined) return { at: placeOf(span), halt: run.spent(), count: 1 };
    state.count += 1;
    return state;
  },
  end(state) {
    if (state === undefined) return undefined;
    return {
      kind: 'broken',
      at: state.at,
      message: `${state.count} ${state.count === 1 ? 'span follows' : 'spans follow'} the terminal`,
      evidence: { count: state.count },
      halt: state.halt,
    };
  },
});
