import { type CheckOptions, watchInputs } from '../check.js';
import { findInputs, type Stdin } from '../input.js';
import { EXIT, exitCodeOf, type Report, ruleOf } from '../report.js';
import { spentText, unjudged } from '../reporters/people.js';
import type { Ordered, Place } from '../run.js';
import type { Span } from '../span.js';
import { excerpt, printable } from '../text.js';
import type { Finding, RunReport } from '../verdict.js';

const DETAIL_LENGTH = 40;
const MESSAGE_LENGTH = 240;

/** What a span says of itself, in the order in which a reader asks. */
const detailsOf = (span: Span): readonly string[] => {
  const tokens = span.tokensIn + span.tokensCached + span.tokensOut + span.tokensAux;
  const parts: readonly (readonly [string, string | number | undefined])[] = [
    ['', span.name],
    ['args ', span.argsHash],
    ['result ', span.resultHash],
    ['reason ', span.reason],
    ['', span.status],
    ['exit ', span.exitCode],
    ['effect ', span.effect],
    ['retry ', span.retry],
    ['emitter ', span.emitter],
    ['tokens ', tokens === 0 ? undefined : tokens],
  ];
  return parts.flatMap(([label, value]) =>
    value === undefined ? [] : [label + excerpt(String(value), DETAIL_LENGTH)],
  );
};

const isAt = (span: Span, { file, line }: Place): boolean => span.file === file && span.line === line;

const spanLine = ({ span, isReplay }: Ordered, report: Report, run: RunReport): string => {
  const marks = run.findings.filter(({ at }) => isAt(span, at)).map(({ rule }) => rule);
  const columns = [
    marks.length === 0 ? ' ' : '>',
    `seq ${span.seq ?? '-'}`.padEnd(8),
    `iter ${span.iter ?? '-'}`.padEnd(8),
    excerpt(span.type === '' ? '(no type)' : span.type, DETAIL_LENGTH).padEnd(12),
    detailsOf(span).join(', '),
  ];
  const place = `${printable(report.files[span.file] ?? '')}:${span.line}`;
  const said = [isReplay ? 'replay, left out' : '', ...marks].filter((text) => text !== '');
  return `${columns.join(' ').trimEnd()} (${place})${said.length === 0 ? '' : ` <- ${said.join(', ')}`}\n`;
};

const findingLines = ({ rule, severity, message, evidence }: Finding, report: Report): string => {
  const shown = Object.entries(evidence).map(([key, value]) => `${key} ${excerpt(String(value), DETAIL_LENGTH)}`);
  const saw = shown.length === 0 ? '' : `\n    saw: ${shown.join(', ')}`;
  const described = ruleOf(report, rule);
  return `  ${severity} ${rule}: ${excerpt(message, MESSAGE_LENGTH)}${saw}\n    asks: ${described?.passing}\n    do: ${described?.action}\n`;
};

function* explanation(report: Report, run: RunReport, spans: readonly Ordered[]): Iterable<string> {
  yield `${printable(run.runId)}: ${run.verdict}${run.fails ? ', fails' : ''}; ${run.action}\n\n`;
  for (const ordered of spans) yield spanLine(ordered, report, run);
  yield `\n${run.findings.length === 0 ? 'No rule is broken.' : 'Broken:'}\n`;
  for (const finding of run.findings) yield findingLines(finding, report);
  if (run.unverifiable.length > 0) yield 'Not judged:\n';
  for (const { rule, because } of run.unverifiable) yield `  ${rule}: ${excerpt(because, MESSAGE_LENGTH)}\n`;
  yield `Spent: ${spentText(run.spent)}\n`;
  if (run.spentAfter !== undefined) yield `After the contract would have halted it: ${spentText(run.spentAfter)}\n`;
}

export interface ExplainStreams {
  readonly stdin: Stdin;
  readonly stdout: (text: string) => Promise<void>;
  readonly stderr: (text: string) => Promise<void>;
}

/** `terminal-contract explain RUN [files..]`: one run's timeline with what each rule saw in it. */
export const explain = async (
  runId: string,
  files: readonly string[],
  options: CheckOptions,
  streams: ExplainStreams,
): Promise<number> => {
  const inputs = await findInputs(files.length === 0 ? ['-'] : files, streams.stdin, () => '');
  const { report, spans } = await watchInputs(inputs, { ...options, watched: runId });
  const run = report.runs.find((candidate) => candidate.runId === runId);
  for (const text of unjudged(report)) await streams.stderr(text);
  if (run === undefined) {
    await streams.stderr(`terminal-contract: the trace holds no run ${excerpt(runId)}\n`);
    return EXIT.unjudged;
  }
  for (const text of explanation(report, run, spans)) await streams.stdout(text);
  const code = exitCodeOf(report);
  if (code === EXIT.unjudged) return code;
  return run.fails ? EXIT.broken : EXIT.kept;
};
