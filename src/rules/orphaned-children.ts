import { type Place, placeOf } from '../run.js';
import { type Children, countOf, noChildren, takeChild } from './children.js';
import { childEnd, childStart, start, stop, tool } from './example.js';
import { defineRule, WARNING } from './rule.js';

interface Family {
  readonly children: Children;
  orphaned: { readonly at: Place; readonly count: number; readonly childRun: string | undefined } | undefined;
}

export const orphanedChildren = defineRule<Family, 'orphaned-children'>({
  id: 'orphaned-children',
  family: 'guardrails',
  severity: WARNING,
  passing: 'Every child that a run started has ended when the run stops; the successor of a handoff aside.',
  why: 'A child without a parent goes on spending, and nobody reads what it finds.',
  evidence: 'child_run of child_start and child_end spans, successor_run of the terminal',
  action: 'end the children, or wait for them, before the terminal',
  source: 'Hermes tool-loop guardrails',
  options: [],
  example: {
    breaks: [start(), childStart(0, 'run_child'), tool(1, 'a'), stop(1)],
    keeps: [start(), childStart(0, 'run_child'), tool(1, 'a'), childEnd(1, 'run_child'), stop(1)],
  },
  sees: ['child_start', 'child_end', 'terminal'],
  step(state, span, run) {
    if (span.type !== 'terminal') {
      if (state === undefined && span.type === 'child_end') return undefined;
      const family = state ?? { children: noChildren(), orphaned: undefined };
      takeChild(family.children, span);
      return family;
    }
    if (state === undefined || run.terminals > 0) return state;
    // What takes over is no orphan.
    if (span.successorRun !== undefined) state.children.named.delete(span.successorRun);
    const count = countOf(state.children);
    const [childRun] = state.children.named;
    if (count > 0) state.orphaned = { at: placeOf(span), count, childRun };
    return state;
  },
  end(state) {
    if (state?.orphaned === undefined) return undefined;
    const { at, count, childRun } = state.orphaned;
    return {
      kind: 'broken',
      at,
      message: `the run stops while ${count} ${count === 1 ? 'child runs' : 'children run'}`,
      evidence: { count, child_run: childRun ?? null },
    };
  },
});
