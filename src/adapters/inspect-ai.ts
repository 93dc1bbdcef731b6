import { defineAdapter, goalOf, type World } from './adapter.js';
import { createFileNames, createRunIds } from './file-names.js';
import type { Call, LineOf, Result, RunWriter, Stop } from './run-writer.js';
import {
  countIn,
  fieldsOf,
  isObject,
  type JsonObject,
  numberIn,
  objectsIn,
  parsedIn,
  proseOf,
  textIn,
  timeIn,
} from './values.js';

/** Events that say nothing of the loop. */
const SIDE = new Set(
  `sample_init state store info logger score score_edit sandbox approval input checkpoint compaction anchor branch
  state_snapshot`.split(/\s+/),
);
/** A response that ends so was cut, or was kept back: it was not the model that was ready. */
const CUT = new Set(['max_tokens', 'model_length', 'content_filter']);
const SCORING = /^scorers?$/;
const ATTACHMENT = 'attachment://';

/** What a log says of its runs when they say nothing themselves. */
interface Log {
  id: string | undefined;
  status: string | undefined;
}

interface Run {
  readonly writer: RunWriter;
  readonly log: Log;
  readonly line: LineOf;
  /** Its sample holds what is known only when the run is over. */
  readonly isOver: boolean;
  readonly ownStop: Stop | undefined;
  /** How the last response of the model ended. */
  readonly cut: string | undefined;
}

const recorded = (value: string, detail?: string): Stop => ({ value, detail, isInferred: false });
const INTERRUPT = recorded('user_interrupt', 'user_interrupt');

/** The stop that a limit is. An operator is a person. */
const limitStop = (type: unknown): Stop =>
  type === 'operator' ? INTERRUPT : recorded(textIn(type) ?? 'limit', `limit:${textIn(type) ?? 'unknown'}`);

const promptIn = ({ input, attachments }: JsonObject): string => {
  const prompt = Array.isArray(input) ? objectsIn(input).find(({ role }) => role === 'user')?.['content'] : input;
  const text = proseOf(prompt);
  if (!text.startsWith(ATTACHMENT)) return text;
  return proseOf(fieldsOf(attachments)[text.slice(ATTACHMENT.length)]);
};

const usageOf = (usage: unknown) => {
  const said = fieldsOf(usage);
  const written = countIn(said['input_tokens_cache_write']);
  if (usage === undefined || usage === null) return {};
  return {
    in: countIn(said['input_tokens']) + written,
    cached: countIn(said['input_tokens_cache_read']),
    out: countIn(said['output_tokens']),
  };
};

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** A tool's event is a call and, once it has ended, its result. */
const callOf = (event: JsonObject): Call => ({
  id: textIn(event['id']),
  name: textIn(event['function']) ?? '(unnamed)',
  args: event['arguments'],
  ts: timeIn(event['timestamp']),
});
const resultOf = (event: JsonObject): Result => {
  const code = numberIn(fieldsOf(parsedIn(event['result']))['returncode']);
  return {
    value: isGiven(event['error']) ? event['error'] : event['result'],
    isError: isGiven(event['error']) || event['failed'] === true,
    exitCode: code,
  };
};
const hasEnded = (event: JsonObject): boolean =>
  event['pending'] !== true && (isGiven(event['result']) || isGiven(event['error']) || event['failed'] === true);

const start = (world: World) => {
  const nameOf = createFileNames();
  const runIdOf = createRunIds();
  /** Samples by their own ids: a log that retries another one copies what had ended. */
  const seen = new Set<string>();
  let name = '';
  let log: Log = { id: undefined, status: undefined };
  let runs: Run[] = [];

  /** Writes the events of a sample. How the last response of the agent ended. */
  const takeEvents = (writer: RunWriter, line: LineOf, events: readonly JsonObject[]): string | undefined => {
    const scoring = new Set<unknown>();
    let depth = 0;
    let cut: string | undefined;
    const takeModel = ({ output, timestamp }: JsonObject): void => {
      const { choices, usage } = fieldsOf(output);
      const reason = textIn(objectsIn(choices)[0]?.['stop_reason']);
      writer.round(line, usageOf(usage), { ts: timeIn(timestamp), stop_reason: reason });
      cut = CUT.has(reason ?? '') ? reason : undefined;
    };
    const take = (event: JsonObject): void => {
      const { type, action, id, parent_id: parent, span_id: span } = event;
      const kind = textIn(event['event']) ?? '(no event)';
      const isScoring = SCORING.test(textIn(type) ?? '');
      if (kind === 'step' && isScoring) depth += action === 'begin' ? 1 : -1;
      if (kind === 'span_begin' && (isScoring || scoring.has(parent))) scoring.add(id);
      // What grades the work is no part of it.
      if (depth > 0 || scoring.has(span)) return;
      if (kind === 'model') takeModel(event);
      else if (kind === 'tool' && hasEnded(event)) writer.done(line, callOf(event), resultOf(event));
      else if (kind === 'tool') writer.call(line, callOf(event));
      else if (kind === 'sample_limit') writer.stop(line, limitStop(type));
      else if (kind === 'interrupt' && event['source'] === 'user_cancel') writer.stop(line, INTERRUPT);
      else if (kind === 'error') writer.stop(line, recorded('error'));
      else if (!/^(?:step|span_begin|span_end|subtask|interrupt)$/.test(kind) && !SIDE.has(kind)) {
        world.notUnderstood(kind);
      }
      // The oldest logs hold within a tool or a subtask what it did.
      for (const inner of objectsIn(event['events'])) take(inner);
    };
    for (const event of events) take(event);
    return cut;
  };

  /** Writes a conversation, where no events were kept. */
  const takeMessages = (writer: RunWriter, line: LineOf, messages: readonly JsonObject[]): void => {
    for (const message of messages) {
      const { role, tool_calls: calls, content, error } = message;
      const answers = textIn(message['tool_call_id']);
      if (role === 'assistant') {
        writer.round(line);
        for (const call of objectsIn(calls)) writer.call(line, callOf(call));
      } else if (role === 'tool' && answers !== undefined) {
        writer.result(answers, { value: isGiven(error) ? error : content, isError: isGiven(error) });
      }
    }
  };

  const takeSample = (sample: JsonObject, line: LineOf): void => {
    const { id, epoch, limit, error, scores } = sample;
    const uuid = textIn(sample['uuid']);
    if (uuid !== undefined && seen.has(uuid)) return;
    if (uuid !== undefined) seen.add(uuid);
    const sampleId = textIn(id) ?? numberIn(id);
    const writer = world.run(runIdOf(`${log.id ?? name}:${sampleId ?? '?'}:${numberIn(epoch) ?? 1}`));
    writer.start(line, goalOf('sample', promptIn(sample)));
    const events = objectsIn(sample['events'] ?? fieldsOf(sample['transcript'])['events']);
    const cut = takeEvents(writer, line, events);
    if (events.length === 0) takeMessages(writer, line, objectsIn(sample['messages']));
    const hasScores = isObject(scores) && Object.keys(scores).length > 0;
    const isOver = hasScores || isGiven(sample['completed_at']) || isGiven(sample['total_time']);
    const own = isGiven(limit) ? limitStop(fieldsOf(limit)['type']) : isGiven(error) ? recorded('error') : undefined;
    runs.push({ writer, log, line, isOver, ownStop: own ?? writer.stopSoFar, cut });
  };

  /** The stop of a run: its own, else what its log and the end of its sample tell. */
  const stopOf = ({ log: { status }, isOver, ownStop, cut }: Run): Stop | undefined => {
    if (ownStop !== undefined) return ownStop;
    if (status === 'success' || isOver) return cut === undefined ? recorded('success') : recorded(cut);
    if (status === 'cancelled') return INTERRUPT;
    return status === undefined || status === 'started' ? undefined : recorded(status);
  };

  const takeLog = ({ eval: spec, status }: JsonObject): void => {
    const { eval_id: evalId, run_id: runId, task_id: taskId } = fieldsOf(spec);
    const ids = [textIn(runId), textIn(taskId)].filter((each) => each !== undefined);
    log.id ??= textIn(evalId) ?? (ids.join('/') || undefined);
    log.status = textIn(status) ?? log.status;
  };

  return {
    startInput(input: { readonly file: number; readonly name: string }): void {
      name = nameOf(input.file, input.name);
      log = { id: undefined, status: undefined };
      runs = [];
    },
    take(record: JsonObject, line: LineOf): void {
      if ('eval' in record) {
        takeLog(record);
        for (const sample of objectsIn(record['samples'])) takeSample(sample, line);
      } else if ('epoch' in record && ('events' in record || 'transcript' in record || 'messages' in record)) {
        takeSample(record, line);
      } else if (!('epoch' in record || 'scorer' in record)) {
        // Summaries and reductions say once more what the samples say.
        world.notUnderstood(textIn(record['type']) ?? '(no sample)');
      }
    },
    endInput(): void {
      for (const run of runs) {
        const stop = stopOf(run);
        if (stop !== undefined) run.writer.stop(run.line, stop);
      }
      runs = [];
    },
  };
};

const isSpec = (spec: JsonObject): boolean => 'task' in spec && ('run_id' in spec || 'eval_id' in spec);

export const inspectAi = defineAdapter({
  id: 'inspect-ai',
  title: 'Inspect logs',
  where: 'logs/*.json and logs/*.eval of Inspect AI',
  run: 'a sample in an epoch',
  stops: 'recorded: the limit or error of the sample, else that it was completed, else the status of the log',
  tells: 'calls with arguments and results, failures, rounds, tokens',
  lacks: 'exit codes, iterations of sub-agents apart from those of the agent, receipts',
  volatile: { args: [], results: [] },
  recognises: (sample) =>
    sample.some((record) => {
      if (isSpec(fieldsOf(record['eval'])) && ('status' in record || 'plan' in record)) return true;
      return 'epoch' in record && 'target' in record && ('events' in record || 'transcript' in record);
    }),
  start,
});
