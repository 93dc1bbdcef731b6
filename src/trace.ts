import type { OpenInput } from './input.js';
import type { FaultCode } from './report.js';
import type { Ordered } from './run.js';
import type { LineFault } from './scan/plain.js';
import type { RunReport } from './verdict.js';

/** How far a look at a trace has come. */
export interface Reached {
  readonly isSecondLook: boolean;
  readonly bytes: number;
  /** All bytes of the look; undefined where nobody can know. */
  readonly of: number | undefined;
  readonly spans: number;
  /** The part of the work that is done, from 0 to 1; undefined where nobody can know. */
  readonly share: number | undefined;
}

/** Who watches the work. */
export interface Progress {
  reach(reached: Reached): void;
  /** The work is over, however it ended. */
  end(): void;
}

/** What a trace says besides its runs. */
export interface TraceListener {
  /** A line that is no span. */
  onFault(file: number, fault: LineFault, line: number): void;
  /** An input, or a part of it, that could not be had. */
  onMiss(file: number, code: FaultCode, message: string): void;
  /** How far a look has come, where somebody watches. */
  readonly onReach: ((reached: Reached) => void) | undefined;
}

/** Every run of a trace, by code points of their ids, and the spans of the run that was watched. */
export interface JudgedTrace {
  readonly reports: Map<string, RunReport>;
  readonly spans: readonly Ordered[];
}

/** A trace on its way from inputs to reports. */
export interface Trace {
  /** Reads one input to its end. @throws what the input fails with */
  read(input: OpenInput, file: number): Promise<void>;
  /** Looks again at the runs that arrived late, and judges all. */
  finish(): Promise<JudgedTrace>;
  /**
   * Reads runs once more, after {@link finish}, and gives the spans of each, in seq order; a run whose lines cannot be
   * had again is not given.
   */
  readAgain(runIds: readonly string[], onRun: (runId: string, spans: readonly Ordered[]) => void): Promise<void>;
  /** Gives back what was kept to read the inputs again. */
  close(): void;
}

export const CHANGED = 'the file changed while it was read; its late runs cannot be judged for sure';
