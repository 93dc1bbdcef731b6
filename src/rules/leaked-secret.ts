import { type Place, placeOf } from '../run.js';
import type { Secret } from '../span.js';
import { start, stop, tool } from './example.js';
import { ASKED, defineRule, unverifiable } from './rule.js';

const ID = 'leaked-secret';

/** Nothing found so far, where lines are looked at; or the first credential, and what else there is. */
type Leaks = 'none' | { readonly at: Place; readonly first: Secret; spans: number; readonly kinds: Set<string> };

const fetches = (from: string) =>
  tool(1, 'a', { name: 'shell', command: `git clone https://${from}git.example.org/app` });

export const leakedSecret = defineRule<Leaks, typeof ID>({
  id: ID,
  family: 'order',
  severity: ASKED,
  passing: 'No line of the trace carries a live credential.',
  why: 'Traces are kept, copied and attached to tickets: a key that stands in one is no longer secret.',
  evidence:
    'every line as it is written, and as the strings in it read, JSON in JSON up to three deep, fields that nothing else reads and keys ' +
    "included; the detectors are those of secretlint's recommended preset: what it does not know is not found, and what it " +
    'takes for one is, but for the examples that it knows. The finding says of what kind the credential is and in which field it stands, ' +
    'not what it is, and shows a key of that field where it can be no more than a name; what else a report quotes of a span, such as the id of its run or a reason, it quotes as it stands. A ' +
    'credential in a header or in an unusable line is an input error of the same name; a line above 16 MiB is not kept, ' +
    'and not looked at',
  unjudged:
    'Where only the trace asks for it, in a header or in the contract of a run: lines are looked at where the command ' +
    'line, the config file or the profile asks for it.',
  action: 'revoke it, and write digests, not payloads',
  source: 'terminal-span contract',
  options: [],
  example: {
    breaks: [start(), fetches('ci:s3cr3t-of-ci@'), stop(1)],
    keeps: [start(), fetches('ci:$TOKEN@'), stop(1)],
  },
  sees: 'every',
  reads: 'text',
  step(state = 'none', span) {
    const [first] = span.secrets;
    if (first === undefined) return state;
    // The id of the span may be what holds it.
    const leaks =
      state === 'none'
        ? { at: { ...placeOf(span), spanId: undefined }, first, spans: 0, kinds: new Set<string>() }
        : state;
    leaks.spans += 1;
    for (const { kind } of span.secrets) leaks.kinds.add(kind);
    return leaks;
  },
  end(state, { contract }) {
    if (state === undefined) {
      return contract.rules.has(ID) ? unverifiable('only the trace itself asks for it') : undefined;
    }
    if (state === 'none') return undefined;
    const { at, first, spans, kinds } = state;
    const where = first.field === undefined ? '' : ` in ${first.field}`;
    return {
      kind: 'broken',
      at,
      message: `${spans === 1 ? 'a span holds a credential' : `${spans} spans hold credentials, the first`}: ${first.kind}${where}`,
      evidence: { kind: first.kind, field: first.field ?? null, spans, kinds: [...kinds].join(', ') },
    };
  },
});
