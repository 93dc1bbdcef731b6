import { type Config, idsWith, unknownRule } from './config.js';
import { ConfigFault } from './config-fault.js';
import { LIMITS_NAMES, PROFILES, SEVERITIES, toPart } from './contract.js';
import { configSchema, expectedOf } from './contract-schema.js';
import type { CustomRules } from './custom-rules/custom-rules.js';
import { didYouMean } from './nearest.js';
import { CUSTOM_RULES, givenRules, isNamed, joinRules, loadRules, namedRules } from './rule-modules.js';

type Issue = { readonly code?: string; readonly path: readonly PropertyKey[]; readonly keys?: readonly string[] };

const keys = (): readonly string[] => Object.keys(configSchema([]).shape);

const describe = (issue: Issue, customRules: CustomRules): string => {
  const [key, member] = issue.path.map(String);
  const unknown = issue.keys?.[0];
  if (unknown !== undefined) {
    return key === 'rules'
      ? unknownRule(unknown, customRules)
      : `there is no key ${unknown}${didYouMean(unknown, keys())}`;
  }
  if (key === undefined) return 'it must hold an object';
  if (key === 'profile') return `profile must be one of ${PROFILES.join(', ')}`;
  if (key === 'limits') return `limits must be one of ${LIMITS_NAMES.join(', ')}`;
  if (key === 'stop_reasons') return 'stop_reasons must be an object of reasons by word';
  if (key === 'volatile')
    return 'volatile must be an object of args (lists of keys by tool) and results (a list of patterns)';
  if (key !== 'rules') return `${key} must be ${expectedOf(key)}`;
  if (member === undefined) return 'rules must be an object of severities by rule id';
  return idsWith(customRules).includes(member)
    ? `rules.${member} must be one of ${SEVERITIES.join(', ')}`
    : unknownRule(member, customRules);
};

const CONFIGURED = 'the config says so';
const patternOf = (text: string): RegExp => {
  try {
    return new RegExp(text, 'gu');
  } catch {
    throw new ConfigFault('volatile.results must be a list of regular expressions');
  }
};

const parseConfig = (value: unknown, customRules: CustomRules): Config => {
  const parsed = configSchema(idsWith(customRules)).safeParse(value);
  if (!parsed.success) {
    const issue = parsed.error.issues[0];
    throw new ConfigFault(issue === undefined ? 'it cannot be read' : describe(issue, customRules));
  }
  const { profile, limits, stop_reasons: reasons, volatile, $schema: _, ...fields } = parsed.data;
  return {
    profile,
    limits,
    part: toPart(fields),
    customRules,
    wishes: {
      reasons: new Map(Object.entries(reasons ?? {})),
      volatile: {
        args: Object.entries(volatile?.args ?? {}).flatMap(([tool, keys]) =>
          keys.map((key) => ({ tool, key, because: CONFIGURED })),
        ),
        results: (volatile?.results ?? []).map((text) => ({ pattern: patternOf(text), because: CONFIGURED })),
      },
    },
  };
};

/** The rest of a config: its custom rules have been read before it, for their ids are words of it. */
const withoutRules = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || !(CUSTOM_RULES in value)) return value;
  return Object.fromEntries(Object.entries(value).filter(([key]) => key !== CUSTOM_RULES));
};

/**
 * Reads what a program hands over as a config: rules as objects, for it stands in no folder that a path could begin in.
 * @throws {ConfigFault}
 */
export const readConfig = (value: unknown, more: readonly unknown[] = []): Config => {
  const named = namedRules(value);
  if (named.some(isNamed)) {
    throw new ConfigFault(`${CUSTOM_RULES} names modules in a config file alone; hand the rules over as objects`);
  }
  return parseConfig(withoutRules(value), joinRules([givenRules(named), givenRules(more)]));
};

/** Reads what a config file holds, and loads the modules that it names. @throws {ConfigFault} */
export const readConfigFile = async (value: unknown, folder: string): Promise<Config> =>
  parseConfig(withoutRules(value), await loadRules(namedRules(value), folder));
