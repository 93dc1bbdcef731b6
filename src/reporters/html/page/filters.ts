import { type PageData, RESULTS } from '../page-data.js';
import { byId, element } from './dom.js';
import type { Entry } from './search.js';
import { EVERYTHING, type View } from './view.js';

type Show = (change: Partial<View>) => void;
type Choice = 'result' | 'verdict' | 'rule' | 'file';

/** Files that are listed; the others are found by their names. */
const FILES_SHOWN = 500;

const counted = (entries: readonly Entry[], of: (entry: Entry) => readonly string[]): readonly string[] => {
  const counts = new Map<string, number>();
  for (const entry of entries) for (const name of of(entry)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([, left], [, right]) => right - left).map(([name]) => name);
};

const choiceOf = (label: string, every: string, values: readonly string[]) => {
  const select = element('select', {}, element('option', { value: '' }, every));
  for (const value of values.slice(0, FILES_SHOWN)) select.append(element('option', { value }, value));
  const left = values.length - FILES_SHOWN;
  if (left > 0) select.append(element('option', { disabled: true }, `… and ${left} more: search for their names`));
  return { select, label: element('label', {}, element('span', {}, label), select) };
};

/** The search and the filters; returns what shows a view in them. */
export const showFilters = (data: PageData, entries: readonly Entry[], show: Show): ((view: View) => void) => {
  const search = element('input', { type: 'search', spellcheck: 'false', placeholder: 'run, rule, file, message' });
  const lists: Readonly<Record<Choice, ReturnType<typeof choiceOf>>> = {
    result: choiceOf('Result', 'every result', RESULTS),
    verdict: choiceOf(
      'Verdict',
      'every verdict',
      data.verdicts.map(([verdict]) => verdict),
    ),
    rule: choiceOf(
      'Rule',
      'every rule',
      counted(entries, ({ rules }) => rules),
    ),
    file: choiceOf(
      'File',
      'every file',
      counted(entries, ({ files }) => files),
    ),
  };
  const choices = Object.entries(lists) as [Choice, ReturnType<typeof choiceOf>][];
  const clear = element('button', { type: 'button' }, 'Show all');
  search.addEventListener('input', () => show({ query: search.value }));
  for (const [choice, { select }] of choices) {
    select.addEventListener('change', () => show({ [choice]: select.value }));
  }
  clear.addEventListener('click', () => show({ ...EVERYTHING }));
  const form = byId('filters');
  form.addEventListener('submit', (event) => event.preventDefault());
  form.append(
    element('label', { class: 'search' }, element('span', {}, 'Search'), search),
    ...choices.map(([, { label }]) => label),
    clear,
  );
  return (view) => {
    if (search.value !== view.query) search.value = view.query;
    for (const [choice, { select }] of choices) {
      if (select.value === view[choice]) continue;
      select.value = view[choice];
      // A file that the list does not hold.
      if (select.selectedIndex < 0) {
        select.append(element('option', { value: view[choice] }, view[choice]));
        select.value = view[choice];
      }
    }
  };
};
