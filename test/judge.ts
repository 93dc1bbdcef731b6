import { Readable } from 'node:stream';
import { checkInputs } from '../src/check.js';
import { termsOf } from '../src/commands/terms.js';
import type { Config } from '../src/config.js';
import { EMPTY_PART } from '../src/contract.js';
import { type CheckSettings, checkTrace, type Report, type RunReport } from '../src/index.js';
import { fromStream } from '../src/input.js';
import { readConfig } from '../src/read-config.js';
import { RULES } from '../src/rules/index.js';

/** The rules that are off unless somebody asks for them. */
const ASKED: readonly string[] = RULES.filter(({ severity }) => severity.terminal === 'off').map(({ id }) => id);

/** What a config says of the rules, so that a rule is judged under the default profile. */
export const askingFor = (id: string): { readonly rules: Readonly<Record<string, 'warn'>> } => ({
  rules: ASKED.includes(id) ? { [id]: 'warn' } : {},
});

/** The rule that a fixture is about; the empty text where it is about none. */
export const ruleOfFixture = (path: string): string => /(?:^|\/)rules\/([^/]+)\//.exec(path)?.[1] ?? '';

/** Judges the lines of a trace, whole or in pieces of a given size. */
export const check = (lines: readonly string[], settings: CheckSettings = {}, chunk?: number): Promise<Report> => {
  const bytes = Buffer.from(lines.map((line) => `${line}\n`).join(''));
  return checkBytes(bytes, settings, chunk ?? Math.max(1, bytes.length));
};

export const checkBytes = (bytes: Buffer, settings: CheckSettings = {}, chunk = bytes.length): Promise<Report> => {
  const pieces: Buffer[] = [];
  for (let at = 0; at < bytes.length; at += chunk) pieces.push(bytes.subarray(at, at + chunk));
  return checkTrace(Readable.from(pieces, { objectMode: false }), settings);
};

// Most of the time would go into reading few configs again and again.
const configs = new Map<string, Config>();
const configOf = (value: unknown): Config => {
  const text = JSON.stringify(value);
  const config = configs.get(text) ?? readConfig(value);
  configs.set(text, config);
  return config;
};

/** Shows the rules every span, as the scanner does not where it can tell what they would say. */
export const checkPlainly = (bytes: Buffer, { config = {}, partial = false }: CheckSettings = {}): Promise<Report> => {
  const decisions = { profile: undefined, limits: undefined, part: EMPTY_PART, isPartial: partial };
  const input = { name: 'trace', size: () => undefined, open: () => fromStream(Readable.from([bytes])) };
  return checkInputs([input], { terms: termsOf(decisions, configOf(config)), isEmptyAllowed: true, reader: 'plain' });
};

/** The report of the only run. */
export const onlyRun = (report: Report): RunReport => {
  const [run, ...others] = report.runs;
  if (run === undefined || others.length > 0) throw new Error(`${report.runs.length} runs`);
  return run;
};

export const foundRules = (run: RunReport): string[] => run.findings.map(({ rule }) => rule);
