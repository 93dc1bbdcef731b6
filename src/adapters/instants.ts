const NANOSECONDS = 24;
const DIGITS = /^\d{1,24}$/;
const RFC_3339 = /^(\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|z|[+-]\d\d:?\d\d)?$/;
const LAST_YEAR = Date.UTC(10_000, 0);

const padded = (digits: string): string => digits.padStart(NANOSECONDS, '0');

/** A time in nanoseconds, written so that texts sort as times; undefined of what is none. */
export const instantOf = (value: unknown): string | undefined => {
  if (typeof value === 'number') {
    return Number.isFinite(value) && value > 0 ? padded(BigInt(Math.round(value)).toString()) : undefined;
  }
  // Seconds and nanoseconds, as JavaScript counts them.
  if (Array.isArray(value)) {
    const [seconds, nanoseconds]: readonly unknown[] = value;
    return Number.isSafeInteger(seconds) && Number.isSafeInteger(nanoseconds) && Number(seconds) > 0
      ? padded(`${seconds}${String(nanoseconds).padStart(9, '0')}`)
      : undefined;
  }
  // A number past 2^53 is kept as its digits, behind a mark.
  const text = typeof value === 'string' ? value.replace(/^\0#/, '') : '';
  if (DIGITS.test(text)) return /^0*$/.test(text) ? undefined : padded(text);
  const [, seconds, fraction = '', zone = 'Z'] = RFC_3339.exec(text) ?? [];
  const time = seconds === undefined ? Number.NaN : Date.parse(`${seconds.replace(' ', 'T')}${zone}`);
  return time > 0 ? padded(`${time / 1000}${fraction.padEnd(9, '0')}`) : undefined;
};

const MILLISECONDS = 1e12;
const MICROSECONDS = 1e15;
/** An instant from a number whose unit only its size tells, or from anything that tells it. */
export const instantOfAny = (value: unknown): string | undefined => {
  if (typeof value !== 'number') return instantOf(value);
  // Python counts seconds in fractions.
  if (!Number.isInteger(value)) return instantOf(value * (value < MILLISECONDS ? 1e9 : 1e6));
  return instantOf(value * (value >= MICROSECONDS ? 1e3 : value >= MILLISECONDS ? 1e6 : 1e9));
};

/** An instant from microseconds. */
export const instantOfMicroseconds = (value: unknown): string | undefined => {
  const microseconds = Number.isSafeInteger(value) ? Number(value) : 0;
  return microseconds > 0 ? padded(`${microseconds}000`) : undefined;
};

/** The same time as RFC 3339, to the millisecond. */
export const timeOfInstant = (instant: string | undefined): string | undefined => {
  const time = instant === undefined ? Number.NaN : Number(instant) / 1e6;
  return time < LAST_YEAR ? new Date(time).toISOString() : undefined;
};
