import type { World } from './adapter.js';
import { timeOfInstant } from './instants.js';
import { knownReason } from './reasons.js';
import type { RunWriter, Stop } from './run-writer.js';
import { compare } from './span-places.js';
import { runsIn, type TreeRun, type WorkSpan } from './span-runs.js';
import { isWait, isWaitWord, type TreeSpan } from './tree-span.js';
import { recordedStop } from './turns.js';

/** What cuts a last response off. */
const CUTS = /^(?:length|max_tokens|max_output_tokens|content[-_]filter|safety|refusal)$/;
/** Why a response ended that asks for calls of tools. */
const ASKS = /^tool[-_]?(?:calls?|use)$|^function_calls?$/;
/** How an interrupt by a person is called where it is an exception. */
const INTERRUPTS = new Set(['KeyboardInterrupt', 'user_interrupt']);

const inferred = (value: string, detail: string): Stop => ({ value, detail, isInferred: true });

/** What an agent failed with: a class of errors that says why, or an error like any other. */
const stopOfError = (type: string | undefined): Stop => {
  if (type !== undefined && INTERRUPTS.has(type)) return recordedStop('user_interrupt', 'user_interrupt');
  const isKnown = type !== undefined && (knownReason(type) ?? 'done') !== 'done';
  return isKnown ? inferred(type, type) : inferred('error', type ?? 'error');
};

/** Whether work goes on: it has not ended, or the model has not had the last word. */
const isUnfinished = (work: readonly TreeSpan[]): boolean => {
  const last = work.at(-1);
  return (
    work.some(({ end }) => end === undefined) ||
    (last?.kind !== 'model' && last?.kind !== 'handoff') ||
    ASKS.test(last.finishReason?.toLowerCase() ?? '')
  );
};

/**
 * An agent ends when its span does, and a trace without any when what stands above all of its work does. Where that is
 * not there, all that was done must have ended, and so that nothing is owed: a killed run leaves the same spans.
 */
const hasEnded = ({ agent, root, work }: TreeRun): boolean => {
  const isWhole = agent !== undefined || (root !== undefined && root.parentId === undefined);
  return (root === undefined || root.end !== undefined) && (isWhole || !isUnfinished(work));
};

/** What the last work says of the end, where the agent itself says no more than that it ended. */
const stopOfWork = (last: TreeSpan | undefined, ended: string): Stop => {
  if (last?.kind === 'handoff') return inferred('handoff', 'handoff');
  const finish = last?.kind === 'model' ? (last.finishReason?.toLowerCase() ?? '') : '';
  if (finish === 'error') return inferred('model_error', 'finish reason error');
  // A word that nobody knows is not guessed at.
  const isUnknown = finish !== '' && !ASKS.test(finish) && knownReason(finish) === undefined;
  return CUTS.test(finish) || isUnknown ? inferred(finish, finish) : inferred('end_turn', ended);
};

/**
 * How a run ended. OpenTelemetry has no word for why a loop stopped but the proposed `gen_ai.agent.finish_reason`; so
 * the agent span's own end is the evidence, whatever its last child was. Many say one finish reason of every round: only
 * what cuts a last response off says more than that the agent ended.
 */
const endOf = (run: TreeRun): Stop | 'wait' | undefined => {
  if (!hasEnded(run)) return undefined;
  const { root, work, words } = run;
  const evidence = root ?? work.at(-1);
  // What began after the agent had ended is no work of its own, and no word of another span outlives what follows it.
  const done = work.filter(({ start }) => root?.end === undefined || start <= root.end);
  const latest =
    done
      .map(({ start }) => start)
      .toSorted(compare)
      .at(-1) ?? '';
  const last = words.find(({ start, end = start }) => latest <= end);
  const word = evidence?.stopReason ?? (last !== undefined && isWait(last) ? last.errorType : last?.stopReason);
  if (evidence?.isWaiting === true || isWaitWord(word ?? evidence?.errorType)) return 'wait';
  const hasFailed = evidence?.isError === true;
  // A failure outranks the word for a good end.
  if (word !== undefined && !(hasFailed && knownReason(word) === 'done')) return recordedStop(word);
  return hasFailed
    ? stopOfError(evidence.errorType)
    : stopOfWork(done.at(-1), run.agent === undefined ? 'the trace ended' : 'the agent span ended');
};

const writeWork = (writer: RunWriter, run: TreeRun, span: WorkSpan): void => {
  const { kind, line, name, ts, end, isError, errorType, finishReason, callId, result, usage } = span;
  if (kind === 'model') {
    writer.round(line, usage, { ts, stop_reason: finishReason, ...(isError && { status: 'error' }) });
    return;
  }
  const more = {
    // Sanitised exports write an empty object for whatever the arguments were: where all are empty, none tells anything.
    args_hash: span.isBlank === true && !run.tellsArguments ? undefined : span.args,
    result_hash: result?.result,
    result_hash_raw: result?.raw === result?.result ? undefined : result?.raw,
    effect: span.spawns === true ? 'spawn' : undefined,
  };
  // A call that has not ended has no status, nor has one that waits.
  const hasNone = end === undefined || isWait(span);
  writer.done(
    line,
    { id: callId, name, ts, more },
    { isError: hasNone ? undefined : isError || errorType !== undefined },
  );
};

/** Gathers spans that are exported when they end, in any order, and writes their runs when all have been read. */
export const createSpanTree = (world: World) => {
  const traces = new Map<string, Map<string, TreeSpan>>();
  const sessions = new Map<string, string>();

  const write = (run: TreeRun): void => {
    const { agent, root, work, isInner } = run;
    const first = root ?? work[0];
    if (first === undefined) return;
    const runId = agent === undefined ? first.traceId : `${first.traceId}:${agent.spanId}`;
    const session =
      first.session ?? work.find((each) => each.session !== undefined)?.session ?? sessions.get(first.traceId);
    // A session is its agents one after the other; what works for one of them stays a run of its own.
    const writer = world.run(world.unit === 'session' && !isInner ? (session ?? runId) : runId);
    if (writer.isEmpty) writer.start(first.line, 'a run of an agent', first.ts);
    else writer.resume();
    for (const span of work) if (span.kind !== 'handoff') writeWork(writer, run, span);
    const end = endOf(run);
    if (end === 'wait') writer.wait(first.line, 'human');
    else if (end !== undefined) writer.stop(first.line, { ...end, ts: timeOfInstant(root?.end) });
  };

  return {
    add(span: TreeSpan): void {
      if (span.kind !== 'tool' && span.kind !== 'handoff' && span.kind !== 'other') world.collected();
      const trace = traces.get(span.traceId) ?? new Map<string, TreeSpan>();
      traces.set(span.traceId, trace);
      const known = trace.get(span.spanId);
      // A span may stand there twice, also as a record of its start: the one that has ended counts.
      if (known === undefined || (known.end === undefined && span.end !== undefined)) trace.set(span.spanId, span);
    },
    /** The session of a trace, where its spans do not say it. */
    inSession(traceId: string | undefined, session: string | undefined): void {
      if (traceId !== undefined && session !== undefined) sessions.set(traceId, session);
    },
    end(): void {
      const runs = [...traces.values()].flatMap((spans) => runsIn(spans, world));
      const startOf = ({ root, work }: TreeRun): string => root?.start ?? work[0]?.start ?? '';
      runs.sort((left, right) => compare(startOf(left), startOf(right)));
      for (const run of runs) write(run);
      traces.clear();
    },
  };
};
