import type { PageData, PageFinding, PageRule, PageUnjudged } from '../page-data.js';
import { badge, element } from './dom.js';
import type { Entry } from './search.js';
import { timelineOf } from './timeline.js';

const listed = (pairs: readonly (readonly [string, string])[]): HTMLElement =>
  element(
    'dl',
    {},
    ...pairs
      .filter(([, text]) => text !== '')
      .map(([label, text]) => element('div', {}, element('dt', {}, label), element('dd', {}, text))),
  );

/** What a rule says of itself, to be opened. */
const rulePage = (id: string, rule: PageRule): HTMLElement =>
  element(
    'details',
    { class: 'rule' },
    element('summary', {}, `What ${id} asks`),
    listed([
      ['Passing means', rule.passing],
      ['Why', rule.why],
      ['What to do', `${rule.action}.`],
      ['Family', rule.family],
      ['Source', rule.source],
    ]),
  );

const ruleOf = ({ rules }: PageData, id: string): PageRule | undefined =>
  Object.hasOwn(rules, id) ? rules[id] : undefined;

const findingOf = ({ rule, severity, message, at, saw }: PageFinding, data: PageData): HTMLElement => {
  const { texts } = data;
  const id = texts[rule] ?? '';
  const described = ruleOf(data, id);
  const [file, line] = at;
  return element(
    'li',
    { class: `finding ${severity}` },
    element('p', {}, badge(severity, severity), ' ', element('strong', {}, id), ' ', texts[message] ?? ''),
    element('p', { class: 'place' }, element('code', {}, `${texts[file] ?? ''}:${line}`)),
    saw === 0 ? undefined : element('p', { class: 'saw' }, 'Saw: ', texts[saw] ?? ''),
    described && element('p', {}, element('b', {}, 'To do: '), `${described.action}.`),
    described && rulePage(id, described),
  );
};

const unjudgedOf = ({ rule, because, isRequired }: PageUnjudged, { texts }: PageData): HTMLElement =>
  element(
    'li',
    {},
    badge(isRequired ? 'error' : 'plain', isRequired ? 'required' : 'not judged'),
    ' ',
    element('strong', {}, texts[rule] ?? ''),
    ` ${texts[because] ?? ''}`,
  );

const section = (title: string, ...contents: readonly (Node | undefined)[]): HTMLElement =>
  element('section', {}, element('h3', {}, title), ...contents);

/** All that is known of a run. */
export const detailsOf = ({ run, verdict }: Entry, data: PageData): HTMLElement => {
  const action = data.verdicts.find(([name]) => name === verdict)?.[2] ?? '';
  const facts = run.facts.map(([label, text]) => [data.texts[label] ?? '', data.texts[text] ?? ''] as const);
  return element(
    'div',
    { class: 'opened' },
    element('p', { class: 'action' }, badge(run.result, verdict), ` ${action}`),
    run.timeline === null ? undefined : section('Timeline', timelineOf(run, run.timeline, data.texts)),
    section(
      'Findings',
      run.findings.length === 0
        ? element('p', {}, 'No rule is broken.')
        : element('ul', { class: 'findings' }, ...run.findings.map((finding) => findingOf(finding, data))),
    ),
    run.unjudged.length === 0
      ? undefined
      : section('Not judged', element('ul', {}, ...run.unjudged.map((each) => unjudgedOf(each, data)))),
    section('The run', listed(facts)),
  );
};
