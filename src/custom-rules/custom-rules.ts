import type { Rule } from '../rules/rule.js';

/** The user's own rules, ready to judge, in the order in which the config names them. */
export interface CustomRules {
  readonly rules: readonly Rule[];
  /** The modules that they come from: another thread loads the same rules from the same list. */
  readonly modules: readonly { readonly name: string; readonly url: string }[];
  /** Whether all rules come from these modules; a rule that was handed over as an object stays in its thread. */
  readonly isLoadable: boolean;
}
export const NO_CUSTOM_RULES: CustomRules = { rules: [], modules: [], isLoadable: true };
