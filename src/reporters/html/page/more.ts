import type { PageData } from '../page-data.js';
import { byId, element } from './dom.js';

const lines = (texts: readonly string[]): HTMLElement =>
  element('ul', { class: 'lines' }, ...texts.map((text) => element('li', {}, element('code', {}, text))));

const folded = (title: string, isOpen: boolean, contents: HTMLElement): HTMLElement =>
  element('details', { class: 'card', open: isOpen }, element('summary', {}, element('h2', {}, title)), contents);

/** What stands around the runs: the headline, what is missing, and what the runs were held to. */
export const showRest = ({ headline, subline, warnings, faults, notes, contract }: PageData): void => {
  byId('headline').textContent = headline;
  byId('subline').textContent = subline;
  byId('warnings').append(...warnings.map((text) => element('p', { class: 'warning' }, text)));
  const more = byId('more');
  if (faults.length > 0) more.append(folded('What could not be judged', true, lines(faults)));
  if (notes.length > 0) more.append(folded('What was read', false, lines(notes)));
  const rows = contract.map(([field, value, source]) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, element('code', {}, field)),
      element('td', {}, element('code', {}, value)),
      element('td', {}, source),
    ),
  );
  const head = ['Field', 'Value', 'Who decided it'].map((title) => element('th', { scope: 'col' }, title));
  const table = element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...rows));
  more.append(folded('The contract', false, element('div', { class: 'wide' }, table)));
};
