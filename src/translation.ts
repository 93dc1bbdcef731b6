import type { Adapter, World } from './adapters/adapter.js';
import { createDigests } from './adapters/digest.js';
import { loadAdapters } from './adapters/index.js';
import { reasonOf } from './adapters/reasons.js';
import { type LineOf, RunWriter, type WriteSpan } from './adapters/run-writer.js';
import { recordSecrets, tornOr } from './faults.js';
import type { ForeignInput, TranslationOptions } from './foreign.js';
import { InputChanged, reasonOf as inputReasonOf, isInputError, type Source } from './input.js';
import { createValueReader, type JsonObject } from './json-values.js';
import type { Translated } from './report.js';
import type { LineFault } from './scan/plain.js';
import { NOTHING_MORE, type Wanted } from './span.js';
import { safeJson } from './text.js';
import type { TraceListener } from './trace.js';

/** What holds for all runs that are translated: results are at hand, and nobody numbered the iterations. */
const HEADER = { type: 'contract', no_progress_key: 'args+result', clock: 'derived' };

const PIECE_BYTES = 1 << 18;

/** Where the lines of a translation come from, by their numbers from 1. */
export interface Origins {
  of(line: number): LineOf;
}

const createOrigins = () => {
  let places = new Int32Array(1 << 10);
  let count = 0;
  return {
    add({ file, line }: LineOf): void {
      if (count + 2 > places.length) {
        const larger = new Int32Array(places.length * 2);
        larger.set(places);
        places = larger;
      }
      places[count] = file;
      places[count + 1] = line;
      count += 2;
    },
    of: (line: number): LineOf => ({ file: places[2 * line - 2] ?? 0, line: places[2 * line - 1] ?? 1 }),
  };
};

/** Bytes that something produces piece by piece, as a source. */
export const sourceOf = (pieces: AsyncGenerator<Buffer>): Source => {
  let rest: Buffer = Buffer.alloc(0);
  return {
    async read(into, at, length) {
      while (rest.length === 0) {
        const next = await pieces.next();
        if (next.done === true) return 0;
        rest = next.value;
      }
      const taken = rest.copy(into, at, 0, length);
      rest = rest.subarray(taken);
      return taken;
    },
    close: () => void pieces.return(undefined),
  };
};

const added = (one: ReadonlyMap<string, number>, other: ReadonlyMap<string, number>): ReadonlyMap<string, number> => {
  const sums = new Map(one);
  for (const [kind, count] of other) sums.set(kind, (sums.get(kind) ?? 0) + count);
  return sums;
};

/** One format's translation, and what its inputs have told so far. */
const startFormat = (
  adapter: Adapter,
  options: TranslationOptions,
  write: WriteSpan,
  onUnusable: World['unusable'],
  isTaken: (runId: string) => boolean,
) => {
  const writers = new Map<string, RunWriter>();
  const digests = createDigests({
    args: [...adapter.volatile.args, ...options.volatile.args],
    results: [...adapter.volatile.results, ...options.volatile.results],
  });
  /** Runs that were named after all inputs had been read, and the input of each one's first span. */
  const late = new Set<string>();
  const lateRuns = new Map<number, number>();
  let isAtEnd = false;
  const writeSpan: WriteSpan = (span, line) => {
    if (span.seq === 1 && late.has(span.run_id)) lateRuns.set(line.file, (lateRuns.get(line.file) ?? 0) + 1);
    write(span, line);
  };
  const writerWorld = {
    write: writeSpan,
    digests,
    reasonOf: (value: string) => reasonOf(adapter.id, value, options.reasons),
  };
  let notUnderstood = new Map<string, number>();
  let isStrange = false;
  let runs = 0;
  let goesOn = false;
  const world: World = {
    run(runId) {
      const known = writers.get(runId);
      if (known !== undefined) {
        goesOn = true;
        return known;
      }
      // Files of two formats may be called alike.
      const writer = new RunWriter(isTaken(runId) ? `${adapter.id}:${runId}` : runId, writerWorld);
      writers.set(runId, writer);
      if (isAtEnd) late.add(runId);
      else runs += 1;
      return writer;
    },
    collected() {
      goesOn = true;
    },
    digests,
    unit: options.unit,
    notUnderstood(kind) {
      isStrange = true;
      notUnderstood.set(kind, (notUnderstood.get(kind) ?? 0) + 1);
    },
    unusable: onUnusable,
  };
  const translation = adapter.start(world);
  return {
    translation,
    hasRun: (runId: string): boolean => writers.has(runId),
    /** Takes an object; whether all of it was understood. */
    takeObject(value: JsonObject, line: LineOf): boolean {
      isStrange = false;
      translation.take(value, line);
      return !isStrange;
    },
    /** What has been told since it was last asked. */
    take() {
      const told = { notUnderstood, runs, isPart: goesOn };
      goesOn = false;
      notUnderstood = new Map();
      runs = 0;
      return told;
    },
    /** Ends all runs; what is told then is told of the inputs that were read. */
    end(told: readonly Translated[]): readonly Translated[] {
      isAtEnd = true;
      translation.end?.();
      for (const writer of writers.values()) writer.close();
      const last = told.findLast(({ format }) => format === adapter.id);
      return told.map((each) => ({
        ...each,
        runs: each.runs + (lateRuns.get(each.file) ?? 0),
        notUnderstood: each === last ? added(each.notUnderstood, notUnderstood) : each.notUnderstood,
      }));
    },
  };
};

/** What is said of a record of another format than the input's: two files were glued, and what it tells is not judged. */
const glued = ({ id }: Adapter): LineFault => ({
  code: 'wrong-type',
  column: 1,
  message: `a record of another format, ${id}, than the rest of its file; give each format a file of its own`,
});

/** Translates foreign inputs into one trace of native lines, as it is read: each piece is whole lines. */
export const createTranslation = (
  inputs: readonly ForeignInput[],
  options: TranslationOptions,
  { onFault, onMiss }: Pick<TraceListener, 'onFault' | 'onMiss'>,
  wanted: Wanted = NOTHING_MORE,
) => {
  const origins = createOrigins();
  const told: Translated[] = [];
  let written: string[] = [];
  let length = 0;
  const writeLine = (value: object, line: LineOf): void => {
    const text = `${safeJson(value)}\n`;
    written.push(text);
    length += text.length;
    origins.add(line);
  };
  const take = (): Buffer => {
    const bytes = Buffer.from(written.join(''));
    written = [];
    length = 0;
    return bytes;
  };
  const onUnusable = ({ file, line }: LineOf, what: string): void =>
    onFault(file, { code: 'wrong-type', column: 1, message: what }, line);
  const formats = new Map<string, ReturnType<typeof startFormat>>();
  const formatOf = (adapter: Adapter) => {
    const known = formats.get(adapter.id);
    if (known !== undefined) return known;
    const isTaken = (runId: string): boolean =>
      [...formats].some(([id, other]) => id !== adapter.id && other.hasRun(runId));
    const format = startFormat(adapter, options, writeLine, onUnusable, isTaken);
    formats.set(adapter.id, format);
    return format;
  };

  async function* readInput(input: ForeignInput, source: Source, others: readonly Adapter[]): AsyncGenerator<Buffer> {
    const { file, name, adapter } = input;
    const format = formatOf(adapter);
    const { translation } = format;
    let records = 0;
    const reader = createValueReader({
      onObject(value, line) {
        records += 1;
        if (format.takeObject(value, { file, line }) || adapter.recognises([value])) return;
        const other = others.find((each) => each.recognises([value]));
        if (other !== undefined) onFault(file, glued(other), line);
      },
      onText(text, value, line) {
        for (const fault of recordSecrets(text, value, wanted)) onFault(file, fault, line);
      },
      onFault: (fault, line, hasEnd) => onFault(file, tornOr(fault, hasEnd), line),
    });
    translation.startInput?.({ file, name });
    const piece = Buffer.allocUnsafe(PIECE_BYTES);
    try {
      for (;;) {
        const given = source.read(piece, 0, piece.length);
        const bytes = typeof given === 'number' ? given : await given;
        if (bytes === 0) break;
        reader.push(piece.subarray(0, bytes));
        if (length > PIECE_BYTES) yield take();
      }
    } finally {
      // What was read of an input that fails is judged.
      reader.end();
      translation.endInput?.();
      told.push({ file, format: adapter.id, records, ...format.take() });
    }
  }

  async function* lines(): AsyncGenerator<Buffer> {
    writeLine(HEADER, { file: inputs[0]?.file ?? 0, line: 1 });
    const adapters = await loadAdapters();
    for (const input of inputs) {
      try {
        const source = await input.open();
        try {
          yield* readInput(input, source, adapters);
        } finally {
          source.close();
        }
      } catch (error) {
        if (error instanceof InputChanged) {
          onMiss(input.file, 'changed-while-read', 'the file changed while it was looked at; it is not judged');
          continue;
        }
        if (!isInputError(error)) throw error;
        onMiss(input.file, 'unreadable-input', `cannot be read: ${inputReasonOf(error)}`);
      }
    }
    for (const format of formats.values()) told.splice(0, told.length, ...format.end(told));
    yield take();
  }

  return { pieces: lines(), origins: origins as Origins, told: told as readonly Translated[] };
};
