import { type Place, placeOf } from '../run.js';
import { start, stop, tool } from './example.js';
import { defineRule, WARNING } from './rule.js';

export const contractLoosened = defineRule<Place, 'contract-loosened'>({
  id: 'contract-loosened',
  family: 'order',
  severity: WARNING,
  passing: "The run's own contract grants it no more than the command line, the config and the header allow.",
  why: 'A run that writes its own limits can always keep them; it is held to the stricter number.',
  evidence:
    'contract of loop_start against the contract that stands above it: the command line, the config file, the header. What ' +
    'one of these says decides, so that a number of the run under it is not used, the stricter one neither; a run may ' +
    'bring a number where none of them does. Of severities the run may only raise those that none of them names',
  action: 'raise the number where the contract is decided, not in the run',
  source: 'terminal-span contract',
  options: [],
  example: {
    breaks: [start({ contract: { rules: { 'open-loop': 'off' } } }), tool(1, 'a'), stop(1)],
    keeps: [start({ contract: { rules: { 'missing-goal': 'error' } } }), tool(1, 'a'), stop(1)],
  },
  sees: ['loop_start'],
  step(state, span, run) {
    if (state !== undefined || span.contract === undefined || run.contract.loosened.length === 0) return state;
    return placeOf(span);
  },
  end(state, run) {
    if (run.contract.loosened.length === 0) return undefined;
    const fields = run.contract.loosened.join(', ');
    return {
      kind: 'broken',
      at: state ?? run.first,
      message: `the contract in the trace grants the run more than it is allowed: ${fields}`,
      evidence: { fields },
    };
  },
});
