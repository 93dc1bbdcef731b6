import type { Report } from '../report.js';
import { cut, excerpt, printable } from '../text.js';
import { doubtsOf } from './breaches.js';
import { countOf, type Group, groupsOf, inTurn } from './groups.js';
import { counts, MESSAGE_LENGTH, placeText, plural, remarks } from './people.js';
import { defineReporter } from './reporter.js';

/** GitHub shows as many annotations of each kind of one step. */
const SHOWN = 10;
/** It cuts messages at 4096 characters without a word. */
const NOTICE_LENGTH = 3500;
const LINE_LENGTH = 500;

const encode = (character: string): string => `%${character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`;
const data = (text: string): string => text.replace(/[%\r\n]/g, encode);
const property = (text: string): string => text.replace(/[%\r\n:,]/g, encode);

type Level = 'error' | 'warning' | 'notice';
const command = (level: Level, properties: Readonly<Record<string, string | number | undefined>>, message: string) => {
  const said = Object.entries(properties).filter(([, value]) => value !== undefined);
  const list = said.map(([name, value]) => `${name}=${property(String(value))}`).join(',');
  return `::${level} ${list}::${data(message)}\n`;
};

/** Standard input and traces without a file have names like `<stdin>`. */
const isFile = (name: string | undefined): name is string => name !== undefined && !/^<.*>$/.test(name);

const annotation = (report: Report, level: Level, group: Group, nth: number): string => {
  const { run, file, line, column, message } = group.told(nth);
  const name = file === undefined ? undefined : report.files[file];
  const path = isFile(name) ? printable(name) : undefined;
  const place =
    path === undefined && file !== undefined && line !== undefined ? placeText(report.files, { file, line }) : '';
  const parts = [place, run === undefined ? '' : `run ${excerpt(run.runId)}`, excerpt(message, MESSAGE_LENGTH)];
  const title = group.count === 1 ? group.id : `${group.id} (${nth + 1} of ${group.count})`;
  const text = parts.filter((part) => part !== '').join(': ');
  const action = group.action === '' ? '' : `; ${cut(printable(group.action), LINE_LENGTH)}`;
  return command(level, { file: path, line, col: column, title }, `${text}${action}`);
};

function* annotations(report: Report, level: Level, groups: readonly Group[]): Iterable<string> {
  let shown = 0;
  for (const { group, nth } of inTurn(groups)) {
    if (shown === SHOWN) return;
    shown += 1;
    yield annotation(report, level, group, nth);
  }
}

const leftOut = (errors: readonly Group[], warnings: readonly Group[]): string => {
  const parts = [[countOf(errors) - SHOWN, 'error'] as const, [countOf(warnings) - SHOWN, 'warning'] as const].flatMap(
    ([left, word]) => (left > 0 ? [plural(left, word)] : []),
  );
  return parts.length === 0 ? '' : `left out: ${parts.join(' and ')}; --format markdown and json say more\n`;
};

function* saidBeside(report: Report): Iterable<string> {
  yield* remarks(report);
  for (const { rule, runs, because } of doubtsOf(report))
    yield `not judged: ${rule} in ${plural(runs, 'run')}: ${excerpt(because, MESSAGE_LENGTH)}\n`;
}

/** The counts, what is left out, and what there is to say beside, as far as one annotation takes it. */
const notice = (report: Report, errors: readonly Group[], warnings: readonly Group[]): string => {
  let text = `${cut(counts(report).trimEnd(), LINE_LENGTH)}\n${leftOut(errors, warnings)}`;
  let left = 0;
  for (const said of saidBeside(report)) {
    const line = `${cut(said.trimEnd(), LINE_LENGTH)}\n`;
    if (left > 0 || text.length + line.length > NOTICE_LENGTH) left += 1;
    else text += line;
  }
  return left === 0 ? text : `${text}left out: ${plural(left, 'remark')}\n`;
};

export const github = defineReporter({
  id: 'github',
  description: 'annotations of GitHub Actions, the worst first and as many as a step may have',
  *render(report) {
    const groups = groupsOf(report);
    const errors = groups.filter(({ severity }) => severity === 'error');
    const warnings = groups.filter(({ severity }) => severity === 'warn');
    yield* annotations(report, 'error', errors);
    yield* annotations(report, 'warning', warnings);
    yield command('notice', { title: 'terminal-contract' }, notice(report, errors, warnings).trimEnd());
  },
});
