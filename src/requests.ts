import { resolve } from 'node:path';
import { RUN_UNITS, type RunUnit } from './adapters/adapter.js';
import type { CheckRequest, Output, Request } from './commands/request.js';
import {
  type ContractPart,
  FIELD_NAMES,
  FIELDS,
  isTaken,
  LIMITS_NAMES,
  PROFILES,
  SEVERITIES,
  type Severity,
  toPart,
  wireName,
} from './contract.js';
import { expectedOf } from './contract-schema.js';
import { LIST_FLAGS, NUMBER_FLAGS, refuse, WORD_FLAGS } from './flags.js';
import { LEAST_MEMORY } from './line-memory.js';
import { didYouMean } from './nearest.js';
import { FROM, type From } from './recognise.js';
import { DEFAULT_FORMAT, FORMATS } from './reporters/index.js';
import { SCHEMA_NAMES } from './schema-names.js';
import { timeOf } from './window.js';

/** What the flags say, by their names. */
export type Parsed = ReadonlyMap<string, unknown>;

/** What a parser makes of the words: flags by their names, operands under `_` and, after dashes, under `--`. */
export interface ParsedWords {
  readonly [name: string]: unknown;
  readonly _: readonly (string | number)[];
}

const NO_FLAGS: ReadonlySet<string> = new Set(['_', '$0', '--', 'id', 'name', 'h']);
export const flagsOf = (argv: ParsedWords): Parsed =>
  new Map(Object.entries(argv).filter(([flag]) => !NO_FLAGS.has(flag)));

/** What is no flag, as it was typed: of a subcommand, without its name. */
export const operandsOf = (argv: ParsedWords, ...named: readonly unknown[]): readonly string[] => {
  const typed = named.length === 0 ? argv._ : [...named.filter((operand) => operand !== undefined), ...argv._.slice(1)];
  const afterDashes: unknown = argv['--'];
  return [...typed, ...(Array.isArray(afterDashes) ? afterDashes : [])].map(String);
};

const oneOf = <T extends string>(flag: string, value: string, known: readonly T[]): T =>
  known.find((word) => word === value) ??
  refuse(`--${flag} must be one of ${known.join(', ')}${didYouMean(value, known)}`);

/** The one value of a flag; given twice, or without a value, it is refused. */
const single = (parsed: Parsed, flag: string): string | undefined => {
  const value = parsed.get(flag);
  if (value === undefined) return undefined;
  if (Array.isArray(value)) return refuse(`--${flag} is given more than once`);
  if (typeof value !== 'string' || value === '') return refuse(`--${flag} needs a value`);
  return value;
};

const repeated = (parsed: Parsed, flag: string): readonly string[] => {
  const value = parsed.get(flag);
  if (value === undefined) return [];
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  return values.map((item) => (typeof item === 'string' && item !== '' ? item : refuse(`--${flag} needs a value`)));
};

const isSet = (parsed: Parsed, flag: string): boolean => {
  const value = parsed.get(flag);
  if (Array.isArray(value)) return refuse(`--${flag} is given more than once`);
  return value === true;
};

const WHOLE_NUMBER = /^\d+$/;
const numberOf = (flag: string, wire: string, text: string): number =>
  WHOLE_NUMBER.test(text) ? Number(text) : refuse(`--${flag} must be ${expectedOf(wire)}`);

const severityOf = (setting: string): readonly [string, Severity] => {
  const [id = '', severity, ...rest] = setting.split('=');
  if (severity === undefined || rest.length > 0) return refuse('--rule must be written as id=severity');
  return [id, oneOf('rule', severity, SEVERITIES)];
};

const contractPart = (parsed: Parsed): ContractPart => {
  const wire: Record<string, unknown> = {};
  for (const [flag, { wire: key }] of Object.entries(NUMBER_FLAGS)) {
    const text = single(parsed, flag);
    if (text !== undefined) wire[key] = numberOf(flag, key, text);
  }
  for (const [flag, { wire: key }] of Object.entries(WORD_FLAGS)) {
    const text = single(parsed, flag);
    if (text !== undefined) wire[key] = text;
  }
  for (const [flag, { wire: key }] of Object.entries(LIST_FLAGS)) {
    const items = repeated(parsed, flag).flatMap((text) => text.split(','));
    if (items.length > 0) wire[key] = items;
  }
  for (const name of FIELD_NAMES) {
    const [key, described] = [wireName(name), FIELDS[name]];
    const isRefused = key in wire && 'takes' in described && !isTaken(described.takes, wire[key]);
    if (isRefused) refuse(`--${key.replaceAll('_', '-')} must be ${expectedOf(key)}`);
  }
  const rules = repeated(parsed, 'rule').map(severityOf);
  if (new Set(rules.map(([id]) => id)).size < rules.length) return refuse('--rule names one rule more than once');
  return { ...toPart(wire), rules: new Map(rules) };
};

// The device's file would be replaced or cut, where a shell sends stdout to a file.
const STDOUT_NAMES: readonly string[] = ['-', '/dev/stdout', '/dev/fd/1', '/proc/self/fd/1'];

const outputOf = (text: string): Output => {
  const at = text.indexOf('=');
  const format = oneOf('format', at < 0 ? text : text.slice(0, at), FORMATS);
  const path = at < 0 ? undefined : text.slice(at + 1);
  if (path === '') return refuse('--format needs a file after the =');
  return { format, path: path === undefined || STDOUT_NAMES.includes(path) ? undefined : path };
};

/** Where reports go: stdout gets the default format unless another one is sent there. */
const outputsOf = (parsed: Parsed): readonly Output[] => {
  const outputs = repeated(parsed, 'format').map(outputOf);
  const paths = outputs.map(({ path }) => (path === undefined ? undefined : resolve(path)));
  if (new Set(paths).size < paths.length) {
    return refuse('--format sends two reports to one place; give each but one a file: --format json=report.json');
  }
  return paths.includes(undefined)
    ? outputs
    : [{ format: DEFAULT_FORMAT, path: undefined, isDefault: true }, ...outputs];
};

const MOST_JOBS = 256;
const jobsOf = (parsed: Parsed): number | undefined => {
  const text = single(parsed, 'jobs');
  if (text === undefined) return undefined;
  const jobs = WHOLE_NUMBER.test(text) ? Number(text) : 0;
  return jobs >= 1 && jobs <= MOST_JOBS ? jobs : refuse(`--jobs must be a whole number from 1 to ${MOST_JOBS}`);
};

const SIZE = /^(\d+)(B|KB|MB|GB)?$/i;
const UNITS: Readonly<Record<string, number>> = { B: 1, KB: 2 ** 10, MB: 2 ** 20, GB: 2 ** 30 };
const maxMemoryOf = (parsed: Parsed): number | undefined => {
  const text = single(parsed, 'max-memory');
  if (text === undefined) return undefined;
  const [, digits = '', unit = 'B'] = SIZE.exec(text) ?? [];
  const bytes = Number(digits) * (UNITS[unit.toUpperCase()] ?? 1);
  return bytes >= LEAST_MEMORY && Number.isSafeInteger(bytes)
    ? bytes
    : refuse(
        `--max-memory must be a whole number of bytes, KB, MB or GB from ${LEAST_MEMORY / 2 ** 20}MB on, as 512MB`,
      );
};

const COLOURS = ['auto', 'always', 'never'] as const;
const colourOf = (parsed: Parsed): boolean | undefined => {
  const when = single(parsed, 'color');
  const word = when === undefined ? 'auto' : oneOf('color', when, COLOURS);
  return word === 'auto' ? undefined : word === 'always';
};

const fromOf = (parsed: Parsed): From | undefined => {
  const id = single(parsed, 'from');
  return id === undefined ? undefined : oneOf('from', id, FROM);
};

const unitOf = (parsed: Parsed): RunUnit | undefined => {
  const unit = single(parsed, 'run');
  return unit === undefined ? undefined : oneOf('run', unit, RUN_UNITS);
};

const timeWord = (parsed: Parsed, flag: 'since' | 'until'): string | undefined => {
  const word = single(parsed, flag);
  if (word === undefined || timeOf(word, 0) !== undefined) return word;
  return refuse(`--${flag} must be a time such as 7d, 2026-03-01 or 2026-03-01T09:00:00Z`);
};

const checkRequest = (parsed: Parsed, files: readonly string[]): CheckRequest => {
  const profile = single(parsed, 'profile');
  const limits = single(parsed, 'limits');
  if (files.filter((file) => file === '-').length > 1) return refuse('standard input (-) is given more than once');
  const outputs = outputsOf(parsed);
  const isOverwritten = outputs.some(
    ({ path }) => path !== undefined && files.some((file) => resolve(file) === resolve(path)),
  );
  if (isOverwritten) return refuse('--format would write its report over a trace');
  return {
    kind: 'check',
    files,
    configPath: single(parsed, 'config'),
    profile: profile === undefined ? undefined : oneOf('profile', profile, PROFILES),
    limits: limits === undefined ? undefined : oneOf('limits', limits, LIMITS_NAMES),
    part: contractPart(parsed),
    isPartial: isSet(parsed, 'partial'),
    isEmptyAllowed: isSet(parsed, 'allow-empty'),
    isQuiet: isSet(parsed, 'quiet'),
    from: fromOf(parsed),
    unit: unitOf(parsed),
    since: timeWord(parsed, 'since'),
    until: timeWord(parsed, 'until'),
    jobs: jobsOf(parsed),
    maxMemory: maxMemoryOf(parsed),
    outputs,
    isColoured: colourOf(parsed),
  };
};

export const fileRequest = (parsed: Parsed, files: readonly string[]): Request => {
  if (isSet(parsed, 'update')) return refuse('--update belongs to terminal-contract gate');
  const request = checkRequest(parsed, files);
  return isSet(parsed, 'print-contract') ? { ...request, kind: 'print-contract' } : request;
};

export const explainRequest = (parsed: Parsed, [runId, ...files]: readonly string[]): Request => {
  if (runId === undefined) return refuse('explain needs the run_id of a run');
  for (const flag of ['format', 'update']) if (parsed.has(flag)) return refuse(`explain takes no --${flag}`);
  return { ...checkRequest(parsed, files), kind: 'explain', runId };
};

const NOT_OF_GATE = ['format', 'print-contract', 'since', 'until', 'allow-empty', 'quiet', 'color'];
export const gateRequest = (parsed: Parsed, files: readonly string[]): Request => {
  for (const flag of NOT_OF_GATE) if (parsed.has(flag)) return refuse(`gate takes no --${flag}`);
  if (files.length === 0) return refuse('gate needs the folder of the traces, or their names');
  if (files.includes('-')) return refuse('gate reads files: beside standard input stand no verdicts');
  return { ...checkRequest(parsed, files), kind: 'gate', isUpdate: isSet(parsed, 'update') };
};

const refuseFlags = (parsed: Parsed, command: string, taken: readonly string[] = []): void => {
  for (const flag of parsed.keys()) if (!taken.includes(flag)) refuse(`${command} takes no --${flag}`);
};

export const rulesRequest = (parsed: Parsed, [ruleId, ...rest]: readonly string[]): Request => {
  refuseFlags(parsed, 'rules', ['config']);
  if (rest.length > 0) return refuse('rules explains one rule at a time');
  return { kind: 'rules', ruleId, configPath: single(parsed, 'config') };
};

export const convertRequest = (parsed: Parsed, files: readonly string[]): Request => {
  refuseFlags(parsed, 'convert', ['from', 'run', 'config', 'quiet']);
  return {
    kind: 'convert',
    files,
    configPath: single(parsed, 'config'),
    from: fromOf(parsed),
    unit: unitOf(parsed),
    isQuiet: isSet(parsed, 'quiet'),
  };
};

export const formatsRequest = (parsed: Parsed, operands: readonly string[]): Request => {
  refuseFlags(parsed, 'formats');
  return operands.length > 0 ? refuse('formats takes no words') : { kind: 'formats' };
};

export const schemaRequest = (parsed: Parsed, [wanted = '', ...rest]: readonly string[]): Request => {
  refuseFlags(parsed, 'schema');
  const name = SCHEMA_NAMES.find((known) => known === wanted);
  if (name === undefined || rest.length > 0) {
    return refuse(`schema takes one of ${SCHEMA_NAMES.join(', ')}${didYouMean(wanted, SCHEMA_NAMES)}`);
  }
  return { kind: 'schema', name };
};
