import type { Contract, Profile, Severity } from './contract.js';
import { type BuiltInRuleId, RULES, type RuleId } from './rules/index.js';
import type { Evidence, Failed, Outcome, Rule } from './rules/rule.js';
import { type Place, type RunFold, RunSoFar, type Spent, type Terminal } from './run.js';
import type { Span } from './span.js';
import { Alive, type Lies, type Window } from './window.js';

export const VERDICTS = [
  'double_stop',
  'bad_clock',
  'no_progress',
  'open_loop',
  'bad_terminal',
  'closed_ok',
  'closed_done',
  'closed_cap',
  'closed_rejected',
  'closed_blocked',
  'closed_handoff',
] as const;
/** A verdict of the table, or `closed_<reason>` for a further reason that the contract allows. */
export type Verdict = (typeof VERDICTS)[number] | `closed_${string}`;

/** What to do about a run with this verdict. */
export const ACTIONS = {
  double_stop: 'fix the emitter',
  bad_clock: 'sort by seq, not time',
  no_progress: 'halt on the next match',
  open_loop: 'cap the run and page',
  bad_terminal: 'name one of the five reasons',
  closed_ok: 'keep a sample only',
  closed_done: 'enforce the budget or raise it',
  closed_cap: 'inspect the last plan',
  closed_rejected: "read the guard's message",
  closed_blocked: 'read the failed tool',
  closed_handoff: 'follow the successor run',
} as const satisfies Record<(typeof VERDICTS)[number], string>;
const ACTION_OF: ReadonlyMap<string, string> = new Map(Object.entries(ACTIONS));
const OTHER_ACTION = 'read what the terminal says';
export const actionOf = (verdict: Verdict): string => ACTION_OF.get(verdict) ?? OTHER_ACTION;

/** A rule broken at a place. */
export interface Finding {
  readonly rule: RuleId;
  readonly severity: 'warn' | 'error';
  readonly message: string;
  readonly at: Place;
  readonly evidence: Evidence;
}

/** A rule that could not be judged, and why. */
export interface Unverifiable {
  readonly rule: RuleId;
  readonly because: string;
  /** Where a rule of the user's failed instead of judging; undefined where the run lacks the evidence. */
  readonly failedAt: Place | undefined;
}

/** What is said of one run. */
export interface RunReport {
  readonly runId: string;
  /** The contract that the run was held to. */
  readonly contract: Contract;
  readonly verdict: Verdict;
  readonly fails: boolean;
  /** Whether the verdict alone fails the run, whatever the findings. */
  readonly failsByVerdict: boolean;
  /** The input was partial, and the run's end may lie outside it. */
  readonly isInconclusive: boolean;
  readonly action: string;
  /** The greatest iteration, 0 if none. */
  readonly iter: number;
  /** Lines of the run, replays among them. */
  readonly spans: number;
  readonly first: Place;
  readonly last: Place;
  readonly terminal: Terminal | undefined;
  readonly findings: readonly Finding[];
  readonly unverifiable: readonly Unverifiable[];
  /** Of those, the rules that fail the run because the contract requires their family. */
  readonly required: readonly RuleId[];
  /** The rules that fail the run, by a finding or for want of evidence, ranked. */
  readonly breaks: readonly RuleId[];
  readonly spent: Spent;
  /** What was spent after the place where the contract would have halted the run; undefined if it would not have. */
  readonly spentAfter: Spent | undefined;
  /** What rules that look across runs keep of this one, by rule. */
  readonly shared: ReadonlyMap<string, unknown>;
  /** How it lies to the window that is asked about; inside, where none is. */
  readonly lies: Lies;
}

// The list's literal type is for ids; the fold needs what all rules share.
const RANKED: readonly (Rule & { readonly id: BuiltInRuleId })[] = RULES;

const severityBy = new Map<string, Readonly<Record<Profile, Severity>>>(
  RANKED.map(({ id, severity }) => [id, severity]),
);

/** The severity that a profile gives a rule; undefined for an id that is no rule. */
export const profileSeverity = (profile: Profile, ruleId: string): Severity | undefined =>
  severityBy.get(ruleId)?.[profile];

/** The severity of a built-in rule under a contract. */
export const severityOf = ({ profile, rules }: Contract, ruleId: BuiltInRuleId): Severity =>
  rules.get(ruleId)?.severity ?? profileSeverity(profile, ruleId) ?? 'off';

/** The rules that runs are judged by, ranked, and which of them look at a span of a given type. */
export interface RulesInForce {
  readonly rules: readonly Rule[];
  readonly hasCustomRules: boolean;
  /** Whether the lines are looked at for what they say beside the spans. */
  readonly readsText: boolean;
  /** The time in which a run must have been alive to be asked about; undefined: any. */
  readonly window: Window | undefined;
  /** The same by id, each with its place in the ranking. */
  readonly ranks: ReadonlyMap<string, { readonly rank: number; readonly rule: Rule }>;
  /** Each rule's step: taken out of the rules once, for it is called with every span. */
  readonly steps: readonly Rule['step'][];
  /**
   * By rule, where a run keeps its state; given out as states first come up, so that the rules which keep
   * something of most runs share the first slots and a run's list of states is short.
   */
  readonly slots: Int32Array;
  slotsUsed: number;
  readonly everyType: readonly number[];
  readonly byType: ReadonlyMap<string, readonly number[]>;
  /** Of those that look at tool spans, the ones that look at tool spans without details too. */
  readonly plainTools: readonly number[];
  readonly replays: readonly number[];
}

const NO_SLOT = -1;
export const NOTHING_SHARED: ReadonlyMap<string, unknown> = new Map();

const severityIn = ({ ranks }: RulesInForce, contract: Contract, ruleId: RuleId): Severity =>
  contract.rules.get(ruleId)?.severity ?? ranks.get(ruleId)?.rule.severity[contract.profile] ?? 'off';

const foldOf = (
  profile: Profile,
  customRules: readonly Rule[] = [],
  readsText = false,
  window: Window | undefined = undefined,
): RulesInForce => {
  const all: readonly Rule[] = [...RANKED, ...customRules];
  const rules = all.filter((rule) => profile !== 'classic' || rule.severity.classic !== 'off');
  const seeing = (type: string | undefined): number[] =>
    rules.flatMap(({ sees, reads }, index) => {
      if (reads === 'text' && !readsText) return [];
      return sees === 'every' || (typeof sees === 'object' && type !== undefined && sees.includes(type)) ? [index] : [];
    });
  const types = new Set(rules.flatMap(({ sees }) => (typeof sees === 'object' ? sees : [])));
  return {
    rules,
    hasCustomRules: rules.some((rule) => customRules.includes(rule)),
    readsText,
    window,
    ranks: new Map(rules.map((rule, rank) => [rule.id, { rank, rule }])),
    steps: rules.map(({ step }) => step),
    slots: new Int32Array(rules.length).fill(NO_SLOT),
    slotsUsed: 0,
    everyType: seeing(undefined),
    byType: new Map([...types].map((type) => [type, seeing(type)])),
    plainTools: seeing('tool').filter((index) => rules[index]?.tools !== 'with details'),
    replays: rules.flatMap(({ sees }, index) => (sees === 'replays' ? [index] : [])),
  };
};

const builtIn = new Map<Profile, RulesInForce>();
const builtInOf = (profile: Profile): RulesInForce => {
  const known = builtIn.get(profile) ?? foldOf(profile);
  builtIn.set(profile, known);
  return known;
};

/**
 * The rules that a profile folds: the built-in ones and, ranked after them, the user's own.
 * @param readsText whether spans say what else their lines hold; the rules that ask for it are shown none where not
 */
export const rulesInForce = (
  profile: Profile,
  customRules: readonly Rule[],
  readsText: boolean,
  window: Window | undefined,
): RulesInForce =>
  customRules.length === 0 && !readsText && window === undefined
    ? builtInOf(profile)
    : foldOf(profile, customRules, readsText, window);

/** The rules folded over one run: feed it the spans in seq order, then judge it. */
export class RulesFold implements RunFold {
  readonly run: RunSoFar;
  readonly fold: RulesInForce;
  private readonly states: unknown[];

  constructor(first: Span, contract: Contract, fold: RulesInForce) {
    this.run = new RunSoFar(first, contract);
    this.fold = fold;
    if (fold.window !== undefined) this.run.alive = new Alive();
    this.states = new Array(this.fold.slotsUsed);
  }

  step(span: Span): void {
    this.look(span);
    this.run.add(span);
  }

  /** Shows the rules a span that the run's facts hold already. */
  look(span: Span): void {
    const { plainTools, byType, everyType } = this.fold;
    const isPlainTool = span.type === 'tool' && span.details === undefined;
    this.stepRules(isPlainTool ? plainTools : (byType.get(span.type) ?? everyType), span);
  }

  replay(span: Span): void {
    this.stepRules(this.fold.replays, span);
    this.run.addReplay();
  }

  /** What each rule says at the end of the run. */
  end(): readonly Said[] {
    const { rules, slots } = this.fold;
    const said: Said[] = [];
    // A plain loop: most rules say nothing of most runs, and that should cost nothing.
    for (let index = 0; index < rules.length; index += 1) {
      const rule = rules[index];
      if (rule === undefined) continue;
      const slot = slots[index] ?? NO_SLOT;
      const state = slot === NO_SLOT ? undefined : this.states[slot];
      const outcome =
        rule.end?.(state, this.run) ?? (state === undefined ? withoutEvidence(rule, this.run) : undefined);
      if (outcome !== undefined) said.push({ rule: rule.id, outcome });
    }
    return said;
  }

  /** What the rules that look across runs need of this one, by rule. */
  shared(): ReadonlyMap<string, unknown> {
    const shared = new Map<string, unknown>();
    for (const [index, rule] of this.fold.rules.entries()) {
      const slot = this.fold.slots[index] ?? NO_SLOT;
      const part = slot === NO_SLOT ? undefined : rule.share?.(this.states[slot]);
      if (part !== undefined) shared.set(rule.id, part);
    }
    return shared.size === 0 ? NOTHING_SHARED : shared;
  }

  private stepRules(indexes: readonly number[], span: Span): void {
    const { slots, steps } = this.fold;
    for (const index of indexes) {
      const slot = slots[index] ?? NO_SLOT;
      const before = slot === NO_SLOT ? undefined : this.states[slot];
      const after = steps[index]?.(before, span, this.run);
      if (after !== before) this.states[slot === NO_SLOT ? this.takeSlot(index) : slot] = after;
    }
  }

  private takeSlot(index: number): number {
    const slot = this.fold.slotsUsed;
    this.fold.slots[index] = slot;
    this.fold.slotsUsed += 1;
    return slot;
  }
}

/** What one rule said of one run. */
interface Said {
  readonly rule: RuleId;
  readonly outcome: NonNullable<Outcome> | Failed;
}

/** A required rule that saw nothing it could judge has not been kept. */
const withoutEvidence = (rule: Rule, { contract }: RunSoFar): Outcome =>
  rule.needs !== undefined && contract.require.includes(rule.family)
    ? { kind: 'unverifiable', because: `the run carries no ${rule.needs}` }
    : undefined;

const VERDICT_RULES = {
  'double-stop': 'double_stop',
  'bad-clock': 'bad_clock',
  'no-progress': 'no_progress',
  'open-loop': 'open_loop',
  'bad-terminal': 'bad_terminal',
} as const satisfies Partial<Record<BuiltInRuleId, Verdict>>;
const VERDICT_OF_RULE: ReadonlyMap<string, Verdict> = new Map(Object.entries(VERDICT_RULES));
const RULE_OF_VERDICT: ReadonlyMap<Verdict, BuiltInRuleId> = new Map(
  RANKED.flatMap(({ id }) => {
    const verdict = VERDICT_OF_RULE.get(id);
    return verdict === undefined ? [] : [[verdict, id] as const];
  }),
);

const VERDICT_OF_REASON: ReadonlyMap<string, Verdict> = new Map([
  ['budget', 'closed_cap'],
  ['rejected', 'closed_rejected'],
  ['blocked', 'closed_blocked'],
  ['handoff', 'closed_handoff'],
] as const);

const closedVerdict = (run: RunSoFar): Verdict => {
  const reason = run.terminal?.reason ?? '';
  if (reason === 'done') return run.greatestIter <= run.contract.budget ? 'closed_ok' : 'closed_done';
  return VERDICT_OF_REASON.get(reason) ?? `closed_${reason}`;
};

/** First match of the table: the rules stand in its order, and what breaks none of them is closed by its reason. */
const verdictOf = (run: RunSoFar, said: readonly Said[]): Verdict => {
  const failing = said.find(({ rule, outcome }) => outcome.kind === 'broken' && VERDICT_OF_RULE.has(rule));
  const named = failing && VERDICT_OF_RULE.get(failing.rule);
  if (named !== undefined) return named;
  return run.terminals === 0 ? 'open_loop' : closedVerdict(run);
};

// A clock that ran backwards measures nothing.
const secondsAfter = (whole: number | undefined, part: number | undefined): number | undefined =>
  whole === undefined || part === undefined || part > whole ? undefined : whole - part;

const minus = (whole: Spent, part: Spent): Spent => ({
  spans: whole.spans - part.spans,
  calls: whole.calls - part.calls,
  iterations: whole.iterations - part.iterations,
  tokensIn: whole.tokensIn - part.tokensIn,
  tokensCached: whole.tokensCached - part.tokensCached,
  tokensOut: whole.tokensOut - part.tokensOut,
  tokensAux: whole.tokensAux - part.tokensAux,
  seconds: secondsAfter(whole.seconds, part.seconds),
});

/** Of several places where a rule in force would have halted the run, the first. */
const earliestHalt = (inForce: RulesInForce, contract: Contract, said: readonly Said[]): Spent | undefined =>
  said
    .filter(({ rule }) => severityIn(inForce, contract, rule) !== 'off')
    .flatMap(({ outcome }) => (outcome.kind === 'broken' && outcome.halt !== undefined ? [outcome.halt] : []))
    .reduce<Spent | undefined>(
      (first, halt) => (first === undefined || halt.spans < first.spans ? halt : first),
      undefined,
    );
// Reports of all runs are held together, and most of their lists are empty: one serves them all.
const NONE: readonly never[] = [];
export const orNone = <T>(items: readonly T[]): readonly T[] => (items.length === 0 ? NONE : items);

const findingsOf = (inForce: RulesInForce, contract: Contract, said: readonly Said[]): readonly Finding[] =>
  said.flatMap(({ rule, outcome }) => {
    const severity = severityIn(inForce, contract, rule);
    if (outcome.kind !== 'broken' || severity === 'off') return [];
    return [{ rule, severity, message: outcome.message, at: outcome.at, evidence: outcome.evidence }];
  });

const unverifiableOf = (inForce: RulesInForce, contract: Contract, said: readonly Said[]): readonly Unverifiable[] =>
  said.flatMap(({ rule, outcome }) => {
    if (outcome.kind === 'broken' || severityIn(inForce, contract, rule) === 'off') return [];
    return [{ rule, because: outcome.because, failedAt: outcome.kind === 'failed' ? outcome.at : undefined }];
  });

/** Rules that fail the run although nobody found them broken: their family is required, and they lack evidence. */
const requiredOf = (
  { ranks }: RulesInForce,
  contract: Contract,
  unverifiable: readonly Unverifiable[],
): readonly RuleId[] =>
  unverifiable
    .map(({ rule }) => rule)
    .filter((rule) => contract.require.some((family) => family === ranks.get(rule)?.rule.family));

/** Ids of the rules that fail a run, ranked. */
const breaksOf = (
  { ranks }: RulesInForce,
  findings: readonly Finding[],
  required: readonly RuleId[],
): readonly RuleId[] => {
  const failing = new Set([
    ...findings.filter(({ severity }) => severity === 'error').map(({ rule }) => rule),
    ...required,
  ]);
  return failing.size === 0 ? NONE : [...ranks.keys()].filter((id) => failing.has(id));
};

const failsBy = (inForce: RulesInForce, verdict: Verdict, { contract, terminal }: RunSoFar): boolean => {
  const rule = RULE_OF_VERDICT.get(verdict);
  if (rule !== undefined) return severityIn(inForce, contract, rule) === 'error';
  return contract.reasons[terminal?.reason ?? ''] === 'fail';
};

/** How a run lies to the window that is asked about. What lies across its edge is a part of a run: it is held to that. */
const placeInWindow = (run: RunSoFar, window: Window | undefined): Lies => {
  const lies = window === undefined ? 'inside' : (run.alive?.liesTo(window) ?? 'without time');
  if (lies === 'across') run.contract = { ...run.contract, isPartial: true };
  return lies;
};

/** Gives a folded run its verdict, and everything else that its own spans say. */
export const judge = (folded: RulesFold): RunReport => {
  const { run, fold } = folded;
  const lies = placeInWindow(run, fold.window);
  const { contract } = run;
  const said = folded.end();
  const verdict = verdictOf(run, said);
  const isInconclusive = verdict === 'open_loop' && contract.isPartial;
  const findings = orNone(findingsOf(fold, contract, said));
  const unverifiable = orNone(unverifiableOf(fold, contract, said));
  const required = orNone(requiredOf(fold, contract, unverifiable));
  const breaks = breaksOf(fold, findings, required);
  const spent = run.spent();
  const failsByVerdict = !isInconclusive && failsBy(fold, verdict, run);
  const halt = earliestHalt(fold, contract, said);
  return {
    runId: run.runId,
    contract,
    verdict,
    fails: failsByVerdict || breaks.length > 0,
    failsByVerdict,
    isInconclusive,
    action: actionOf(verdict),
    iter: run.greatestIter,
    spans: run.lines,
    first: run.first,
    last: run.last,
    terminal: run.terminal,
    findings,
    unverifiable,
    required,
    breaks,
    spent,
    spentAfter: halt === undefined ? undefined : minus(spent, halt),
    shared: folded.shared(),
    lies,
  };
};

const byRank =
  ({ ranks }: RulesInForce) =>
  (left: { rule: RuleId }, right: { rule: RuleId }): number =>
    (ranks.get(left.rule)?.rank ?? 0) - (ranks.get(right.rule)?.rank ?? 0);

/** A report whose fields are its own, whoever made it. */
export const ownFields = (report: RunReport): RunReport => ({
  runId: report.runId,
  contract: report.contract,
  verdict: report.verdict,
  fails: report.fails,
  failsByVerdict: report.failsByVerdict,
  isInconclusive: report.isInconclusive,
  action: report.action,
  iter: report.iter,
  spans: report.spans,
  first: report.first,
  last: report.last,
  terminal: report.terminal && { ...report.terminal, place: report.terminal.place },
  findings: report.findings,
  unverifiable: report.unverifiable,
  required: report.required,
  breaks: report.breaks,
  spent: report.spent,
  spentAfter: report.spentAfter,
  shared: report.shared,
  lies: report.lies,
});

/** The report with its places moved: what was read under other names of files and lines. */
export const movePlaces = (report: RunReport, move: (place: Place) => Place): RunReport => {
  const own = ownFields(report);
  return {
    ...own,
    first: move(own.first),
    last: move(own.last),
    terminal: own.terminal && { ...own.terminal, place: move(own.terminal.place) },
    findings: own.findings.map((finding) => ({ ...finding, at: move(finding.at) })),
    unverifiable: own.unverifiable.map((each) =>
      each.failedAt === undefined ? each : { ...each, failedAt: move(each.failedAt) },
    ),
  };
};

const withSaid = (report: RunReport, inForce: RulesInForce, said: readonly Said[]): RunReport => {
  const { contract } = report;
  const findings = [...report.findings, ...findingsOf(inForce, contract, said)].sort(byRank(inForce));
  const unverifiable = [...report.unverifiable, ...unverifiableOf(inForce, contract, said)].sort(byRank(inForce));
  const required = requiredOf(inForce, contract, unverifiable);
  const breaks = breaksOf(inForce, findings, required);
  const fails = report.fails || breaks.length > 0;
  return { ...ownFields(report), findings, unverifiable, required, breaks, fails };
};

/** Adds what the rules that look across runs say, in place. */
export const settle = (reports: Map<string, RunReport>, inForce: RulesInForce): void => {
  const said = new Map<string, Said[]>();
  for (const rule of inForce.rules) {
    for (const [runId, outcome] of rule.across?.(reports) ?? []) {
      if (outcome === undefined) continue;
      const sayings = said.get(runId) ?? [];
      sayings.push({ rule: rule.id, outcome });
      said.set(runId, sayings);
    }
  }
  for (const [runId, sayings] of said) {
    const report = reports.get(runId);
    if (report !== undefined) reports.set(runId, withSaid(report, inForce, sayings));
  }
};
