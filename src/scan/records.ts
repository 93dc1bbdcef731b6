import type { Kernel, RecordField } from './kernel.js';

/** What is known of the runs of a part, by their numbers: in the kernel's memory, or copied out of it. */
export interface RunRecords {
  /** Lines that stand before the part in its file: what the records say of lines counts from there. */
  readonly linesBefore: number;
  count(): number;
  idOf(run: number): string;
  word(run: number, field: RecordField): number;
  signed(run: number, field: RecordField): number;
  double(run: number, field: RecordField, index?: number): number;
  /** A text of which the record holds the length and one, or 0 where there is none. */
  text(run: number, field: RecordField, length: RecordField): string | undefined;
}

/** Records and their texts in one piece of bytes, whose ids the thread that read them has decoded. */
export interface CopiedRecords {
  readonly bytes: ArrayBuffer;
  readonly stride: number;
  readonly offsets: Readonly<Record<RecordField, number>>;
  readonly ids: readonly string[];
}

export const copyRecords = (kernel: Kernel, ids: readonly string[]): CopiedRecords => {
  const { call, offsets } = kernel;
  const stride = call.RECORD.value;
  const textBytes = call.TEXTS.value;
  const places = ids.map((_, run) => call.recordAt(run));
  const textsOf = places.map((at) => kernel.word(at + offsets.textsAt));
  const bytes = new ArrayBuffer(stride * ids.length + textBytes * textsOf.filter((at) => at !== 0).length);
  const copy = Buffer.from(bytes);
  const words = new Uint32Array(bytes);
  const memory = kernel.bytes();
  let end = stride * ids.length;
  for (const [run, at] of places.entries()) {
    memory.copy(copy, run * stride, at, at + stride);
    const texts = textsOf[run] ?? 0;
    if (texts === 0) continue;
    memory.copy(copy, end, texts, texts + textBytes);
    words[(run * stride + offsets.textsAt) >>> 2] = end;
    end += textBytes;
  }
  return { bytes, stride, offsets, ids };
};

export const readCopied = ({ bytes, stride, offsets, ids }: CopiedRecords, linesBefore: number): RunRecords => {
  const memory = Buffer.from(bytes);
  const words = new Uint32Array(bytes);
  const signs = new Int32Array(bytes);
  const doubles = new Float64Array(bytes);
  const word = (run: number, field: RecordField): number => words[(run * stride + offsets[field]) >>> 2] ?? 0;
  return {
    linesBefore,
    count: () => ids.length,
    idOf: (run) => ids[run] ?? '',
    word,
    signed: (run, field) => signs[(run * stride + offsets[field]) >>> 2] ?? 0,
    double: (run, field, index = 0) => doubles[((run * stride + offsets[field]) >>> 3) + index] ?? 0,
    text(run, field, length) {
      const marked = word(run, length);
      const at = (field === 'spanId' ? run * stride : word(run, 'textsAt')) + offsets[field];
      return marked === 0 ? undefined : memory.toString('latin1', at, at + marked - 1);
    },
  };
};
