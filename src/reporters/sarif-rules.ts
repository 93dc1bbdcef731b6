import type { Severity } from '../contract.js';
import type { Report } from '../report.js';
import { RULES } from '../rules/index.js';
import { type RuleDescription, unjudgedText } from '../rules/rule.js';
import { escaping, excerpt, printable } from '../text.js';
import { doubtsOf } from './breaches.js';
import type { Group } from './groups.js';
import { MESSAGE_LENGTH } from './people.js';

const DESCRIPTION_LENGTH = 1000;

/** Severities as levels of a result. */
export const LEVELS = { error: 'error', warn: 'warning' } as const;

// A viewer makes a link of [text](target), and looks for an argument where it reads {0}.
export const literal = escaping('(?<=\\])\\(|\\{(?=\\d)');
export const plain = (text: string, length = MESSAGE_LENGTH): string => literal(excerpt(text, length));

const severityIn = ({ contract, profile }: Report, { id, severity }: RuleDescription): Severity =>
  contract.rules.get(id)?.severity ?? severity[profile];

/** All that a rule says of itself, in paragraphs. */
const helpOf = (rule: RuleDescription): string => {
  const known = RULES.find(({ id }) => id === rule.id);
  const unjudged = known && unjudgedText(known);
  return [
    rule.passing,
    rule.why,
    ...(known === undefined ? [] : [`Evidence: ${known.evidence}.`]),
    ...(unjudged === undefined ? [] : [`Cannot be judged: ${unjudged}`]),
    `What to do: ${rule.action}.`,
  ]
    .filter((paragraph) => paragraph !== '')
    .map(printable)
    .join('\n\n');
};

// What a rule says is prose: nothing in it is meant as markup.
const asMarkdown = (text: string): string => text.replace(/[\\`*_{}[\]<>()#+!|~&]/g, '\\$&');

const ruleDescriptor = (report: Report, rule: RuleDescription) => {
  const severity = severityIn(report, rule);
  const help = helpOf(rule);
  return {
    id: rule.id,
    shortDescription: { text: plain(rule.passing, DESCRIPTION_LENGTH) },
    fullDescription: { text: plain(rule.why === '' ? rule.passing : rule.why, DESCRIPTION_LENGTH) },
    help: { text: help, markdown: asMarkdown(help) },
    defaultConfiguration: severity === 'off' ? { enabled: false } : { level: LEVELS[severity] },
    properties: { tags: [rule.family] },
  };
};

/** The rules that the runs were held to, and what else results name: reasons that a contract fails. */
export const descriptorsOf = (report: Report, groups: readonly Group[]) => {
  const named = new Set([...groups.map(({ id }) => id), ...doubtsOf(report).map(({ rule }) => rule)]);
  const rules: readonly RuleDescription[] = [...RULES, ...report.customRules];
  const inForce = rules.filter((rule) => severityIn(report, rule) !== 'off' || named.has(rule.id));
  const known = new Set(inForce.map(({ id }) => id));
  const reasons = groups.filter(({ id }) => !known.has(id));
  return [
    ...inForce.map((rule) => ruleDescriptor(report, rule)),
    ...reasons.map(({ id, action }) => ({
      id,
      shortDescription: { text: 'The contract fails runs that stop for this reason.' },
      help: { text: `What to do: ${action}.` },
    })),
  ];
};
export type Descriptors = ReturnType<typeof descriptorsOf>;
