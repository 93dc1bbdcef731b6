import { type Place, placeOf, type RunSoFar } from '../run.js';
import { argsOf, type Span } from '../span.js';
import { start, stop, tool } from './example.js';
import { defineRule, unverifiable, WARNING } from './rule.js';
import { type Round, roundOf, stepOf } from './step.js';

interface Warning {
  readonly code: string | undefined;
  readonly name: string | undefined;
  readonly args: string | undefined;
  readonly round: Round;
}

interface Ignored extends Warning {
  readonly at: Place;
  count: number;
}

/** Nothing is kept before the first warning. */
interface Warned {
  /** The warning that the next step answers to. */
  open: Warning | undefined;
  told: Ignored | undefined;
  isBlind: boolean;
}

/** What a guard warned about: the call that it names, else the last one. */
const warningOf = (guard: Span, run: RunSoFar): Warning => {
  const name = guard.name ?? run.callName;
  const args = argsOf(guard) ?? (name === run.callName ? run.callArgs : undefined);
  return { code: guard.details?.code, name, args, round: run.callRound ?? run.callIter };
};

const answer = (warned: Warned, { code, name, args, round }: Warning, span: Span): void => {
  warned.open = undefined;
  if (args === undefined) {
    warned.isBlind = true;
    return;
  }
  if (span.name !== name || span.argsHash !== args) return;
  warned.told ??= { at: placeOf(span), code, name, args, round, count: 0 };
  warned.told.count += 1;
};

/** What the warned response had asked for already is no answer to the warning. */
const isUnderWay = ({ round }: Warning, span: Span): boolean => round !== undefined && roundOf(span) === round;

const addCall = (warned: Warned, span: Span, run: RunSoFar): void => {
  const { open } = warned;
  if (open === undefined || isUnderWay(open, span)) return;
  if (stepOf(span, run) !== 'wait') answer(warned, open, span);
};

export const warnIgnored = defineRule<Warned, 'warn-ignored'>({
  id: 'warn-ignored',
  family: 'guardrails',
  severity: WARNING,
  passing: 'The step after a warning of the guard is not the call that it warned about.',
  why: 'A warning that changes nothing is noise in the context; the next stage of the guard has to stop the run.',
  evidence:
    'guard spans with action warn: the call is the one that they name (name, args_hash), else the last before them; ' +
    'the next step is the first of another round (round, else iter), declared waits left out',
  unjudged: 'A guard warned about a call whose args_hash neither the guard span nor the call carries.',
  action: 'block the call that was warned about, or make the warning reach the model',
  source: 'Hermes tool-loop guardrails',
  options: [],
  example: {
    breaks: [
      start(),
      tool(1, 'a'),
      { type: 'guard', iter: 1, action: 'warn', code: 'repeated_exact_failure_warning' },
      tool(2, 'a'),
      stop(2),
    ],
    keeps: [
      start(),
      tool(1, 'a'),
      { type: 'guard', iter: 1, action: 'warn', code: 'repeated_exact_failure_warning' },
      tool(2, 'b'),
      stop(2),
    ],
  },
  sees: ['tool', 'guard'],
  step(state, span, run) {
    if (span.type === 'tool') {
      if (state !== undefined) addCall(state, span, run);
      return state;
    }
    if (span.details?.action !== 'warn') return state;
    const warned = state ?? { open: undefined, told: undefined, isBlind: false };
    warned.open = warningOf(span, run);
    return warned;
  },
  end(state) {
    if (state === undefined) return undefined;
    if (state.told === undefined) {
      if (!state.isBlind) return undefined;
      return unverifiable('a guard warned, but the call carries no args_hash to compare');
    }
    const { at, code, name, args, count } = state.told;
    return {
      kind: 'broken',
      at,
      message: `the call${name === undefined ? '' : ` of ${name}`} that the guard had warned about was made again`,
      evidence: { code: code ?? null, name: name ?? null, args_hash: args ?? null, count },
    };
  },
});
