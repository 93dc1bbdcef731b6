import { readdirSync, readFileSync } from 'node:fs';
import type { CheckSettings, Report } from '../src/index.js';
import { exampleLines } from '../src/rules/example.js';
import { GATED_CLASSES, gateOf } from '../src/rules/gated-commands.js';
import { RULES } from '../src/rules/index.js';
import { describeRule, unjudgedText } from '../src/rules/rule.js';
import { askingFor, checkPlainly, ruleOfFixture } from './judge.js';
import { nameOf, ROWS, settingsOf } from './rows.js';
import { CHECKPOINT_BREAKS, CHECKPOINT_DOUBTS } from './rows-checkpoints.js';
import { actionsOf, FREE, GATED, LINES, MOSTS, SIMPLE, TALK, UNREAD, WRAPPERS } from './rows-commands.js';
import { GUARD_BREAKS, GUARD_DOUBTS, GUARD_HALTS } from './rows-guards.js';
import { RAILS_BREAKS, RAILS_DOUBTS, RAILS_HALTS } from './rows-rails.js';
import { RECEIPT_BREAKS, RECEIPT_DOUBTS, RECEIPTS_OF_OTHERS } from './rows-receipts.js';
import { HANDOFFS } from './rows-runs.js';
import { UNJUDGED } from './rows-unjudged.js';
import { said } from './said.js';
import { SIGNED_RECEIPTS } from './signed-receipts.js';
import { lines, many } from './trace-words.js';

/** Something to judge, and all that is said of it, as text. */
export interface Case {
  readonly name: string;
  says(): Promise<string> | string;
}

const FOLDER = 'fixtures';
const FIXTURES = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((path) => path.endsWith('.jsonl'))
  .map((path) => path.replaceAll('\\', '/'))
  .toSorted();

const judgeFixture = async (path: string, profile: 'classic' | 'terminal' | 'strict') =>
  said(
    await checkPlainly(readFileSync(`${FOLDER}/${path}`), {
      config: { profile, ...(profile === 'terminal' && askingFor(ruleOfFixture(path))) },
    }),
  );

const check = (trace: readonly string[], settings: CheckSettings = {}): Promise<Report> =>
  checkPlainly(Buffer.from(trace.map((line) => `${line}\n`).join('')), settings);

const gates = (commands: readonly string[]): string =>
  commands.map((command) => `${JSON.stringify(command)}: ${gateOf(command) ?? 'free'}`).join('\n');

type Wrap = (command: string) => string;
const wrapped = (of: string, wraps: readonly Wrap[]): readonly Case[] =>
  wraps.map((wrap) => ({ name: `${of}: ${JSON.stringify(wrap('x'))}`, says: () => gates(SIMPLE.map(wrap)) }));

const nested = (of: string, outer: readonly Wrap[], inner: readonly Wrap[]): readonly Case[] =>
  outer.map((wrap) => ({
    name: `${of}: ${JSON.stringify(wrap('x'))}`,
    says: () => gates(inner.map((within) => wrap(within('git push')))),
  }));

const COMMANDS: readonly Case[] = [
  ...GATED_CLASSES.map((gated) => ({
    name: `actions of ${gated.id}`,
    says: () => gates(actionsOf(gated).map(([command]) => command)),
  })),
  ...[...Object.entries(GATED), ['free', FREE] as const].flatMap(([gate, commands]) =>
    commands.map((command) => ({ name: `${gate}: ${JSON.stringify(command)}`, says: () => gateOf(command) ?? 'free' })),
  ),
  ...UNREAD.map(([what, command]) => ({ name: `a command: ${what}`, says: () => gateOf(command) ?? 'free' })),
  ...MOSTS.map(([what, command]) => ({ name: `a command: ${what}`, says: () => gateOf(command) ?? 'free' })),
  ...wrapped('a command in', WRAPPERS),
  ...wrapped('a line in', LINES),
  ...wrapped('talk', TALK),
  ...nested('a line in a line in', LINES, [...WRAPPERS, ...LINES]),
  ...nested('talk of a line in', TALK, LINES),
  ...nested('a line of talk in', LINES, TALK),
];

const TABLES: readonly (readonly [about: string, words: string, settings?: CheckSettings])[] = [
  ...RECEIPT_DOUBTS.map(([rule, words]) => [`${rule} in doubt`, words] as const),
  ...RECEIPT_BREAKS.map(([rule, words]) => [rule, words] as const),
  ...RAILS_DOUBTS.map(([rule, shows, words, config]) => [`${rule} in doubt, ${shows}`, words, { config }] as const),
  ...RAILS_BREAKS.map(([rule, words, config]) => [rule, words, { config }] as const),
  ...RAILS_HALTS.map(([shows, words, config]) => [shows, words, { config }] as const),
  ...CHECKPOINT_DOUBTS.map(([rule, words, settings]) => [`${rule} in doubt`, words, settings] as const),
  ...CHECKPOINT_BREAKS.map(([words]) => ['an approval', words] as const),
  ...GUARD_DOUBTS.map(([rule, words, config]) => [`${rule} in doubt`, words, { config }] as const),
  ...GUARD_BREAKS.map(([rule, words, , , config = {}]) => [rule, words, { config }] as const),
  ...GUARD_HALTS.map(([shows, words]) => [shows, words] as const),
];

// What a run keeps when it has stopped is one for all runs, and none may write to it.
const STOPPED = [
  'stop@0:done tool@1:a tool@2:b tool@3:a tool@4:b',
  'tool@1:a stop@1:done tool@2:a!error,name=x tool@3:b!error,name=x',
  `${many(6, (index) => `tool@${index + 1}:a${index % 2},name=x_poll`)} stop@6:done
   tool@7:c=r tool@8:d=r tool@9:c=r tool@10:d=r`,
];

/** Every trace and command that is judged in one process, with all that the rules say of it. */
export const CASES: readonly Case[] = [
  ...COMMANDS,
  ...ROWS.map((row) => ({
    name: nameOf(row),
    says: async () => said(await check(lines(row.words), settingsOf(row))),
  })),
  ...UNJUDGED.map(({ rule, words, settings }) => ({
    name: `${rule} unjudged: ${words} under ${JSON.stringify(settings)}`,
    says: async () => said(await check(lines(words), settings)),
  })),
  ...TABLES.map(([about, words, settings = {}]) => ({
    name: `${about}: ${words}${settings.partial === true ? ' in part' : ''}`,
    says: async () => said(await check(lines(words), settings)),
  })),
  ...RECEIPTS_OF_OTHERS.map(([shows, trace]) => ({ name: shows, says: async () => said(await check(trace)) })),
  ...HANDOFFS.map(([shows, trace]) => ({ name: shows, says: async () => said(await check(trace)) })),
  ...HANDOFFS.map(([shows, trace]) => ({
    name: `${shows}, in part`,
    says: async () => said(await check(trace, { partial: true })),
  })),
  ...STOPPED.map((words) => ({
    name: `two runs: ${words}`,
    says: async () => said(await check([...lines(words, 'a'), ...lines(words, 'b')])),
  })),
  ...SIGNED_RECEIPTS.map(([shows, trace, keys]) => ({
    name: `a receipt signed ${shows}`,
    says: async () => said(await check(trace, { config: { receipt_keys: keys } })),
  })),
  ...RULES.flatMap(({ id, example: { breaks, keeps } }) => [
    {
      name: `${id}: its example that breaks`,
      says: async () => said(await check([...exampleLines(breaks)], { config: askingFor(id) })),
    },
    {
      name: `${id}: its example that keeps`,
      says: async () => said(await check([...exampleLines(keeps)], { config: askingFor(id) })),
    },
  ]),
  {
    name: 'what decides where a rule counts',
    says: () =>
      RULES.map(({ id, family, severity, example }) => JSON.stringify({ id, family, severity, example })).join('\n'),
  },
  {
    name: 'when each rule cannot be judged',
    says: () => RULES.map((rule) => `${rule.id}: ${unjudgedText(rule) ?? 'always judged'}`).join('\n'),
  },
  {
    name: 'what is told of each rule',
    says: () => RULES.map((rule) => Object.keys(describeRule(rule)).join(' ')).join('\n'),
  },
  ...FIXTURES.map((path) => ({ name: path, says: () => judgeFixture(path, 'terminal') })),
  ...(['classic', 'strict'] as const).flatMap((profile) =>
    RULES.map(({ id }) => ({
      name: `${id} under ${profile}`,
      says: () => judgeFixture(`rules/${id}/breaks.jsonl`, profile),
    })),
  ),
];
