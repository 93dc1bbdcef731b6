import type { Adapter, RunUnit } from '../../src/adapters/adapter.js';
import { NO_WISHES } from '../../src/foreign.js';
import type { JsonObject } from '../../src/json-values.js';
import type { WireSpan } from '../../src/span.js';
import { createTranslation, sourceOf } from '../../src/translation.js';

/** A file that has an object a line. */
export const bytesOf = (records: readonly JsonObject[]): Buffer =>
  Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''));

async function* piece(bytes: Buffer) {
  yield bytes;
}

/** What inputs of a format come to, beginning with the header. */
export const translated = async (adapter: Adapter, unit: RunUnit, inputs: readonly Buffer[]) => {
  const faults: string[] = [];
  const { pieces, told } = createTranslation(
    inputs.map((bytes, file) => ({
      file,
      name: `some-${file}.jsonl`,
      adapter,
      open: () => sourceOf(piece(bytes)),
    })),
    { unit, ...NO_WISHES },
    {
      onFault: (_file, { message }) => void faults.push(message),
      onMiss: (_file, _code, message) => void faults.push(message),
    },
  );
  let text = '';
  for await (const piece of pieces) text += piece.toString();
  const lines = text.trimEnd().split('\n');
  return { text, spans: lines.slice(1).map((line): WireSpan => JSON.parse(line)), faults, told };
};
