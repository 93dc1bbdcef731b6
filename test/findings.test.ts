import { expect, test } from 'vitest';
import { CASES } from './cases.js';

test.each(CASES.map((each) => [each.name, each] as const))('%s', async (_name, { says }) => {
  expect(await says()).toMatchSnapshot();
});

test('no two cases have one name', () => {
  const names = CASES.map(({ name }) => name);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
