import { readFile, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { type CheckOptions, checkInputs } from '../check.js';
import { findInputs, type Given, type Input, isMissing, isNoFile, type Stdin } from '../input.js';
import { EXIT, isInputFault, type Report } from '../report.js';
import { tsv } from '../reporters/tsv.js';
import { RULES, type RuleId } from '../rules/index.js';
import { compareCodePoints, printable } from '../text.js';
import { writeFile } from './check.js';
import { changesOf, type LineChange } from './line-changes.js';
import type { GateRequest } from './request.js';

const EXPECTED = '.verdicts.tsv';
const PACKED = /\.(?:gz|zst|br)$/;
const ENDING = /\.[^./\\]+$/;
const SHOWN_CHANGES = 20;

/** Where the verdicts stand that a trace is expected to have: `case.jsonl` has `case.verdicts.tsv` beside it. */
export const expectationOf = (path: string): string => path.replace(PACKED, '').replace(ENDING, '') + EXPECTED;

/** The verdict of each run, and what is unusable: what a trace is held to. */
const verdictLines = (report: Report): string => {
  const faults = report.inputErrors.map(
    ({ line, code }) => `# ${line === undefined ? code : `line ${line}: ${code}`}\n`,
  );
  return [...tsv.render(report), ...faults].join('');
};

/** A trace, and what it is expected to be. */
interface Case {
  readonly path: string;
  readonly expectation: string;
  readonly expected: string | undefined;
  readonly found: string;
}

const readExpectation = async (path: string): Promise<string | undefined> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
};

export interface GateStreams {
  readonly stdin: Stdin;
  readonly stdout: (text: string) => Promise<void>;
}

type OptionsIn = (folder: string) => Promise<CheckOptions>;

/** What is judged of the files, and what cannot be. */
const judgeAll = async (given: readonly Given[], optionsIn: OptionsIn) => {
  const reports = new Map<string, Report>();
  const faults: string[] = [];
  /** Judges a file; false where it looks like no trace. */
  const judge = async (input: Input): Promise<boolean> => {
    const report = await checkInputs([input], await optionsIn(dirname(input.name)));
    if (report.skippedFiles > 0) return false;
    if (report.inputErrors.some(({ code }) => isInputFault(code)))
      faults.push(`${input.name}: ${report.inputErrors.map(({ message }) => message).join('; ')}`);
    else reports.set(input.name, report);
    return true;
  };
  const strange: Input[] = [];
  for (const input of given) {
    if (isMissing(input)) faults.push(`${input.name}: ${input.because}`);
    else if (!isNoFile(input) && !input.name.endsWith(EXPECTED) && !(await judge(input))) strange.push(input);
  }
  // What looks like no trace is one all the same where somebody expects verdicts of it, and no other file has them.
  const claimed = new Set([...reports.keys()].map(expectationOf));
  let others = 0;
  for (const input of strange) {
    const expectation = expectationOf(input.name);
    if (claimed.has(expectation) || (await readExpectation(expectation)) === undefined) others += 1;
    else await judge({ ...input, isFound: false });
  }
  return { reports, faults, others };
};

const casesOf = async (reports: ReadonlyMap<string, Report>): Promise<readonly Case[]> => {
  const cases: Case[] = [];
  for (const [path, report] of reports) {
    const expectation = expectationOf(path);
    cases.push({ path, expectation, expected: await readExpectation(expectation), found: verdictLines(report) });
  }
  return cases;
};

/** Rules that are in force for some of the traces, and that none of them breaks. */
const unbroken = (reports: Iterable<Report>): readonly RuleId[] => {
  const inForce = new Set<RuleId>();
  const broken = new Set<RuleId>();
  for (const { contract, customRules, summary } of reports) {
    for (const { id, severity } of [...RULES, ...customRules]) {
      if ((contract.rules.get(id)?.severity ?? severity[contract.profile]) !== 'off') inForce.add(id);
    }
    for (const id of summary.byRule.keys()) broken.add(id);
  }
  return [...inForce].filter((id) => !broken.has(id));
};

const shownLine = ({ sign, line }: LineChange): string => `  ${sign} ${line.split('\t').map(printable).join('\t')}\n`;

function* changeText({ path, expectation, expected, found }: Case): Iterable<string> {
  if (expected === undefined) {
    yield `${printable(path)}: nothing says what it should be; look at its verdicts, and write ${printable(expectation)} with --update\n`;
  } else {
    yield `${printable(path)}: its verdicts have changed (- expected, + found)\n`;
  }
  const changes = changesOf(expected ?? '', found);
  for (const change of changes.slice(0, SHOWN_CHANGES)) yield shownLine(change);
  if (changes.length > SHOWN_CHANGES) yield `  … and ${changes.length - SHOWN_CHANGES} more lines\n`;
}

const counted = (count: number, one: string, many: string): string => `${count} ${count === 1 ? one : many}`;

/** Expectations whose traces are gone. */
const staleOf = (given: readonly Given[], cases: readonly Case[]): readonly string[] => {
  const used = new Set(cases.map(({ expectation }) => expectation));
  return given.map(({ name }) => name).filter((name) => name.endsWith(EXPECTED) && !used.has(name));
};

/** Two traces whose verdicts would stand in one file. */
const doubles = (cases: readonly Case[]): readonly string[] => {
  const first = new Map<string, string>();
  return cases.flatMap(({ path, expectation }) => {
    const other = first.get(expectation);
    if (other === undefined) first.set(expectation, path);
    return other === undefined ? [] : [`${path}: ${other} has the same ${expectation}; give one of them another name`];
  });
};

const summaryText = (cases: readonly Case[], changed: readonly Case[], stale: readonly string[], others: number) => {
  const missing = changed.filter(({ expected }) => expected === undefined).length;
  const parts = [
    `${cases.length - changed.length} as expected`,
    changed.length > missing && `${changed.length - missing} changed`,
    missing > 0 && `${missing} of which nothing is expected`,
    stale.length > 0 && counted(stale.length, 'expectation without its trace', 'expectations without their traces'),
  ].filter((part) => part !== false);
  const beside = others === 0 ? '' : `; ${counted(others, 'other file is', 'other files are')} no trace`;
  return `${counted(cases.length, 'trace', 'traces')}: ${parts.join(', ')}${beside}\n`;
};

/** `terminal-contract gate [files..]`: whether every trace has the verdicts that stand beside it. */
export const gate = async (
  { files, isUpdate }: Pick<GateRequest, 'files' | 'isUpdate'>,
  optionsIn: OptionsIn,
  { stdin, stdout }: GateStreams,
): Promise<number> => {
  const given = await findInputs(files, stdin, () => '');
  const { reports, faults, others } = await judgeAll(given, optionsIn);
  const cases = (await casesOf(reports)).toSorted((left, right) => compareCodePoints(left.path, right.path));
  const changed = cases.filter(({ expected, found }) => expected !== found);
  const stale = staleOf(given, cases);
  const problems = [...faults, ...doubles(cases)];
  if (cases.length === 0) problems.push('no trace was found: nothing is held to anything');
  for (const problem of problems) await stdout(`${printable(problem)}\n`);
  for (const each of changed) for (const text of changeText(each)) await stdout(text);
  for (const path of stale) await stdout(`${printable(path)}: the trace that it was written for is gone\n`);
  await stdout(summaryText(cases, changed, stale, others));
  const never = unbroken(reports.values());
  if (cases.length > 0 && never.length > 0) await stdout(`no trace breaks: ${never.join(', ')}\n`);
  if (problems.length > 0) return EXIT.unjudged;
  if (!isUpdate) return changed.length + stale.length > 0 ? EXIT.broken : EXIT.kept;
  for (const { expectation, found } of changed) await writeFile(expectation, [found]);
  for (const path of stale) await unlink(path);
  await stdout(`wrote ${changed.length}, removed ${stale.length}\n`);
  return EXIT.kept;
};
