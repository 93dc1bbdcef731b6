import type { PageData } from '../page-data.js';
import { detailsOf } from './details.js';
import { badge, byId, duration, element, grouped } from './dom.js';
import type { Entry } from './search.js';
import { stripOf } from './strip.js';
import type { Order, View } from './view.js';

type Show = (change: Partial<View>) => void;

/** Runs that stand on a page of the list. */
const PAGE_SIZE = 50;
/** Rules that a row names. */
const RULES_NAMED = 3;

const COLUMNS: readonly (readonly [title: string, order: Order | undefined, name: string])[] = [
  ['Run', 'id', ''],
  ['Verdict', 'worst', 'verdict'],
  ['Breaks', undefined, 'rules'],
  ['Timeline', undefined, 'strip'],
  ['Iterations', 'iter', 'number'],
  ['Spans', 'spans', 'number'],
  ['Tokens', 'tokens', 'number'],
  ['Time', 'seconds', 'number'],
];

const rulesCell = ({ run, rules }: Entry, texts: readonly string[]): HTMLElement => {
  const named = rules.slice(0, RULES_NAMED).map((rule) => {
    const isError = run.findings.some((finding) => texts[finding.rule] === rule && finding.severity === 'error');
    return badge(isError ? 'error' : 'warn', rule);
  });
  const more = rules.length - named.length;
  return element('td', { class: 'rules' }, ...named, more > 0 ? badge('plain', `+${more}`) : undefined);
};

const rowOf = (entry: Entry, texts: readonly string[], place: number): HTMLTableRowElement => {
  const { run, verdict } = entry;
  const opener = element(
    'button',
    { type: 'button', class: 'opener', 'aria-expanded': 'false', 'aria-controls': `run-${place}` },
    run.id,
  );
  const numbers = [grouped(run.iter), grouped(run.spans), run.tokens === 0 ? '–' : grouped(run.tokens)];
  return element(
    'tr',
    { class: `run ${run.result}` },
    element('th', { scope: 'row' }, opener),
    element('td', {}, badge(run.result, verdict)),
    rulesCell(entry, texts),
    element('td', { class: 'strip' }, run.timeline === null ? undefined : stripOf(run.timeline)),
    ...[...numbers, duration(run.seconds)].map((text) => element('td', { class: 'number' }, text)),
  );
};

const orderButton = (title: string, order: Order, show: Show): HTMLButtonElement => {
  const button = element('button', { type: 'button', class: 'order' }, title);
  button.addEventListener('click', () => show({ order }));
  return button;
};

/** The list of runs, a page of it at a time; returns what shows the runs that were found. */
export const showList = (data: PageData, show: Show, opened: (run: string) => void) => {
  const heads = COLUMNS.map(([title, order, name]) => ({
    order,
    head: element('th', { scope: 'col', class: name }, order === undefined ? title : orderButton(title, order, show)),
  }));
  const body = element('tbody');
  byId('list').append(
    element(
      'table',
      {},
      element('caption', { class: 'unseen' }, 'Runs; the name of a run opens what is known of it'),
      element('thead', {}, element('tr', {}, ...heads.map(({ head }) => head))),
      body,
    ),
  );

  const close = (row: HTMLTableRowElement, opener: Element | null): void => {
    opener?.setAttribute('aria-expanded', 'false');
    row.classList.remove('open');
    if (row.nextElementSibling?.classList.contains('details') === true) row.nextElementSibling.remove();
  };
  const toggle = (row: HTMLTableRowElement, entry: Entry, place: number): void => {
    const opener = row.querySelector('.opener');
    if (row.classList.contains('open')) {
      close(row, opener);
      opened('');
      return;
    }
    opener?.setAttribute('aria-expanded', 'true');
    row.classList.add('open');
    const cell = element('td', { colspan: COLUMNS.length }, detailsOf(entry, data));
    row.after(element('tr', { class: 'details', id: `run-${place}` }, cell));
    opened(entry.run.id);
  };
  const rowsOf = (found: readonly Entry[], from: number, view: View): readonly HTMLTableRowElement[] =>
    found.slice(from, from + PAGE_SIZE).map((entry, index) => {
      const row = rowOf(entry, data.texts, from + index);
      row.addEventListener('click', ({ target }) => {
        // Whoever marks the text of a row does not want to open it.
        if (target instanceof Element && (target.closest('.opener') !== null || getSelection()?.isCollapsed === true))
          toggle(row, entry, from + index);
      });
      if (entry.run.id === view.run) queueMicrotask(() => toggle(row, entry, from + index));
      return row;
    });

  return (found: readonly Entry[], view: View): void => {
    for (const { order, head } of heads) {
      if (order === undefined) continue;
      if (order === view.order) head.setAttribute('aria-sort', order === 'id' ? 'ascending' : 'descending');
      else head.removeAttribute('aria-sort');
    }
    body.replaceChildren(...rowsOf(found, view.page * PAGE_SIZE, view));
  };
};

export const lastPage = (found: readonly Entry[]): number => Math.max(0, Math.ceil(found.length / PAGE_SIZE) - 1);
export const pageOf = (found: readonly Entry[], run: string): number =>
  Math.max(0, Math.floor(found.findIndex((entry) => entry.run.id === run) / PAGE_SIZE));

/** What of the runs is shown, and the way to the rest; returns what shows it. */
export const showPages = (show: Show, pageNow: () => number) => {
  const step = (title: string, by: number): HTMLButtonElement => {
    const button = element('button', { type: 'button' }, title);
    button.addEventListener('click', () => {
      if (button.getAttribute('aria-disabled') !== 'true') show({ page: pageNow() + by });
    });
    return button;
  };
  const [back, on, where] = [step('Previous', -1), step('Next', 1), element('span')];
  byId('pages').append(back, where, on);
  return (found: readonly Entry[], all: number, { page }: View): void => {
    const [from, to] = [page * PAGE_SIZE, Math.min(found.length, (page + 1) * PAGE_SIZE)];
    const shown = found.length === all ? `${grouped(all)} runs` : `${grouped(found.length)} of ${grouped(all)} runs`;
    byId('found').textContent = found.length === 0 ? `no run of ${grouped(all)} matches` : shown;
    where.textContent = found.length === 0 ? '' : `${grouped(from + 1)} – ${grouped(to)} of ${grouped(found.length)}`;
    back.setAttribute('aria-disabled', String(page === 0));
    on.setAttribute('aria-disabled', String(to >= found.length));
    byId('pages').hidden = found.length <= PAGE_SIZE;
  };
};
