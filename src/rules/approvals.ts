import type { Contract } from '../contract.js';
import { type Place, placeOf, type RunSoFar } from '../run.js';
import type { Span } from '../span.js';
import { excerpt } from '../text.js';
import { gateOf } from './gated-commands.js';
import { type Outcome, unverifiable, WARNING } from './rule.js';

/** What the rules of checkpoints look at. */
export const CHECKPOINTS = {
  sees: ['tool', 'checkpoint_request', 'checkpoint_resolve'],
  tools: 'with details',
} as const;
/** What a run must carry, where the family is required. */
export const CHECKPOINT_NEEDS = 'checkpoint span, and no tool span with gate or command';

/** Whether a span says anything of gated actions: most tool spans do not. */
export const isOfCheckpoints = ({ type, details }: Span): boolean =>
  type !== 'tool' ||
  (details !== undefined &&
    (details.gate !== undefined || details.command !== undefined || details.actionHash !== undefined));

const DECISIONS: ReadonlyMap<string, 'approved' | 'denied'> = new Map([
  ['approved', 'approved'],
  ['approve', 'approved'],
  ['denied', 'denied'],
  ['deny', 'denied'],
]);
/** Any other word neither approves nor denies. */
export const decisionOf = ({ details }: Span): 'approved' | 'denied' | undefined =>
  DECISIONS.get(details?.decision ?? '');

/** A human or a policy decides; what the agent wrote of them is the agent's word. */
export const isByOthers = ({ details, emitter }: Span): boolean =>
  (details?.actor === 'human' || details?.actor === 'policy') && emitter !== 'agent';

/** An empty digest or id names nothing. */
const named = (text: string | undefined): string | undefined => (text === '' ? undefined : text);
export const actionHashOf = ({ details }: Span): string | undefined => named(details?.actionHash);
const requestIdOf = ({ details }: Span): string | undefined => named(details?.requestId);

/** A request that nobody has answered yet. */
interface Request {
  readonly requestId: string | undefined;
  readonly actionHash: string | undefined;
  readonly at: Place;
}

/** The open requests, by their id, or in the order in which they were made where they have none. */
export interface Requests {
  readonly open: Map<string | number, Request>;
  readonly byAction: Map<string, Set<string | number>>;
  made: number;
}

export const newRequests = (): Requests => ({ open: new Map(), byAction: new Map(), made: 0 });

const close = (requests: Requests, key: string | number): void => {
  const actionHash = requests.open.get(key)?.actionHash;
  requests.open.delete(key);
  if (actionHash !== undefined) requests.byAction.get(actionHash)?.delete(key);
};

export const addRequest = (requests: Requests, span: Span): void => {
  const [requestId, actionHash] = [requestIdOf(span), actionHashOf(span)];
  const key = requestId ?? requests.made;
  requests.made += 1;
  close(requests, key);
  requests.open.set(key, { requestId, actionHash, at: placeOf(span) });
  if (actionHash === undefined) return;
  const keys = requests.byAction.get(actionHash) ?? new Set();
  requests.byAction.set(actionHash, keys.add(key));
};

/** Closes the request that a resolve answers: the one with its id, else the oldest of its action. */
export const answer = (requests: Requests, span: Span): void => {
  const oldest = requests.byAction
    .get(actionHashOf(span) ?? '')
    ?.values()
    .next().value;
  const key = requestIdOf(span) ?? oldest;
  if (key !== undefined) close(requests, key);
};

/** What was decided of one exact action. */
interface Decided {
  isDenied: boolean;
  hasSession: boolean;
  /** Executions that approvals for once still cover, and those that an approval has covered. */
  left: number;
  used: number;
}

/** Every decision of a run, and what its executions have used of them. */
interface Approvals {
  readonly requests: Requests;
  /** What each request was about, answered ones too. */
  readonly asked: Map<string, string | undefined>;
  /** Requests whose approval stands: a second answer approves nothing more. */
  readonly approved: Set<string>;
  readonly byAction: Map<string, Decided>;
  /** Actions with an approval that no execution has used. */
  readonly unused: Set<string>;
  /** Executions that approvals for once still cover in all, of named actions and of unnamed ones. */
  left: number;
  unnamed: number;
  hasSession: boolean;
  hasUnnamedSession: boolean;
  /** Executions without action_hash that one of these may have covered. */
  untied: number;
}

const newApprovals = (): Approvals => ({
  requests: newRequests(),
  asked: new Map(),
  approved: new Set(),
  byAction: new Map(),
  unused: new Set(),
  left: 0,
  unnamed: 0,
  hasSession: false,
  hasUnnamedSession: false,
  untied: 0,
});

const decidedOf = (approvals: Approvals, actionHash: string): Decided => {
  const known = approvals.byAction.get(actionHash);
  if (known !== undefined) return known;
  const decided = { isDenied: false, hasSession: false, left: 0, used: 0 };
  approvals.byAction.set(actionHash, decided);
  return decided;
};

const deny = (approvals: Approvals, actionHash: string | undefined): void => {
  if (actionHash === undefined) return;
  const decided = decidedOf(approvals, actionHash);
  approvals.left -= decided.left;
  approvals.unused.delete(actionHash);
  Object.assign(decided, { isDenied: true, hasSession: false, left: 0 });
};

const approve = (approvals: Approvals, actionHash: string | undefined, span: Span): void => {
  const isSession = span.details?.scope === 'session';
  approvals.hasSession ||= isSession;
  if (actionHash === undefined) {
    approvals.unnamed += 1;
    approvals.hasUnnamedSession ||= isSession;
    return;
  }
  const decided = decidedOf(approvals, actionHash);
  // The agent cannot lift what others denied.
  if (decided.isDenied && !isByOthers(span)) return;
  decided.isDenied = false;
  decided.hasSession ||= isSession;
  decided.left += isSession ? 0 : 1;
  approvals.left += isSession ? 0 : 1;
  approvals.unused.add(actionHash);
};

// Stands for an action that no span can carry: the answer was about another one than the request.
const NO_ACTION = '';

const resolve = (approvals: Approvals, span: Span): void => {
  const requestId = requestIdOf(span);
  answer(approvals.requests, span);
  const said = actionHashOf(span);
  const asked = approvals.asked.get(requestId ?? '');
  const decision = decisionOf(span);
  if (decision === 'denied') {
    deny(approvals, said);
    deny(approvals, asked);
    approvals.approved.delete(requestId ?? '');
  } else if (decision === 'approved' && !approvals.approved.has(requestId ?? '')) {
    const isOther = said !== undefined && asked !== undefined && said !== asked;
    approve(approvals, isOther ? NO_ACTION : (said ?? asked), span);
    if (requestId !== undefined) approvals.approved.add(requestId);
  }
};

const ask = (approvals: Approvals, span: Span): void => {
  addRequest(approvals.requests, span);
  const requestId = requestIdOf(span);
  if (requestId === undefined) return;
  approvals.asked.set(requestId, actionHashOf(span));
  approvals.approved.delete(requestId);
};

/** The rules that tell of an execution without an approval, each of another kind of it. */
type Teller = 'unapproved-action' | 'approval-mismatch' | 'approval-reuse' | 'denied-then-run';
/**
 * What an execution can be: approved, or of the kinds of these rules, the most precise first; `untied`: one of the
 * approvals may cover it, and nothing says which.
 */
type Kind = readonly Teller[] | 'untied' | 'kept';

const UNAPPROVED: Kind = ['unapproved-action'];
const MISMATCH: Kind = ['approval-mismatch', 'unapproved-action'];
const REUSE: Kind = ['approval-reuse', 'unapproved-action'];

/** A denied action, and what it would be without the denial. */
const denied = ({ unused }: Approvals, { used }: Decided): Kind => {
  if (used > 0) return ['denied-then-run', ...REUSE];
  return unused.size > 0 ? ['denied-then-run', ...MISMATCH] : ['denied-then-run', ...UNAPPROVED];
};

const executeUntied = (approvals: Approvals): Kind => {
  if (!approvals.hasSession && approvals.left + approvals.unnamed <= approvals.untied) return UNAPPROVED;
  approvals.untied += 1;
  return 'untied';
};

const spend = (approvals: Approvals, actionHash: string, decided: Decided): Kind => {
  decided.used += 1;
  if (!decided.hasSession) {
    decided.left -= 1;
    approvals.left -= 1;
  }
  if (decided.left === 0) approvals.unused.delete(actionHash);
  return 'kept';
};

const execute = (approvals: Approvals, actionHash: string | undefined): Kind => {
  if (actionHash === undefined) return executeUntied(approvals);
  const decided = approvals.byAction.get(actionHash);
  if (decided?.isDenied === true) return denied(approvals, decided);
  if (decided !== undefined && (decided.hasSession || decided.left > 0)) return spend(approvals, actionHash, decided);
  if (decided !== undefined) return REUSE;
  if ((approvals.requests.byAction.get(actionHash)?.size ?? 0) > 0) return UNAPPROVED;
  if (approvals.hasUnnamedSession) return 'untied';
  if (approvals.unnamed > 0) {
    approvals.unnamed -= 1;
    return 'untied';
  }
  return approvals.unused.size > 0 ? MISMATCH : UNAPPROVED;
};

interface Execution {
  readonly kind: Kind;
  /** Undefined where only the checkpoint says that the action is gated. */
  readonly gate: string | undefined;
  readonly isReadFromCommand: boolean;
  readonly actionHash: string | undefined;
}

/** Whether an approval of the action was asked for or decided on: then it is gated, whatever its span says. */
const isKnown = ({ byAction, requests }: Approvals, actionHash: string | undefined): boolean =>
  actionHash !== undefined && (byAction.has(actionHash) || requests.byAction.has(actionHash));

const take = (approvals: Approvals, span: Span): Execution | undefined => {
  const { type, details } = span;
  if (type === 'checkpoint_request') ask(approvals, span);
  else if (type === 'checkpoint_resolve') resolve(approvals, span);
  if (type !== 'tool' || details?.outcome === 'blocked') return undefined;
  const actionHash = actionHashOf(span);
  const said = named(details?.gate);
  const gate = said ?? (details?.command === undefined ? undefined : gateOf(details.command));
  if (gate === undefined && !isKnown(approvals, actionHash)) return undefined;
  return { kind: execute(approvals, actionHash), gate, isReadFromCommand: said === undefined, actionHash };
};

/** Executions of one kind: the first, and how many. */
export interface Executions {
  readonly approvals: Approvals;
  first: { readonly execution: Execution; readonly at: Place; readonly name: string | undefined } | undefined;
  count: number;
  untied: number;
}

/** Which rule tells of an execution: the most precise that is in force, so that none is passed over with a rule. */
const tellerOf = (kinds: readonly Teller[], { rules, profile }: Contract): Teller | undefined =>
  kinds.find((id) => (rules.get(id)?.severity ?? WARNING[profile]) !== 'off');

const stepExecutions = (
  rule: Teller,
  state: Executions | undefined,
  span: Span,
  { contract }: RunSoFar,
): Executions | undefined => {
  if (!isOfCheckpoints(span)) return state;
  const executions = state ?? { approvals: newApprovals(), first: undefined, count: 0, untied: 0 };
  const execution = take(executions.approvals, span);
  if (execution?.kind === 'untied') executions.untied += 1;
  if (typeof execution?.kind !== 'object' || tellerOf(execution.kind, contract) !== rule) return executions;
  executions.first ??= { execution, at: placeOf(span), name: span.name };
  executions.count += 1;
  return executions;
};

const LACKS_START = 'the start of the run, where an approval may stand, is not in the trace';

const endExecutions = (state: Executions | undefined, run: RunSoFar, what: string): Outcome => {
  if (state?.first === undefined) return undefined;
  const { execution, at, name } = state.first;
  // A denial is the last word, whatever stood before it.
  const isDenied = execution.kind.includes('denied-then-run');
  const mayBeApproved = !isDenied && run.contract.isPartial && (run.firstIter ?? 0) > 1;
  if (mayBeApproved) return unverifiable(LACKS_START);
  const { gate, isReadFromCommand, actionHash } = execution;
  const more = state.count > 1 ? `, and ${state.count - 1} more` : '';
  return {
    kind: 'broken',
    at,
    message: `an action${gate === undefined ? '' : ` of class ${excerpt(gate)}`} ran ${what}${more}`,
    evidence: {
      name: name ?? null,
      gate: gate ?? null,
      gate_from: gate === undefined ? 'checkpoint' : isReadFromCommand ? 'command' : 'span',
      action_hash: actionHash ?? null,
      count: state.count,
    },
  };
};

/** What the pages of these rules have in common. */
export const TELLS_ONCE =
  'An execution without an approval is told by one rule, the most precise that is not off: denied-then-run, else ' +
  'approval-mismatch, else approval-reuse, else unapproved-action. To fail every unapproved execution, raise all four';
export const LACKS_HEAD =
  'With --partial, where the first iteration is above 1: the approval may stand before the window.';

/** The fold of a rule about executions of one kind; `what` ends the sentence "an action ran …". */
export const foldExecutions = (rule: Teller, what: string) => ({
  ...CHECKPOINTS,
  step: (state: Executions | undefined, span: Span, run: RunSoFar): Executions | undefined =>
    stepExecutions(rule, state, span, run),
  end: (state: Executions | undefined, run: RunSoFar): Outcome => {
    const outcome = endExecutions(state, run, what);
    // Said once, by the rule that such an execution would break.
    if (outcome !== undefined || rule !== 'unapproved-action' || (state?.untied ?? 0) === 0) return outcome;
    return unverifiable('a gated tool span and an approval lack the action_hash that would tie them together');
  },
});
