import { describe, expect, test } from 'vitest';
import { exitCodeOf, type Report, render } from '../../src/index.js';
import { lines } from '../trace-words.js';
import { CASES, judged, ofAnyReport, wrongIn } from './reports.js';

interface Message {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
}

const LETTERS: ReadonlyMap<string, string> = new Map([
  ['n', '\n'],
  ['r', '\r'],
]);
// `##teamcity[name key='value' …]`: a value has no bare quote, bracket or bar, and nothing above ASCII.
const VALUE = String.raw`(?:[^|'\[\]\r\n\u0080-\uffff]|\|[|'\[\]nr]|\|0x[0-9a-f]{4})*`;
const MESSAGE = new RegExp(String.raw`^##teamcity\[([A-Za-z]+)((?: [A-Za-z]+='${VALUE}')*)\]$`);
const ATTRIBUTE = new RegExp(` ([A-Za-z]+)='(${VALUE})'`, 'g');

const unescaped = (escaped: string): string =>
  escaped.replace(/\|(?:0x([0-9a-f]{4})|(.))/g, (_, code: string | undefined, mark: string) =>
    code === undefined ? (LETTERS.get(mark) ?? mark) : String.fromCharCode(Number.parseInt(code, 16)),
  );

/** The messages of a report, each line by the grammar of TeamCity's documentation. */
const messagesOf = (report: Report): readonly Message[] => {
  const rendered = render(report, 'teamcity').split('\n');
  expect(rendered.pop()).toBe('');
  return rendered.map((line) => {
    const [, name, list = ''] = MESSAGE.exec(line) ?? [];
    if (name === undefined) throw new Error(`no message: ${line}`);
    return {
      name,
      attributes: new Map([...list.matchAll(ATTRIBUTE)].map(([, key = '', value = '']) => [key, unescaped(value)])),
    };
  });
};

const check = (report: Report): void => {
  const messages = messagesOf(report);
  const { errors, warnings, inputErrors, inputWarnings, doubts } = wrongIn(report);
  const inspections = messages.filter(({ name }) => name === 'inspection');
  const of = (severity: string) =>
    inspections.filter(({ attributes }) => attributes.get('SEVERITY') === severity).length;
  expect([of('ERROR'), of('WARNING'), of('INFO')]).toEqual([errors + inputErrors, warnings + inputWarnings, doubts]);
  const declared = messages
    .filter(({ name }) => name === 'inspectionType')
    .map(({ attributes }) => attributes.get('id'));
  expect(new Set(declared).size).toBe(declared.length);
  expect(new Set(inspections.map(({ attributes }) => attributes.get('typeId')))).toEqual(new Set(declared));
  expect(messages.filter(({ name }) => name === 'buildProblem').length).toBe(exitCodeOf(report) === 0 ? 0 : 1);
  for (const { name, attributes } of messages) {
    for (const [key, value] of attributes) {
      expect(value.length).toBeLessThanOrEqual(4000);
      if (key === 'id' || key === 'typeId' || key === 'category') expect(value.length).toBeLessThanOrEqual(255);
      if (key === 'identity') expect(value).toMatch(/^[\w-]{1,60}$/);
      expect(value, name).not.toMatch(/\p{Control}|\p{Surrogate}|\p{Bidi_Control}|##/u);
    }
  }
};

describe('service messages', () => {
  test.each(Object.keys(CASES))('of %s', async (name) => {
    check(await judged(...(CASES[name] ?? [[]])));
  });

  test('of whatever report', () => ofAnyReport(check));

  test('say what fails, where, and what to do', async () => {
    const report = await judged([["it's.jsonl", lines('start@0', 'a|é')]]);
    expect(render(report, 'teamcity')).toBe(
      [
        "##teamcity[inspectionType id='open-loop' name='open-loop' category='termination' description='The run has a terminal span.']",
        "##teamcity[inspection typeId='open-loop' message='run a|||0x00e9: no terminal span: nothing says that the loop stopped; " +
          "cap the run and page' file='it|'s.jsonl' line='1' SEVERITY='ERROR']",
        "##teamcity[buildProblem description='1 run, 1 span: 1 failed, 0 passed (open_loop 1)' identity='terminal-contract-broken']",
        "##teamcity[buildStatisticValue key='terminal-contract.runs' value='1']",
        "##teamcity[buildStatisticValue key='terminal-contract.failed' value='1']",
        "##teamcity[buildStatisticValue key='terminal-contract.unusableLines' value='0']",
        '',
      ].join('\n'),
    );
  });
});
