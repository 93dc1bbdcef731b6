import { start, stop, tool } from './example.js';
import { defineRule, isClosed, type JudgedRun, type Outcome, unverifiable, WARNING } from './rule.js';

type Runs = ReadonlyMap<string, JudgedRun>;
type Handoff = JudgedRun & { readonly terminal: NonNullable<JudgedRun['terminal']> };

const isHandoff = (run: JudgedRun | undefined): run is Handoff => run?.terminal?.reason === 'handoff';

const successorOf = (run: JudgedRun, runs: Runs): JudgedRun | undefined =>
  isHandoff(run) ? runs.get(run.terminal.successorRun ?? '') : undefined;

/** Runs whose chain of handoffs comes back to them: each run is walked over once. */
const runsOnCycles = (handoffs: readonly Handoff[], runs: Runs): ReadonlySet<JudgedRun> => {
  const onCycle = new Set<JudgedRun>();
  const walked = new Set<JudgedRun>();
  for (const start of handoffs) {
    const path = new Set<JudgedRun>();
    let run: JudgedRun | undefined = start;
    while (run !== undefined && !walked.has(run)) {
      walked.add(run);
      path.add(run);
      run = successorOf(run, runs);
    }
    if (run === undefined || !path.has(run)) continue;
    const chain = [...path];
    for (const member of chain.slice(chain.indexOf(run))) onCycle.add(member);
  }
  return onCycle;
};

const broken = (run: Handoff, message: string): Outcome => ({
  kind: 'broken',
  at: run.terminal.place,
  message,
  evidence: { successor_run: run.terminal.successorRun ?? null },
});

const judge = (run: Handoff, runs: Runs, onCycle: ReadonlySet<JudgedRun>): Outcome => {
  if ((run.terminal.successorRun ?? '') === '') return broken(run, 'the handoff names no successor_run');
  if (onCycle.has(run)) return broken(run, 'the chain of handoffs comes back to this run');
  const successor = successorOf(run, runs);
  if (successor === undefined) return unverifiable('the successor run is not in the trace');
  if (successor.isInconclusive) return unverifiable('the end of the successor run is not in the trace');
  return isClosed(successor) ? undefined : broken(run, 'the successor run is not closed');
};

export const openHandoff = defineRule<never, 'open-handoff'>({
  id: 'open-handoff',
  family: 'termination',
  severity: WARNING,
  passing: 'A handoff names its successor run, and the successor closes.',
  why: 'Work that is handed to nobody, to a run that never stops, or round in a circle is not finished.',
  evidence: 'reason and successor_run of the terminal, and the verdict of the successor where the trace holds it',
  unjudged:
    'The trace does not hold the successor run; or, with --partial, it does not hold where the successor run stops.',
  action: 'follow the successor run',
  source: 'terminal-span contract',
  options: [],
  example: {
    breaks: [start(), tool(1, 'a'), stop(1, 'handoff')],
    keeps: [start(), tool(1, 'a'), stop(1, 'handoff', { successor_run: 'run_next' })],
  },
  sees: 'nothing',
  across(runs) {
    const handoffs = [...runs.values()].filter(isHandoff);
    const onCycle = runsOnCycles(handoffs, runs);
    return new Map(handoffs.map((run) => [run.runId, judge(run, runs, onCycle)]));
  },
});
