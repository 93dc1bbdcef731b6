import { defineAdapter, type World } from './adapter.js';
import { digestOf } from './digest.js';
import { createFileNames, createRunIds } from './file-names.js';
import { Conversation } from './openhands-conversation.js';
import { createV0Reader, isV0Event } from './openhands-v0.js';
import { createV1Reader, isV1Event, isV1State } from './openhands-v1.js';
import type { LineOf } from './run-writer.js';
import { isObject, type JsonObject, numberIn, objectsIn, textIn } from './values.js';

/** Files of which many make one conversation. */
const PART = /^(?:base_state\.json|event-\d+\b.*\.json|\d+\.json)$/;

/** The folder that a conversation is, by the name of a file in it; undefined where the file is all of it. */
const folderOf = (name: string): string | undefined => {
  const parts = name.split(/[\\/]/);
  if (!PART.test(parts.at(-1) ?? '')) return undefined;
  const folder = parts.slice(0, -1);
  return (folder.at(-1) === 'events' ? folder.slice(0, -1) : folder).join('/');
};

interface Place {
  readonly conversation: Conversation;
  readonly v0: ReturnType<typeof createV0Reader>;
  readonly v1: ReturnType<typeof createV1Reader>;
  readonly seen: Set<string>;
  /** The state that stands beside the events: the last word, though it is read first. */
  state: { readonly status: string; readonly line: LineOf } | undefined;
  /** Events of version 0 that stand in files of their own: files come in the order of their names, 10 before 2. */
  readonly waiting: { readonly id: number; readonly event: JsonObject; readonly line: LineOf }[];
}

/** The events of a history: a list of them, or of pairs of an action and what was observed. */
const eventsIn = (history: unknown): readonly JsonObject[] =>
  (Array.isArray(history) ? history : [])
    .flatMap((item) => (Array.isArray(item) ? objectsIn(item) : [item]))
    .filter(isObject);

const historyOf = (record: JsonObject): unknown => record['history'] ?? record['trajectory'] ?? record['events'];

const start = (world: World) => {
  const nameOf = createFileNames();
  const runIdOf = createRunIds();
  const folders = new Map<string, Place>();
  let name = '';
  let folder: string | undefined;
  /** The conversation whose events stand in the input one by one. */
  let bare: Place | undefined;

  const open = (runId: string): Place => {
    const conversation = new Conversation(world, runIdOf(runId));
    const [v0, v1] = [createV0Reader(world, conversation), createV1Reader(world, conversation)];
    return { conversation, v0, v1, seen: new Set(), state: undefined, waiting: [] };
  };

  const placeOf = (): Place => {
    if (folder === undefined) {
      bare ??= open(name);
      return bare;
    }
    const known = folders.get(folder) ?? open(folder.split('/').at(-1) || name);
    folders.set(folder, known);
    known.conversation.goOn();
    return known;
  };

  const takeEvent = (place: Place, event: JsonObject, line: LineOf): void => {
    const id = textIn(event['id']) ?? numberIn(event['id']);
    if (id !== undefined) {
      const mark = `${id} ${digestOf(event)}`;
      if (place.seen.has(mark)) return;
      place.seen.add(mark);
    }
    if (textIn(event['kind']) !== undefined) place.v1.take(event, line);
    else if (folder !== undefined && typeof id === 'number') place.waiting.push({ id, event, line });
    else place.v0.take(event, line);
  };

  const takeRow = (record: JsonObject, line: LineOf): void => {
    const place = open(textIn(record['instance_id']) ?? name);
    for (const event of eventsIn(historyOf(record))) takeEvent(place, event, line);
    const error = textIn(record['error']);
    if (error !== undefined) place.conversation.fail(line, error, 'error');
    finish(place);
  };

  /** The files of a folder come together: what waits of it is taken when another one comes. */
  const settle = ({ v0, waiting }: Place): void => {
    for (const { event, line } of waiting.sort((left, right) => left.id - right.id)) v0.take(event, line);
    waiting.length = 0;
  };

  const finish = (place: Place): void => {
    settle(place);
    const { conversation, state } = place;
    if (state !== undefined && state.status !== 'running') conversation.enter(state.line, state.status, '');
    conversation.end();
  };

  return {
    startInput(input: { readonly file: number; readonly name: string }): void {
      const next = folderOf(input.name);
      if (folder !== next) {
        const left = folders.get(folder ?? '');
        if (left !== undefined) settle(left);
      }
      folder = next;
      if (folder === undefined) name = nameOf(input.file, input.name);
      bare = undefined;
    },
    take(record: JsonObject, line: LineOf): void {
      if (isV1State(record)) placeOf().state = { status: textIn(record['execution_status']) ?? '', line };
      else if (Array.isArray(historyOf(record))) takeRow(record, line);
      else if ('kind' in record || 'action' in record || 'observation' in record) takeEvent(placeOf(), record, line);
      else world.notUnderstood(textIn(record['type']) ?? '(no event)');
    },
    endInput(): void {
      if (bare !== undefined) finish(bare);
      bare = undefined;
    },
    end(): void {
      for (const place of folders.values()) finish(place);
    },
  };
};

export const openhands = defineAdapter({
  id: 'openhands',
  title: 'OpenHands conversations',
  where: 'output.jsonl of its evaluations, saved trajectories, folders of events with base_state.json',
  run: 'a conversation: a folder of events, a list of them, or a row of an evaluation',
  stops: 'recorded: the state, finish and reject, errors; that it was stuck or out of iterations outranks error',
  tells: 'calls with arguments and results, exit codes, failures, rounds',
  lacks: 'times with a zone, tokens of a round in version 1, receipts',
  volatile: {
    args: [
      { tool: '*', key: 'thought', because: 'the model words it anew for the same call' },
      { tool: '*', key: 'security_risk', because: 'the model or an analyser guesses it' },
      { tool: '*', key: 'confirmation_state', because: 'it says what became of the call' },
      { tool: '*', key: 'summary', because: 'the model words it anew for the same call' },
    ],
    results: [],
  },
  recognises: (sample) =>
    sample.some((record) => {
      if (isV1Event(record) || isV1State(record) || isV0Event(record)) return true;
      const events = eventsIn(historyOf(record));
      return events.some((event) => isV0Event(event) || isV1Event(event));
    }),
  start,
});
