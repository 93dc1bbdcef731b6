import { compare, placesOf, type Spans, type Test } from './span-places.js';
import type { TreeSpan } from './tree-span.js';

/** What stands right below an agent, or below the topmost span of what has none. */
interface Scope {
  readonly agents: TreeSpan[];
  /** When its calls began. */
  readonly calls: string[];
  thinks: boolean;
}

const scopesIn = (spans: Spans, isAgent: Test, isModel: Test): ReadonlyMap<string, Scope> => {
  const scopes = new Map<string, Scope>();
  for (const [span, { agent, top }] of placesOf(spans, isAgent, isModel)) {
    // What has one parent that is not there has one scope.
    const id = agent?.spanId ?? top.parentId ?? top.spanId;
    const scope = scopes.get(id) ?? { agents: [], calls: [], thinks: false };
    scopes.set(id, scope);
    if (span.kind === 'tool') scope.calls.push(span.start);
    else if (isModel(span)) scope.thinks = true;
    else if (isAgent(span) && id !== span.spanId) scope.agents.push(span);
  }
  return scopes;
};

/**
 * Agents that only think, in a scope that only calls: the nodes of a graph, for some instrumentations say agent of
 * whatever has the word in its name. They are rounds of the scope's run. An agent whose calls stand beside it, and not
 * below it, has not ended when they begin; a node has.
 */
export const stepsIn = (spans: Spans, isAgent: Test, isModel: Test): ReadonlySet<TreeSpan> => {
  const scopes = scopesIn(spans, isAgent, isModel);
  const onlyThinks = ({ spanId }: TreeSpan): boolean => {
    const own = scopes.get(spanId);
    return own?.thinks === true && own.calls.length === 0 && own.agents.length === 0;
  };
  const stepsOf = ({ agents, calls, thinks }: Scope): readonly TreeSpan[] => {
    const nodes = agents.filter(onlyThinks);
    if (thinks || calls.length === 0 || nodes.length === 0) return [];
    const starts = calls.toSorted(compare);
    const next = ({ start }: TreeSpan): string | undefined => starts[firstAtLeast(starts, start)];
    const isBefore = (node: TreeSpan): boolean => compare(node.end ?? '~', next(node) ?? '~~') <= 0;
    return nodes.every(isBefore) && nodes.some((node) => next(node) !== undefined) ? nodes : [];
  };
  return new Set([...scopes.values()].flatMap(stepsOf));
};

/** The index of the first of sorted texts that is not less than another. */
const firstAtLeast = (sorted: readonly string[], text: string): number => {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') < text) low = middle + 1;
    else high = middle;
  }
  return low;
};
