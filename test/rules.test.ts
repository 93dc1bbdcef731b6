import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { exampleLines } from '../src/rules/example.js';
import { RULES } from '../src/rules/index.js';
import { check, foundRules, onlyRun } from './judge.js';
import { CHECKPOINT_ROWS } from './rows-checkpoints.js';
import { EDGE_ROWS } from './rows-edges.js';
import { GUARD_ROWS } from './rows-guards.js';
import { RAILS_ROWS } from './rows-rails.js';
import { RECEIPT_ROWS } from './rows-receipts.js';
import { lines, many, type Row } from './trace-words.js';

const ROWS: readonly Row[] = [
  { rule: 'double-stop', shows: 'two terminals', words: 'start@0 stop@0:done stop@0:budget', finds: true },
  { rule: 'double-stop', shows: 'one terminal', words: 'start@0 stop@0:done', finds: false },
  {
    rule: 'double-stop',
    shows: 'one terminal written twice',
    words: 'start@0 stop@0:done#2 stop@0:done#2',
    finds: false,
  },
  {
    rule: 'double-stop',
    shows: 'two terminals at one seq',
    words: 'start@0 stop@0:done#2 stop@0:budget#2',
    finds: true,
  },

  { rule: 'bad-clock', shows: 'a skipped iteration', words: 'start@0 tool@1:a tool@3:b stop@3:done', finds: true },
  { rule: 'bad-clock', shows: 'the next iteration', words: 'start@0 tool@1:a tool@2:b stop@2:done', finds: false },
  {
    rule: 'bad-clock',
    shows: 'a skip over spans without iter',
    words: 'start@0 tool:a note tool@2:b stop@2:done',
    finds: true,
  },
  { rule: 'bad-clock', shows: 'a first iteration above 0', words: 'tool@7:a tool@8:b stop@8:done', finds: false },
  {
    rule: 'bad-clock',
    shows: 'an iteration that falls',
    words: 'start@0 tool@1:a tool@2:b tool@1:c stop@1:done',
    finds: false,
  },

  { rule: 'no-progress', shows: 'W same calls at the end', words: 'start@0 tool@1:a tool@2:a tool@3:a', finds: true },
  { rule: 'no-progress', shows: 'W - 1 same calls', words: 'start@0 tool@1:a tool@2:a', finds: false },
  {
    rule: 'no-progress',
    shows: 'same calls before a terminal',
    words: 'start@0 tool@1:a tool@2:a tool@3:a stop@3:done',
    finds: true,
  },
  {
    rule: 'no-progress',
    shows: 'same calls in the middle',
    words: 'start@0 tool@1:a tool@2:a tool@3:a tool@4:b stop@4:done',
    finds: false,
  },
  {
    rule: 'no-progress',
    shows: 'other types between the calls',
    words: 'tool@1:a model@1 tool@2:a note tool@3:a stop@3:done',
    finds: true,
  },
  {
    rule: 'no-progress',
    shows: 'parallel copies of one call',
    words: 'start@0 tool@1:a tool@1:a tool@1:a stop@1:done',
    finds: false,
  },
  {
    rule: 'no-progress',
    shows: 'other tools with one digest',
    words: 'tool@1:a,name=x tool@2:a,name=y tool@3:a,name=z',
    finds: false,
  },
  { rule: 'no-progress', shows: 'calls without iter, one step each', words: 'tool:a tool:a tool:a', finds: true },
  { rule: 'no-progress', shows: 'empty digests', words: 'tool@1: tool@2: tool@3:', finds: false },
  { rule: 'no-progress', shows: 'missing digests', words: 'tool@1 tool@2 tool@3', finds: false },
  {
    rule: 'no-progress',
    shows: 'two retries of a failed attempt',
    words: 'tool@1:a!error tool@2:a!error,retry=2 tool@3:a,retry=3',
    finds: false,
  },
  {
    rule: 'no-progress',
    shows: 'a retry of what had not failed',
    words: 'tool@1:a tool@2:a,retry=2 tool@3:a,retry=3',
    finds: true,
  },
  {
    rule: 'no-progress',
    shows: 'a failed exit code that is retried',
    words: 'tool@1:a,exit_code=1 tool@2:a,retry=2 tool@3:a',
    finds: false,
  },
  {
    rule: 'no-progress',
    shows: 'declared waits by effect',
    words: 'tool@1:a,effect=wait tool@2:a,effect=wait tool@3:a,effect=wait',
    finds: false,
  },
  {
    rule: 'no-progress',
    shows: 'calls inside a declared wait',
    words: 'wait@1 tool@1:a tool@2:a tool@3:a waited@3',
    finds: false,
  },
  {
    rule: 'no-progress',
    shows: 'calls around declared waits',
    words: 'tool@1:a wait@1 waited@1 tool@2:a wait@2 waited@2 tool@3:a',
    finds: true,
  },
  {
    rule: 'no-progress',
    shows: 'a wait that ended before',
    words: 'wait@0 waited@0 waited@0 tool@1:a tool@2:a tool@3:a',
    finds: true,
  },
  {
    rule: 'no-progress',
    shows: 'a wider window',
    words: 'tool@1:a tool@2:a tool@3:a',
    finds: false,
    config: { no_progress_window: 4 },
  },
  {
    rule: 'no-progress',
    shows: 'a wider window that is full',
    words: 'tool@1:a tool@2:a tool@3:a tool@4:a',
    finds: true,
    config: { no_progress_window: 4 },
  },
  {
    rule: 'no-progress',
    shows: 'a window of one',
    words: 'tool@1:a tool@2:b',
    finds: true,
    config: { no_progress_window: 1 },
  },
  {
    rule: 'no-progress',
    shows: 'same calls and results',
    words: 'tool@1:a=x tool@2:a=x tool@3:a=x',
    finds: true,
    config: { no_progress_key: 'args+result' },
  },
  {
    rule: 'no-progress',
    shows: 'same calls, other results',
    words: 'tool@1:a=x tool@2:a=y tool@3:a=z',
    finds: false,
    config: { no_progress_key: 'args+result' },
  },
  {
    rule: 'no-progress',
    shows: 'other results, then the same',
    words: 'tool@1:a=w tool@2:a=x tool@3:a=x tool@4:a=x',
    finds: true,
    config: { no_progress_key: 'args+result' },
  },
  {
    rule: 'no-progress',
    shows: 'the last result differs',
    words: 'tool@1:a=x tool@2:a=x tool@3:a=x tool@4:a=y',
    finds: false,
    config: { no_progress_key: 'args+result' },
  },
  {
    rule: 'no-progress',
    shows: 'a step with two results',
    words: 'tool@1:a=x tool@2:a=x tool@3:a=x tool@3:a=y',
    finds: false,
    config: { no_progress_key: 'args+result' },
  },
  {
    rule: 'no-progress',
    shows: 'results that are missing',
    words: 'tool@1:a tool@2:a tool@3:a',
    finds: false,
    config: { no_progress_key: 'args+result' },
  },
  {
    rule: 'no-progress',
    shows: 'results are no part of the call',
    words: 'tool@1:a=x tool@2:a=y tool@3:a=z',
    finds: true,
  },

  { rule: 'open-loop', shows: 'no terminal', words: 'start@0 tool@1:a', finds: true },
  { rule: 'open-loop', shows: 'a terminal of any reason', words: 'start@0 stop@0:finished', finds: false },
  { rule: 'open-loop', shows: 'a partial trace', words: 'start@0 tool@1:a', finds: false, partial: true },

  { rule: 'bad-terminal', shows: 'a sixth reason', words: 'start@0 stop@0:finished', finds: true },
  { rule: 'bad-terminal', shows: 'no reason', words: 'start@0 stop@0', finds: true },
  { rule: 'bad-terminal', shows: 'a number', words: 'start@0 stop@0,reason=1', finds: true },
  { rule: 'bad-terminal', shows: 'a list of a reason', words: 'start@0 stop@0,reason=["done"]', finds: true },
  { rule: 'bad-terminal', shows: 'another case', words: 'start@0 stop@0:Done', finds: true },
  ...['done', 'rejected', 'budget', 'blocked', 'handoff'].map(
    (reason): Row => ({ rule: 'bad-terminal', shows: reason, words: `start@0 stop@0:${reason}`, finds: false }),
  ),

  {
    rule: 'over-budget',
    shows: 'one iteration over',
    words: 'tool@3:a stop@3:done',
    finds: true,
    config: { budget: 2 },
  },
  {
    rule: 'over-budget',
    shows: 'the budget itself',
    words: 'tool@2:a stop@2:done',
    finds: false,
    config: { budget: 2 },
  },
  {
    rule: 'over-budget',
    shows: 'a terminal over the budget',
    words: 'tool@2:a stop@3:budget',
    finds: true,
    config: { budget: 2 },
  },
  { rule: 'over-budget', shows: 'the default budget', words: 'tool@24:a stop@24:done', finds: false },
  { rule: 'over-budget', shows: 'over the default budget', words: 'tool@25:a stop@25:done', finds: true },

  {
    rule: 'activity-after-terminal',
    shows: 'a call after the end',
    words: 'start@0 stop@0:done tool@1:a',
    finds: true,
  },
  {
    rule: 'activity-after-terminal',
    shows: 'an unknown type after the end',
    words: 'start@0 stop@0:done note',
    finds: true,
  },
  {
    rule: 'activity-after-terminal',
    shows: 'footers after the end',
    words: 'start@0 stop@0:done child end',
    finds: false,
  },
  {
    rule: 'activity-after-terminal',
    shows: 'a second terminal',
    words: 'start@0 stop@0:done stop@0:budget',
    finds: false,
  },

  { rule: 'terminal-status', shows: 'done with an error', words: 'start@0 stop@0:done!error', finds: true },
  { rule: 'terminal-status', shows: 'done and ok', words: 'start@0 stop@0:done!ok', finds: false },
  { rule: 'terminal-status', shows: 'done without a status', words: 'start@0 stop@0:done,status=null', finds: false },
  {
    rule: 'terminal-status',
    shows: 'another reason with an error',
    words: 'start@0 stop@0:blocked!error',
    finds: false,
  },

  {
    rule: 'false-budget',
    shows: 'a declared budget that is not used up',
    words: 'tool@1:a stop@1:budget',
    finds: true,
    config: { budget: 5 },
  },
  {
    rule: 'false-budget',
    shows: 'a declared budget that is',
    words: 'tool@5:a stop@5:budget',
    finds: false,
    config: { budget: 5 },
  },
  { rule: 'false-budget', shows: 'nothing declared', words: 'tool@1:a stop@1:budget', finds: false },
  { rule: 'false-budget', shows: 'another reason', words: 'tool@1:a stop@1:done', finds: false, config: { budget: 5 } },
  {
    rule: 'false-budget',
    shows: 'the token cap reached',
    words: 'tool@1:a,tokens_in=60,tokens_out=40 stop@1:budget',
    finds: false,
    config: { budget: 5, max_tokens: 100 },
  },
  {
    rule: 'false-budget',
    shows: 'the token cap not reached',
    words: 'tool@1:a,tokens_in=60,tokens_out=39 stop@1:budget',
    finds: true,
    config: { budget: 5, max_tokens: 100 },
  },
  {
    rule: 'false-budget',
    shows: 'tokens of kinds that do not count',
    words: 'tool@1:a,tokens_cached=100,tokens_out=1 stop@1:budget',
    finds: true,
    config: { max_tokens: 100, token_kinds: ['out'] },
  },
  {
    rule: 'false-budget',
    shows: 'tokens not recorded',
    words: 'tool@1:a stop@1:budget',
    finds: false,
    config: { budget: 5, max_tokens: 100 },
  },
  {
    rule: 'false-budget',
    shows: 'the time cap reached',
    words: 'start@0,mono_ms=0 stop@0:budget,mono_ms=1000',
    finds: false,
    config: { budget: 5, max_ms: 1000 },
  },
  {
    rule: 'false-budget',
    shows: 'the time cap not reached',
    words: 'start@0,mono_ms=0 stop@0:budget,mono_ms=999',
    finds: true,
    config: { budget: 5, max_ms: 1000 },
  },

  { rule: 'open-handoff', shows: 'no successor', words: 'start@0 stop@0:handoff', finds: true },
  { rule: 'open-handoff', shows: 'an empty successor', words: 'start@0 stop@0:handoff,successor_run=', finds: true },
  { rule: 'open-handoff', shows: 'itself', words: 'start@0 stop@0:handoff,successor_run=r', finds: true },
  {
    rule: 'open-handoff',
    shows: 'a run outside of the trace',
    words: 'start@0 stop@0:handoff,successor_run=other',
    finds: false,
  },
  { rule: 'open-handoff', shows: 'another reason', words: 'start@0 stop@0:done', finds: false },

  { rule: 'missing-goal', shows: 'no loop_start', words: 'tool@1:a stop@1:done', finds: true },
  { rule: 'missing-goal', shows: 'an empty goal', words: 'start@0,goal= stop@0:done', finds: true },
  { rule: 'missing-goal', shows: 'a goal of another type', words: 'start@0,goal=1 stop@0:done', finds: true },
  { rule: 'missing-goal', shows: 'a goal', words: 'start@0 stop@0:done', finds: false },
  {
    rule: 'missing-goal',
    shows: 'a goal in the second loop_start',
    words: 'start@0,goal= start@0 stop@0:done',
    finds: false,
  },
  {
    rule: 'missing-goal',
    shows: 'a start outside of a partial trace',
    words: 'tool@1:a stop@1:done',
    finds: false,
    partial: true,
  },
  {
    rule: 'missing-goal',
    shows: 'no goal in a partial trace that holds the start',
    words: 'start@0,goal= stop@0:done',
    finds: true,
    partial: true,
  },

  { rule: 'missing-seq', shows: 'one span without seq', words: 'start@0 tool@1:a#- stop@1:done', finds: true },
  { rule: 'missing-seq', shows: 'a null seq', words: 'start@0 tool@1:a#-,seq=null stop@1:done', finds: true },
  { rule: 'missing-seq', shows: 'every span with seq', words: 'start@0 tool@1:a stop@1:done', finds: false },
  { rule: 'missing-seq', shows: 'a seq of 0', words: 'start@0#0 tool@1:a#1 stop@1:done#2', finds: false },

  {
    rule: 'seq-conflict',
    shows: 'two spans at one seq',
    words: 'start@0 tool@1:a#2 tool@1:b#2 stop@1:done',
    finds: true,
  },
  { rule: 'seq-conflict', shows: 'one span twice', words: 'start@0 tool@1:a#2 tool@1:a#2 stop@1:done', finds: false },
  {
    rule: 'seq-conflict',
    shows: 'a late span at the seq of another',
    words: 'start@0 tool@1:a#2 stop@1:done#3 tool@1:b#2',
    finds: true,
  },
  { rule: 'seq-conflict', shows: 'spans without seq', words: 'start@0#- tool@1:a#- stop@1:done#-', finds: false },

  { rule: 'duplicate-line', shows: 'one span twice', words: 'start@0 tool@1:a#2 tool@1:a#2 stop@1:done', finds: true },
  {
    rule: 'duplicate-line',
    shows: 'one span twice, far apart',
    words: 'start@0 tool@1:a#2 stop@1:done#3 tool@1:a#2',
    finds: true,
  },
  { rule: 'duplicate-line', shows: 'one call twice', words: 'start@0 tool@1:a#2 tool@1:a#3 stop@1:done', finds: false },
  {
    rule: 'duplicate-line',
    shows: 'same lines without seq',
    words: 'tool@1:a#- tool@1:a#- stop@1:done#-',
    finds: false,
  },

  {
    rule: 'seq-gap',
    shows: 'a hole in a dense seq',
    words: 'start@0 tool@1:a#2 stop@1:done#4',
    finds: true,
    config: { seq_scope: 'run' },
  },
  {
    rule: 'seq-gap',
    shows: 'a dense seq',
    words: 'start@0 tool@1:a stop@1:done',
    finds: false,
    config: { seq_scope: 'run' },
  },
  { rule: 'seq-gap', shows: 'a hole where seq only orders', words: 'start@0 tool@1:a#2 stop@1:done#4', finds: false },
  {
    rule: 'seq-gap',
    shows: 'a replay in a dense seq',
    words: 'start@0 tool@1:a#2 tool@1:a#2 stop@1:done#3',
    finds: false,
    config: { seq_scope: 'run' },
  },
  { rule: 'seq-gap', shows: 'fewer spans than promised', words: 'start@0 stop@0:done end,count=4', finds: true },
  { rule: 'seq-gap', shows: 'as many spans as promised', words: 'start@0 stop@0:done end,count=3', finds: false },
  {
    rule: 'seq-gap',
    shows: 'a last_seq that is missing',
    words: 'start@0#1 stop@0:done#2 end#4,last_seq=3',
    finds: true,
  },
  {
    rule: 'seq-gap',
    shows: 'a last_seq that is there',
    words: 'start@0#1 stop@0:done#2 end#3,last_seq=2',
    finds: false,
  },
  {
    rule: 'seq-gap',
    shows: 'a last_seq that is the footer',
    words: 'start@0#1 stop@0:done#2 end#3,last_seq=3',
    finds: false,
  },

  { rule: 'head-cut', shows: 'a first iteration above 1', words: 'tool@2:a stop@2:done', finds: true },
  { rule: 'head-cut', shows: 'a first iteration of 1', words: 'tool@1:a stop@1:done', finds: false },
  { rule: 'head-cut', shows: 'a loop_start', words: 'start@2 tool@2:a stop@2:done', finds: false },
  { rule: 'head-cut', shows: 'no iteration', words: 'tool:a stop:done', finds: false },
  { rule: 'head-cut', shows: 'a partial trace', words: 'tool@2:a stop@2:done', finds: false, partial: true },
  {
    rule: 'head-cut',
    shows: 'a dense seq from 2',
    words: 'start@0#2 stop@0:done#3',
    finds: true,
    config: { seq_scope: 'run' },
  },
  {
    rule: 'head-cut',
    shows: 'a dense seq from 1',
    words: 'start@0#1 stop@0:done#2',
    finds: false,
    config: { seq_scope: 'run' },
  },
  { rule: 'head-cut', shows: 'a seq from 2 that only orders', words: 'start@0#2 stop@0:done#3', finds: false },

  {
    rule: 'iter-backwards',
    shows: 'an iteration that falls',
    words: 'start@0 tool@1:a tool@0:b stop@1:done',
    finds: true,
  },
  {
    rule: 'iter-backwards',
    shows: 'an iteration that stays',
    words: 'start@0 tool@1:a tool@1:b stop@1:done',
    finds: false,
  },
  {
    rule: 'iter-backwards',
    shows: 'a fall over spans without iter',
    words: 'start@0 tool@1:a note tool@0:b stop@1:done',
    finds: true,
  },

  { rule: 'iter-stuck', shows: 'two model rounds', words: 'model@1 model@1 stop@1:done', finds: true },
  { rule: 'iter-stuck', shows: 'one model round an iteration', words: 'model@1 model@2 stop@2:done', finds: false },
  {
    rule: 'iter-stuck',
    shows: 'two spans of one model round',
    words: 'model@1,round=1 model@1,round=1 stop@1:done',
    finds: false,
  },
  {
    rule: 'iter-stuck',
    shows: 'a model call that failed and was made again',
    words: 'model@1!error model@1 stop@1:done',
    finds: false,
  },
  { rule: 'iter-stuck', shows: 'model rounds without iter', words: 'model model stop@1:done', finds: false },
  {
    rule: 'iter-stuck',
    shows: 'many tool rounds',
    words: `${many(33, (index) => `tool@1:a${index}`)} stop@1:done`,
    finds: true,
  },
  {
    rule: 'iter-stuck',
    shows: 'not so many tool rounds',
    words: `${many(32, (index) => `tool@1:a${index}`)} stop@1:done`,
    finds: false,
  },
  {
    rule: 'iter-stuck',
    shows: 'many calls of one round',
    words: `${many(40, (index) => `tool@1:a${index},round=1`)} stop@1:done`,
    finds: false,
  },

  {
    rule: 'short-digest',
    shows: 'fifteen digits',
    words: 'tool@1:a,args_hash=0123456789abcde stop@1:done',
    finds: true,
  },
  {
    rule: 'short-digest',
    shows: 'sixteen digits',
    words: 'tool@1:a,args_hash=0123456789abcdef stop@1:done',
    finds: false,
  },
  { rule: 'short-digest', shows: 'a short result digest', words: 'tool@1:a,result_hash=abc stop@1:done', finds: true },
  {
    rule: 'short-digest',
    shows: "an algorithm's name is no digit",
    words: 'tool@1:a,args_hash=sha256:0123456789abcde stop@1:done',
    finds: true,
  },
  { rule: 'short-digest', shows: 'an empty digest', words: 'tool@1: stop@1:done', finds: false },
];

const ALL_ROWS: readonly Row[] = [
  ...ROWS,
  ...RECEIPT_ROWS,
  ...RAILS_ROWS,
  ...CHECKPOINT_ROWS,
  ...GUARD_ROWS,
  ...EDGE_ROWS,
];

describe('every rule finds what breaks it and stays silent otherwise', () => {
  test.each(ALL_ROWS)('$rule: $shows', async ({ rule, words, finds, config, partial }) => {
    const report = await check(lines(words), { ...(config && { config }), ...(partial && { partial }) });
    expect(report.inputErrors).toEqual([]);
    expect(foundRules(onlyRun(report)).includes(rule)).toBe(finds);
  });

  test.each(RULES.map(({ id }) => id))('%s has rows of both kinds', (id) => {
    const rows = ALL_ROWS.filter(({ rule }) => rule === id);
    // What a run's own contract may do is shown where contracts are tested.
    if (id === 'contract-loosened') return;
    expect(new Set(rows.map(({ finds }) => finds))).toEqual(new Set([true, false]));
  });
});

describe('the ranked list', () => {
  const FOLDER = new URL('../src/rules/', import.meta.url);
  const definesRule = (file: string): boolean => / = defineRule</.test(readFileSync(new URL(file, FOLDER), 'utf8'));

  test('holds every rule file, and nothing else', () => {
    const files = readdirSync(FOLDER).filter(definesRule);
    expect(RULES.map(({ id }) => `${id}.ts`).toSorted()).toEqual(files.toSorted());
  });

  test.each(RULES.map((rule) => [rule.id, rule] as const))(
    '%s: its examples do what they say',
    async (id, { example }) => {
      const breaking = onlyRun(await check([...exampleLines(example.breaks)]));
      const keeping = onlyRun(await check([...exampleLines(example.keeps)]));
      expect(foundRules(breaking)).toEqual([id]);
      expect(foundRules(keeping)).toEqual([]);
    },
  );

  test.each(RULES.map((rule) => [rule.id, rule] as const))('%s: describes itself', (_id, rule) => {
    for (const text of [rule.passing, rule.why, rule.evidence, rule.action, rule.source]) expect(text).toMatch(/\S/);
    expect(rule.severity.strict).not.toBe('off');
  });
});

describe('what could not be judged is said', () => {
  test.each([
    ['no-progress', 'tool@1 tool@2 tool@3 stop@3:done', {}],
    ['no-progress', 'tool@1:a tool@2:a tool@3:a stop@3:done', { config: { no_progress_key: 'args+result' } }],
    ['bad-clock', 'tool:a tool:b stop:done', {}],
    ['open-loop', 'tool@1:a', { partial: true }],
    ['missing-goal', 'tool@1:a', { partial: true }],
    ['false-budget', 'tool@1:a stop@1:budget', {}],
    ['false-budget', 'tool@1:a stop@1:budget', { config: { max_tokens: 5 } }],
    ['open-handoff', 'start@0 stop@0:handoff,successor_run=other', {}],
  ])('%s of %s', async (rule, words, settings) => {
    const run = onlyRun(await check(lines(words), settings));
    expect(run.unverifiable.map((unverifiable) => unverifiable.rule)).toContain(rule);
    expect(foundRules(run)).not.toContain(rule);
  });

  test('and fails the run where its family is required', async () => {
    const trace = lines('start@0 tool@1 tool@2 tool@3 stop@3:done');
    const run = onlyRun(await check(trace, { config: { require: ['termination'] } }));
    expect([run.verdict, run.fails, run.required]).toEqual(['closed_ok', true, ['no-progress']]);
    expect(onlyRun(await check(trace)).fails).toBe(false);
  });
});

describe('handoffs are followed over runs', () => {
  const handoff = (from: string, to: string) => lines(`start@0 stop@0:handoff,successor_run=${to}`, from);
  const closed = lines('start@0 stop@0:done', 'closed');
  const open = lines('start@0 tool@1:a', 'open');

  test.each([
    ['a closed successor', [...handoff('a', 'closed'), ...closed], []],
    ['an open successor', [...handoff('a', 'open'), ...open], ['a']],
    ['a chain to a closed run', [...handoff('a', 'b'), ...handoff('b', 'closed'), ...closed], []],
    ['a chain to an open run', [...handoff('a', 'b'), ...handoff('b', 'open'), ...open], ['b']],
    ['a ring of three', [...handoff('a', 'b'), ...handoff('b', 'c'), ...handoff('c', 'a')], ['a', 'b', 'c']],
    ['a chain into a ring', [...handoff('a', 'b'), ...handoff('b', 'c'), ...handoff('c', 'b')], ['b', 'c']],
  ])('%s', async (_name, trace, broken) => {
    const { runs } = await check(trace);
    expect(runs.filter((run) => foundRules(run).includes('open-handoff')).map(({ runId }) => runId)).toEqual(broken);
  });
});

describe('what a missing guard cost', () => {
  test.each([
    ['no-progress: after the third same step', 'tool@1:a tool@2:a tool@3:a tool@4:a tool@5:a,tokens_in=7', [2, 2, 7]],
    [
      'over-budget: from the first iteration over it',
      'tool@24:a tool@25:b tool@26:c,tokens_in=7 stop@26:done',
      [2, 2, 7],
    ],
    ['activity-after-terminal: from the terminal', 'start@0 stop@0:done tool@1:a,tokens_in=7', [1, 1, 7]],
    ['the first of several', 'start@0 stop@0:done tool@25:a tool@26:a', [2, 26, 0]],
  ])('%s', async (_name, words, [calls, iterations, tokensIn]) => {
    expect(onlyRun(await check(lines(words))).spentAfter).toMatchObject({ calls, iterations, tokensIn });
  });

  test('is not said of a run that no rule would have halted', async () => {
    expect(onlyRun(await check(lines('start@0 tool@1:a'))).spentAfter).toBeUndefined();
  });
});
