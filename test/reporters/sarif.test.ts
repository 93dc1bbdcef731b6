import { describe, expect, test } from 'vitest';
import { exitCodeOf, type Report, RULES, render } from '../../src/index.js';
import { lines } from '../trace-words.js';
import { CASES, judged, ofAnyReport, wrongIn } from './reports.js';
import { parseSarif, type Sarif } from './sarif-schema.js';

const runOf = (report: Report): Sarif['runs'][0] => parseSarif(render(report, 'sarif')).runs[0];

// A viewer makes a link of the one, and looks for an argument for the other.
const LINK = /\[[^\]]*\]\(|\{\d+\}/;

const check = (report: Report): void => {
  const { tool, invocations, results } = runOf(report);
  const { errors, warnings, inputErrors, inputWarnings, empty, doubts } = wrongIn(report);
  expect(results.filter(({ level }) => level === 'error').length).toBe(errors);
  expect(results.filter(({ level }) => level === 'warning').length).toBe(warnings);
  expect(results.length).toBe(errors + warnings);
  const levels = results.map(({ level }) => level);
  expect(levels).toEqual(levels.toSorted());
  const { rules } = tool.driver;
  expect(new Set(rules.map(({ id }) => id)).size).toBe(rules.length);
  for (const { ruleId, ruleIndex } of results) expect(rules[ruleIndex]?.id).toBe(ruleId);
  const [{ exitCode, executionSuccessful, toolExecutionNotifications: notes }] = invocations;
  expect([exitCode, executionSuccessful]).toEqual([exitCodeOf(report), exitCodeOf(report) < 2]);
  const noted = (level: string) => notes.filter((note) => note.level === level).length;
  expect([noted('error'), noted('warning')]).toEqual([inputErrors + empty, inputWarnings]);
  expect(notes.filter(({ descriptor }) => descriptor.id === 'not-judged').length).toBe(doubts);
  for (const { message } of [...results, ...notes]) {
    expect(message.text).not.toMatch(/\p{Control}|\p{Surrogate}|\p{Bidi_Control}/u);
    expect(message.text).not.toMatch(LINK);
  }
  for (const { locations } of [...results, ...notes]) {
    for (const { physicalLocation } of locations ?? []) {
      expect(physicalLocation.artifactLocation.uri).toMatch(/^(?:file:\/\/\/)?[\w\-.!~*'()/%]*$/);
    }
  }
};

const uriFor = async (name: string): Promise<string | undefined> =>
  runOf(await judged([[name, lines('start@0', 'r')]])).results[0]?.locations[0]?.physicalLocation.artifactLocation.uri;

const FAILS = 'start@0 tool@1:a tool@2:a tool@3:a';
const fingerprintsOf = async (trace: readonly string[]): Promise<readonly unknown[]> =>
  runOf(await judged([['a.jsonl', trace]]))
    .results.map(({ partialFingerprints }) => partialFingerprints)
    .toSorted((left, right) => (JSON.stringify(left) < JSON.stringify(right) ? -1 : 1));

describe('a log', () => {
  test.each(Object.keys(CASES))('of %s', async (name) => {
    check(await judged(...(CASES[name] ?? [[]])));
  });

  test('of whatever report', () => ofAnyReport(check));

  test.each([
    ['traces/a.jsonl', 'traces/a.jsonl'],
    ['./traces/a.jsonl', 'traces/a.jsonl'],
    ['../a.jsonl', '../a.jsonl'],
    ['/tmp/a.jsonl', 'file:///tmp/a.jsonl'],
    ['C:\\traces\\a b.jsonl', 'file:///C%3A/traces/a%20b.jsonl'],
    ['a b?c#d%20:é.jsonl', 'a%20b%3Fc%23d%2520%3A%C3%A9.jsonl'],
    ['<stdin>', '%3Cstdin%3E'],
    ['a\ud800b', 'a%EF%BF%BDb'],
  ])('names %j as %s', async (name, uri) => {
    expect(await uriFor(name)).toBe(uri);
  });

  test('has the fingerprints of the same trace with other ids, and with lines before', async () => {
    const before = await fingerprintsOf([...lines(FAILS, 'x1'), ...lines(FAILS, 'x2')]);
    const kept = lines('start@0 tool@1:b stop@1:done', 'before');
    expect(await fingerprintsOf([...kept, ...lines(FAILS, 'y9'), ...lines(FAILS, 'y1')])).toEqual(before);
    expect(new Set(before.map((each) => JSON.stringify(each))).size).toBe(4);
  });

  test('says of each rule in force what it asks, why, and what to do', async () => {
    const { tool } = runOf(await judged([['a.jsonl', lines('start@0 tool@1:a stop@1:done', 'r')]]));
    const expected = RULES.filter(({ severity }) => severity.terminal !== 'off');
    expect(tool.driver.rules.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    for (const [at, { passing, why, action }] of expected.entries()) {
      const help = JSON.stringify(tool.driver.rules[at]);
      for (const words of [passing, why, action]) expect(help).toContain(JSON.stringify(words).slice(1, -1));
    }
  });

  test('points at the line, and names the run', async () => {
    const [result] = runOf(await judged([['a.jsonl', ['', ...lines('start@0', 'it')]]])).results;
    expect(result).toMatchObject({
      ruleId: 'open-loop',
      message: { text: 'run it: no terminal span: nothing says that the loop stopped; cap the run and page' },
      locations: [
        {
          physicalLocation: { artifactLocation: { uri: 'a.jsonl' }, region: { startLine: 2 } },
          logicalLocations: [{ fullyQualifiedName: 'it', kind: 'run' }],
        },
      ],
    });
  });
});
