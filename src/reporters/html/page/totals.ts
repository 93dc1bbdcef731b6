import { type PageData, RESULTS } from '../page-data.js';
import { badge, byId, element, grouped } from './dom.js';
import type { Entry } from './search.js';
import type { View } from './view.js';

type Show = (change: Partial<View>) => void;
type Choice = 'result' | 'verdict' | 'rule';

/** A button that asks for what it counts, and gives it up when it is pressed again. */
interface Toggle {
  readonly button: HTMLButtonElement;
  readonly choice: Choice;
  readonly value: string;
}

const RULES_SHOWN = 8;

/** How many runs break each rule, and whether any of them fails by it; the most first. */
const byRule = (entries: readonly Entry[], texts: readonly string[]) => {
  const counts = new Map<string, { runs: number; isError: boolean }>();
  for (const { run, rules } of entries) {
    for (const rule of rules) {
      const count = counts.get(rule) ?? { runs: 0, isError: false };
      count.runs += 1;
      count.isError ||= run.findings.some((finding) => finding.severity === 'error' && texts[finding.rule] === rule);
      counts.set(rule, count);
    }
  }
  return [...counts].sort(([, left], [, right]) => right.runs - left.runs);
};

const bar = (kind: string, share: number): HTMLElement => {
  const made = element('span', { class: `bar ${kind}`, 'aria-hidden': 'true' });
  made.style.setProperty('--share', String(share));
  return made;
};

const RESULT_WORDS = { failed: 'failed', inconclusive: 'inconclusive', passed: 'passed' } as const;

/** Totals by result, verdict and rule, each a button; returns what shows which of them a view has chosen. */
export const showTotals = (data: PageData, entries: readonly Entry[], show: Show): ((view: View) => void) => {
  const toggles: Toggle[] = [];
  const toggle = (choice: Choice, value: string, name: string, ...children: (Node | string)[]): HTMLButtonElement => {
    const button = element('button', { type: 'button', class: name, 'aria-pressed': 'false' }, ...children);
    button.addEventListener('click', () =>
      show({ [choice]: button.getAttribute('aria-pressed') === 'true' ? '' : value }),
    );
    toggles.push({ button, choice, value });
    return button;
  };
  const tiles = RESULTS.filter((result) => result !== 'inconclusive' || data.results[result] > 0).map((result) =>
    toggle(
      'result',
      result,
      `tile ${result}`,
      element('strong', {}, grouped(data.results[result])),
      ' ',
      RESULT_WORDS[result],
    ),
  );
  const failing = new Set(entries.filter(({ run }) => run.result === 'failed').map(({ verdict }) => verdict));
  const most = Math.max(1, ...data.verdicts.map(([, runs]) => runs));
  const verdicts = data.verdicts.map(([verdict, runs, action]) => {
    const kind = failing.has(verdict) ? 'failed' : 'passed';
    const parts = [
      bar(kind, runs / most),
      element('code', {}, verdict),
      element('em', {}, action),
      element('span', {}, grouped(runs)),
    ];
    return element('li', {}, toggle('verdict', verdict, 'row', ...parts));
  });
  const rules = byRule(entries, data.texts);
  const mostByRule = Math.max(1, ...rules.map(([, { runs }]) => runs));
  const rows = rules.map(([rule, { runs, isError }]) => {
    const kind = isError ? 'error' : 'warn';
    const parts = [
      bar(kind, runs / mostByRule),
      element('code', {}, rule),
      badge(kind, kind),
      element('span', {}, grouped(runs)),
    ];
    return element('li', {}, toggle('rule', rule, 'row', ...parts));
  });
  const rest = rows.slice(RULES_SHOWN);
  byId('totals').append(
    element('div', { class: 'tiles' }, ...tiles),
    element('div', { class: 'card' }, element('h2', {}, 'By verdict'), element('ul', {}, ...verdicts)),
    element(
      'div',
      { class: 'card' },
      element('h2', {}, 'By rule, in runs'),
      rows.length === 0 ? element('p', {}, 'No rule is broken.') : element('ul', {}, ...rows.slice(0, RULES_SHOWN)),
      rest.length === 0
        ? undefined
        : element('details', {}, element('summary', {}, `${rest.length} more rules`), element('ul', {}, ...rest)),
    ),
  );
  return (view) => {
    for (const { button, choice, value } of toggles)
      button.setAttribute('aria-pressed', String(view[choice] === value));
  };
};
