import type { Span } from '../span.js';

/** The children of a run that were started and have not ended. */
export interface Children {
  readonly named: Set<string>;
  /** Those whose start names no child_run. */
  unnamed: number;
}

export const noChildren = (): Children => ({ named: new Set(), unnamed: 0 });
export const countOf = ({ named, unnamed }: Children): number => named.size + unnamed;

const end = (children: Children, childRun: string | undefined): void => {
  if (childRun !== undefined && children.named.delete(childRun)) return;
  if (children.unnamed > 0) {
    children.unnamed -= 1;
    return;
  }
  // An end without a name is that of some child: of which one, the count does not ask.
  const [first] = children.named;
  if (childRun === undefined && first !== undefined) children.named.delete(first);
};

/** Takes a child_start or child_end span. */
export const takeChild = (children: Children, span: Span): void => {
  const childRun = span.details?.childRun;
  if (span.type === 'child_end') end(children, childRun);
  else if (childRun === undefined) children.unnamed += 1;
  else children.named.add(childRun);
};
