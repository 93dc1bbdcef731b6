import { FAMILIES, FIELDS, type FieldName, wireName } from '../contract.js';
import { exampleLines } from '../rules/example.js';
import { RULES } from '../rules/index.js';
import { type ExampleSpan, type Rule, type Table, unjudgedText } from '../rules/rule.js';

const row = ({ id, family, severity, source }: Rule, width: number): string =>
  `${id.padEnd(width)}  ${family.padEnd(11)}  ${severity.classic.padEnd(7)}  ${severity.terminal.padEnd(8)}  ${severity.strict.padEnd(6)}  ${source}`;

/** The list of all rules: family, severity in each profile, source. */
const rulesTable = (all: readonly Rule[]): string => {
  const width = Math.max(...all.map(({ id }) => id.length));
  const head = `${'rule'.padEnd(width)}  family       classic  terminal  strict  source`;
  const rows = FAMILIES.flatMap((family) => all.filter((rule) => rule.family === family)).map((rule) =>
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

const exampleSection = (title: string, spans: readonly ExampleSpan[]): readonly string[] =>
  spans.length === 0 ? [] : [`${title}:\n${exampleLines(spans).join('\n')}`];

const tableText = ({ title, note, columns, rows }: Table): string => {
  const lines = [columns, ...rows];
  const widths = columns.map((_, at) => Math.max(...lines.map((cells) => cells[at]?.length ?? 0)));
  const text = lines.map((cells) => `  ${cells.map((cell, at) => cell.padEnd(widths[at] ?? 0)).join('  ')}`.trimEnd());
  return `${title}: ${note}\n${text.join('\n')}`;
};

/** The page of one rule, as its own description says it. */
const rulePage = (rule: Rule): string => {
  const unjudged = unjudgedText(rule);
  const sections = [
    `${rule.id} (${rule.family}; ${severities(rule)})`,
    rule.passing,
    ...(rule.why === '' ? [] : [rule.why]),
    ...(rule.evidence === '' ? [] : [`Evidence: ${rule.evidence}.`]),
    ...(unjudged === undefined ? [] : [`Cannot be judged: ${unjudged}`]),
    `What to do: ${rule.action}.`,
    ...(rule.options.length === 0 ? [] : [`Options:\n${rule.options.map(optionLine).join('\n')}`]),
    ...(rule.table === undefined ? [] : [tableText(rule.table)]),
    ...exampleSection('Breaks it', rule.example.breaks),
    ...exampleSection('Keeps it', rule.example.keeps),
    `Source: ${rule.source}.`,
  ];
  return `${sections.join('\n\n')}\n`;
};

/** `terminal-contract rules [ID]`; the caller has made sure that the id is a rule's. */
export const rulesText = (ruleId: string | undefined, customRules: readonly Rule[]): string => {
  const all: readonly Rule[] = [...RULES, ...customRules];
  const rule = all.find(({ id }) => id === ruleId);
  return rule === undefined ? rulesTable(all) : rulePage(rule);
};
