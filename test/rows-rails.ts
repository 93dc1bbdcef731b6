/** Rows for rules.test.ts: rails, the iterated loop, and the guardrails about digests, waits and children. */

import type { Row } from './trace-words.js';

const MS = { max_ms: 1000 };
const TOKENS = { max_tokens: 100 };
const TREES = { unchanged_worktrees: 3 };

const words = (length: number, word: (number: number) => string): string =>
  Array.from({ length }, (_, index) => word(index + 1)).join(' ');
const at = (ms: number): string => `ts=2026-01-01T00:00:${(ms / 1000).toFixed(3).padStart(6, '0')}Z`;

/** One rule's rows: what each shows, its trace, and whether the rule finds something in it. */
const rows = (rule: string, config: object, found: readonly [string, string, boolean, object?][]): readonly Row[] =>
  found.map(([shows, trace, finds, more]) => ({ rule, shows, words: trace, finds, config: { ...config, ...more } }));

/** What stands just beside what the rails count. */
const edges: readonly Row[] = [
  ...rows('over-time', MS, [
    [
      'times with an offset',
      `start@0,ts=2026-01-01T00:00:00+01:00 tool@1:a,ts=2026-01-01T00:00:02+01:00 tool@2:b`,
      true,
    ],
    [
      'a time with text before it',
      'start@0,ts="(x)\\u00202026-01-01\\u002000:00:00Z" tool@1:a,ts=2026-01-01T00:00:02Z tool@2:b',
      false,
    ],
    [
      'a time with text behind it',
      'start@0,ts="2026-01-01\\u002000:00:00Z(x)" tool@1:a,ts=2026-01-01T00:00:02Z tool@2:b',
      false,
    ],
    [
      'a clock that is started anew by a second start',
      'start@0,mono_ms=0 tool@1:a,mono_ms=500 start@1,mono_ms=300 tool@1:b,mono_ms=900 tool@2:c',
      true,
    ],
    [
      'a clock that is started anew by a call',
      'start@0,mono_ms=2000 tool@1:a,mono_ms=100 tool@2:b,mono_ms=1150 tool@3:c',
      true,
    ],
    [
      'a call that is written late, as old as the first reading',
      'start@0,mono_ms=0 tool@1:a,mono_ms=500 tool@1:b,mono_ms=0 tool@1:c,mono_ms=900 tool@2:d',
      false,
    ],
    [
      'a call that is written late',
      'start@0,mono_ms=0 tool@1:a,mono_ms=500 tool@1:b,mono_ms=300 tool@1:c,mono_ms=900 tool@2:d',
      false,
    ],
    ['a model round that takes all the time', 'start@0,mono_ms=0 model@1,mono_ms=1100 tool@2:a', true],
    [
      'a round at the latest reading, then a call that is written late',
      'start@0,mono_ms=0 tool@1:a,mono_ms=500 model@1,mono_ms=500 tool@1:b,mono_ms=300 tool@1:c,mono_ms=900 tool@2:d',
      false,
    ],
    [
      'a wait of unknown length up to the limit itself',
      'start@0,mono_ms=0 wait@1 waited@1 tool@1:a,mono_ms=1000 tool@2:b',
      false,
    ],
    ['a limit that is reached in no iteration', 'start,mono_ms=0 tool:a,mono_ms=1100 tool@1:b', false],
    ['a model round that says it waits', 'start@0,mono_ms=0 model@1,effect=wait,mono_ms=1100 tool@2:b', true],
    [
      'a call that waits inside of a wait',
      'start@0,mono_ms=0 wait@1,mono_ms=0 tool@1:a,effect=wait waited@1,mono_ms=1100 tool@2:b',
      false,
    ],
    ['a wait whose begin nobody timed', 'start@0,mono_ms=0 wait@1 waited@1,mono_ms=1100 tool@2:b', false],
    [
      'a wait inside of a wait that nobody timed',
      'start@0,mono_ms=0 wait@1,mono_ms=0 wait@1 waited@1 waited@1,mono_ms=1100 tool@2:b',
      false,
    ],
    [
      'a wait whose end nobody timed',
      'start@0,mono_ms=0 wait@1,mono_ms=0 waited@1 tool@1:a,mono_ms=1100 tool@2:b',
      false,
    ],
    ['a note inside of a wait', 'start@0,mono_ms=0 wait@1,mono_ms=0 note@1 waited@1,mono_ms=1100 tool@2:b', false],
    [
      'a call that waits in a later iteration',
      'start@0,mono_ms=0 tool@1:a,mono_ms=1100 tool@2:b,effect=wait,mono_ms=1200 stop@2:budget',
      false,
    ],
    [
      'a call inside of a wait in a later iteration',
      'start@0,mono_ms=0 tool@1:a,mono_ms=1100 wait@2 tool@2:b waited@2 stop@2:budget',
      false,
    ],
  ]),
  ...rows('over-tokens', TOKENS, [
    ['a sum on the footer', 'model@1,tokens_in=50 end,tokens_in=51', false],
    ['a sum on the terminal that is the limit itself', 'model@1,tokens_in=50 stop@1:budget,tokens_in=50', false],
  ]),
  ...rows('unchanged-worktree', TREES, [
    [
      'iterations of notes inside of a wait',
      'tool@1:a,worktree=x wait@1 note@2,worktree=x note@3,worktree=x waited@3 stop@3:blocked',
      false,
    ],
    [
      'calls inside of a wait that has another in it',
      'wait@1 wait@1 waited@1 tool@1:a,worktree=x tool@2:b,worktree=x tool@3:c,worktree=x stop@3:blocked',
      false,
    ],
    ['a last iteration of a footer alone', 'tool@1:a,worktree=x tool@2:b,worktree=x end@3,worktree=x', false],
    ['a last iteration of the end of a child', 'tool@1:a,worktree=x tool@2:b,worktree=x child@3,worktree=x', false],
    [
      'iterations of nothing but a wait',
      'wait@1,worktree=x waited@1 wait@2,worktree=x waited@2 wait@3,worktree=x waited@3 stop@3:blocked',
      false,
    ],
    [
      'a span without iter inside of an iteration',
      'tool@1:a,worktree=x note tool@1:b,worktree=x tool@2:c,worktree=x stop@2:blocked',
      false,
    ],
    [
      'iterations that read, with notes',
      `${words(3, (number) => `tool@${number}:a,effect=read,worktree=x note@${number}`)} stop@3:blocked`,
      false,
    ],
  ]),
  ...rows('rail-ignored', { budget: 24 }, [
    ['a terminal without iter', 'tool@25:a stop:done', true],
    ['a terminal beyond the last iteration', 'tool@24:a stop@25:done', true],
  ]),
  ...rows('rail-ignored', TOKENS, [
    ['a note that says satisfied', 'model@1,tokens_in=101 note@1,satisfied=true,emitter=harness stop@1:done', true],
    [
      'a check of another predicate than the one that was declared',
      'start@0,predicate_id=p model@1,tokens_in=101 check@1,predicate_id=q stop@1:done',
      true,
    ],
    ['a reason on a model round', 'model@1,tokens_in=101,reason=done stop@1:budget', false],
  ]),
  ...rows('rail-ignored', { unchanged_worktrees: 2 }, [
    [
      'nothing but notes after the rail, and a check that bears it out',
      'tool@1:a,worktree=x tool@2:b,worktree=x note@3 check@3 stop@3:done',
      false,
    ],
  ]),
  ...rows('ran-past-goal', {}, [
    [
      'a predicate that is declared after it was found reached',
      'check@1 start@1,predicate_id=p tool@2:a stop@2:blocked',
      true,
    ],
    ['a start with a predicate before the check', 'start@0,predicate_id=p tool@1:a stop@1:blocked', false],
  ]),
  ...rows('unproven-done', {}, [
    [
      'a second start with another predicate',
      'start@0,predicate_id=p start@1,predicate_id=q check@1,predicate_id=p stop@1:done',
      false,
    ],
    ['a check that says nothing of itself', 'glance@1 stop@1:done', true],
    [
      'one predicate of two checked by nobody named',
      'check@1,predicate_id=p check@1,predicate_id=q,emitter=null stop@1:done',
      false,
    ],
  ]),
  ...rows('state-cycle', {}, [
    ['states that do not say which', 'state@1,state_hash=x tool@1:a state@2 tool@2:b state@3 stop@3:done', false],
    [
      'states whose digest is empty',
      'state@1,state_hash=x tool@1:a state@2,state_hash= tool@2:b state@3,state_hash= stop@3:done',
      false,
    ],
    ['a state without iter that stands', 'state@1,state_hash=x tool@2:a state,state_hash=x stop@2:done', false],
    [
      'a state that is written down again after a call, and stands in the next iteration',
      'state@1,state_hash=x tool@1:a state@1,state_hash=x state@2,state_hash=x stop@2:done',
      true,
    ],
    [
      'a call inside of a wait that has another in it',
      'state@1,state_hash=x wait@1 wait@1 waited@1 tool@1:a state@2,state_hash=x stop@2:done',
      false,
    ],
  ]),
  ...rows('state-cycle', { require: ['loop'] }, [
    ['a required loop whose state says nothing', 'state@1 tool@1:a check@1 stop@1:done', false],
    ['a required loop whose state has an empty digest', 'state@1,state_hash= tool@1:a check@1 stop@1:done', false],
    ['a required loop with a digest on a call', 'tool@1:a,state_hash=x check@1 stop@1:done', false],
  ]),
  ...rows('error-ignored', { require: ['loop'] }, [
    ['a required loop without a failure', 'start@0 tool@1:a stop@1:done', false],
  ]),
];

export const RAILS_ROWS: readonly Row[] = [
  ...edges,
  ...rows('over-time', MS, [
    ['work in a later iteration', 'start@0,mono_ms=0 tool@1:a,mono_ms=1100 tool@2:b,mono_ms=1200', true],
    ['a model round in a later iteration', 'start@0,mono_ms=0 tool@1:a,mono_ms=1100 model@2', true],
    ['the limit itself', 'start@0,mono_ms=0 tool@1:a,mono_ms=1000 tool@2:b,mono_ms=1001', true],
    ['just under the limit', 'start@0,mono_ms=0 tool@1:a,mono_ms=999 tool@2:b,mono_ms=1001', false],
    ['no number', 'start@0,mono_ms=0 tool@1:a,mono_ms=1100 tool@2:b', false, { max_ms: null }],
    ['the rest of the iteration', 'start@0,mono_ms=0 tool@1:a,mono_ms=1100 tool@1:b,mono_ms=9000 stop@1:budget', false],
    ['a terminal in a later iteration', 'start@0,mono_ms=0 tool@1:a,mono_ms=1100 stop@2:budget,mono_ms=1200', false],
    ['a state in a later iteration', 'start@0,mono_ms=0 tool@1:a,mono_ms=1100 state@2,mono_ms=1200', false],
    ['work after the terminal', 'start@0,mono_ms=0 tool@1:a,mono_ms=1100 stop@1:budget tool@2:b,mono_ms=1200', false],
    ['a first reading far from 0', 'start@0,mono_ms=5000 tool@1:a,mono_ms=5900 tool@2:b,mono_ms=6000', false],
    [
      'a wait that does not count',
      'start@0,mono_ms=0 wait@1,mono_ms=100 waited@1,mono_ms=5000 tool@1:a,mono_ms=5500 tool@2:b,mono_ms=5600',
      false,
    ],
    [
      'work beside a wait',
      'start@0,mono_ms=0 wait@1,mono_ms=100 waited@1,mono_ms=5000 tool@1:a,mono_ms=5900 tool@2:b,mono_ms=5950',
      true,
    ],
    [
      'waits inside of a wait',
      `start@0,mono_ms=0 wait@1,mono_ms=0 wait@1,mono_ms=1 waited@1,mono_ms=2 tool@1:a,mono_ms=3000 waited@1,mono_ms=5000
       tool@1:b,mono_ms=5900 tool@2:c,mono_ms=5901`,
      false,
    ],
    [
      'a wait that never ends',
      'start@0,mono_ms=0 wait@1,mono_ms=10 tool@1:a,mono_ms=5000 tool@2:b,mono_ms=9000',
      false,
    ],
    [
      'the end of a wait that never began',
      'start@0,mono_ms=0 waited@1,mono_ms=1 tool@1:a,mono_ms=1100 tool@2:b,mono_ms=1200',
      true,
    ],
    [
      'a call that waits for a length unknown',
      'start@0,mono_ms=0 tool@1:a,effect=wait,mono_ms=900 tool@1:b,mono_ms=1100 tool@2:c,mono_ms=1200',
      false,
    ],
    [
      'too much work beside such a call',
      'start@0,mono_ms=0 tool@1:a,effect=wait,mono_ms=900 tool@1:b,mono_ms=950 tool@2:c,mono_ms=1950 tool@3:d',
      true,
    ],
    [
      'a wait whose edges another emitter timed',
      `start@0,mono_ms=0,emitter=agent wait@1,emitter=harness,mono_ms=7 waited@1,emitter=harness,mono_ms=1600
       tool@1:a,mono_ms=1700,emitter=agent tool@2:b,mono_ms=1800,emitter=agent`,
      false,
    ],
    [
      'clocks of two emitters',
      'start@0,mono_ms=0,emitter=harness tool@1:a,mono_ms=5000,emitter=agent tool@2:b,mono_ms=5100,emitter=agent',
      false,
    ],
    [
      'one of two clocks',
      `start@0,mono_ms=0,emitter=harness tool@1:a,mono_ms=5000,emitter=agent tool@2:b,mono_ms=6100,emitter=agent
       tool@3:c,emitter=agent`,
      true,
    ],
    ['times of one emitter', `start@0,${at(0)} tool@1:a,${at(1100)} tool@2:b,${at(1200)}`, true],
    ['times within the limit', `start@0,${at(0)} tool@1:a,${at(900)} tool@2:b,${at(1200)}`, false],
    [
      'times of two emitters',
      `start@0,emitter=harness,${at(0)} tool@1:a,emitter=agent,${at(1100)} tool@2:b,emitter=agent,${at(1200)}`,
      false,
    ],
    ['times without an offset', 'start@0,ts=2026-01-01T00:00:00 tool@1:a,ts=2026-01-01T00:00:09 tool@2:b', false],
    [
      'the monotonic clock before the times',
      `start@0,mono_ms=0,${at(0)} tool@1:a,mono_ms=500,${at(9000)} tool@2:b,mono_ms=600,${at(9100)}`,
      false,
    ],
    [
      'times where the monotonic clock was read but once',
      `start@0,mono_ms=0,${at(0)} tool@1:a,${at(1100)} tool@2:b,${at(1200)}`,
      true,
    ],
    [
      'a clock that was started anew',
      `start@0,mono_ms=5000 tool@1:a,mono_ms=5600 model@2,mono_ms=0 tool@2:b,mono_ms=450 tool@3:c,mono_ms=460`,
      true,
    ],
    [
      'a clock that was started anew above its first reading',
      `start@0,mono_ms=0 tool@1:a,mono_ms=600 model@2,mono_ms=100 tool@2:b,mono_ms=500 tool@3:c,mono_ms=510`,
      true,
    ],
    [
      'calls side by side whose readings cross',
      'start@0,mono_ms=0 tool@1:a,mono_ms=900 tool@1:b,mono_ms=100 model@2,mono_ms=950 tool@3:c,mono_ms=960',
      false,
    ],
    ['work without iter', 'start@0,mono_ms=0 tool@1:a,mono_ms=1100 tool:b,mono_ms=1200', false],
  ]),

  ...rows('over-tokens', TOKENS, [
    ['tokens after the rail', 'model@1,tokens_in=90,tokens_out=20 tool@1:a model@2,tokens_out=1', true],
    ['tokens after the rail itself', 'model@1,tokens_in=100 tool@1:a model@2,tokens_out=1', true],
    ['tokens just under the rail', 'model@1,tokens_in=99 tool@1:a model@2,tokens_out=50', false],
    ['the round that passes the rail', 'model@1,tokens_in=500 tool@1:a tool@1:b stop@1:budget', false],
    ['calls in a later iteration that spend nothing', 'model@1,tokens_in=500 tool@1:a tool@2:b stop@2:budget', false],
    ['cache reads', 'model@1,tokens_in=10,tokens_cached=90 tool@1:a model@2,tokens_in=1', true],
    [
      'cache reads that do not count',
      'model@1,tokens_in=10,tokens_cached=90 tool@1:a model@2,tokens_in=1',
      false,
      { token_kinds: ['in', 'out', 'aux'] },
    ],
    ['tokens of other models', 'model@1,tokens_aux=100 tool@1:a,tokens_aux=1', true],
    [
      'cache reads after the rail that do not count',
      'model@1,tokens_in=100 model@2,tokens_cached=5',
      false,
      { token_kinds: ['in'] },
    ],
    ['all tokens on the terminal', 'tool@1:a stop@1:budget,tokens_in=500', false],
    ['more tokens on the terminal', 'model@1,tokens_in=100 stop@1:budget,tokens_in=1', true],
    ['tokens after the terminal', 'model@1,tokens_in=100 stop@1:budget model@2,tokens_in=1', false],
    ['no number', 'model@1,tokens_in=500 model@2,tokens_in=500', false, { max_tokens: null }],
  ]),

  ...rows('unchanged-worktree', TREES, [
    ['N iterations with one fingerprint', 'tool@1:a,worktree=x tool@2:b,worktree=x tool@3:c,worktree=x', true],
    ['N - 1 iterations', 'tool@1:a,worktree=y tool@2:b,worktree=x tool@3:c,worktree=x', false],
    ['no number', 'tool@1:a,worktree=x tool@2:b,worktree=x tool@3:c,worktree=x', false, { unchanged_worktrees: null }],
    ['a change between', 'tool@1:a,worktree=x tool@2:b,worktree=y tool@3:c,worktree=x tool@4:d,worktree=x', false],
    ['states that carry it', 'state@1,worktree=x state@2,worktree=x state@3,worktree=x', true],
    ['spans of one iteration', 'tool@1:a,worktree=x tool@1:b,worktree=x tool@1:c,worktree=x', false],
    [
      'the start is no iteration',
      'start@0,worktree=x tool@1:a,worktree=x tool@2:b,worktree=x stop@3:blocked,worktree=x',
      false,
    ],
    [
      'an iteration that shows its own change',
      'tool@1:a,worktree=x tool@1:b,worktree=y tool@2:c,worktree=y tool@3:d,worktree=y',
      false,
    ],
    [
      'an iteration that changes and changes back',
      'tool@1:a,worktree=x tool@2:b,worktree=x tool@3:c,worktree=y tool@3:d,worktree=x',
      false,
    ],
    ['iterations that only read', words(5, (number) => `tool@${number}:a${number},effect=read,worktree=x`), false],
    [
      'iterations that read by the name of the tool',
      words(5, (number) => `tool@${number}:a${number},name=read_file,worktree=x`),
      false,
    ],
    [
      'a reading tool that says it writes',
      words(3, (number) => `tool@${number}:a${number},name=read_file,effect=write,worktree=x`),
      true,
    ],
    ['iterations that wait', words(5, (number) => `tool@${number}:a,effect=wait,worktree=x`), false],
    ['iterations that poll', words(5, (number) => `tool@${number}:a${number},name=job_poll,worktree=x`), false],
    [
      'iterations inside of a wait',
      'wait@1 tool@1:a,worktree=x tool@2:b,worktree=x tool@3:c,worktree=x waited@3',
      false,
    ],
    ['iterations after a wait', 'wait@0 waited@0 tool@1:a,worktree=x tool@2:b,worktree=x tool@3:c,worktree=x', true],
    [
      'reading beside calls',
      words(3, (number) => `tool@${number}:a${number},effect=read tool@${number}:b${number},worktree=x`),
      true,
    ],
    [
      'reading between does not break the row',
      'tool@1:a,worktree=x tool@2:b,worktree=x tool@3:c,effect=read,worktree=x tool@4:d,worktree=x',
      true,
    ],
    [
      'an iteration without a fingerprint does not break the row',
      'tool@1:a,worktree=x tool@2:b tool@3:c,worktree=x tool@4:d,worktree=x',
      true,
    ],
    ['model rounds alone', 'model@1,worktree=x model@2,worktree=x model@3,worktree=x', true],
    ['fingerprints without iter', 'tool:a,worktree=x tool:b,worktree=x tool:c,worktree=x', false],
    [
      'iterations after the terminal',
      'tool@1:a,worktree=x tool@2:b,worktree=x stop@2:blocked tool@3:c,worktree=x',
      false,
    ],
  ]),

  ...rows('rail-ignored', {}, [
    ['done over a declared budget', 'tool@3:a stop@3:done', true, { budget: 2 }],
    ['done on the budget', 'tool@2:a stop@2:done', false, { budget: 2 }],
    ['done over a budget that nobody declared', 'tool@25:a stop@25:done', false],
    ['another reason over the budget', 'tool@3:a stop@3:budget', false, { budget: 2 }],
    ['over the budget, whatever a check says', 'tool@3:a check@3 stop@3:done', true, { budget: 2 }],
    ['done over max_ms', 'start@0,mono_ms=0 tool@1:a,mono_ms=1001 stop@1:done', true, MS],
    ['done on max_ms', 'start@0,mono_ms=0 tool@1:a,mono_ms=1000 stop@1:done', false, MS],
    ['done whose own clock is over', 'start@0,mono_ms=0 tool@1:a stop@1:done,mono_ms=1001', true, MS],
    ['budget over max_ms', 'start@0,mono_ms=0 tool@1:a,mono_ms=1001 stop@1:budget', false, MS],
    ['done that a check bears out', 'start@0,mono_ms=0 tool@1:a,mono_ms=1001 check@1 stop@1:done', false, MS],
    ['done that a receipt bears out', 'start@0,mono_ms=0 tool@1:a,mono_ms=1001 receipt@1 stop@1:done', false, MS],
    [
      'done that the agent bears out',
      'start@0,mono_ms=0 tool@1:a,mono_ms=1001 check@1,emitter=agent receipt@1,emitter=agent stop@1:done',
      true,
      MS,
    ],
    [
      'done that a check denies',
      'start@0,mono_ms=0 tool@1:a,mono_ms=1001 check@1,satisfied=false stop@1:done',
      true,
      MS,
    ],
    [
      'a check after work in a later iteration',
      'start@0,mono_ms=0 tool@1:a,mono_ms=1001 tool@2:b check@2 stop@2:done',
      true,
      MS,
    ],
    ['a second terminal', 'start@0,mono_ms=0 stop@1:budget,mono_ms=1001 stop@1:done', false, MS],
    ['done over max_tokens', 'model@1,tokens_in=101 stop@1:done', true, TOKENS],
    ['done on max_tokens', 'model@1,tokens_in=100 stop@1:done', false, TOKENS],
    ['done with all tokens on the terminal', 'tool@1:a stop@1:done,tokens_in=101', true, TOKENS],
    ['tokens that a check bears out', 'model@1,tokens_in=101 check@1 stop@1:done', false, TOKENS],
    ['tokens spent on', 'model@1,tokens_in=101 model@2,tokens_in=1 check@2 stop@2:done', true, TOKENS],
    [
      'done with a worktree that stands',
      `${words(3, (number) => `tool@${number}:a${number},worktree=x`)} stop@3:done`,
      true,
      TREES,
    ],
    [
      'done with a worktree that moves',
      `${words(2, (number) => `tool@${number}:a${number},worktree=x`)} stop@2:done`,
      false,
      TREES,
    ],
    [
      'a worktree that stands, and a check',
      `${words(3, (number) => `tool@${number}:a${number},worktree=x`)} check@3 stop@3:done`,
      false,
      TREES,
    ],
    [
      'work after a worktree that stood, and a check',
      `${words(3, (number) => `tool@${number}:a${number},worktree=x`)} tool@4:d,worktree=y check@4 stop@4:done`,
      true,
      TREES,
    ],
  ]),

  ...rows('ran-past-goal', {}, [
    ['a call after the check', 'tool@1:a check@1 tool@2:b stop@2:done', true],
    ['a model round after the check', 'tool@1:a check@1 model@2 stop@2:done', true],
    ['a call in the same iteration', 'check@1 tool@1:a stop@1:done', true],
    ['nothing after the check', 'tool@1:a check@1 state@1 stop@1:done', false],
    ['a check that is not satisfied', 'tool@1:a check@1,satisfied=false tool@2:b check@2 stop@2:done', false],
    ['a check that does not say', 'tool@1:a check@1,satisfied=null tool@2:b stop@2:done', false],
    ["the agent's own check", 'tool@1:a check@1,emitter=agent tool@2:b check@2 stop@2:done', false],
    ['a check by nobody named', 'tool@1:a check@1,emitter=null tool@2:b stop@2:done', false],
    ['a second check that takes it back', 'tool@1:a check@1 check@1,satisfied=false tool@2:b stop@2:done', false],
    [
      'one of two predicates',
      'check@1,predicate_id=p,satisfied=false check@1,predicate_id=q tool@2:a stop@2:done',
      false,
    ],
    ['both predicates', 'check@1,predicate_id=p check@1,predicate_id=q tool@2:a stop@2:done', true],
    ['the predicate that the run declares', 'start@0,predicate_id=p check@1,predicate_id=p tool@2:a stop@2:done', true],
    [
      'a predicate that it does not declare',
      'start@0,predicate_id=p check@1,predicate_id=q tool@2:a stop@2:done',
      false,
    ],
    ['a check without a predicate', 'start@0,predicate_id=p check@1 tool@2:a stop@2:done', true],
    ['work after the terminal', 'tool@1:a check@1 stop@1:done tool@2:b', false],
    ['work before the check', 'tool@1:a tool@2:b check@2 stop@2:done', false],
  ]),

  ...rows('unproven-done', {}, [
    ['a declared predicate that nobody checks', 'start@0,predicate_id=p tool@1:a stop@1:done', true],
    ["the agent's own check", 'tool@1:a check@1,emitter=agent stop@1:done', true],
    ["the model's own check", 'tool@1:a check@1,emitter=model stop@1:done', true],
    ['a check that is not satisfied', 'tool@1:a check@1,satisfied=false stop@1:done', true],
    ['a check that does not say', 'tool@1:a check@1,satisfied=null stop@1:done', true],
    ['a satisfied check', 'tool@1:a check@1,satisfied=false tool@2:b check@2 stop@2:done', false],
    ['a check that was taken back', 'check@1 check@2,satisfied=false stop@2:done', true],
    ['a satisfied check by a human', 'tool@1:a check@1,emitter=human stop@1:done', false],
    ['a satisfied check by nobody named', 'tool@1:a check@1,emitter=null stop@1:done', true],
    ['a satisfied check after the terminal', 'start@0,predicate_id=p stop@1:done check@1', true],
    ['a check of another predicate', 'start@0,predicate_id=p check@1,predicate_id=q stop@1:done', true],
    ['one of two predicates', 'check@1,predicate_id=p check@1,predicate_id=q,satisfied=false stop@1:done', true],
    ['another reason', 'start@0,predicate_id=p tool@1:a stop@1:blocked', false],
    ['no predicate', 'start@0 tool@1:a stop@1:done', false],
  ]),

  ...rows('state-cycle', {}, [
    ['a state that comes again', 'state@1,state_hash=x state@2,state_hash=y state@3,state_hash=x', true],
    ['a longer way round', words(8, (number) => `state@${number},state_hash=s${number % 7}`), true],
    ['new states', words(8, (number) => `state@${number},state_hash=s${number}`), false],
    ['the same state after a call', 'tool@1:a state@1,state_hash=x tool@2:b state@2,state_hash=x', true],
    ['the same state after nothing', 'state@1,state_hash=x model@2 state@2,state_hash=x', false],
    ['the same state after reading', 'state@1,state_hash=x tool@2:a,effect=read state@2,state_hash=x', false],
    ['the same state after waiting', 'state@1,state_hash=x wait@2 tool@2:a waited@2 state@2,state_hash=x', false],
    [
      'the same state after a wait that is over',
      'state@1,state_hash=x wait@2 waited@2 waited@2 tool@2:a state@2,state_hash=x',
      true,
    ],
    ['two of one state in an iteration', 'state@1,state_hash=x tool@1:a state@1,state_hash=x', false],
    [
      'states before and after each iteration',
      `state@1,state_hash=x tool@1:a state@1,state_hash=y state@2,state_hash=y tool@2:b state@2,state_hash=z`,
      false,
    ],
    [
      'a state that comes again in an iteration',
      'state@1,state_hash=x state@1,state_hash=y state@1,state_hash=x',
      true,
    ],
    ['empty states', 'state@1,state_hash= state@2,state_hash=y state@3,state_hash=', false],
    ['states without a digest', 'state@1 tool@1:a state@2 tool@2:b state@3', false],
    ['a digest on another span', 'note@1,state_hash=x note@2,state_hash=y note@3,state_hash=x', false],
    [
      'a state that comes again after the terminal',
      'state@1,state_hash=x state@2,state_hash=y stop@2:done state@3,state_hash=x',
      false,
    ],
  ]),

  ...rows('error-ignored', {}, [
    ['another step after a failed one', 'tool@1:a!error tool@2:b check@2', true],
    ['a failed exit code', 'tool@1:a,exit_code=1 tool@2:b check@2', true],
    ['the same step again, not declared', 'tool@1:a!error tool@2:a check@2', true],
    ['a declared retry', 'tool@1:a!error tool@2:a,retry=2 check@2', false],
    ['a declared retry of another call', 'tool@1:a!error tool@2:b,retry=2 check@2', true],
    ['a first attempt', 'tool@1:a!error tool@2:a,retry=1 check@2', true],
    ['a retry that fails and is left', 'tool@1:a!error tool@2:a!error,retry=2 tool@3:b check@3', true],
    ['a retry that fails and is made again', 'tool@1:a!error tool@2:a!error,retry=2 tool@3:a,retry=3 check@3', false],
    ['retries in one iteration are side by side', 'tool@1:a!error tool@1:a,retry=2 tool@1:b check@1', false],
    ['a call beside the failed one', 'tool@1:a!error tool@1:b check@1', false],
    ['calls of two rounds in an iteration', 'tool@1:a!error,round=1 tool@1:b,round=2 check@1', true],
    [
      'two failed calls, both retried',
      'tool@1:a!error tool@1:b!error tool@2:b,retry=2 tool@2:a,retry=2 check@2',
      false,
    ],
    ['two failed calls, one retried', 'tool@1:a!error tool@1:b!error tool@2:b,retry=2 check@2', true],
    ['a new call beside the retry', 'tool@1:a!error tool@2:c tool@2:a,retry=2 check@2', false],
    ['calls without iter', 'tool:a!error tool:b check@1', true],
    ['no step after the failed one', 'tool@1:a tool@2:b!error check@2,satisfied=false stop@2:blocked', false],
    ['a step after the terminal', 'tool@1:a!error check@1 stop@1:blocked tool@2:b', false],
    ['steps that are ok', 'tool@1:a tool@2:b check@2', false],
    ['a run of no loop', 'tool@1:a!error tool@2:b stop@2:done', false],
    ['a run that is required to be one', 'tool@1:a!error tool@2:b stop@2:done', true, { require: ['loop'] }],
    ['a run with states', 'state@0,state_hash=x tool@1:a!error tool@2:b', true],
    ['a run with a predicate', 'start@0,predicate_id=p tool@1:a!error tool@2:b', true],
    ['a contract that lets it go on', 'tool@1:a!error tool@2:b check@2', false, { retry: true }],
  ]),

  ...rows('volatile-result', {}, [
    ['raw results that differ', words(3, (number) => `tool@${number}:a=x,result_hash_raw=r${number}`), true],
    ['two steps', words(2, (number) => `tool@${number}:a=x,result_hash_raw=r${number}`), false],
    ['a raw result that comes again', words(4, (number) => `tool@${number}:a=x,result_hash_raw=r${number % 2}`), false],
    [
      'raw results that differ from some step on',
      'tool@1:a=x,result_hash_raw=r tool@2:a=x,result_hash_raw=s tool@3:a=x,result_hash_raw=r tool@4:a=x,result_hash_raw=t',
      true,
    ],
    [
      'normalised results that differ',
      words(3, (number) => `tool@${number}:a=x${number},result_hash_raw=r${number}`),
      false,
    ],
    ['other calls', words(3, (number) => `tool@${number}:a${number}=x,result_hash_raw=r${number}`), false],
    ['no raw results', words(3, (number) => `tool@${number}:a=x`), false],
    ['no normalised results', words(3, (number) => `tool@${number}:a,result_hash_raw=r${number}`), false],
    [
      'a step without a raw result between',
      'tool@1:a=x,result_hash_raw=r tool@2:a=x,result_hash_raw=s tool@3:a=x tool@4:a=x,result_hash_raw=t',
      false,
    ],
    [
      'two steps behind a step without a raw result',
      'tool@1:a=x tool@2:a=x,result_hash_raw=r tool@3:a=x tool@4:a=x,result_hash_raw=s tool@5:a=x,result_hash_raw=t',
      false,
    ],
    ['copies in one iteration', words(3, (number) => `tool@1:a=x,result_hash_raw=r${number}`), false],
    ['copies in one round', words(3, (number) => `tool@${number}:a=x,round=1,result_hash_raw=r${number}`), false],
    ['rounds in one iteration', words(3, (number) => `tool@1:a=x,round=${number},result_hash_raw=r${number}`), true],
    ['calls without digests', words(3, (number) => `tool@${number}:=x,result_hash_raw=r${number}`), false],
    [
      'retries of a failed attempt',
      'tool@1:a=x!error,result_hash_raw=r tool@2:a=x!error,retry=2,result_hash_raw=s tool@3:a=x,retry=3,result_hash_raw=t',
      false,
    ],
    ['calls that wait', words(3, (number) => `tool@${number}:a=x,effect=wait,result_hash_raw=r${number}`), false],
    [
      'calls inside of a wait',
      `wait@1 ${words(3, (number) => `tool@${number}:a=x,result_hash_raw=r${number}`)} waited@3`,
      false,
    ],
  ]),

  ...rows('blind-hash', {}, [
    ['five digests that differ', words(5, (number) => `tool@${number}:a=x${number}`), true],
    ['four digests', words(4, (number) => `tool@${number}:a=x${number}`), false],
    [
      'as many as halt a run',
      words(4, (number) => `tool@${number}:a=x${number}`),
      true,
      { repeat: { notice: 2, halt: 4 } },
    ],
    [
      'never fewer than three',
      words(2, (number) => `tool@${number}:a=x${number}`),
      false,
      { repeat: { notice: 1, halt: 1 } },
    ],
    [
      'three, if one halts a run',
      words(3, (number) => `tool@${number}:a=x${number}`),
      true,
      { repeat: { notice: 1, halt: 1 } },
    ],
    ['a digest that comes again', words(9, (number) => `tool@${number}:a=x${number % 4}`), false],
    ['other tools', words(5, (number) => `tool@${number}:a=x${number},name=x${number % 2}`), false],
    ['a copy between', 'tool@1:a=v tool@2:a=w tool@2:a=w tool@3:a=x tool@4:a=y tool@5:a=z', true],
    ['a declared wait between', 'tool@1:a=v tool@2:a=w wait@2 waited@2 tool@3:a=x tool@4:a=y tool@5:a=z', true],
    ['raw digests alone', words(5, (number) => `tool@${number}:a,result_hash_raw=x${number}`), true],
    ['both digests', words(5, (number) => `tool@${number}:a=x${number},result_hash_raw=r${number}`), false],
    ['a normaliser that is named', words(5, (number) => `tool@${number}:a=x${number},normaliser=json-v1`), false],
    ['another detail beside the digest', words(5, (number) => `tool@${number}:a=x${number},call_id=c${number}`), true],
    ['no digests', words(5, (number) => `tool@${number}:a`), false],
    ['other calls', words(5, (number) => `tool@${number}:a${number}=x${number}`), false],
    ['another call between', 'tool@1:a=v tool@2:a=w tool@3:b=q tool@4:a=x tool@5:a=y tool@6:a=z', false],
    ['calls that wait', words(5, (number) => `tool@${number}:a=x${number},effect=wait`), false],
  ]),

  ...rows('busy-wait', {}, [
    ['one call again and again', 'spawn@0 tool@1:a tool@2:a tool@3:a', true],
    ['two of one call', 'spawn@0 tool@1:a tool@2:a tool@3:b', false],
    [
      'pollers with other arguments',
      'spawn@0 tool@1:a,name=x_poll tool@2:b,name=x_get_result tool@3:c,name=x_poll',
      true,
    ],
    ['two pollers', 'spawn@0 tool@1:z tool@2:a,name=x_poll tool@3:b,name=x_poll', false],
    ['a poller, then its result', 'spawn@0 tool@1:a,name=x_poll tool@2:b,name=edit tool@3:c,name=x_poll', false],
    ['other reads', 'spawn@0 tool@1:a,effect=read tool@2:b,effect=read tool@3:c,effect=read', false],
    ['one read again and again', 'spawn@0 tool@1:a,effect=read tool@2:a,effect=read tool@3:a,effect=read', true],
    ['no children', 'tool@1:a tool@2:a tool@3:a', false],
    ['children that have ended', 'spawn@0,child_run=c child@0,child_run=c tool@1:a tool@2:a tool@3:a', false],
    ['a child that ends between', 'spawn@0,child_run=c tool@1:a tool@2:a child@2,child_run=c tool@3:a', false],
    [
      'one of two children ends',
      'spawn@0,child_run=c spawn@0,child_run=d child@0,child_run=c tool@1:a tool@2:a tool@3:a',
      true,
    ],
    ['the end of another child', 'spawn@0,child_run=c child@0,child_run=d tool@1:a tool@2:a tool@3:a', true],
    ['an end without a name', 'spawn@0,child_run=c child@0 tool@1:a tool@2:a tool@3:a', false],
    ['a named end of a child without a name', 'spawn@0 child@0,child_run=c tool@1:a tool@2:a tool@3:a', false],
    ['steps before the child', 'tool@1:a tool@2:a spawn@2 tool@3:a tool@4:b', false],
    ['calls inside of a declared wait', 'spawn@0 wait@1 tool@1:a tool@2:a tool@3:a waited@3', false],
    ['a wait from before the child', 'wait@0 spawn@0 tool@1:a tool@2:a tool@3:a waited@3', false],
    ['calls that wait', 'spawn@0 tool@1:a,effect=wait tool@2:a,effect=wait tool@3:a,effect=wait', false],
    ['copies in one iteration', 'spawn@0 tool@1:a tool@1:a tool@1:a', false],
    ['a copy between', 'spawn@0 tool@1:a tool@2:a tool@2:a tool@3:a', true],
    ['a copy of a call from before the child', 'tool@1:a spawn@1 tool@1:a tool@2:a tool@3:a', true],
    ['another child between', 'spawn@0 tool@1:a tool@2:a spawn@2 tool@3:a', true],
    ['a call that waits between', 'spawn@0 tool@1:a tool@2:a tool@2:b,effect=wait tool@3:a', true],
    ['a declared wait between', 'spawn@0 tool@1:a tool@2:a wait@2 waited@2 tool@3:a', false],
    [
      'a longer row behind a declared wait',
      `spawn@0 ${words(3, (number) => `tool@${number}:a`)} wait@3 waited@3 ${words(4, (number) => `tool@${number + 3}:a`)}`,
      true,
    ],
    ['calls behind a declared wait', 'spawn@0 wait@1 waited@1 tool@1:a tool@2:a tool@3:a', true],
    ['a wait in a wait', 'spawn@0 wait@1 wait@1 waited@1 tool@1:a tool@2:a tool@3:a waited@3', false],
    ['calls without an iteration', 'spawn tool:a tool:a tool:a', true],
    ['a retry of what failed', 'spawn@0 tool@1:a tool@2:a!error tool@3:a,retry=2', false],
    ['a retry between', 'spawn@0 tool@1:a tool@2:a!error tool@3:a,retry=2 tool@4:a', true],
    ['calls without a name', `spawn@0 ${words(3, (number) => `tool@${number}:a,name=null`)}`, true],
    ['more than the contract notices', 'spawn@0 tool@1:a tool@2:a tool@3:a', false, { repeat: { notice: 4, halt: 5 } }],
    ['as many as the contract notices', 'spawn@0 tool@1:a tool@2:a', true, { repeat: { notice: 2, halt: 5 } }],
    ['one call is no wait', 'spawn@0 tool@1:a tool@2:b', false, { repeat: { notice: 1, halt: 5 } }],
    [
      'pollers of the contract',
      'spawn@0 tool@1:a,name=tick tool@2:b,name=tick tool@3:c,name=tick',
      true,
      { pollers: ['tick'] },
    ],
    [
      'a name that only ends like one',
      'spawn@0 tool@1:a,name=ticktick tool@2:b,name=ticktick tool@3:c,name=ticktick',
      false,
      { pollers: ['tick'] },
    ],
  ]),

  ...rows('orphaned-children', {}, [
    ['a child that never ends', 'spawn@0,child_run=c tool@1:a stop@1:done', true],
    ['a child that ended', 'spawn@0,child_run=c child@1,child_run=c stop@1:done', false],
    ['a child that ends after the terminal', 'spawn@0,child_run=c stop@1:done child@1,child_run=c', true],
    ['the end of another child', 'spawn@0,child_run=c child@1,child_run=d stop@1:done', true],
    ['an end without a name', 'spawn@0,child_run=c child@1 stop@1:done', false],
    ['two children, one end without a name', 'spawn@0,child_run=c spawn@0,child_run=d child@1 stop@1:done', true],
    ['children without names', 'spawn@0 spawn@0 child@1 stop@1:done', true],
    ['children without names that ended', 'spawn@0 spawn@0 child@1 child@1 stop@1:done', false],
    ['an end before any start', 'child@0 spawn@0 stop@1:done', true],
    ['no terminal', 'spawn@0,child_run=c tool@1:a', false],
    ['no children', 'start@0 stop@0:done', false],
    ['a handoff to the child', 'spawn@0,child_run=c stop@1:handoff,successor_run=c', false],
    ['a handoff to another run', 'spawn@0,child_run=c stop@1:handoff,successor_run=d', true],
    ['a second terminal', 'spawn@0,child_run=c child@0,child_run=c stop@1:done spawn@1 stop@1:done', false],
  ]),
];

export const RAILS_DOUBTS: readonly (readonly [rule: string, shows: string, words: string, config: object])[] = [
  ['over-time', 'no clock', 'start@0 tool@1:a stop@1:budget', MS],
  ['over-time', 'a clock that is read once', 'start@0,mono_ms=0 tool@1:a stop@1:budget', MS],
  ['over-time', 'clocks of emitters that read them once', 'start@0,mono_ms=0,emitter=x tool@1:a,mono_ms=9999', MS],
  ['over-time', 'times without an offset', 'start@0,ts=2026-01-01T00:00:00 tool@1:a,ts=2026-01-01T00:00:09', MS],
  [
    'over-time',
    'a wait of unknown length',
    'start@0,mono_ms=0 tool@1:a,effect=wait,mono_ms=900 tool@2:b,mono_ms=1100',
    MS,
  ],
  ['over-time', 'a wait that nobody timed', 'start@0,mono_ms=0 wait@1 waited@1 tool@1:a,mono_ms=1100 tool@2:b', MS],
  [
    'over-time',
    'a wait that another emitter timed',
    `start@0,mono_ms=0,emitter=agent wait@1,emitter=harness,mono_ms=7 waited@1,emitter=harness,mono_ms=1600
     tool@1:a,mono_ms=1700,emitter=agent`,
    MS,
  ],
  ['over-time', 'work without iter', 'start@0,mono_ms=0 tool@1:a,mono_ms=1100 tool:b', MS],
  ['over-time', 'iterations without a reading', 'start@0,mono_ms=0 tool@1:a tool@2:b stop@2:budget,mono_ms=9000', MS],
  ['over-tokens', 'no tokens', 'tool@1:a stop@1:budget', { max_tokens: 100 }],
  [
    'over-tokens',
    'no tokens of the kinds that count',
    'model@1,tokens_cached=500 model@2,tokens_cached=500',
    { max_tokens: 100, token_kinds: ['in', 'out'] },
  ],
  ['unchanged-worktree', 'no fingerprint', 'tool@1:a tool@2:b tool@3:c', { unchanged_worktrees: 3 }],
  ['unchanged-worktree', 'no iter', 'tool:a,worktree=x tool:b,worktree=x', { unchanged_worktrees: 2 }],
  ['rail-ignored', 'no clock', 'start@0 tool@1:a stop@1:done', MS],
  ['rail-ignored', 'a wait of unknown length', 'start@0,mono_ms=0 wait@1 waited@1 stop@1:done,mono_ms=1100', MS],
  ['rail-ignored', 'no tokens', 'tool@1:a stop@1:done', { max_tokens: 100 }],
  ['rail-ignored', 'no fingerprint', 'tool@1:a stop@1:done', { unchanged_worktrees: 3 }],
  ['ran-past-goal', 'checks that do not say', 'check@1,satisfied=null tool@2:a stop@2:blocked', {}],
  ['ran-past-goal', 'a check by nobody named', 'tool@1:a check@1,emitter=null tool@2:b stop@2:blocked', {}],
];

export const RAILS_HALTS: readonly (readonly [
  shows: string,
  words: string,
  config: object,
  spent: readonly [calls: number, iterations: number, tokensIn: number],
])[] = [
  [
    'over-time: before work in a later iteration',
    'start@0,mono_ms=0 tool@1:a,mono_ms=1100 tool@1:b tool@2:c,tokens_in=7 tool@3:d stop@3:budget',
    { max_ms: 1000 },
    [2, 2, 7],
  ],
  [
    'over-tokens: before more is spent',
    'model@1,tokens_in=100 tool@1:a model@2,tokens_in=7 tool@2:b stop@2:budget',
    { max_tokens: 100 },
    [1, 1, 7],
  ],
  [
    'unchanged-worktree: after the last iteration of the row',
    'tool@1:a,worktree=x tool@2:b,worktree=x tool@2:c tool@3:d,tokens_in=7 stop@3:blocked',
    { unchanged_worktrees: 2 },
    [1, 1, 7],
  ],
  ['ran-past-goal: before the work', 'tool@1:a check@1 tool@2:b,tokens_in=7 stop@2:done', {}, [1, 1, 7]],
  [
    'state-cycle: at the state',
    'state@1,state_hash=x state@2,state_hash=y state@3,state_hash=x tool@4:a,tokens_in=7',
    {},
    [1, 1, 7],
  ],
  ['error-ignored: before the next step', 'tool@1:a!error check@1 tool@2:b,tokens_in=7', {}, [1, 1, 7]],
  [
    'busy-wait: at the step that halts',
    'spawn@0 tool@1:a,name=x_poll tool@2:b,name=x_poll tool@3:c,name=x_poll tool@4:d,name=x_poll,tokens_in=7',
    { repeat: { notice: 2, halt: 3 } },
    [1, 1, 7],
  ],
];

export const RAILS_BREAKS: readonly (readonly [rule: string, words: string, config: object, evidence: object])[] = [
  [
    'over-time',
    'start@0,mono_ms=0 tool@1:a,mono_ms=1100.4 tool@2:b tool@3:c,mono_ms=1800',
    { max_ms: 1000 },
    { max_ms: 1000, elapsed_ms: 1800, used_up_in_iter: 1, iter: 2, seq: 3 },
  ],
  [
    'over-tokens',
    'model@1,tokens_in=100 model@2,tokens_in=7 model@3,tokens_out=1',
    { max_tokens: 100, token_kinds: ['in', 'out'] },
    { max_tokens: 100, tokens: 108, token_kinds: 'in,out', seq: 2 },
  ],
  [
    'unchanged-worktree',
    'tool@1:a,worktree=x tool@2:b,worktree=x tool@2:c,worktree=x tool@3:d,worktree=x',
    { unchanged_worktrees: 2 },
    { unchanged_worktrees: 2, iter: 2, worktree: 'x', seq: 3 },
  ],
  [
    'rail-ignored',
    'model@1,tokens_in=101,mono_ms=0 tool@3:a,mono_ms=1001 stop@3:done',
    { budget: 2, max_tokens: 100, max_ms: 1000 },
    { rails: 'budget,max_ms,max_tokens', seq: 3 },
  ],
  ['ran-past-goal', 'tool@1:a check@1 tool@2:b model@3', {}, { count: 2, reached_at_seq: 2, seq: 3 }],
  [
    'unproven-done',
    'start@0,predicate_id=p check@1,satisfied=false stop@1:done',
    {},
    { predicate_id: 'p', goal: 'unsatisfied', seq: 3 },
  ],
  [
    'state-cycle',
    words(8, (number) => `state@${number},state_hash=s${number % 3}`),
    {},
    { state_hash: 's1', period: 3, count: 5, seq: 4 },
  ],
  [
    'state-cycle',
    'state@1,state_hash=x tool@2:a state@2,state_hash=x',
    {},
    { state_hash: 'x', period: 1, count: 1, seq: 3 },
  ],
  ['error-ignored', 'tool@1:a!error tool@2:b!error tool@3:c check@3', {}, { count: 2, failed_at_seq: 1, seq: 2 }],
  [
    'volatile-result',
    `${words(4, (number) => `tool@${number}:a=x,args_hash=q,result_hash_raw=r${number}`)} tool@5:b`,
    {},
    { name: 'edit_file', args_hash: 'q', steps: 4, seq: 3 },
  ],
  [
    'volatile-result',
    `${words(3, (number) => `tool@${number}:a=x,args_hash=q,result_hash_raw=r${number}`)} tool@4:b
     ${words(5, (number) => `tool@${number + 4}:a=x,args_hash=q,result_hash_raw=r${number}`)}`,
    {},
    { name: 'edit_file', args_hash: 'q', steps: 3, seq: 3 },
  ],
  [
    'blind-hash',
    `${words(7, (number) => `tool@${number}:a=x${number},args_hash=q`)} tool@8:a=x7,args_hash=q`,
    {},
    { name: 'edit_file', args_hash: 'q', steps: 7, seq: 5 },
  ],
  // A digest is forgotten when it is as far back as a row is long.
  [
    'blind-hash',
    `${words(5, (number) => `tool@${number}:a=x${number},args_hash=q`)} tool@6:a=x1,args_hash=q`,
    {},
    { name: 'edit_file', args_hash: 'q', steps: 6, seq: 5 },
  ],
  [
    'blind-hash',
    [1, 2, 3, 4, 5, 4, 6, 7, 8, 9].map((result, index) => `tool@${index + 1}:a=x${result},args_hash=q`).join(' '),
    {},
    { name: 'edit_file', args_hash: 'q', steps: 5, seq: 5 },
  ],
  ['busy-wait', 'spawn@0 tool@1:a tool@2:a tool@3:a tool@4:a tool@5:b', {}, { name: 'edit_file', steps: 4, seq: 4 }],
  [
    'busy-wait',
    `spawn@0 ${words(3, (number) => `tool@${number}:a`)} ${words(5, (number) => `tool@${number + 3}:b`)}`,
    {},
    { name: 'edit_file', steps: 3, seq: 4 },
  ],
  ['orphaned-children', 'spawn@0,child_run=c spawn@0 stop@1:done', {}, { count: 2, child_run: 'c', seq: 3 }],
];
