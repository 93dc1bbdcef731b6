import { defineAdapter, goalOf, turnId, type World } from './adapter.js';
import { commandIn } from './command-blocks.js';
import { createFileNames, createRunIds } from './file-names.js';
import type { LineOf, RunWriter, Stop } from './run-writer.js';
import { countIn, fieldsOf, type JsonObject, objectsIn, proseOf, textIn } from './values.js';

/** What SWE-agent writes in a command's place where it ends the run itself. */
const EXIT = /^exit_\w+$/;
const FAILED = /^\s*(?:EXECUTION (?:TIMED OUT|FAILED)|COMMAND (?:TIMED OUT|FAILED)|The command .{0,200} was cancelled)/;

interface Step {
  readonly action: string;
  readonly observation: unknown;
}

const isStep = (step: JsonObject): boolean => 'action' in step || 'observation' in step;
const isModel = ({ role }: JsonObject): boolean => role === 'assistant' || role === 'ai';
const textOf = ({ content, text }: JsonObject): string => proseOf(content ?? text);

/** The steps of a conversation: each message of the model, and what answers it. */
const stepsOfMessages = (messages: readonly JsonObject[]): readonly Step[] =>
  messages.flatMap((message, index) => {
    if (!isModel(message) || message['is_demo'] === true) return [];
    const next = messages[index + 1];
    const answer = next === undefined || isModel(next) ? undefined : textOf(next);
    return [{ action: textIn(message['action']) ?? commandIn(textOf(message)) ?? '', observation: answer }];
  });

/** What was done, by the list of steps, or, where only the conversation was kept, by its messages. */
const stepsIn = ({ trajectory, history }: JsonObject): readonly Step[] => {
  const steps = objectsIn(trajectory);
  if (steps.some(isStep)) {
    return steps.map(({ action, observation }) => ({ action: textIn(action) ?? '', observation }));
  }
  return stepsOfMessages(steps.length > 0 ? steps : objectsIn(history));
};

const promptIn = ({ trajectory, history }: JsonObject): string | undefined => {
  const messages = [...objectsIn(history), ...objectsIn(trajectory)];
  const prompt = messages.find(({ role, is_demo: isDemo }) => role === 'user' && isDemo !== true);
  return prompt && goalOf('task', textOf(prompt));
};

const stopOf = (exitStatus: string): Stop => ({ value: exitStatus, isInferred: false, claim: 'goal' });

const isTrajectory = (record: JsonObject): boolean =>
  Array.isArray(record['trajectory']) || Array.isArray(record['history']);

const start = (world: World) => {
  const nameOf = createFileNames();
  const runIdOf = createRunIds();
  let name = '';

  const takeStep = (writer: RunWriter, line: LineOf, { action, observation }: Step): void => {
    writer.round(line);
    const args = action.trim();
    if (args === '' || EXIT.test(args)) return;
    const call = { name: 'action', args };
    if (observation === undefined || observation === null) {
      writer.call(line, call);
      return;
    }
    const isError = FAILED.test(proseOf(observation)) ? true : undefined;
    writer.done(line, call, { value: observation, isError });
  };

  const takeRun = (runId: string, record: JsonObject, line: LineOf): void => {
    const writer = world.run(runId);
    const info = fieldsOf(record['info']);
    const stats = fieldsOf(info['model_stats']);
    writer.start(line, promptIn(record));
    for (const step of stepsIn(record)) takeStep(writer, line, step);
    // They are counted over the whole run, and stand at its last round.
    const usage = { in: countIn(stats['tokens_sent']), out: countIn(stats['tokens_received']) };
    if (usage.in + usage.out > 0) writer.updateRound(usage);
    const exitStatus = textIn(info['exit_status']) ?? textIn(record['exit_status']);
    if (exitStatus !== undefined) writer.stop(line, stopOf(exitStatus));
  };

  return {
    startInput(input: { readonly file: number; readonly name: string }): void {
      name = nameOf(input.file, input.name);
    },
    take(record: JsonObject, line: LineOf): void {
      const attempts = objectsIn(record['attempts']).filter(isTrajectory);
      if (!isTrajectory(record) && attempts.length === 0) {
        world.notUnderstood(textIn(record['type']) ?? '(no trajectory)');
        return;
      }
      const runId = runIdOf(textIn(record['instance_id']) ?? name);
      // Of several attempts the best one stands above them once more.
      if (attempts.length === 0) takeRun(runId, record, line);
      for (const [index, attempt] of attempts.entries()) takeRun(turnId(runId, index + 1), attempt, line);
    },
  };
};

const SPEAKERS = new Set(['system', 'user', 'ai', 'assistant', 'tool']);

export const sweAgent = defineAdapter({
  id: 'swe-agent',
  title: 'SWE-agent trajectories',
  where: '*.traj, and rows of the data sets that are made of them',
  run: 'a trajectory, or one of its attempts; it is named after its instance or its file',
  stops: 'recorded: exit_status; what was submitted for the agent after a limit or a failure stopped for that',
  tells: 'commands with what they printed, rounds, tokens of the whole run',
  lacks: 'times, exit codes, ids of calls, tokens of a round',
  volatile: { args: [], results: [] },
  recognises: (sample) =>
    sample.some((record) => {
      const { trajectory, history, info, attempts, exit_status: exitStatus } = record;
      const steps = objectsIn(trajectory);
      const isKnown = 'exit_status' in fieldsOf(info) || 'model_stats' in fieldsOf(info) || exitStatus !== undefined;
      const hasSteps = steps.some((step) => 'action' in step && ('observation' in step || 'response' in step));
      const isTalk = [...steps, ...objectsIn(history)].some(({ role }) => SPEAKERS.has(textIn(role) ?? ''));
      if ('messages' in record) return false;
      return hasSteps || (isKnown && (isTalk || Array.isArray(attempts) || Array.isArray(trajectory)));
    }),
  start,
});
