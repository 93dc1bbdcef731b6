import { type InputError, isWarning, type Report } from '../report.js';
import { RULES } from '../rules/index.js';
import type { RunReport } from '../verdict.js';
import { type Breach, breachesOf } from './breaches.js';
import { emptiness, rankedErrors } from './people.js';

/** One of those that are alike: where it is and what is said of it. */
export interface Told {
  /** Undefined where an input, not a run, is told. */
  readonly run: RunReport | undefined;
  /** Indexes the inputs of the report; undefined where nothing has a place. */
  readonly file: number | undefined;
  readonly line: number | undefined;
  readonly column: number | undefined;
  readonly message: string;
}

/** What fails or warns alike, by rule or by fault: how often, and each one when it is asked for. */
export interface Group {
  readonly severity: Breach['severity'];
  /** A rule, a verdict, or what keeps an input from being judged. */
  readonly id: string;
  readonly isInput: boolean;
  /** What to do; empty where the message says it. */
  readonly action: string;
  readonly count: number;
  told(nth: number): Told;
}

const NOTHING: Told = { run: undefined, file: undefined, line: undefined, column: undefined, message: '' };

/** Lists by key, in the order in which the keys come up. */
export const grouped = <T, K>(items: Iterable<T>, keyOf: (item: T) => K): ReadonlyMap<K, readonly T[]> => {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
};

const inputGroup = (severity: Breach['severity'], id: string, errors: readonly InputError[]): Group => ({
  severity,
  id,
  isInput: true,
  action: '',
  count: errors.length,
  told: (nth) => ({ ...NOTHING, ...errors[nth] }),
});

const inputGroups = (report: Report, severity: Breach['severity']): readonly Group[] => {
  const errors = rankedErrors(report.inputErrors).filter((error) => isWarning(error, report) === (severity === 'warn'));
  return [...grouped(errors, ({ code }) => code)].map(([code, alike]) => inputGroup(severity, code, alike));
};

const emptyGroups = (report: Report): readonly Group[] =>
  [...emptiness(report)].map((text) => ({
    severity: 'error',
    id: 'no-span',
    isInput: true,
    action: '',
    count: 1,
    told: () => ({ ...NOTHING, message: text.trimEnd() }),
  }));

type Kind = Pick<Breach, 'severity' | 'by' | 'id' | 'action'>;

/** Runs by what they break. Only their numbers are kept: a report holds many runs, and most of them are never told. */
const runsByKind = (report: Report): ReadonlyMap<Kind, readonly number[]> => {
  const kinds = new Map<string, { readonly kind: Kind; readonly runs: number[] }>();
  for (const [number, run] of report.runs.entries()) {
    for (const { severity, by, id, action } of breachesOf(report, run)) {
      const key = `${severity} ${by} ${id}`;
      const known = kinds.get(key);
      if (known === undefined) kinds.set(key, { kind: { severity, by, id, action }, runs: [number] });
      else known.runs.push(number);
    }
  }
  return new Map([...kinds.values()].map(({ kind, runs }) => [kind, runs]));
};

const isOf =
  ({ severity, by, id }: Kind) =>
  (breach: Breach): boolean =>
    breach.severity === severity && breach.by === by && breach.id === id;

const breachGroup = (report: Report, kind: Kind, runs: readonly number[]): Group => ({
  severity: kind.severity,
  id: kind.id,
  isInput: false,
  action: kind.action,
  count: runs.length,
  told(nth) {
    const run = report.runs[runs[nth] ?? -1];
    const breach = run && breachesOf(report, run).find(isOf(kind));
    if (breach === undefined) return NOTHING;
    const { at, message } = breach;
    return { run, file: at.file, line: at.line, column: undefined, message };
  },
});

const breachGroups = (report: Report): readonly Group[] => {
  const ids: readonly string[] = [...RULES, ...report.customRules].map(({ id }) => id);
  // A reason that the contract fails is no rule, and comes first.
  const rankOf = ({ id }: Group): number => ids.indexOf(id);
  return [...runsByKind(report)]
    .map(([kind, runs]) => breachGroup(report, kind, runs))
    .toSorted((left, right) => rankOf(left) - rankOf(right));
};

/** All that is wrong, the worst first: what keeps the trace from being judged, what fails runs, what warns. */
export const groupsOf = (report: Report): readonly Group[] => {
  const breaches = breachGroups(report);
  return [
    ...inputGroups(report, 'error'),
    ...emptyGroups(report),
    ...breaches.filter(({ severity }) => severity === 'error'),
    ...breaches.filter(({ severity }) => severity === 'warn'),
    ...inputGroups(report, 'warn'),
  ];
};

/** The first of each group, then the second of each, and so on: a few of them show all that is wrong. */
export function* inTurn(groups: readonly Group[]): Iterable<{ readonly group: Group; readonly nth: number }> {
  let open = groups;
  for (let nth = 0; open.length > 0; nth += 1) {
    for (const group of open) yield { group, nth };
    open = open.filter(({ count }) => count > nth + 1);
  }
}

export const countOf = (groups: readonly Group[]): number => groups.reduce((sum, { count }) => sum + count, 0);
