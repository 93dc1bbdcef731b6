import type { World } from './adapter.js';
import { stepsIn } from './graph-steps.js';
import { compare, type Place, placesOf, type Spans, type Test } from './span-places.js';
import { isWait, type TreeSpan } from './tree-span.js';

/** A span of a run, and whether another agent works within it. */
export interface WorkSpan extends TreeSpan {
  readonly spawns?: boolean;
}

/** A run: the span whose end is its end, and what was done below it. */
export interface TreeRun {
  /** Undefined where the trace has no agent. */
  readonly agent: TreeSpan | undefined;
  /** The agent, or what stands above all work of a trace without one; undefined where nothing does. */
  readonly root: TreeSpan | undefined;
  /** An agent that works for another one. */
  readonly isInner: boolean;
  /** Rounds, calls and handoffs, in their order. */
  readonly work: readonly WorkSpan[];
  /** Other spans that say why the run ended. */
  readonly words: readonly TreeSpan[];
  /** Whether the arguments of some call of the trace are more than an empty object. */
  readonly tellsArguments: boolean;
}

/** Whether a call within a call is the same one, told once more by who serves it. */
const isSameCall = (outer: TreeSpan, inner: TreeSpan): boolean =>
  outer.name === inner.name ||
  (outer.callId !== undefined && outer.callId === inner.callId) ||
  [`__`, '.', '/', ':'].some(
    (mark) => outer.name.endsWith(mark + inner.name) || inner.name.endsWith(mark + outer.name),
  );

/** What the outer span of two that are one does not say itself. */
const completed = (outer: TreeSpan, inner: TreeSpan): TreeSpan => ({
  ...outer,
  finishReason: outer.finishReason ?? inner.finishReason,
  callId: outer.callId ?? inner.callId,
  args: outer.args ?? inner.args,
  isBlank: (outer.args === undefined ? inner.isBlank : outer.isBlank) === true,
  result: outer.result?.result === undefined ? inner.result : outer.result,
  usage: Object.keys(outer.usage).length === 0 ? inner.usage : outer.usage,
});

/** Spans that were only taken for a model's, and have others of models below them. */
const wrongGuesses = (spans: Spans): ReadonlySet<TreeSpan> => {
  const places = placesOf(
    spans,
    ({ kind }) => kind === 'agent',
    ({ kind }) => kind === 'model',
  );
  const models = [...places].filter(([{ kind }]) => kind === 'model').map(([, { model }]) => model);
  return new Set(models.filter((model): model is TreeSpan => model?.isGuess === true));
};

const RANKS: Readonly<Record<string, number>> = { model: 0, tool: 1, handoff: 2 };
/** In the order in which they began; of what began together, the outer one, what asks, and what ended first. */
const inOrder = (work: readonly TreeSpan[], places: ReadonlyMap<TreeSpan, Place>): readonly TreeSpan[] => {
  const depthOf = (span: TreeSpan): number => places.get(span)?.depth ?? 0;
  const hasOrder = work.every(({ order }) => order !== undefined);
  const placeIn = ({ order, start }: TreeSpan): string => (hasOrder ? (order ?? start) : start);
  return work.toSorted(
    (left, right) =>
      compare(placeIn(left), placeIn(right)) ||
      depthOf(left) - depthOf(right) ||
      (RANKS[left.kind] ?? 0) - (RANKS[right.kind] ?? 0) ||
      compare(left.end ?? '~', right.end ?? '~') ||
      compare(left.spanId, right.spanId),
  );
};

/** The runs of one trace. */
export const runsIn = (spans: Spans, world: World): readonly TreeRun[] => {
  const guesses = wrongGuesses(spans);
  const isModel: Test = (span) => span.kind === 'model' && !guesses.has(span);
  const steps = stepsIn(spans, ({ kind }) => kind === 'agent', isModel);
  const hasAgents = [...spans.values()].some((span) => span.kind === 'agent' && !steps.has(span));
  const isAgent: Test = (span) => (span.kind === 'agent' ? !steps.has(span) : !hasAgents && span.kind === 'workflow');
  const places = placesOf(spans, isAgent, isModel);

  const works = new Map<TreeSpan | undefined, TreeSpan[]>();
  const words = new Map<TreeSpan | undefined, TreeSpan[]>();
  const inner = new Map<TreeSpan, TreeSpan>();
  const spawning = new Set<TreeSpan>();
  const put = (into: Map<TreeSpan | undefined, TreeSpan[]>, key: TreeSpan | undefined, span: TreeSpan): void => {
    const list = into.get(key);
    if (list === undefined) into.set(key, [span]);
    else list.push(span);
  };
  const agents = [...places].filter(([span]) => isAgent(span));
  const outermost = agents.filter(([, { agent }]) => agent === undefined).map(([span]) => span);
  // Children may name a root that is not there: of one agent, they are its own.
  const only = outermost.length === 1 ? outermost[0] : undefined;
  for (const [span, { tool }] of agents) {
    works.set(span, []);
    if (tool !== undefined) spawning.add(tool);
  }
  for (const [span, { agent = only, model, tool }] of places) {
    const outer = isModel(span) ? model : span.kind === 'tool' && tool && isSameCall(tool, span) ? tool : undefined;
    if (outer !== undefined) inner.set(outer, span);
    else if (isModel(span) || span.kind === 'tool' || span.kind === 'handoff') put(works, agent, span);
    if (!isAgent(span) && (isWait(span) || (span.kind === 'other' && span.stopReason !== undefined)))
      put(words, agent, span);
  }

  const tellsArguments = [...spans.values()].some(({ args, isBlank }) => args !== undefined && isBlank !== true);
  const runs = [...works].map(([agent, work]): TreeRun => {
    const tops = new Set(work.map((span) => places.get(span)?.top));
    const [top] = tops.size === 1 ? tops : [];
    return {
      agent,
      root: agent ?? (top !== undefined && !work.includes(top) ? top : undefined),
      isInner: agent !== undefined && places.get(agent)?.agent !== undefined,
      work: inOrder(work, places).map((span) =>
        spawning.has(span) ? { ...withInner(span, inner), spawns: true } : withInner(span, inner),
      ),
      words: words.get(agent) ?? [],
      tellsArguments,
    };
  });
  const found = runs.filter((run) => isRun(run, spans.size));
  if (found.length === 0) world.notUnderstood('trace without a run');
  else
    for (const { work } of runs.filter((run) => !isRun(run, spans.size)))
      for (const { kind } of work) world.notUnderstood(`${kind} span of no agent`);
  return found;
};

/** What the outer one of spans that are one leaves open, those within it fill. */
const withInner = (span: TreeSpan, inner: ReadonlyMap<TreeSpan, TreeSpan>): TreeSpan => {
  let filled = span;
  for (let at = inner.get(span); at !== undefined; at = inner.get(at)) filled = completed(filled, at);
  return filled;
};

/** A lone call of a model or a tool, or calls that no model made, are no run; nor is a workflow that did nothing. */
const isRun = ({ agent, work }: TreeRun, size: number): boolean =>
  agent === undefined
    ? size > 1 && work.some(({ kind }) => kind === 'model')
    : agent.kind === 'agent' || agent.end === undefined || work.length > 0;
