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

/** Records, each in one piece of bytes, whose ids the thread that read them has decoded. */
export interface CopiedRecords {
  readonly bytes: ArrayBuffer;
  readonly stride: number;
  readonly offsets: Readonly<Record<RecordField, number>>;
  readonly ids: readonly string[];
}

export const copyRecords = (kernel: Kernel, ids: readonly string[]): CopiedRecords => {
  const stride = kernel.call.RECORD.value;
  const bytes = new ArrayBuffer(stride * ids.length);
  const copy = Buffer.from(bytes);
  const memory = kernel.bytes();
  for (let run = 0; run < ids.length; run += 1) {
    const at = kernel.call.recordAt(run);
    memory.copy(copy, run * stride, at, at + stride);
  }
  return { bytes, stride, offsets: kernel.offsets, ids };
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
      const at = run * stride + offsets[field];
      return marked === 0 ? undefined : memory.toString('latin1', at, at + marked - 1);
    },
  };
};
