import { expect, test } from 'vitest';
import { createIds } from '../../src/adapters/ids.js';

test('as many keys as there are keep their numbers, and others have none', () => {
  const ids = createIds();
  for (let index = 0; index < 10_000; index += 1) ids.set(`key ${index}`, index);
  for (let index = 0; index < 10_000; index += 1) expect(ids.get(`key ${index}`)).toBe(index);
  expect(ids.get('key 10000')).toBeUndefined();
  ids.set('key 7', 0);
  expect(ids.get('key 7')).toBe(0);
  expect(ids.get('key 8')).toBe(8);
});
