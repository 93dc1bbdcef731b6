import type { Family, Severity } from '../contract.js';
import type { ExampleSpan, JudgedRun, Outcome } from '../rules/rule.js';
import type { RunSoFar } from '../run.js';
import type { Span } from '../span.js';

/** What is known of a run before the span at hand. It goes on changing: keep values of it, not the object. */
export type RunFacts = Readonly<
  Pick<
    RunSoFar,
    | 'runId'
    | 'contract'
    | 'lines'
    | 'spans'
    | 'terminals'
    | 'terminal'
    | 'greatestIter'
    | 'firstIter'
    | 'lastIter'
    | 'lastSeq'
    | 'calls'
    | 'tokensIn'
    | 'tokensCached'
    | 'tokensOut'
    | 'tokensAux'
    | 'firstMono'
    | 'lastMono'
    | 'firstTs'
    | 'lastTs'
    | 'emitter'
    | 'hasMixedEmitters'
    | 'worktree'
    | 'waits'
    | 'first'
    | 'last'
    | 'spent'
  >
>;

/** Fails the run under `terminal` and `strict`. */
export const ERROR = { classic: 'off', terminal: 'error', strict: 'error' } as const;

/** Severities by profile. `classic` knows no custom rule; a profile that is not named has the one of a warning. */
export interface CustomSeverity {
  readonly classic?: 'off';
  readonly terminal?: Severity;
  readonly strict?: Severity;
}

/**
 * A rule of your own: a fold over the spans of one run in seq order, which is asked again for every run.
 * `State` is what it keeps of a run; undefined until `step` has returned something.
 */
export interface CustomRule<State = unknown> {
  /** What users type: kebab-case, at most 64 characters, and no built-in rule's. */
  readonly id: string;
  /** Which rules it belongs to: `require` asks for the evidence of a whole family. */
  readonly family: Family;
  /** Default: a warning under `terminal`, an error under `strict`. */
  readonly severity?: CustomSeverity;
  /** What a run that keeps the rule does, in one sentence. */
  readonly passing: string;
  /** What to do about a finding; stands after its message. */
  readonly action: string;
  readonly why?: string;
  /** The spans and fields that the rule reads. */
  readonly evidence?: string;
  /** What a run must carry to be judged, where the family is required: `tool span with path`. */
  readonly needs?: string;
  /** When the rule cannot be judged, in whole sentences. */
  readonly unjudged?: string;
  /** Where the rule comes from. Default: the module's name. */
  readonly source?: string;
  /** Two traces of one run, as wire spans; `run_id` and `seq` may be left out. */
  readonly example?: { readonly breaks: readonly ExampleSpan[]; readonly keeps: readonly ExampleSpan[] };
  /** The span types that `step` is asked about; `replays`: repeated lines, and nothing else. */
  readonly sees: 'every' | 'replays' | 'nothing' | readonly string[];
  /** Keys of a line that `step` reads from `span.fields`, beside what every span holds. */
  readonly fields?: readonly string[];
  /** Takes one span; `run` is what was known before it. Returns the state to keep. */
  step?(state: State | undefined, span: Span, run: RunFacts): State | undefined;
  /** Speaks when the run has no more spans. Nothing to say is `undefined`. */
  end?(state: State | undefined, run: RunFacts): Outcome;
  /** What `across` needs to know of a run, found in `run.shared` under the rule's id. */
  share?(state: State | undefined): unknown;
  /** Speaks when every run has been judged: outcomes by run_id. */
  across?(runs: ReadonlyMap<string, JudgedRun>): ReadonlyMap<string, Outcome>;
}

/**
 * Types a rule of your own. A module that `custom_rules` names exports what this returns.
 * Nothing is checked here: a rule is, with or without it, when its module is loaded or it is handed to the library.
 */
export const defineRule = <State = unknown>(rule: CustomRule<State>): CustomRule<State> => rule;
