import type { PageData } from '../page-data.js';
import { byId } from './dom.js';
import { showFilters } from './filters.js';
import { lastPage, pageOf, showList, showPages } from './list.js';
import { showRest } from './more.js';
import { entriesOf, find } from './search.js';
import { showTotals } from './totals.js';
import { EVERYTHING, hashOf, type View, viewIn } from './view.js';

const THEMES = ['system', 'light', 'dark'] as const;
const WORDS = { system: 'as the system', light: 'light', dark: 'dark' } as const;

const showTheme = (): void => {
  const button = byId('theme');
  let theme = 0;
  button.addEventListener('click', () => {
    theme = (theme + 1) % THEMES.length;
    const name = THEMES[theme] ?? 'system';
    document.documentElement.dataset['theme'] = name;
    button.textContent = `Theme: ${WORDS[name]}`;
  });
};

/** So long is nothing kept of a view that may change again. */
const KEEP_MS = 250;

const start = (): void => {
  // The page is written together with its data.
  const data = JSON.parse(byId('data').textContent ?? '') as PageData;
  const entries = entriesOf(data);
  let view: View = EVERYTHING;
  let found = entries;

  let waiting: number | undefined;
  /** Keeps the view in the address; browsers refuse to do that with every key that is typed. */
  const keep = (): void => {
    clearTimeout(waiting);
    waiting = setTimeout(() => history.replaceState(null, '', hashOf(view)), KEEP_MS);
  };
  const parts = {
    totals: showTotals(data, entries, change),
    filters: showFilters(data, entries, change),
    list: showList(data, change, (run) => {
      view = { ...view, run };
      keep();
    }),
    pages: showPages(change, () => view.page),
  };

  function look(asked: View): void {
    found = find(entries, asked);
    view = { ...asked, page: Math.min(asked.page, lastPage(found)) };
    parts.totals(view);
    parts.filters(view);
    parts.list(found, view);
    parts.pages(found, entries.length, view);
  }
  function change(part: Partial<View>): void {
    look({ ...view, page: 0, ...part });
    keep();
  }
  /** Goes where an address says; the page of a run that it names is found. */
  const follow = (): void => {
    const asked = viewIn(location.hash);
    if (asked === undefined) return;
    const page = asked.run === '' ? asked.page : pageOf(find(entries, asked), asked.run);
    look({ ...asked, page });
    if (asked.run !== '') queueMicrotask(() => document.querySelector('tr.open')?.scrollIntoView());
  };

  showRest(data);
  showTheme();
  look(view);
  follow();
  addEventListener('hashchange', follow);
};

start();
