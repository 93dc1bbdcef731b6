import type { World } from './adapter.js';
import type { ResultDigests } from './digest.js';
import { isKnownWord } from './reasons.js';
import type { LineOf, RunWriter, Stop, Usage } from './run-writer.js';

/** What a span of a tree stands for. A workflow is an agent's run where the trace names no agent. */
export type SpanKind = 'agent' | 'workflow' | 'model' | 'tool' | 'handoff' | 'other';

/** A span of a tree, as far as a run needs it: no payload, only digests. */
export interface TreeSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentId: string | undefined;
  readonly kind: SpanKind;
  readonly line: LineOf;
  readonly name: string;
  /** Times that sort as texts: see {@link instantOf}. `end` is undefined of a span that has not ended. */
  readonly start: string;
  readonly end: string | undefined;
  readonly ts: string | undefined;
  readonly isError: boolean;
  /** The class of what failed, or an explicit word for why an agent ended. */
  readonly errorType: string | undefined;
  readonly finishReason: string | undefined;
  /** A word that the source itself gives for the end of an agent's run. */
  readonly stopReason: string | undefined;
  /** The agent's run ended in a wait for a person. */
  readonly isWaiting?: boolean;
  readonly session: string | undefined;
  readonly callId: string | undefined;
  readonly args: string | undefined;
  readonly result: ResultDigests | undefined;
  readonly usage: Usage;
}

const NANOSECONDS = 24;
const DIGITS = /^\d{1,24}$/;
const RFC_3339 = /^(\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|z|[+-]\d\d:?\d\d)?$/;

/** A time in nanoseconds, written so that texts sort as times; undefined of what is none. */
export const instantOf = (value: unknown): string | undefined => {
  if (typeof value === 'number' && Number.isFinite(value) && value > 0) {
    return Math.round(value).toString().padStart(NANOSECONDS, '0');
  }
  // A number past 2^53 is kept as its digits, behind a mark.
  const text = typeof value === 'string' ? value.replace(/^\0#/, '') : '';
  if (DIGITS.test(text)) return /^0*$/.test(text) ? undefined : text.padStart(NANOSECONDS, '0');
  const [, seconds, fraction = '', zone = 'Z'] = RFC_3339.exec(text) ?? [];
  const time = seconds === undefined ? Number.NaN : Date.parse(`${seconds.replace(' ', 'T')}${zone}`);
  return Number.isNaN(time) ? undefined : `${time / 1000}${fraction.padEnd(9, '0')}`.padStart(NANOSECONDS, '0');
};

/** The same time as RFC 3339, to the millisecond. */
export const timeOfInstant = (instant: string | undefined): string | undefined => {
  if (instant === undefined) return undefined;
  const date = new Date(Number(instant) / 1e6);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
};

const compare = (left: string, right: string): number => Number(left > right) - Number(left < right);

const DEEPEST = 1000;

/** One trace: its spans by their ids, and who stands above each. */
const createTrace = (spans: ReadonlyMap<string, TreeSpan>) => {
  const agents = [...spans.values()].filter(({ kind }) => kind === 'agent');
  const hasAgents = agents.length > 0;
  const isAgent = ({ kind }: TreeSpan): boolean => kind === 'agent' || (!hasAgents && kind === 'workflow');
  const above = (span: TreeSpan): TreeSpan | undefined =>
    span.parentId === undefined ? undefined : spans.get(span.parentId);
  /** The nearest span above one that is asked for; undefined where there is none, or the spans go round in a circle. */
  const nearest = (span: TreeSpan, isWanted: (other: TreeSpan) => boolean): TreeSpan | undefined => {
    let at = above(span);
    for (let steps = 0; at !== undefined && steps < DEEPEST; steps += 1) {
      if (isWanted(at)) return at;
      at = above(at);
    }
    return undefined;
  };
  const depthOf = (span: TreeSpan): number => {
    let depth = 0;
    for (let at = above(span); at !== undefined && depth < DEEPEST; at = above(at)) depth += 1;
    return depth;
  };
  return {
    isAgent,
    nearest,
    depthOf,
    tops: [...spans.values()].filter((span) => isAgent(span) && nearest(span, isAgent) === undefined),
  };
};

/** A run: the agent's span, undefined where the trace has none, and what stands below it. */
interface TreeRun {
  readonly agent: TreeSpan | undefined;
  readonly work: TreeSpan[];
}

const endOf = (run: TreeRun): Stop | undefined => {
  const { agent, work } = run;
  // Without an agent, the trace has ended when all of it has.
  if (agent === undefined ? work.some(({ end }) => end === undefined) : agent.end === undefined) return undefined;
  const last = work.findLast(({ kind }) => kind === 'model');
  const root = agent ?? last;
  const ts = timeOfInstant(root?.end);
  const handedTo = work.at(-1)?.kind === 'handoff' ? work.at(-1) : undefined;
  if (agent?.stopReason !== undefined) return { value: agent.stopReason, isInferred: false, ts };
  if (root?.isError === true) {
    const type = root.errorType;
    const value = type !== undefined && isKnownWord(type) ? type : 'error';
    return { value, detail: type ?? 'error', isInferred: true, ts };
  }
  if (handedTo !== undefined) return { value: 'handoff', detail: 'handoff', isInferred: true, ts };
  const finish = last?.finishReason;
  const isLast = last !== undefined && work.at(-1) === last;
  const isCut = isLast && finish !== undefined && /^(?:length|max_tokens|content[-_]filter)$/.test(finish);
  // Some say the same finish reason of every round: only what cuts a response off says more than that the agent ended.
  return isCut
    ? { value: finish, isInferred: true, ts }
    : { value: 'end_turn', detail: 'the agent span ended', isInferred: true, ts };
};

/** Gathers spans that are exported when they end, in any order, and writes their runs when all have been read. */
export const createSpanTree = (world: World) => {
  const traces = new Map<string, Map<string, TreeSpan>>();

  const runsOf = (spans: ReadonlyMap<string, TreeSpan>): readonly TreeRun[] => {
    const trace = createTrace(spans);
    const runs = new Map<TreeSpan | undefined, TreeRun>();
    const runOf = (agent: TreeSpan | undefined): TreeRun => {
      const known = runs.get(agent) ?? { agent, work: [] };
      runs.set(agent, known);
      return known;
    };
    const [only, ...others] = trace.tops;
    for (const span of spans.values()) {
      if (trace.isAgent(span)) {
        runOf(span);
        continue;
      }
      if (span.kind !== 'model' && span.kind !== 'tool' && span.kind !== 'handoff') continue;
      // A client's span within the call that it serves is the same call.
      const isInner =
        trace.nearest(span, (other) => other.kind === span.kind || trace.isAgent(other))?.kind === span.kind;
      if (isInner) continue;
      // Children may name a root that is not there: of one agent, they are its own.
      const agent = trace.nearest(span, trace.isAgent) ?? (others.length === 0 ? only : undefined);
      runOf(agent).work.push(span);
    }
    for (const { work } of runs.values()) {
      work.sort(
        (left, right) =>
          compare(left.start, right.start) ||
          trace.depthOf(left) - trace.depthOf(right) ||
          compare(left.spanId, right.spanId),
      );
    }
    // A lone call, or a client's span, is no run of an agent.
    return [...runs.values()].filter(
      ({ agent, work }) => agent !== undefined || work.some(({ kind }) => kind === 'model'),
    );
  };

  const write = (run: TreeRun, traceId: string): void => {
    const { agent, work } = run;
    const first = agent ?? work[0];
    if (first === undefined) return;
    const session = agent?.session ?? work.find((each) => each.session !== undefined)?.session;
    const runId = agent === undefined ? traceId : `${traceId}:${agent.spanId}`;
    const writer = world.run(world.unit === 'session' ? (session ?? runId) : runId);
    if (writer.isEmpty) writer.start(first.line, 'a run of an agent', first.ts);
    else writer.resume();
    for (const span of work) if (span.kind !== 'handoff') writeWork(writer, span);
    const stop = endOf(run);
    if (agent?.isWaiting === true) writer.wait(first.line, 'human');
    else if (stop !== undefined) writer.stop(first.line, stop);
  };

  const writeWork = (writer: RunWriter, span: TreeSpan): void => {
    const { kind, line, name, ts, end, isError, errorType, finishReason, callId, args, result, usage } = span;
    if (kind === 'model') {
      writer.round(line, usage, { ts, stop_reason: finishReason, ...(isError && { status: 'error' }) });
      return;
    }
    const more = {
      args_hash: args,
      result_hash: result?.result,
      result_hash_raw: result?.raw === result?.result ? undefined : result?.raw,
    };
    // A call that has not ended has no status.
    const hasFailed = isError || errorType !== undefined;
    writer.done(line, { id: callId, name, ts, more }, { isError: end === undefined ? undefined : hasFailed });
  };

  return {
    add(span: TreeSpan): void {
      const trace = traces.get(span.traceId) ?? new Map<string, TreeSpan>();
      traces.set(span.traceId, trace);
      const known = trace.get(span.spanId);
      // A span may stand there twice, also as a record of its start: the one that has ended counts.
      if (known === undefined || (known.end === undefined && span.end !== undefined)) trace.set(span.spanId, span);
    },
    end(): void {
      const all = [...traces].flatMap(([traceId, spans]) => runsOf(spans).map((run) => ({ traceId, run })));
      const startOf = ({ agent, work }: TreeRun): string => agent?.start ?? work[0]?.start ?? '';
      all.sort((left, right) => compare(startOf(left.run), startOf(right.run)));
      for (const { run, traceId } of all) write(run, traceId);
      traces.clear();
    },
  };
};
