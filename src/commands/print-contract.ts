import { type Contract, FIELD_NAMES, wireName } from '../contract.js';
import { RULES } from '../rules/index.js';
import { profileSeverity } from '../verdict.js';

const valueText = (value: unknown): string => {
  if (value === undefined) return '-';
  if (Array.isArray(value)) return value.length === 0 ? '-' : value.join(',');
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
};

/** `--print-contract`: every field and every severity in force before a trace is read, and who decided it. */
export const contractText = (contract: Contract): string => {
  const fields = FIELD_NAMES.map((name) => [wireName(name), valueText(contract[name]), contract.sources[name]]);
  const rules = RULES.map(({ id }) => {
    const set = contract.rules.get(id);
    const severity = set?.severity ?? profileSeverity(contract.profile, id) ?? 'off';
    return [`rules.${id}`, severity, set?.source ?? `profile ${contract.profile}`];
  });
  return [...fields, ...rules].map((columns) => `${columns.join('\t')}\n`).join('');
};
