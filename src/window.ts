/** A stretch of time, in milliseconds since 1970, both ends in it. */
export interface Window {
  readonly since: number;
  readonly until: number;
}

/** How a run lies to a window, by the times of its spans. */
export type Lies = 'inside' | 'outside' | 'across' | 'without time';

/** When a run was alive, as far as its spans say. */
export class Alive {
  first = Number.POSITIVE_INFINITY;
  last = Number.NEGATIVE_INFINITY;

  add(ts: string | undefined): void {
    const time = ts === undefined ? Number.NaN : Date.parse(ts);
    if (time < this.first) this.first = time;
    if (time > this.last) this.last = time;
  }

  liesTo({ since, until }: Window): Lies {
    if (this.first > this.last) return 'without time';
    if (this.last < since || this.first > until) return 'outside';
    return this.first < since || this.last > until ? 'across' : 'inside';
  }
}

const UNITS: Readonly<Record<string, number>> = { s: 1e3, m: 6e4, h: 36e5, d: 864e5, w: 7 * 864e5 };
const AGO = /^(\d{1,6})([smhdw])$/;
const DAY = /^\d{4}-\d\d-\d\d$/;
const INSTANT = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:\d\d)$/;

const DAY_LENGTH = 10;
/** Whether the calendar has the day: of 30 February, a Date makes a day in March. */
const isDay = (day: string): boolean => {
  const time = Date.parse(day);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(day);
};

/**
 * The time that a word means: `7d` ago, a day of UTC, or an instant with its offset; undefined of any other word.
 * @param now milliseconds since 1970
 * @returns the first and the last millisecond that the word covers
 */
export const timeOf = (word: string, now: number): { readonly first: number; readonly last: number } | undefined => {
  const [, count = '', unit = ''] = AGO.exec(word) ?? [];
  if (unit !== '') {
    const time = now - Number(count) * (UNITS[unit] ?? 0);
    return { first: time, last: time };
  }
  if ((!DAY.test(word) && !INSTANT.test(word)) || !isDay(word.slice(0, DAY_LENGTH))) return undefined;
  const first = Date.parse(word);
  if (Number.isNaN(first)) return undefined;
  return { first, last: DAY.test(word) ? first + 864e5 - 1 : first };
};
