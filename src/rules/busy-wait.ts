import { type Place, placeOf, type RunSoFar, type Spent } from '../run.js';
import type { Span } from '../span.js';
import { type Children, countOf, noChildren, takeChild } from './children.js';
import { childEnd, childStart, start, stop, tool } from './example.js';
import { defineRule, type ExampleSpan, WARNING } from './rule.js';
import { type LastStep, type Move, takeStep } from './same-call.js';
import { isPoller } from './step.js';

interface Watch extends LastStep {
  readonly children: Children;
  /** Neighbouring steps that wait by calling. */
  steps: number;
  isPolling: boolean;
  found: { readonly at: Place; readonly name: string | undefined; halt: Spent | undefined; steps: number } | undefined;
  isFoundRow: boolean;
}

const newWatch = (): Watch => ({
  name: undefined,
  argsHash: undefined,
  round: undefined,
  hasFailed: false,
  waits: 0,
  children: noChildren(),
  steps: 0,
  isPolling: false,
  found: undefined,
  isFoundRow: false,
});

const lengthen = (watch: Watch, move: Move, isPolling: boolean): void => {
  const isIdle = move === 'next step' || (isPolling && watch.isPolling);
  watch.steps = isIdle ? watch.steps + 1 : 1;
  watch.isPolling = isPolling;
  if (!isIdle) watch.isFoundRow = false;
};

const mark = (watch: Watch, span: Span, run: RunSoFar): void => {
  const { notice, halt } = run.contract.repeat;
  if (watch.steps < Math.max(2, notice)) return;
  if (watch.found === undefined) {
    watch.found = { at: placeOf(span), name: span.name, halt: undefined, steps: 0 };
    watch.isFoundRow = true;
  }
  if (watch.isFoundRow) watch.found.steps = watch.steps;
  if (watch.steps >= halt) watch.found.halt ??= run.spent(span);
};

const stopWatch = (watch: Watch): void => {
  watch.steps = 0;
  watch.isFoundRow = false;
};

const poll = (iter: number): ExampleSpan => tool(iter, `poll ${iter}`, { name: 'job_poll' });

export const busyWait = defineRule<Watch, 'busy-wait'>({
  id: 'busy-wait',
  family: 'guardrails',
  severity: WARNING,
  passing:
    'While children run, the run works or declares that it waits: it does not make calls that only pass the time.',
  why: 'Each poll is a model round: waiting by spinning costs as much as working, and looks like work.',
  evidence:
    'child_start and child_end, wait_start and wait_end, name, args_hash and effect of tool spans: ' +
    'a step that repeats the call before it, or one poller after another, passes the time; a first read does not',
  action: 'block until the child ends, and write wait_start and wait_end around it',
  source: 'Hermes tool-loop guardrails',
  options: ['repeat', 'pollers'],
  example: {
    breaks: [start(), childStart(0, 'run_child'), poll(1), poll(2), poll(3), childEnd(3, 'run_child'), stop(3)],
    keeps: [start(), childStart(0, 'run_child'), poll(1), poll(2), tool(3, 'a'), childEnd(3, 'run_child'), stop(3)],
  },
  sees: ['child_start', 'child_end', 'tool', 'wait_start', 'wait_end'],
  step(state, span, run) {
    if (state === undefined && span.type !== 'child_start' && span.type !== 'wait_start') return undefined;
    const watch = state ?? newWatch();
    if (span.type === 'child_start' || span.type === 'child_end') takeChild(watch.children, span);
    const move = takeStep(watch, span);
    if (countOf(watch.children) === 0 || watch.waits > 0) stopWatch(watch);
    else if (move !== undefined && move !== 'same step') {
      lengthen(watch, move, isPoller(span.name, run.contract));
      mark(watch, span, run);
    }
    return watch;
  },
  end(state) {
    if (state?.found === undefined) return undefined;
    const { at, name, halt, steps } = state.found;
    return {
      kind: 'broken',
      at,
      message: `${steps} steps in a row only pass the time${name === undefined ? '' : ` with ${name}`} while children run`,
      evidence: { name: name ?? null, steps },
      halt,
    };
  },
});
