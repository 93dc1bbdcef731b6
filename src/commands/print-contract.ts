import { type Contract, FIELD_NAMES, wireName } from '../contract.js';
import { RULES } from '../rules/index.js';
import type { Rule } from '../rules/rule.js';

const valueText = (value: unknown): string => {
  if (value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

/** `--print-contract`: every field and every severity in force before a trace is read, and who decided it. */
export const contractText = (contract: Contract, customRules: readonly Rule[]): string => {
  const fields = FIELD_NAMES.map((name) => [wireName(name), valueText(contract[name]), contract.sources[name]]);
  const rules = [...RULES, ...customRules].map(({ id, severity }) => {
    const set = contract.rules.get(id);
    return [`rules.${id}`, set?.severity ?? severity[contract.profile], set?.source ?? `profile ${contract.profile}`];
  });
  return [...fields, ...rules].map((columns) => `${columns.join('\t')}\n`).join('');
};
