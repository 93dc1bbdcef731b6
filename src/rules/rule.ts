import type { Family, FieldName, Profile, Severity } from '../contract.js';
import { type Place, placeOf, type RunSoFar, type Spent, type Terminal } from '../run.js';
import type { Span, WireSpan } from '../span.js';

/** What evidence a finding brings: plain values, by their wire names. */
export type Evidence = Readonly<Record<string, string | number | boolean | null>>;

/** A list as a page shows it: the title, and rows of as many cells as there are columns. */
export interface Table {
  readonly title: string;
  /** What has to be known to read it. */
  readonly note: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** What a rule says of a run. Nothing to say is `undefined`: kept, or nothing to judge. */
export type Outcome =
  | {
      readonly kind: 'broken';
      readonly at: Place;
      readonly message: string;
      readonly evidence: Evidence;
      /** What was spent where the contract would have halted the run, if breaking this rule halts it. */
      readonly halt?: Spent | undefined;
    }
  | { readonly kind: 'unverifiable'; readonly because: string }
  | undefined;

/** That a rule cannot be judged. */
export const unverifiable = (because: string): Outcome => ({ kind: 'unverifiable', because });

/** A rule that failed where it should have judged: where, and how. Only custom rules can. */
export interface Failed {
  readonly kind: 'failed';
  readonly at: Place;
  readonly because: string;
}

/** A run as the rules that look across runs see it. */
export interface JudgedRun {
  readonly runId: string;
  readonly verdict: string;
  readonly isInconclusive: boolean;
  /** Where the run begins and ends. */
  readonly first: Place;
  readonly last: Place;
  readonly terminal: Terminal | undefined;
  /** What each rule's `share` gave of the run, by rule id. */
  readonly shared: ReadonlyMap<string, unknown>;
}

/** A span of an example: its wire fields, without the run_id and, unless it says one, the seq. */
export type ExampleSpan = Omit<WireSpan, 'run_id' | 'reason' | 'contract'> & {
  type: string;
  reason?: unknown;
  contract?: unknown;
};

/**
 * One way to break the contract: a fold over the spans of one run in seq order, and its own description.
 * `State` is undefined until the first span that the rule keeps something of.
 */
export interface Rule<State = unknown> {
  /** What users type: kebab-case, the name of the rule's file. */
  readonly id: string;
  readonly family: Family;
  readonly severity: Readonly<Record<Profile, Severity>>;
  /** What a run that keeps the rule does, in one sentence. */
  readonly passing: string;
  readonly why: string;
  /** The spans and fields that the rule reads. */
  readonly evidence: string;
  /** What a run must carry to be judged, for a required family: `verify span`, `tool span with args_hash`. */
  readonly needs?: string;
  /** When the rule cannot be judged, in whole sentences; undefined where it always can. */
  readonly unjudged?: string;
  /** A list that the rule goes by, for its page. */
  readonly table?: Table;
  /** What to do about a finding. */
  readonly action: string;
  /** The published system that the rule comes from. */
  readonly source: string;
  /** The contract's fields that change what the rule asks. */
  readonly options: readonly FieldName[];
  readonly example: { readonly breaks: readonly ExampleSpan[]; readonly keeps: readonly ExampleSpan[] };
  /** The span types that the rule looks at; `replays`: the repeated lines, and nothing else. */
  readonly sees: 'every' | 'replays' | 'nothing' | readonly string[];
  /** Tool spans are most spans: a rule that only reads their `details` is not asked about those without. */
  readonly tools?: 'with details';
  /** It goes by the text of the lines, which is looked at where somebody asks for it: without, it is shown no span. */
  readonly reads?: 'text';
  /** Keys of a line, beside those that the checker knows, that the rule reads from `span.fields`. */
  readonly fields?: readonly string[];
  /** Takes one span; `run` is what was known before it. Returns the state to keep. */
  step?(state: State | undefined, span: Span, run: RunSoFar): State | undefined;
  /** Speaks when the run has no more spans. */
  end?(state: State | undefined, run: RunSoFar): Outcome | Failed;
  /** What `across` needs to know of a run; nothing is kept where it gives undefined. */
  share?(state: State | undefined): unknown;
  /** Speaks when every run has been judged: outcomes by run_id. */
  across?(runs: ReadonlyMap<string, JudgedRun>): ReadonlyMap<string, Outcome | Failed>;
}

/** What a rule says of itself, without its code. */
export type RuleDescription = Pick<Rule, 'id' | 'family' | 'severity' | 'passing' | 'why' | 'action' | 'source'>;

/** The description alone: plain data. */
export const describeRule = ({ id, family, severity, passing, why, action, source }: Rule): RuleDescription => ({
  id,
  family,
  severity,
  passing,
  why,
  action,
  source,
});

/** When a rule cannot be judged, in words: by its own account, and because a required family lacks its evidence. */
export const unjudgedText = ({ unjudged, needs, family }: Rule): string | undefined => {
  const required =
    needs === undefined ? undefined : `Where the contract requires ${family}: the run carries no ${needs}.`;
  const said = [unjudged, required].filter((text) => text !== undefined);
  return said.length === 0 ? undefined : said.join(' ');
};

/** Whether a verdict says that the run stopped, once, for a known reason. */
export const isClosed = (run: JudgedRun): boolean => run.verdict.startsWith('closed_');

/** Gives a rule its state's type, and the list a rule whose state is its own business. */
export const defineRule = <State, const Id extends string>(
  rule: Rule<State> & { readonly id: Id },
): Rule & { readonly id: Id } => rule;

/** A rule that one of the five failing verdicts stands on. */
export const FAILING = { classic: 'error', terminal: 'error', strict: 'error' } as const;
/** A rule that classic does not know. */
export const WARNING = { classic: 'off', terminal: 'warn', strict: 'error' } as const;
/** A rule that costs: whoever wants it, or all that can be had, asks for it. */
export const ASKED = { classic: 'off', terminal: 'off', strict: 'error' } as const;
/** A rule that cannot tell right from wrong, only that nobody can: it fails no run. */
export const ADVISORY = { classic: 'off', terminal: 'warn', strict: 'warn' } as const;

/** Where a rule was first broken, and how often. */
export interface Breaks {
  readonly at: Place;
  count: number;
}

/** One break more: the first one's place stays. */
export const oneMore = (breaks: Breaks | undefined, span: Span): Breaks => ({
  at: breaks?.at ?? placeOf(span),
  count: (breaks?.count ?? 0) + 1,
});
