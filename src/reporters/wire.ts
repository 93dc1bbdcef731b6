import { FIELD_NAMES, wireName } from '../contract.js';
import type { InputError, Report } from '../report.js';
import type { WireHead, WireInputError, WireReport, WireRun } from '../report-schema.js';
import type { Place, Spent, Terminal } from '../run.js';
import type { Finding, RunReport } from '../verdict.js';

type Files = readonly string[];

const placeOf = (files: Files, { file, line, seq }: Place) => ({ file: files[file] ?? '', line, seq: seq ?? null });

const spentOf = (spent: Spent): WireRun['spent'] => ({
  calls: spent.calls,
  iterations: spent.iterations,
  tokens: { in: spent.tokensIn, cached: spent.tokensCached, out: spent.tokensOut, aux: spent.tokensAux },
  seconds: spent.seconds ?? null,
});

const terminalOf = (files: Files, terminal: Terminal): NonNullable<WireRun['terminal']> => ({
  ...placeOf(files, terminal.place),
  reason: terminal.reason ?? null,
  status: terminal.status ?? null,
  claim: terminal.claim ?? null,
  successor_run: terminal.successorRun ?? null,
  detail: terminal.detail ?? null,
  inferred: terminal.isInferred,
});

const findingOf = (files: Files, { rule, severity, message, at, evidence }: Finding): WireRun['findings'][number] => ({
  rule,
  severity,
  message,
  ...placeOf(files, at),
  span_id: at.spanId ?? null,
  evidence: { ...evidence },
});

/** A run report by its wire names. */
export const wireRun = (files: Files, run: RunReport): WireRun => ({
  run_id: run.runId,
  verdict: run.verdict,
  fails: run.fails,
  inconclusive: run.isInconclusive,
  action: run.action,
  iter: run.iter,
  spans: run.spans,
  first: placeOf(files, run.first),
  last: placeOf(files, run.last),
  terminal: run.terminal === undefined ? null : terminalOf(files, run.terminal),
  findings: run.findings.map((finding) => findingOf(files, finding)),
  unverifiable: run.unverifiable.map(({ rule }) => rule),
  unverifiable_because: Object.fromEntries(run.unverifiable.map(({ rule, because }) => [rule, because])),
  spent: spentOf(run.spent),
  spent_after: run.spentAfter === undefined ? null : spentOf(run.spentAfter),
});

export const wireInputError = (files: Files, error: InputError): WireInputError => ({
  file: files[error.file] ?? '',
  line: error.line ?? null,
  column: error.column ?? null,
  code: error.code,
  message: error.message,
});

const wireContract = ({ contract }: Report): WireReport['contract'] => ({
  ...Object.fromEntries(FIELD_NAMES.map((name) => [wireName(name), contract[name] ?? null])),
  partial: contract.isPartial,
  rules: Object.fromEntries([...contract.rules].map(([id, { severity }]) => [id, severity])),
  sources: Object.fromEntries(FIELD_NAMES.map((name) => [wireName(name), contract.sources[name]])),
});

/** All of a report but its runs and input errors. */
export const wireHead = (report: Report): WireHead => {
  const { summary } = report;
  return {
    version: 1,
    profile: report.profile,
    contract: wireContract(report),
    summary: {
      runs: summary.runs,
      spans: summary.spans,
      passed: summary.passed,
      failed: summary.failed,
      inconclusive: summary.inconclusive,
      unusable_lines: summary.unusableLines,
      by_verdict: Object.fromEntries(summary.byVerdict),
      by_rule: Object.fromEntries(summary.byRule),
    },
    translated: report.translated.map(({ file, format, records, runs, notUnderstood }) => ({
      file: report.files[file] ?? '',
      format,
      records,
      runs,
      not_understood: Object.fromEntries(notUnderstood),
    })),
    skipped_files: report.skippedFiles,
    outside_runs: report.outsideRuns,
    timeless_runs: report.timelessRuns,
    truncated: report.isTruncated,
  };
};
