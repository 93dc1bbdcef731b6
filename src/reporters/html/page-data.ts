/** What the page is given of a report. Texts that come up again and again stand once in a list, and are named by number. */
export type TextNumber = number;

/** A line of an input. */
export type PagePlace = readonly [file: TextNumber, line: number];

export const RESULTS = ['failed', 'inconclusive', 'passed'] as const;
export type Result = (typeof RESULTS)[number];

export interface PageFinding {
  readonly rule: TextNumber;
  readonly severity: 'warn' | 'error';
  readonly message: TextNumber;
  readonly at: PagePlace;
  /** What the rule saw; 0 where it says nothing more. */
  readonly saw: TextNumber;
}

export interface PageUnjudged {
  readonly rule: TextNumber;
  readonly because: TextNumber;
  readonly isRequired: boolean;
}

/**
 * A span in a drawing: iteration or -1; lane; kind, by its place in MARK_KINDS; which of its lane's calls it is, 0 if that is not known; 0, or 1 where
 * a finding that warns points at it, 2 where one that is an error does; tokens; its line; spans left out before it.
 */
export type PageMark = readonly [
  iter: number,
  lane: number,
  kind: number,
  call: number,
  breaks: 0 | 1 | 2,
  tokens: number,
  file: TextNumber,
  line: number,
  skipped: number,
];

export interface PageTimeline {
  readonly lanes: readonly TextNumber[];
  readonly marks: readonly PageMark[];
  /** Before which mark the contract would have halted the run; -1: it would not have. */
  readonly haltAt: number;
}

export interface PageRun {
  readonly id: string;
  readonly verdict: TextNumber;
  readonly result: Result;
  readonly iter: number;
  readonly spans: number;
  readonly tokens: number;
  /** Null where no clock says. */
  readonly seconds: number | null;
  /** Where it begins and ends, how it stopped, what it spent: a label and a text each. */
  readonly facts: readonly (readonly [label: TextNumber, text: TextNumber])[];
  readonly files: readonly TextNumber[];
  readonly findings: readonly PageFinding[];
  readonly unjudged: readonly PageUnjudged[];
  readonly timeline: PageTimeline | null;
}

/** A rule's page, as far as a reader of a report needs it. */
export interface PageRule {
  readonly family: string;
  readonly passing: string;
  readonly why: string;
  readonly action: string;
  readonly source: string;
}

export interface PageData {
  readonly headline: string;
  /** Counts and circumstances, in a line. */
  readonly subline: string;
  /** What keeps the report from being complete: unusable lines, inputs that could not be read, what the page leaves out. */
  readonly warnings: readonly string[];
  readonly faults: readonly string[];
  readonly notes: readonly string[];
  readonly contract: readonly (readonly [field: string, value: string, source: string])[];
  /** By verdict, in the order of the contract's table: how many, and what to do. */
  readonly verdicts: readonly (readonly [verdict: string, runs: number, action: string])[];
  readonly results: Readonly<Record<Result, number>>;
  readonly rules: Readonly<Record<string, PageRule>>;
  readonly runs: readonly PageRun[];
  readonly texts: readonly string[];
}
