import { readFileSync } from 'node:fs';
import { XmlDocument, XmlElement, XsdValidator } from 'libxml2-wasm';
import { afterAll, describe, expect, test } from 'vitest';
import type { Report } from '../../src/index.js';
import { render } from '../../src/index.js';
import { excerpt } from '../../src/text.js';
import { CASES, judged, ofAnyReport, wrongIn } from './reports.js';

// The schema that Jenkins goes by.
const schema = XmlDocument.fromBuffer(readFileSync('test/reporters/jenkins-junit.xsd'));
const validator = XsdValidator.fromDoc(schema);
afterAll(() => {
  validator.dispose();
  schema.dispose();
});

/** What the report says as XML, parsed and valid. */
const read = <T>(report: Report, what: (document: XmlDocument) => T): T => {
  const document = XmlDocument.fromString(render(report, 'junit'));
  try {
    validator.validate(document);
    return what(document);
  } finally {
    document.dispose();
  }
};
const attributes = (document: XmlDocument, path: string, name: string): readonly string[] =>
  document.find(path).flatMap((node) => (node instanceof XmlElement ? [node.attr(name)?.value ?? ''] : []));
const sum = (texts: readonly string[]): number => texts.reduce((total, text) => total + Number(text), 0);

// The escapes of printable text, and two characters that XML does not have.
const nameOf = (id: string): string =>
  excerpt(id, 256)
    .replace(/\\(?=[\ufffe\uffff])/g, '\\\\')
    .replaceAll('\ufffe', String.raw`\ufffe`)
    .replaceAll('\uffff', String.raw`\uffff`);

const check = (report: Report): void =>
  read(report, (document) => {
    const { inputErrors, empty } = wrongIn(report);
    const { runs, summary } = report;
    const count = (path: string): number => document.find(path).length;
    expect(count('/testsuites/testsuite/testcase')).toBe(runs.length + report.inputErrors.length + empty);
    expect(count('//failure')).toBe(summary.failed);
    expect(count('//error')).toBe(inputErrors + empty);
    expect(count('//skipped')).toBe(summary.inconclusive);
    for (const [name, total] of [
      ['tests', count('//testcase')],
      ['failures', count('//failure')],
      ['errors', count('//error')],
    ] as const) {
      expect(attributes(document, '/testsuites', name)).toEqual([String(total)]);
      expect(sum(attributes(document, '/testsuites/testsuite', name))).toBe(total);
    }
    const failed = runs.filter(({ fails }) => fails).map(({ runId }) => nameOf(runId));
    expect(attributes(document, '//testcase[failure]', 'name').toSorted()).toEqual(failed.toSorted());
  });

describe('a test report', () => {
  test.each(Object.keys(CASES))('of %s', async (name) => {
    check(await judged(...(CASES[name] ?? [[]])));
  });

  test('of whatever report', () => ofAnyReport(check));

  test('has a suite an input, in order, and the places of runs in it', async () => {
    const report = await judged(...(CASES['several files, and a run over two'] ?? [[]]));
    read(report, (document) => {
      expect(attributes(document, '//testsuite', 'name')).toEqual([
        'a/one.jsonl',
        './a/two.jsonl',
        'terminal-contract',
      ]);
      expect(attributes(document, '//testsuite[1]/testcase', 'name')).toEqual(['kept', 'open']);
      expect(document.get('//failure')?.content).toBe(
        'error open-loop ./a/two.jsonl:1: no terminal span: nothing says that the loop stopped; cap the run and page',
      );
      expect(document.get("//testcase[@name='warns']/system-out")?.content).toMatch(
        /^warn missing-goal \.\/a\/two\.jsonl:2: /,
      );
    });
  });
});
