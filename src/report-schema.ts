import { z } from 'zod';
import { FIELD_NAMES, PROFILES, SEVERITIES, SOURCES, wireName } from './contract.js';
import { anyRuleId, schemaOf } from './contract-schema.js';
import { FAULT_CODES } from './report.js';
import { RULES } from './rules/index.js';
import { VERDICTS } from './verdict.js';

/** Version of the machine-readable report: it changes when a field is renamed, removed or means something else. */
const REPORT_VERSION = 1;

const count = z.int().min(0);
const ruleId = anyRuleId(RULES.map(({ id }) => id));
const verdict = z.union([z.enum(VERDICTS), z.string().regex(/^closed_[a-z][a-z0-9_]*$/)]);
const place = z.strictObject({
  file: z.string().describe('the input, as it was named'),
  line: z.int().min(1),
  seq: z.int().nullable(),
});
const spent = z.strictObject({
  calls: count.describe('tool spans'),
  iterations: z.int().describe('the greatest iteration'),
  tokens: z.strictObject({ in: count, cached: count, out: count, aux: count }),
  seconds: z.number().nullable().describe('null where no clock of one emitter says'),
});
const evidence = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
const finding = z.strictObject({
  rule: ruleId,
  severity: z.enum(['warn', 'error']),
  message: z.string(),
  file: z.string(),
  line: z.int().min(1),
  seq: z.int().nullable(),
  span_id: z.string().nullable(),
  evidence,
});
const terminal = z.strictObject({
  file: z.string(),
  line: z.int().min(1),
  seq: z.int().nullable(),
  reason: z.string().nullable(),
  status: z.string().nullable(),
  claim: z.string().nullable(),
  successor_run: z.string().nullable(),
  detail: z.string().nullable(),
  inferred: z.boolean(),
});
const run = z.strictObject({
  run_id: z.string().min(1),
  verdict,
  fails: z.boolean(),
  inconclusive: z.boolean().describe('the input was partial, and the end of the run may lie outside it'),
  action: z.string().describe('what to do'),
  iter: count.describe('the greatest iteration, 0 if none'),
  spans: z.int().min(1).describe('lines of the run, replays among them'),
  first: place,
  last: place,
  terminal: terminal.nullable(),
  findings: z.array(finding),
  unverifiable: z.array(ruleId).describe('rules that could not be judged'),
  unverifiable_because: z.partialRecord(ruleId, z.string()).describe('why, by rule'),
  spent,
  spent_after: spent
    .nullable()
    .describe('what was spent after the place where the contract would have halted the run; null if it would not have'),
});
const inputError = z.strictObject({
  file: z.string(),
  line: z.int().min(1).nullable(),
  column: z.int().min(1).nullable().describe('in characters (code points)'),
  code: z.enum(FAULT_CODES),
  message: z.string(),
});
const summary = z.strictObject({
  runs: count,
  spans: count,
  passed: count,
  failed: count,
  inconclusive: count,
  unusable_lines: count,
  by_verdict: z.record(verdict, count),
  by_rule: z.partialRecord(ruleId, count),
});
const translated = z.strictObject({
  file: z.string(),
  format: z.string(),
  records: count,
  runs: count.describe('runs that begin in it'),
  not_understood: z.record(z.string(), count).describe('records that the translation does not know, by kind'),
});
const source = z.enum(SOURCES);
const contract = z.strictObject({
  ...Object.fromEntries(FIELD_NAMES.map((name) => [wireName(name), schemaOf(name).nullable()])),
  partial: z.boolean(),
  rules: z.partialRecord(ruleId, z.enum(SEVERITIES)).describe('severities that the command line or the config set'),
  sources: z.record(z.string(), source).describe('who decided each field'),
});
const head = {
  version: z.literal(REPORT_VERSION),
  profile: z.enum(PROFILES),
  contract: contract.describe('the contract before headers and runs are asked'),
  summary,
  translated: z.array(translated).describe('the inputs of foreign formats'),
  skipped_files: count.describe('files of the folders that were given which are no trace'),
  outside_runs: count.describe('runs left out by --since or --until'),
  timeless_runs: count.describe('runs that say no time, and are kept'),
  truncated: z.boolean().describe('some input could not be read to its end'),
};

export const reportSchema = z.strictObject({ ...head, runs: z.array(run), input_errors: z.array(inputError) });

/** One line of the ndjson format. */
export const reportLineSchema = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('run'), ...run.shape }),
  z.strictObject({ kind: z.literal('input_error'), ...inputError.shape }),
  z.strictObject({ kind: z.literal('summary'), ...head }),
]);

export type WireReport = z.infer<typeof reportSchema>;
export type WireRun = z.infer<typeof run>;
export type WireInputError = z.infer<typeof inputError>;
export type WireHead = Omit<WireReport, 'runs' | 'input_errors'>;
