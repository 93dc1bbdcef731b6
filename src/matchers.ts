import { type CheckSettings, checkFiles, checkSpans, checkTrace } from './index.js';
import { EXIT, exitCodeOf, type Report } from './report.js';
import { people } from './reporters/people.js';

/**
 * What a test may hold to the contract: the path of a file, a pattern or a folder; bytes, a stream or chunks of them; or
 * spans as objects.
 */
export type Trace = string | Uint8Array | Iterable<object> | AsyncIterable<object>;

/** What vitest and Jest ask of a matcher. */
interface MatcherResult {
  readonly pass: boolean;
  readonly message: () => string;
}

const isIterable = (value: unknown): value is Iterable<object> | AsyncIterable<object> =>
  typeof value === 'object' && value !== null && (Symbol.iterator in value || Symbol.asyncIterator in value);

/** Whether the items are chunks of bytes; the iterable gives all of them again. */
const looked = async (trace: Iterable<object> | AsyncIterable<object>) => {
  const iterator = Symbol.asyncIterator in trace ? trace[Symbol.asyncIterator]() : trace[Symbol.iterator]();
  const first = await iterator.next();
  const again = async function* (): AsyncIterable<object> {
    for (let next = first; next.done !== true; next = await iterator.next()) yield next.value;
  };
  return { isBytes: first.done !== true && first.value instanceof Uint8Array, again };
};

const judge = async (trace: unknown, settings: CheckSettings): Promise<Report> => {
  if (typeof trace === 'string') return checkFiles([trace], settings);
  if (trace instanceof Uint8Array) return checkTrace([trace], settings);
  if (!isIterable(trace)) throw new TypeError('expected the path of a trace, its bytes, or its spans');
  const { isBytes, again } = await looked(trace);
  return isBytes ? checkTrace(again() as AsyncIterable<Uint8Array>, settings) : checkSpans(again(), settings);
};

/**
 * `expect(trace).toKeepTheContract()`: whether every run keeps the contract, as the command would say with exit code 0.
 * What cannot be judged neither keeps nor breaks it: it fails with `.not` as well. The failure says what the command
 * prints for people.
 * @throws if `trace` is none, and what `settings` are refused for
 */
export async function toKeepTheContract(
  this: { readonly isNot?: boolean } | undefined,
  trace: unknown,
  settings: CheckSettings = {},
): Promise<MatcherResult> {
  const report = await judge(trace, settings);
  const code = exitCodeOf(report);
  const isNot = this?.isNot === true;
  return {
    pass: code === EXIT.kept || (isNot && code === EXIT.unjudged),
    message: () => {
      const wanted = isNot ? 'expected a trace that breaks the contract' : 'expected a trace that keeps the contract';
      return `${wanted}\n\n${[...people(report, false)].join('')}`;
    },
  };
}
