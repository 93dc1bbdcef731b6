import type { JsonObject } from '../json-values.js';
import type { Digests, Volatile } from './digest.js';
import type { LineOf, RunWriter } from './run-writer.js';

/** What a format says of its runs, and what it cannot say: `terminal-contract formats` shows it. */
export interface AdapterDescription {
  /** What `--from` takes. */
  readonly id: string;
  readonly title: string;
  /** Where such files stand, or what writes them. */
  readonly where: string;
  /** What a run is in it. */
  readonly run: string;
  /** How it says that a run stopped: recorded, or inferred from what. */
  readonly stops: string;
  /** What it lets one judge, beyond the end of a run. */
  readonly tells: string;
  /** What it does not record, so that rules cannot be judged. */
  readonly lacks: string;
}

export const RUN_UNITS = ['turn', 'session'] as const;
export type RunUnit = (typeof RUN_UNITS)[number];

/** What a translation is given: all that it may know of the outside, and all that it may do. */
export interface World {
  /** The writer of a run; the same one whenever the run is named. An input that names none is said to hold no run. */
  run(runId: string): RunWriter;
  /** What is read of the input at hand belongs to runs that are named when all inputs have been read. */
  collected(): void;
  readonly digests: Digests;
  /** What a run is: a turn from a prompt to the stop after it, or all of a session. */
  readonly unit: RunUnit;
  /** A record, or a part of one, that the translation does not know: counted by kind, and said. */
  notUnderstood(kind: string): void;
  /** A record that cannot be what it claims to be: an unusable line. `what` quotes nothing of it. */
  unusable(line: LineOf, what: string): void;
}

/** One input at a time: what is read of it, and where. */
interface InputOf {
  /** Its index among the inputs, and its name as the user gave it. */
  readonly file: number;
  readonly name: string;
}

/** The translation of all inputs of one format, in their order. */
interface Translation {
  startInput?(input: InputOf): void;
  /** Takes the next object of the input. */
  take(record: JsonObject, line: LineOf): void;
  endInput?(): void;
  /** All inputs have been read. Runs that are still open are closed after it. */
  end?(): void;
}

export interface Adapter extends AdapterDescription {
  readonly volatile: Volatile;
  /** Whether the first objects of an input are of this format; by what they hold, never by the input's name. */
  recognises(sample: readonly JsonObject[]): boolean;
  start(world: World): Translation;
}

/** An adapter whose id stays a literal type. */
export const defineAdapter = <const Id extends string>(
  adapter: Adapter & { readonly id: Id },
): Adapter & { readonly id: Id } => adapter;

/** Says how long a prompt was, and nothing of what it said. */
export const goalOf = (what: string, text: string): string => `${what} (${[...text].length} characters)`;

const WIDTH = 4;
/** The id of a turn: ordinals are padded, so that ids sort in the order of the turns. */
export const turnId = (session: string, ordinal: number): string =>
  `${session}#${String(ordinal).padStart(WIDTH, '0')}`;
