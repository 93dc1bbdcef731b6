import type { Place, Spent, Terminal } from '../../run.js';
import { excerpt, printable } from '../../text.js';
import type { Finding, RunReport, Unverifiable } from '../../verdict.js';
import { isWorth, spentText } from '../people.js';
import type { PageFinding, PagePlace, PageRun, PageUnjudged, Result } from './page-data.js';
import type { Texts } from './texts.js';

const MESSAGE_LENGTH = 240;
const DETAIL_LENGTH = 64;

/** What the parts of a run are told with. */
interface Teller {
  readonly files: readonly string[];
  readonly texts: Texts;
}

const fileOf = ({ files, texts }: Teller, file: number): number => texts.foreign(files[file] ?? '');
const placeOf = (teller: Teller, { file, line }: Pick<Place, 'file' | 'line'>): PagePlace => [
  fileOf(teller, file),
  line,
];
const placeText = ({ files }: Teller, { file, line }: Place): string => `${printable(files[file] ?? '')}:${line}`;

export const resultOf = ({ fails, isInconclusive }: RunReport): Result => {
  if (fails) return 'failed';
  return isInconclusive ? 'inconclusive' : 'passed';
};

const sawText = (finding: Finding): string =>
  Object.entries(finding.evidence)
    .map(([key, value]) => `${excerpt(key, DETAIL_LENGTH)} ${excerpt(String(value), DETAIL_LENGTH)}`)
    .join(', ');

const findingOf = (teller: Teller, finding: Finding): PageFinding => ({
  rule: teller.texts.own(finding.rule),
  severity: finding.severity,
  message: teller.texts.foreign(finding.message, MESSAGE_LENGTH),
  at: placeOf(teller, finding.at),
  saw: teller.texts.own(sawText(finding)),
});

const unjudgedOf = ({ texts }: Teller, run: RunReport, { rule, because }: Unverifiable): PageUnjudged => ({
  rule: texts.own(rule),
  because: texts.foreign(because, MESSAGE_LENGTH),
  isRequired: run.required.includes(rule),
});

const stopText = (terminal: Terminal): string => {
  const said = [
    terminal.reason ?? 'no reason',
    ...(terminal.status === undefined ? [] : [`status ${terminal.status}`]),
    ...(terminal.detail === undefined ? [] : [`in the words of the source: ${terminal.detail}`]),
    ...(terminal.claim === undefined ? [] : [`claim ${terminal.claim}`]),
    ...(terminal.successorRun === undefined ? [] : [`goes on in ${terminal.successorRun}`]),
  ];
  return `${said.map((part) => excerpt(part, DETAIL_LENGTH)).join(', ')}${terminal.isInferred ? ' (inferred)' : ''}`;
};

function* factsOf(teller: Teller, run: RunReport): Iterable<readonly [label: string, text: string]> {
  yield ['Begins', placeText(teller, run.first)];
  yield ['Ends', placeText(teller, run.last)];
  yield ['Stopped', run.terminal === undefined ? 'nothing says so' : stopText(run.terminal)];
  yield ['Spent', spentText(run.spent)];
  if (run.spentAfter !== undefined && isWorth(run.spentAfter))
    yield ['After it should have been halted', spentText(run.spentAfter)];
  const budget = run.contract.budget;
  yield ['Budget', `${budget} iterations`];
}

const tokensOf = (spent: Spent): number => spent.tokensIn + spent.tokensCached + spent.tokensOut + spent.tokensAux;

/** A run as the page reads it, without its drawing. */
export const pageRun = (files: readonly string[], run: RunReport, texts: Texts): Omit<PageRun, 'timeline'> => {
  const teller = { files, texts };
  const { findings, spent } = run;
  const named = [run.first.file, run.last.file, ...findings.map(({ at }) => at.file)];
  return {
    id: printable(run.runId),
    verdict: texts.own(run.verdict),
    result: resultOf(run),
    iter: run.iter,
    spans: run.spans,
    tokens: tokensOf(spent),
    seconds: spent.seconds ?? null,
    facts: [...factsOf(teller, run)].map(([label, text]) => [texts.own(label), texts.own(text)]),
    files: [...new Set(named)].map((file) => fileOf(teller, file)),
    findings: findings.map((finding) => findingOf(teller, finding)),
    unjudged: run.unverifiable.map((each) => unjudgedOf(teller, run, each)),
  };
};
