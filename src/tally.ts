/** What other threads have read so far, as they read it. */
export interface Tally {
  /** What a thread is given to add to. */
  readonly shared: SharedArrayBuffer;
  bytes(): number;
  spans(): number;
  /** Begins anew with bytes, which the trace has counted by now. */
  forgetBytes(): void;
}

const BYTES = 0;
const SPANS = 1;
const PLACES = 2;

export const createTally = (): Tally => {
  const shared = new SharedArrayBuffer(PLACES * BigInt64Array.BYTES_PER_ELEMENT);
  const counts = new BigInt64Array(shared);
  return {
    shared,
    bytes: () => Number(Atomics.load(counts, BYTES)),
    spans: () => Number(Atomics.load(counts, SPANS)),
    forgetBytes: () => void Atomics.store(counts, BYTES, 0n),
  };
};

/** Adds to what all threads have read. */
export const addTo = (shared: SharedArrayBuffer): ((bytes: number, spans: number) => void) => {
  const counts = new BigInt64Array(shared);
  return (bytes, spans) => {
    Atomics.add(counts, BYTES, BigInt(bytes));
    Atomics.add(counts, SPANS, BigInt(spans));
  };
};
