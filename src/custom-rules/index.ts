import { z } from 'zod';
import { FAMILIES, RULE_ID, SEVERITIES } from '../contract.js';
import { didYouMean } from '../nearest.js';
import { RULES } from '../rules/index.js';
import { type Rule, WARNING } from '../rules/rule.js';
import { printable } from '../text.js';
import type { CustomRule } from './custom-rule.js';
import { guarded, type Origin } from './guard.js';

export { type CustomRule, type CustomSeverity, defineRule, ERROR, type RunFacts } from './custom-rule.js';
export type { CustomRules } from './custom-rules.js';
export { type Origin, throwText } from './guard.js';

const LONGEST_ID = 64;
const LONGEST_TEXT = 1000;
// A key that every object has would be read from the object, not from the line.
const isFieldName = (name: string): boolean => name !== '' && !(name in {});

const text = z.string().regex(/\S/).max(LONGEST_TEXT);
const severity = z.enum(SEVERITIES).optional();
const examples = z.array(z.record(z.string(), z.json()));
const isAsync = (value: object): boolean => Object.prototype.toString.call(value) === '[object AsyncFunction]';
const code = z
  .custom<(...args: never) => unknown>((value) => typeof value === 'function' && !isAsync(value))
  .optional();

const ruleSchema = z.strictObject({
  id: z.string().max(LONGEST_ID).regex(RULE_ID),
  family: z.enum(FAMILIES),
  severity: z.strictObject({ classic: z.literal('off').optional(), terminal: severity, strict: severity }).optional(),
  passing: text,
  action: text,
  why: text.optional(),
  evidence: text.optional(),
  needs: text.optional(),
  unjudged: text.optional(),
  source: text.optional(),
  example: z.strictObject({ breaks: examples, keeps: examples }).optional(),
  sees: z.union([z.enum(['every', 'replays', 'nothing']), z.array(z.string().min(1)).min(1)]),
  fields: z.array(z.string().refine(isFieldName)).optional(),
  step: code,
  end: code,
  share: code,
  across: code,
});

const SENTENCE = `a text of at most ${LONGEST_TEXT} characters`;
const CODE = 'a function that is not async';
const EXPECTED = {
  id: `kebab-case, of at most ${LONGEST_ID} characters`,
  family: `one of ${FAMILIES.join(', ')}`,
  severity: `{ terminal, strict }, each one of ${SEVERITIES.join(', ')}; classic knows no custom rule`,
  passing: SENTENCE,
  action: SENTENCE,
  why: SENTENCE,
  evidence: SENTENCE,
  needs: SENTENCE,
  unjudged: SENTENCE,
  source: SENTENCE,
  example: '{ breaks, keeps }, each a list of spans as JSON',
  sees: '"every", "replays", "nothing" or a list of span types',
  fields: 'a list of keys that a line may have, and no object has by itself',
  step: CODE,
  end: CODE,
  share: CODE,
  across: CODE,
} as const satisfies Record<keyof typeof ruleSchema.shape, string>;
const EXPECTED_OF: ReadonlyMap<string, string> = new Map(Object.entries(EXPECTED));

const NO_EXAMPLE = { breaks: [], keeps: [] };
const BUILT_IN: ReadonlySet<string> = new Set(RULES.map(({ id }) => id));

type Read = z.output<typeof ruleSchema>;

const faultIn = ({ issues: [issue] }: z.ZodError): string => {
  const key = issue?.path[0];
  if (key !== undefined) return `${String(key)} must be ${EXPECTED_OF.get(String(key))}`;
  const unknown = issue?.code === 'unrecognized_keys' ? issue.keys[0] : undefined;
  if (unknown === undefined) return 'it must be a rule, as defineRule takes it';
  return `a rule has no ${unknown}${didYouMean(unknown, Object.keys(ruleSchema.shape))}`;
};

/** What no single key shows: a rule that nobody asks, or that cannot answer. */
const gapIn = ({ sees, step, end, across }: Read): string | undefined => {
  if (step === undefined && sees !== 'nothing') return 'step must be a function; a rule that sees "nothing" needs none';
  if (end === undefined && across === undefined) return 'it can never speak; give it end, or across';
  return undefined;
};

/** The description of a rule for the lists and pages: one line a text, whatever the module wrote. */
const plain = (words: string): string => printable(words.replace(/\s+/g, ' ').trim());

const describe = (read: Read, { name }: Origin) => ({
  id: read.id,
  family: read.family,
  severity: {
    classic: WARNING.classic,
    terminal: read.severity?.terminal ?? WARNING.terminal,
    strict: read.severity?.strict ?? WARNING.strict,
  },
  passing: plain(read.passing),
  action: plain(read.action),
  why: plain(read.why ?? ''),
  evidence: plain(read.evidence ?? ''),
  source: plain(read.source ?? name),
  options: [],
  sees: read.sees,
  ...(read.needs === undefined ? {} : { needs: plain(read.needs) }),
  ...(read.unjudged === undefined ? {} : { unjudged: plain(read.unjudged) }),
  fields: read.fields ?? [],
});

/**
 * Makes a rule of what a user's module exports, or of an object that a program hands over.
 * @returns the rule, guarded: whatever its code does, it says so instead of throwing; or what is wrong with it, in words
 */
export const readCustomRule = (value: unknown, origin: Origin): Rule | string => {
  try {
    const parsed = ruleSchema.safeParse(value);
    if (!parsed.success) return faultIn(parsed.error);
    const gap = gapIn(parsed.data);
    if (gap !== undefined) return gap;
    // Lines are what examples become, and any JSON may stand in one.
    const example = (parsed.data.example ?? NO_EXAMPLE) as unknown as Rule['example'];
    // The schema has seen to each member; the object itself is kept, so that its code finds its own `this`.
    const rule = value as CustomRule;
    return { ...describe(parsed.data, origin), example, ...guarded(rule, origin) };
  } catch {
    return 'it cannot be read: a member of it throws';
  }
};

/** What keeps rules from standing in one list: an id that a built-in rule or another one of them has. */
export const clashIn = (rules: readonly Rule[]): string | undefined => {
  const seen = new Set<string>();
  for (const { id } of rules) {
    if (BUILT_IN.has(id)) return `a built-in rule has the id ${id}; give yours another`;
    if (seen.has(id)) return `two rules have the id ${id}`;
    seen.add(id);
  }
  return undefined;
};
