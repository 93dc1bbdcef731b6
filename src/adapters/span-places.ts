import type { TreeSpan } from './tree-span.js';

/** What stands above a span. */
export interface Place {
  readonly depth: number;
  /** The topmost span that is there; the span itself where nothing is. */
  readonly top: TreeSpan;
  readonly agent: TreeSpan | undefined;
  /** Of the same run: nearer than the agent. */
  readonly model: TreeSpan | undefined;
  readonly tool: TreeSpan | undefined;
}

/** The spans of a trace by their ids. */
export type Spans = ReadonlyMap<string, TreeSpan>;
export type Test = (span: TreeSpan) => boolean;

const placeBelow = (parent: TreeSpan, above: Place, isAgent: Test, isModel: Test): Place => {
  const [depth, top] = [above.depth + 1, above.top];
  // A call or a response of another run is none of this one's.
  if (isAgent(parent)) return { depth, top, agent: parent, model: undefined, tool: undefined };
  return {
    depth,
    top,
    agent: above.agent,
    model: isModel(parent) ? parent : above.model,
    tool: parent.kind === 'tool' ? parent : above.tool,
  };
};

/** The places of all spans of a trace. Each is found once; where spans go round in a circle, one of them is the topmost. */
export const placesOf = (spans: Spans, isAgent: Test, isModel: Test): ReadonlyMap<TreeSpan, Place> => {
  const places = new Map<TreeSpan, Place>();
  const above = ({ parentId }: TreeSpan): TreeSpan | undefined =>
    parentId === undefined ? undefined : spans.get(parentId);
  for (const span of spans.values()) {
    const way = new Set<TreeSpan>();
    let at: TreeSpan | undefined = span;
    while (at !== undefined && !places.has(at) && !way.has(at)) {
      way.add(at);
      at = above(at);
    }
    for (const next of [...way].reverse()) {
      const parent = above(next);
      const placed = parent === undefined ? undefined : places.get(parent);
      places.set(
        next,
        parent === undefined || placed === undefined
          ? { depth: 0, top: next, agent: undefined, model: undefined, tool: undefined }
          : placeBelow(parent, placed, isAgent, isModel),
      );
    }
  }
  return places;
};

/** The order of texts by code units: of times, as they are written here, that of time. */
export const compare = (left: string, right: string): number => Number(left > right) - Number(left < right);
