import type { Contract } from '../contract.js';
import { type Place, placeOf, type RunSoFar, type Spent } from '../run.js';
import type { Span } from '../span.js';
import { start, stop, tool } from './example.js';
import { defineRule, WARNING } from './rule.js';

const ID = 'over-cap';
const SUBAGENT = 'subagent';

interface Told {
  readonly at: Place;
  readonly name: string;
  readonly cap: number;
  readonly turn: string | number | undefined;
  /** The most calls of this name in one turn. */
  calls: number;
  readonly halt: Spent;
}

interface Turn {
  turn: string | number | undefined;
  /** Calls of the turn, by the name that the cap has. */
  readonly calls: Map<string, number>;
  told: Told | undefined;
}

const startTurn = (state: Turn | undefined, turn: string | number | undefined): Turn => {
  if (state === undefined) return { turn, calls: new Map(), told: undefined };
  // A span that names no turn belongs to the one at hand.
  if (turn === undefined || turn === state.turn) return state;
  state.turn = turn;
  state.calls.clear();
  return state;
};

const addCalls = (state: Turn, name: string, added: number, span: Span, run: RunSoFar): void => {
  const cap = run.contract.caps[name] ?? 0;
  const calls = (state.calls.get(name) ?? 0) + added;
  state.calls.set(name, calls);
  if (calls <= cap) return;
  state.told ??= { at: placeOf(span), name, cap, turn: state.turn, calls, halt: run.spent() };
  if (state.told.name === name) state.told.calls = Math.max(state.told.calls, calls);
  run.haltBefore(span, ID);
};

// Asked of every call, and nearly every run has the caps of the one before it.
let askedCaps: Readonly<Record<string, number>> = {};
let capNames: readonly string[] = [];
const isCapped = (name: string, { caps }: Contract): boolean => {
  if (caps !== askedCaps) {
    askedCaps = caps;
    capNames = Object.keys(caps);
  }
  return capNames.includes(name);
};

export const overCap = defineRule<Turn, 'over-cap'>({
  id: ID,
  family: 'guardrails',
  severity: WARNING,
  passing: 'No turn makes more calls of a capped tool, or spawns more sub-agents, than the contract allows.',
  why: 'Searches and sub-agents cost most where nobody counts them; each new one looks reasonable by itself.',
  evidence:
    'name of tool spans; effect spawn, and count where one call spawns several, for sub-agents; turn, else the whole ' +
    'run. Calls with outcome blocked were not made',
  action: 'refuse the call once the cap is reached',
  source: 'Hermes tool-loop guardrails',
  options: ['caps'],
  example: {
    breaks: [
      start({ contract: { caps: { web_search: 1, subagent: 1 } } }),
      tool(1, 'a', { name: 'web_search' }),
      tool(2, 'b', { name: 'web_search' }),
      stop(2),
    ],
    keeps: [
      start({ contract: { caps: { web_search: 1, subagent: 1 } } }),
      tool(1, 'a', { name: 'web_search', turn: 1 }),
      tool(2, 'b', { name: 'web_search', turn: 2 }),
      stop(2),
    ],
  },
  sees: ['tool'],
  step(state, span, run) {
    const isNamed = span.name !== undefined && isCapped(span.name, run.contract);
    if (!isNamed && span.effect !== 'spawn') return state;
    if (span.details?.outcome === 'blocked') return state;
    const turn = startTurn(state, span.details?.turn);
    const isSpawning = span.effect === 'spawn' && isCapped(SUBAGENT, run.contract);
    if (isSpawning) addCalls(turn, SUBAGENT, span.count ?? 1, span, run);
    if (isNamed && !(isSpawning && span.name === SUBAGENT)) addCalls(turn, span.name, 1, span, run);
    return turn;
  },
  end(state) {
    if (state?.told === undefined) return undefined;
    const { at, name, cap, turn, calls, halt } = state.told;
    return {
      kind: 'broken',
      at,
      message: `${calls} calls of ${name} in one ${turn === undefined ? 'run' : 'turn'}, over the cap of ${cap}`,
      evidence: { name, calls, cap, turn: turn ?? null },
      halt,
    };
  },
});
