import { type Config, NO_CONFIG } from '../config.js';
import { type ContractPart, LIMITS, type LimitsName, type Terms } from '../contract.js';
import { profileSeverity } from '../verdict.js';
import type { Window } from '../window.js';

/** What the command line, or a program that calls the library, decides. */
export interface Decisions {
  readonly profile: Config['profile'];
  readonly limits: LimitsName | undefined;
  readonly part: ContractPart;
  readonly isPartial: boolean;
  readonly window?: Window | undefined;
}

/** A named set of numbers under the numbers that stand beside it. */
const withLimits = (limits: LimitsName | undefined, part: ContractPart): ContractPart =>
  limits === undefined ? part : { ...part, values: { ...LIMITS[limits], ...part.values } };

/** The terms that a trace is read under: each source's named limits stand just below its own numbers. */
export const termsOf = (decisions: Decisions, config: Config = NO_CONFIG): Terms => {
  const profile = decisions.profile ?? config.profile ?? 'terminal';
  const custom = new Map(config.customRules.rules.map((rule) => [rule.id, rule]));
  return {
    profile,
    isChosen: (ruleId) => (decisions.profile ?? config.profile) !== undefined || custom.has(ruleId),
    isPartial: decisions.isPartial,
    window: decisions.window,
    commandLine: withLimits(decisions.limits, decisions.part),
    config: withLimits(config.limits, config.part),
    severityOf: (ruleId) => profileSeverity(profile, ruleId) ?? custom.get(ruleId)?.severity[profile],
  };
};
