import { FIELD_NAMES, wireName } from '../../contract.js';
import { isWarning, type Report, ruleOf } from '../../report.js';
import type { RuleId } from '../../rules/index.js';
import { printable } from '../../text.js';
import { actionOf } from '../../verdict.js';
import { headlineOf, headlineText } from '../headline.js';
import { countsText, errorLine, rankedVerdicts, translations } from '../people.js';
import type { PageData, PageRule } from './page-data.js';
import { undrawn } from './page-timeline.js';

/** How many unusable lines and unreadable inputs are listed; the rest is counted. */
const FAULTS_SHOWN = 200;

const faultsOf = ({ files, inputErrors }: Report): readonly string[] => {
  const shown = inputErrors.slice(0, FAULTS_SHOWN).map((error) => errorLine(files, error).trimEnd());
  const left = inputErrors.length - shown.length;
  return left === 0 ? shown : [...shown, `… and ${left} more; --format json has them all`];
};

const verdictsOf = (report: Report): PageData['verdicts'] =>
  rankedVerdicts(report).map(([verdict, runs]) => [verdict, runs, actionOf(verdict)]);

const valueText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value));
const contractOf = ({ contract, profile }: Report): PageData['contract'] => [
  ['profile', profile, ''],
  ...FIELD_NAMES.filter((name) => contract[name] !== undefined).map(
    (name) => [wireName(name), printable(valueText(contract[name])), contract.sources[name]] as const,
  ),
  ...[...contract.rules].map(([id, { severity, source }]) => [`rules.${id}`, severity, source] as const),
];

const ruleIdsOf = ({ runs }: Report): ReadonlySet<RuleId> =>
  new Set(
    runs.flatMap(({ findings, unverifiable }) => [
      ...findings.map(({ rule }) => rule),
      ...unverifiable.map(({ rule }) => rule),
    ]),
  );

const pageRule = (report: Report, id: RuleId): PageRule | undefined => {
  const described = ruleOf(report, id);
  if (described === undefined) return undefined;
  const { family, passing, why, action, source } = described;
  return { family, passing, why, action, source };
};

const rulesOf = (report: Report): PageData['rules'] =>
  Object.fromEntries(
    [...ruleIdsOf(report)].flatMap((id) => {
      const rule = pageRule(report, id);
      return rule === undefined ? [] : [[id, rule] as const];
    }),
  );

const warningsOf = (report: Report): readonly string[] => [
  ...(report.inputErrors.some((error) => !isWarning(error, report))
    ? ['Not everything could be judged: what is listed below is missing from the verdicts.']
    : []),
  ...(report.isTruncated ? ['Some input could not be read to its end.'] : []),
  ...(report.summary.spans === 0 ? ['The report holds no run.'] : []),
];

function* notesOf(report: Report): Iterable<string> {
  for (const line of translations(report)) yield line.trimEnd();
  if (report.outsideRuns > 0) yield `runs left out, not alive in the time asked about: ${report.outsideRuns}`;
  if (report.timelessRuns > 0) yield `runs kept without a time: ${report.timelessRuns}`;
  yield* undrawn(report.timelines);
  if (report.skippedFiles > 0) yield `files left out that are no trace: ${report.skippedFiles}`;
}

/** All of the page's data but its runs. */
export const pageHead = (report: Report): Omit<PageData, 'runs' | 'texts'> => {
  const { failed, inconclusive, passed } = report.summary;
  return {
    headline: headlineText(headlineOf(report)),
    subline: `${countsText(report)}; profile ${report.profile}`,
    warnings: warningsOf(report),
    faults: faultsOf(report),
    notes: [...notesOf(report)],
    contract: contractOf(report),
    verdicts: verdictsOf(report),
    results: { failed, inconclusive, passed },
    rules: rulesOf(report),
  };
};
