import { lines, type Row } from './trace-words.js';

const REQUIRED = { require: ['receipts'] };
const PARTS = { components: ['unit', 'lint'] };

/** Rows of one rule: what they show, the words, and what else the run is held to. */
type Short = readonly [shows: string, words: string, more?: Pick<Row, 'config' | 'partial'>];
const rows = (rule: string, found: readonly Short[], silent: readonly Short[]): readonly Row[] =>
  [found, silent].flatMap((list, index) =>
    list.map(([shows, words, more]) => ({ rule, shows, words, finds: index === 0, ...more })),
  );

const noReceipt = rows(
  'no-receipt',
  [
    ['done with nothing at all, where receipts are required', 'start@0 stop@0:done', { config: REQUIRED }],
    ['done after a verify that no receipt came of', 'verify:v1 stop:done'],
    ['an item of done without a receipt', 'start@0 stop@0:done,items=a'],
    ['one of two items without a receipt', 'receipt:r1,item=a stop:done,items=a|b'],
    ['an item that was verified only, under a done that names none', 'verify:v1,item=b receipt:r1,item=a stop:done'],
    ['an item that was completed only, under a done that names none', 'receipt:r1,item=a complete:b stop:done'],
    ['an empty list of items is no list', 'verify:v1,item=a stop:done,items=[]'],
    ['complete without a receipt', 'complete:a stop:handoff'],
    ['complete before the receipt', 'complete:a receipt:r1,item=a stop:done'],
    ['complete on a receipt that is minted later', 'complete:a,receipt_id=r1 receipt:r1,item=a stop:done'],
    ['complete on a receipt of another item', 'receipt:r1,item=b receipt:r2,item=a complete:a,receipt_id=r1'],
    ['a receipt that the run does not have', 'receipt:r1 stop:done,receipt_ids=r1|r2'],
    ['a receipt of another item alone', 'receipt:r1,item=b stop:done,items=a,receipt_ids=r1'],
    ['an inferred done', 'verify:v1 stop:done,claim=turn_ended,inferred=true'],
  ],
  [
    ['nothing at all, where receipts are not required', 'start@0 stop@0:done'],
    ['another reason, where they are', 'start@0 stop@0:blocked', { config: REQUIRED }],
    ['another reason after a verify', 'verify:v1 stop:blocked'],
    ['a done that names its receipt', 'receipt:r1 stop:done,receipt_ids=r1'],
    ['a done that stands on the latest', 'receipt:r1 stop:done'],
    ['items with a receipt each', 'receipt:r1,item=a receipt:r2,item=b stop:done,items=a|b,receipt_ids=r1|r2'],
    ['items whose receipts are not named', 'receipt:r1,item=a receipt:r2,item=b stop:done,items=a|b,receipt_ids=r2'],
    ['items under one receipt for all', 'receipt:r1 stop:done,items=a|b'],
    ['items under one named receipt for all', 'receipt:r1 stop:done,items=a|b,receipt_ids=r1'],
    ['complete on its receipt', 'receipt:r1,item=a complete:a,receipt_id=r1 stop:done'],
    ['complete on a receipt for all', 'receipt:r1 complete:a,receipt_id=r1 stop:done'],
    ['complete on the latest receipt of its item', 'receipt:r1,item=a complete:a stop:done'],
    ['complete without an item', 'receipt:r1,item=a complete,receipt_id=r1 stop:done'],
    ['a second terminal', 'receipt:r1,item=a stop:done stop:done,items=z'],
    ['a window that may lack the receipt', 'complete:a,receipt_id=r1 stop:done', { partial: true }],
  ],
);

const failedVerify = rows(
  'failed-verify',
  [
    ['done after a failure', 'verify:v1,exit_code=1 stop:done'],
    ['complete after a failure', 'verify:v1,item=a,exit_code=1 complete:a stop:handoff'],
    ['a failure after a pass', 'verify:v1 verify:v2,exit_code=1 stop:done'],
    ['a failure of another component', 'verify:v1,component=unit,exit_code=1 verify:v2,component=lint stop:done'],
    ['a failure of another item', 'verify:v1,item=a,exit_code=1 verify:v2,item=b stop:done'],
    ['a failure that concerns every item', 'verify:v1,exit_code=2 verify:v2,item=a stop:done,items=a'],
    ['a full failure, then part of it', 'verify:v1,exit_code=1 verify:v2,scope=targeted stop:done'],
    [
      'a full failure, then part of it twice',
      'verify:v1,exit_code=1 verify:v2,scope=targeted,exit_code=1 verify:v3,scope=targeted stop:done',
    ],
    [
      'a declared component, then a full pass of none',
      'verify:v1,component=unit,exit_code=1 verify:v2 stop:done',
      { config: PARTS },
    ],
    ['a failure beside one that does not say', 'verify:v1,exit_code=null verify:v2,exit_code=1 stop:done'],
    ['a failure below zero', 'verify:v1,exit_code=-1 stop:done'],
  ],
  [
    ['a pass', 'verify:v1 stop:done'],
    ['a pass after a failure', 'verify:v1,exit_code=1 verify:v2 stop:done'],
    ['a failure of a part, then that part', 'verify:v1,scope=targeted,exit_code=1 verify:v2,scope=targeted stop:done'],
    ['a failure of a part, then all', 'verify:v1,scope=targeted,exit_code=1 verify:v2 stop:done'],
    ['a component, then a full pass of all', 'verify:v1,component=unit,exit_code=1 verify:v2 stop:done'],
    ['a component that passes later', 'verify:v1,component=unit,exit_code=1 verify:v2,component=unit stop:done'],
    ['a failure that is not hidden', 'verify:v1,exit_code=1 stop:blocked'],
    ['an item that is not claimed', 'verify:v1,item=a,exit_code=1 verify:v2,item=b stop:done,items=b'],
    ['a failure after the claim', 'verify:v1,item=a complete:a verify:v2,item=a,exit_code=1 stop:handoff'],
    ['no exit code', 'verify:v1,exit_code=null stop:done'],
    ['a pass after one that does not say', 'verify:v1,exit_code=null verify:v2 stop:done'],
  ],
);

const partialVerify = rows(
  'partial-verify',
  [
    ['a targeted verify', 'verify:v1,scope=targeted receipt:r1,verify_ids=v1 stop:done'],
    ['one component of two', 'verify:v1,component=unit receipt:r1,verify_ids=v1 stop:done', { config: PARTS }],
    [
      'a component in part',
      'verify:v1,component=unit verify:v2,component=lint,scope=targeted receipt:r1,verify_ids=v1|v2 stop:done',
      { config: PARTS },
    ],
    [
      'a full verify of no component, where some are declared',
      'verify:v1 receipt:r1,verify_ids=v1 stop:done',
      { config: PARTS },
    ],
    ['complete', 'verify:v1,scope=targeted receipt:r1,verify_ids=v1,item=a complete:a,receipt_id=r1 stop:handoff'],
    [
      'one item of two',
      'verify:v1 verify:v2,scope=targeted receipt:r1,verify_ids=v1,item=a receipt:r2,verify_ids=v2,item=b stop:done',
    ],
    [
      'components that only other items have',
      `verify:v1,component=unit verify:v2,component=lint receipt:r1,verify_ids=v1,item=a
       receipt:r2,verify_ids=v2,item=b stop:done,receipt_ids=r1|r2`,
      { config: PARTS },
    ],
    [
      'two receipts that miss the same',
      `verify:v1,component=unit receipt:r1,verify_ids=v1 receipt:r2,verify_ids=v1 stop:done,receipt_ids=r1|r2`,
      { config: PARTS },
    ],
    [
      'the latest of two, where neither is named',
      `verify:v1 receipt:r1,verify_ids=v1 verify:v2,scope=targeted receipt:r2,verify_ids=v2 stop:done`,
    ],
  ],
  [
    ['a full verify', 'verify:v1 receipt:r1,verify_ids=v1 stop:done'],
    ['a full verify beside a targeted one', 'verify:v1,scope=targeted verify:v2 receipt:r1,verify_ids=v1|v2 stop:done'],
    [
      'every component',
      'verify:v1,component=unit verify:v2,component=lint receipt:r1,verify_ids=v1|v2 stop:done',
      { config: PARTS },
    ],
    [
      'every component, over two receipts',
      `verify:v1,component=unit verify:v2,component=lint receipt:r1,verify_ids=v1 receipt:r2,verify_ids=v2
       stop:done,receipt_ids=r1|r2`,
      { config: PARTS },
    ],
    [
      'every component, one by a receipt for all',
      `verify:v1,component=unit verify:v2,component=lint receipt:r1,verify_ids=v1 receipt:r2,verify_ids=v2,item=a
       stop:done,items=a,receipt_ids=r1|r2`,
      { config: PARTS },
    ],
    ['a component that nobody declared', 'verify:v1,component=unit receipt:r1,verify_ids=v1 stop:done'],
    ['no scope', 'verify:v1,scope=null receipt:r1,verify_ids=v1 stop:done'],
    ['a verify that the run does not have', 'receipt:r1,verify_ids=v1 stop:done'],
    ['a receipt that nothing is claimed on', 'verify:v1,scope=targeted receipt:r1,verify_ids=v1 stop:blocked'],
    ['no receipt', 'verify:v1,scope=targeted stop:done'],
  ],
);

const staleReceipt = rows(
  'stale-receipt',
  [
    ['a write after the verify', 'verify:v1 tool:a,effect=write receipt:r1,verify_ids=v1 stop:done'],
    ['a write after the receipt', 'verify:v1 receipt:r1,verify_ids=v1 tool:a,effect=write stop:done'],
    ['a write without a status', 'verify:v1 receipt:r1,verify_ids=v1 tool:a,effect=write,status=null stop:done'],
    [
      'a write before complete',
      'verify:v1 receipt:r1,verify_ids=v1,item=a tool:a,effect=write complete:a stop:handoff',
    ],
    [
      'a write after complete and before done',
      'verify:v1 receipt:r1,verify_ids=v1,item=a complete:a tool:a,effect=write stop:done',
    ],
    [
      'a write that a later read follows',
      'verify:v1 receipt:r1,verify_ids=v1 tool:a,effect=write tool:b,effect=read stop:done',
    ],
    [
      'a write over a worktree that is the same',
      'verify:v1 receipt:r1,verify_ids=v1,worktree=w tool:a,effect=write stop:done,worktree=w',
    ],
    [
      'a write after the last of two verifies',
      'verify:v1 verify:v2 tool:a,effect=write receipt:r1,verify_ids=v2|v1 stop:done',
    ],
    [
      'another worktree at complete',
      'verify:v1 receipt:r1,verify_ids=v1,item=a,worktree=w complete:a,worktree=x stop:handoff',
    ],
    ['another worktree at done', 'verify:v1 receipt:r1,verify_ids=v1,worktree=w stop:done,worktree=x'],
    [
      'another worktree on a span before done',
      'verify:v1 receipt:r1,verify_ids=v1,worktree=w note,worktree=x stop:done',
    ],
    ['another worktree than the verify had', 'verify:v1,worktree=w receipt:r1,verify_ids=v1 note,worktree=x stop:done'],
    ['one of two receipts', 'receipt:r1,worktree=w,item=a receipt:r2,worktree=x,item=b stop:done'],
    [
      'a receipt that is named beside a fresh one',
      'receipt:r1,worktree=w receipt:r2,worktree=x stop:done,receipt_ids=r1|r2',
    ],
    ['a write after a receipt without verifies', 'receipt:r1 tool:a,effect=write stop:done'],
  ],
  [
    ['a write before the verify', 'tool:a,effect=write verify:v1 receipt:r1,verify_ids=v1 stop:done'],
    [
      'a write before the last of two verifies',
      'verify:v1 tool:a,effect=write verify:v2 receipt:r1,verify_ids=v2|v1 stop:done',
    ],
    [
      'a write after the claim',
      'verify:v1 receipt:r1,verify_ids=v1,item=a complete:a tool:a,effect=write stop:handoff',
    ],
    ['a write that failed', 'verify:v1 receipt:r1,verify_ids=v1 tool:a!error,effect=write stop:done'],
    ['a write that was blocked', 'verify:v1 receipt:r1,verify_ids=v1 tool:a,effect=write,outcome=blocked stop:done'],
    ['a read', 'verify:v1 receipt:r1,verify_ids=v1 tool:a,effect=read stop:done'],
    ['a call that may be a write', 'verify:v1 receipt:r1,verify_ids=v1 tool:a stop:done'],
    ['one worktree', 'verify:v1 receipt:r1,verify_ids=v1,worktree=w tool:a stop:done,worktree=w'],
    ['a worktree that changed and came back', 'receipt:r1,worktree=w note,worktree=x note,worktree=w stop:done'],
    ['another worktree before the receipt', 'note,worktree=x receipt:r1,worktree=w stop:done'],
    [
      'a later receipt',
      'verify:v1 receipt:r1,verify_ids=v1 tool:a,effect=write verify:v2 receipt:r2,verify_ids=v2 stop:done',
    ],
    ['a later receipt for all', 'receipt:r1,item=a tool:a,effect=write verify:v2 receipt:r2,verify_ids=v2 stop:done'],
    [
      'a later receipt for the item',
      'receipt:r1 tool:a,effect=write verify:v2 receipt:r2,verify_ids=v2,item=a stop:done',
    ],
    ['no claim', 'verify:v1 receipt:r1,verify_ids=v1 tool:a,effect=write stop:blocked'],
    ['a write before a receipt without verifies', 'verify:v1 tool:a,effect=write receipt:r1 stop:done'],
    ['no worktree on the receipt', 'receipt:r1 note,worktree=x stop:done'],
  ],
);

const expiredReceipt = rows(
  'expired-receipt',
  [
    ['past its time by a millisecond', 'receipt:r1,ttl_ms=10,mono_ms=5 stop:done,emitter=verifier,mono_ms=16'],
    [
      'past the time of the contract',
      'receipt:r1,mono_ms=5 stop:done,emitter=verifier,mono_ms=16',
      { config: { receipt_ttl_ms: 10 } },
    ],
    [
      'past its own time, though not that of the contract',
      'receipt:r1,ttl_ms=10,mono_ms=5 stop:done,emitter=verifier,mono_ms=16',
      { config: { receipt_ttl_ms: 1000 } },
    ],
    [
      'by the clock of the day',
      'receipt:r1,ttl_ms=999,ts=2026-01-01T00:00:00Z stop:done,emitter=verifier,ts=2026-01-01T00:00:01Z',
    ],
    [
      'by the clock that both have',
      'receipt:r1,ttl_ms=999,ts=2026-01-01T00:00:00Z,mono_ms=1 stop:done,emitter=verifier,ts=2026-01-01T00:00:01Z',
    ],
    ['at complete', 'receipt:r1,item=a,ttl_ms=10,mono_ms=5 complete:a,emitter=verifier,mono_ms=16 stop:handoff'],
    ['a time of nothing', 'receipt:r1,ttl_ms=0,mono_ms=5 stop:done,emitter=verifier,mono_ms=6'],
    ['a time below nothing', 'receipt:r1,ttl_ms=-1,mono_ms=5 stop:done,emitter=verifier,mono_ms=5'],
  ],
  [
    ['at its last millisecond', 'receipt:r1,ttl_ms=10,mono_ms=5 stop:done,emitter=verifier,mono_ms=15'],
    ['no time to hold', 'receipt:r1,mono_ms=5 stop:done,emitter=verifier,mono_ms=1e9'],
    [
      'within its own time, past that of the contract',
      'receipt:r1,ttl_ms=100,mono_ms=5 stop:done,emitter=verifier,mono_ms=16',
      { config: { receipt_ttl_ms: 10 } },
    ],
    [
      'by the monotonic clock, whatever the other says',
      `receipt:r1,ttl_ms=10,mono_ms=5,ts=2026-01-01T00:00:00Z
       stop:done,emitter=verifier,mono_ms=15,ts=2027-01-01T00:00:00Z`,
    ],
    [
      'an item whose own latest is past its time, under a named receipt for all',
      `receipt:r1 receipt:r2,item=a,ttl_ms=10,mono_ms=5
       stop:done,items=a,receipt_ids=r1,emitter=verifier,mono_ms=99`,
    ],
    ['clocks of two emitters', 'receipt:r1,ttl_ms=10,mono_ms=5 stop:done,emitter=harness,mono_ms=99'],
    ['no claim', 'receipt:r1,ttl_ms=10,mono_ms=5 stop:blocked,emitter=verifier,mono_ms=99'],
  ],
);

const forgedReceipt = rows(
  'forged-receipt',
  [
    ['the agent', 'verify:v1 receipt:r1,verify_ids=v1,emitter=agent'],
    [
      'the agent, even where it is named as a minter',
      'verify:v1 receipt:r1,verify_ids=v1,emitter=agent',
      { config: { minters: ['agent', 'verifier'] } },
    ],
    ['an emitter that may not', 'verify:v1 receipt:r1,verify_ids=v1,emitter=human'],
    ['no emitter', 'verify:v1 receipt:r1,verify_ids=v1,emitter=null'],
    ['another minter than the one named', 'verify:v1 receipt:r1,verify_ids=v1', { config: { minters: ['ci'] } }],
    ['no verify_ids', 'verify:v1 receipt:r1'],
    ['an empty list of them', 'verify:v1 receipt:r1,verify_ids=[]'],
    ['a verify that the run does not have', 'verify:v1 receipt:r1,verify_ids=v1|v2'],
    ['a verify that comes later', 'receipt:r1,verify_ids=v1 verify:v1'],
    ['a verify that failed', 'verify:v1,exit_code=1 receipt:r1,verify_ids=v1'],
    ['a verify without an exit code', 'verify:v1,exit_code=null receipt:r1,verify_ids=v1'],
    ['a verify of another item', 'verify:v1,item=a receipt:r1,verify_ids=v1,item=b'],
    ['a verify of another worktree', 'verify:v1,worktree=w receipt:r1,verify_ids=v1,worktree=x'],
    ['a verify by the agent', 'verify:v1,emitter=agent receipt:r1,verify_ids=v1'],
    ['the second of two verifies', 'verify:v1 verify:v2,exit_code=1 receipt:r1,verify_ids=v1|v2'],
    ['a receipt that is not claimed on', 'verify:v1 receipt:r1,verify_ids=v1,emitter=agent stop:blocked'],
    ['the agent, in a window', 'receipt:r1,verify_ids=v1,emitter=agent', { partial: true }],
  ],
  [
    ['the verifier', 'verify:v1 receipt:r1,verify_ids=v1'],
    ['the harness', 'verify:v1 receipt:r1,verify_ids=v1,emitter=harness'],
    ['a minter of the contract', 'verify:v1 receipt:r1,verify_ids=v1,emitter=ci', { config: { minters: ['ci'] } }],
    ['a verify by nobody in particular', 'verify:v1,emitter=null receipt:r1,verify_ids=v1'],
    ['a verify for all, a receipt for an item', 'verify:v1 receipt:r1,verify_ids=v1,item=a'],
    ['a verify for an item, a receipt for all', 'verify:v1,item=a receipt:r1,verify_ids=v1'],
    ['one item and one worktree', 'verify:v1,item=a,worktree=w receipt:r1,verify_ids=v1,item=a,worktree=w'],
    ['a verify that failed first', 'verify:v1,exit_code=1 verify:v1 receipt:r1,verify_ids=v1'],
    ['a window that may lack the verify', 'receipt:r1,verify_ids=v1', { partial: true }],
    ['no receipt', 'verify:v1,emitter=agent stop:done'],
  ],
);

const receiptReuse = rows(
  'receipt-reuse',
  [
    ['one id minted twice', 'receipt:r1 receipt:r1'],
    ['one id minted twice, of two items', 'receipt:r1,item=a receipt:r1,item=b'],
    ['one receipt for two items', 'receipt:r1 complete:a,receipt_id=r1 complete:b,receipt_id=r1'],
    ['a receipt that the run does not mint, for two items', 'complete:a,receipt_id=r1 complete:b,receipt_id=r1'],
  ],
  [
    ['two ids', 'receipt:r1 receipt:r2'],
    ['two receipts without an id', 'receipt receipt'],
    ['one receipt in one line written twice', 'receipt:r1#1 receipt:r1#1'],
    ['one receipt for one item twice', 'receipt:r1 complete:a,receipt_id=r1 complete:a,receipt_id=r1'],
    [
      'one receipt for an item and then for done',
      'receipt:r1,item=a complete:a,receipt_id=r1 stop:done,receipt_ids=r1',
    ],
    ['one receipt for the items of done', 'receipt:r1 stop:done,items=a|b,receipt_ids=r1'],
    ['one receipt for an item and for none', 'receipt:r1 complete:a,receipt_id=r1 complete,receipt_id=r1'],
    ['a receipt that no run has', 'stop:done,receipt_ids=r1'],
  ],
);

const droppedItem = rows(
  'dropped-item',
  [
    ['a verified item that done leaves out', 'verify:v1,item=a verify:v2,item=b stop:done,items=a'],
    ['a failed item that done leaves out', 'verify:v1,item=a verify:v2,item=b,exit_code=1 stop:done,items=a'],
    ['an item with a receipt that done leaves out', 'receipt:r1,item=a stop:done,items=b'],
    [
      'an item that was taken up again after its complete',
      'verify:v1,item=a complete:a verify:v2,item=a stop:done,items=b',
    ],
  ],
  [
    ['every item', 'verify:v1,item=a verify:v2,item=b stop:done,items=b|a'],
    ['a done that names none', 'verify:v1,item=a verify:v2,item=b stop:done'],
    ['a done with an empty list', 'verify:v1,item=a stop:done,items=[]'],
    ['an item with a complete of its own', 'verify:v1,item=a complete:a verify:v2,item=b stop:done,items=b'],
    ['items with a complete each', 'verify:v1,item=a verify:v2,item=b complete:a complete:b stop:done,items=c'],
    ['another reason', 'verify:v1,item=a stop:handoff,items=b'],
    ['a verify for all', 'verify:v1 stop:done,items=b'],
    ['an item that only done names', 'verify:v1,item=a stop:done,items=a|b'],
    ['an item that is verified after done', 'stop:done,items=a verify:v1,item=b'],
  ],
);

/** What a span says where other spans say it too, or where nothing is said. */
const edges: readonly Row[] = [
  ...rows(
    'no-receipt',
    [
      ['a complete of an item as long as may be shown', `complete:${'x'.repeat(64)} stop:handoff`],
      ['a complete of an item longer than may be shown', `complete:${'x'.repeat(65)} stop:handoff`],
    ],
    [
      ['a reason on a verify', 'verify:v1,item=a,reason=done stop:handoff'],
      ['a receipt that says nothing of itself', 'slip stop:done', { config: REQUIRED }],
    ],
  ),
  ...rows('failed-verify', [], [['a verify that says nothing of itself', 'try stop:done', { config: REQUIRED }]]),
  ...rows(
    'partial-verify',
    [],
    [
      ['components, and no verify that the run carries', 'receipt:r1,verify_ids=v1 stop:done', { config: PARTS }],
      ['a verify_id on a receipt', 'receipt:r0,verify_id=v1 receipt:r1,verify_ids=v1 stop:done'],
      ['a part, and a verify that the run lacks', 'verify:v1,scope=targeted receipt:r1,verify_ids=v1|v2 stop:done'],
      [
        'an item with two receipts that make one, beside one for all',
        `verify:v1,component=unit verify:v2,component=lint verify:v3,scope=targeted receipt:r1,verify_ids=v1,item=a
         receipt:r2,verify_ids=v2,item=a receipt:r3,verify_ids=v3 stop:done,items=a,receipt_ids=r1|r2|r3`,
        { config: PARTS },
      ],
    ],
  ),
  ...rows(
    'stale-receipt',
    [],
    [
      [
        'a write before the receipt, and a verify_id on a complete before both',
        'complete:a,verify_id=v1 tool:a,effect=write receipt:r1,verify_ids=v1 stop:done',
      ],
      [
        'a write between two verifies of the receipt',
        'verify:v1 tool:a,effect=write verify:v2 receipt:r1,verify_ids=v1|v2 stop:done',
      ],
      ['a worktree beside the claim alone', 'verify:v1 receipt:r1,verify_ids=v1 tool:a stop:done,worktree=w'],
      [
        'a worktree on the last call that may have written',
        'verify:v1 receipt:r1,verify_ids=v1,worktree=w tool:a,worktree=w stop:done',
      ],
      ['a call that waits', 'verify:v1 receipt:r1,verify_ids=v1 tool:a,effect=wait stop:done'],
      ['a call that reaches outside', 'verify:v1 receipt:r1,verify_ids=v1 tool:a,effect=external stop:done'],
    ],
  ),
  ...rows(
    'expired-receipt',
    [
      [
        'the date of the receipt alone, and both clocks of the claim',
        `verify:v1 receipt:r1,verify_ids=v1,ttl_ms=5,ts=2026-01-01T00:00:00Z
         stop:done,emitter=verifier,mono_ms=7,ts=2026-01-01T00:00:01Z`,
      ],
    ],
    [],
  ),
  ...rows('forged-receipt', [['a verify_id on a complete', 'complete:a,verify_id=v1 receipt:r1,verify_ids=v1']], []),
  ...rows('receipt-reuse', [], [['a complete of nothing', 'complete stop:done', { config: REQUIRED }]]),
  ...rows(
    'dropped-item',
    [['a second terminal after one that drops', 'verify:v1,item=a stop:done,items=b stop:budget']],
    [['an item on the terminal', 'stop:done,items=a,item=b']],
  ),
];

export const RECEIPT_ROWS: readonly Row[] = [
  ...noReceipt,
  ...failedVerify,
  ...partialVerify,
  ...staleReceipt,
  ...expiredReceipt,
  ...forgedReceipt,
  ...receiptReuse,
  ...droppedItem,
  ...edges,
];

const kept = 'verify:v1 receipt:r1,verify_ids=v1';

export const RECEIPT_DOUBTS: readonly (readonly [rule: string, words: string])[] = [
  ['failed-verify', 'receipt:r1 stop:done'],
  ['failed-verify', 'verify:v1,item=a stop:done,items=b'],
  ['failed-verify', 'verify:v1,exit_code=null stop:done'],
  ['partial-verify', 'verify:v1 stop:done'],
  ['partial-verify', 'receipt:r1,verify_ids=v1 stop:done'],
  ['partial-verify', 'receipt:r1 stop:done'],
  ['partial-verify', 'verify:v1,scope=null receipt:r1,verify_ids=v1 stop:done'],
  [
    'partial-verify',
    `verify:v1,scope=null verify:v2,scope=targeted receipt:r1,verify_ids=v1 receipt:r2,verify_ids=v2,item=a
     stop:done,items=a,receipt_ids=r1|r2`,
  ],
  ['partial-verify', 'verify:v1,scope=targeted receipt:r1 receipt:r2,verify_ids=v1,item=a stop:done,receipt_ids=r1|r2'],
  ['stale-receipt', 'verify:v1 stop:done'],
  ['stale-receipt', `${kept} tool:a stop:done`],
  ['stale-receipt', `${kept} tool:a,effect=spawn stop:done`],
  ['stale-receipt', `${kept},worktree=w tool:a stop:done`],
  ['stale-receipt', `${kept},worktree=w note,worktree=w tool:a stop:done`],
  ['expired-receipt', `${kept},ttl_ms=5,mono_ms=1 stop:done,mono_ms=2`],
  ['expired-receipt', `${kept},ttl_ms=5,mono_ms=1 stop:done,emitter=harness,mono_ms=2`],
  ['expired-receipt', `${kept},ttl_ms=5,mono_ms=3 stop:done,emitter=verifier,mono_ms=2`],
  ['expired-receipt', `${kept},ttl_ms=5,ts=noon stop:done,emitter=verifier,ts=noon`],
  ['expired-receipt', `${kept},ttl_ms=5,mono_ms=1 stop:done,emitter=verifier,ts=2026-01-01T00:00:00Z`],
  ['forged-receipt', 'verify:v1 stop:done'],
  ['receipt-reuse', 'stop:done,receipt_ids=r1'],
];

export const RECEIPT_BREAKS: readonly (readonly [
  rule: string,
  words: string,
  seq: number,
  message: string,
  evidence: object,
])[] = [
  [
    'no-receipt',
    'verify:v1,item=a stop:done',
    2,
    'done stands on no receipt for item a',
    { item: 'a', receipt_id: null },
  ],
  ['no-receipt', 'verify:v1 complete stop:handoff', 2, 'complete stands on no receipt for the work', { item: null }],
  [
    'no-receipt',
    'receipt:r1,item=b complete:a,receipt_id=r1 stop:handoff',
    2,
    'complete stands on no receipt for item a',
    { item: 'a', receipt_id: 'r1' },
  ],
  [
    'no-receipt',
    'receipt:r1,item=a complete:a,receipt_id=r2 stop:handoff',
    2,
    'complete names a receipt that the run did not mint before',
    { item: 'a', receipt_id: 'r2' },
  ],
  [
    'failed-verify',
    'verify:v1#7,item=a,exit_code=3 complete:a#8 stop:handoff#9',
    8,
    'item a is claimed, but its last verification failed',
    { item: 'a', exit_code: 3, verify_line: 1, verify_seq: 7 },
  ],
  ['failed-verify', 'verify:v1#-,exit_code=3 stop:done#9', 9, 'the work is claimed', { item: null, verify_seq: null }],
  [
    'partial-verify',
    'verify:v1,scope=targeted receipt:r1,verify_ids=v1,item=a stop:done',
    3,
    'item a is claimed',
    { item: 'a', component: null },
  ],
  [
    'partial-verify',
    `start,contract={"components":["lint"]} ${kept} stop:done`,
    4,
    'the work is claimed without a full verification of component lint',
    { item: null, component: 'lint' },
  ],
  [
    'stale-receipt',
    `${kept},item=a,worktree=w stop:done,worktree=x`,
    3,
    'item a is claimed in another worktree than the one that was verified',
    { item: 'a', receipt_worktree: 'w', worktree: 'x' },
  ],
  [
    'stale-receipt',
    `${kept} tool:a#8,effect=write stop:done#9`,
    9,
    'a write landed after the last verification of the work',
    { item: null, receipt_worktree: null, worktree: null, write_seq: 8 },
  ],
  ['stale-receipt', `${kept} tool:a#-,effect=write stop:done#9`, 9, 'a write landed', { write_seq: null }],
  [
    'expired-receipt',
    `verify:v1 receipt:r1,verify_ids=v1,item=a,ttl_ms=5,mono_ms=1 stop:done,emitter=verifier,mono_ms=9`,
    3,
    'the receipt for item a is 8 ms old and holds for 5 ms',
    { item: 'a', age_ms: 8, ttl_ms: 5 },
  ],
  [
    'forged-receipt',
    `${kept},emitter=agent`,
    2,
    'minted by an emitter',
    { reason: 'minter', receipt_id: 'r1', emitter: 'agent' },
  ],
  ['forged-receipt', 'receipt', 1, 'the receipt names no verification', { reason: 'no_verify', receipt_id: null }],
  ['forged-receipt', 'receipt,emitter=null', 1, 'minted by an emitter', { reason: 'minter', emitter: null }],
  ['forged-receipt', 'receipt:r1,verify_ids=v1', 1, 'the run did not make before', { reason: 'unknown_verify' }],
  [
    'forged-receipt',
    'verify:v1,exit_code=1 receipt:r1,verify_ids=v1',
    2,
    'without exit code 0',
    { reason: 'not_passed' },
  ],
  [
    'forged-receipt',
    'verify:v1,item=a receipt:r1,verify_ids=v1,item=b',
    2,
    'of another item',
    { reason: 'other_item' },
  ],
  [
    'forged-receipt',
    'verify:v1,worktree=w receipt:r1,verify_ids=v1,worktree=x',
    2,
    'of another worktree',
    { reason: 'other_worktree' },
  ],
  [
    'forged-receipt',
    'verify:v1,emitter=agent receipt:r1,verify_ids=v1',
    2,
    'the agent itself',
    { reason: 'agent_verify' },
  ],
  [
    'forged-receipt',
    `start,contract={"receipt_keys":["none"]} ${kept}`,
    3,
    'no key of the contract signed the receipt',
    { reason: 'signature' },
  ],
  ['receipt-reuse', 'receipt:r1 receipt:r1', 2, 'the run minted this receipt_id before', { receipt_id: 'r1' }],
  [
    'receipt-reuse',
    'receipt:r1 complete:a,receipt_id=r1 complete:b,receipt_id=r1',
    3,
    'the receipt has carried the claim of another item',
    { receipt_id: 'r1', item: 'b', used_for: 'a' },
  ],
  [
    'dropped-item',
    'verify:v1,item=a verify:v2,item=b stop:done,items=c',
    3,
    'done leaves out item a, which the run worked on and never claimed',
    { item: 'a', count: 2 },
  ],
];

export const minted = lines('start@0 verify:v1 receipt:r1,verify_ids=v1 stop@0:done', 'a');
export const claims = (id: string, run = 'b'): string[] => lines(`start@0 stop@0:done,receipt_ids=${id}`, run);

export const RECEIPTS_OF_OTHERS: readonly (readonly [
  shows: string,
  trace: readonly string[],
  broken: readonly string[],
  unverifiable: readonly string[],
])[] = [
  [
    'two claims on a receipt of another run',
    [...minted, ...lines('complete:x,receipt_id=r1 complete:x,receipt_id=r1 stop:handoff', 'b')],
    ['b'],
    [],
  ],
  [
    'a receipt of another run, by a terminal that does not say done',
    [...minted, ...lines('start@0 stop@0:handoff,receipt_ids=r1', 'b')],
    [],
    [],
  ],
  ['a receipt of another run', [...minted, ...claims('r1')], ['b'], []],
  ['the same, the other way round', [...claims('r1'), ...minted], ['b'], []],
  [
    'complete on a receipt of another run',
    [...minted, ...lines('complete:x,receipt_id=r1 stop:handoff', 'b')],
    ['b'],
    [],
  ],
  ['two runs that use it', [...minted, ...claims('r1'), ...claims('r1', 'c')], ['b', 'c'], []],
  ['a receipt that no run has', [...minted, ...claims('r2')], [], ['b']],
  ['two runs that count their own receipts', [...minted, ...minted.map((line) => line.replace('"a"', '"b"'))], [], []],
  [
    'a receipt that the run mints after the claim',
    [...minted, ...lines('complete:x,receipt_id=r1 receipt:r1', 'b')],
    [],
    [],
  ],
];
