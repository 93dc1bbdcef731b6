import { FAMILIES, FIELDS, type FieldName, wireName } from '../contract.js';
import { exampleLines } from '../rules/example.js';
import { RULES } from '../rules/index.js';
import type { Rule } from '../rules/rule.js';

const ALL: readonly Rule[] = RULES;

const row = ({ id, family, severity, source }: Rule, width: number): string =>
  `${id.padEnd(width)}  ${family.padEnd(11)}  ${severity.classic.padEnd(7)}  ${severity.terminal.padEnd(8)}  ${severity.strict.padEnd(6)}  ${source}`;

/** The list of all rules: family, severity in each profile, source. */
const rulesTable = (): string => {
  const width = Math.max(...ALL.map(({ id }) => id.length));
  const head = `${'rule'.padEnd(width)}  family       classic  terminal  strict  source`;
  const rows = FAMILIES.flatMap((family) => ALL.filter((rule) => rule.family === family)).map((rule) =>
    row(rule, width),
  );
  return `${[head, ...rows].join('\n')}\n`;
};

const optionLine = (name: FieldName): string => {
  const fallback = FIELDS[name].fallback;
  return `  ${wireName(name)}: ${FIELDS[name].meaning} (default ${fallback === undefined ? 'none' : JSON.stringify(fallback)})`;
};

const severities = ({ severity }: Rule): string =>
  `classic ${severity.classic}, terminal ${severity.terminal}, strict ${severity.strict}`;

/** The page of one rule, as its own description says it. */
const rulePage = (rule: Rule): string => {
  const sections = [
    `${rule.id} (${rule.family}; ${severities(rule)})`,
    rule.passing,
    rule.why,
    `Evidence: ${rule.evidence}.`,
    `What to do: ${rule.action}.`,
    ...(rule.options.length === 0 ? [] : [`Options:\n${rule.options.map(optionLine).join('\n')}`]),
    `Breaks it:\n${exampleLines(rule.example.breaks).join('\n')}`,
    `Keeps it:\n${exampleLines(rule.example.keeps).join('\n')}`,
    `Source: ${rule.source}.`,
  ];
  return `${sections.join('\n\n')}\n`;
};

/** `terminal-contract rules [ID]`; the caller has made sure that the id is a rule's. */
export const rulesText = (ruleId: string | undefined): string => {
  const rule = ALL.find(({ id }) => id === ruleId);
  return rule === undefined ? rulesTable() : rulePage(rule);
};
