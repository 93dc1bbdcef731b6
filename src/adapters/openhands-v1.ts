import type { World } from './adapter.js';
import type { Conversation } from './openhands-conversation.js';
import type { LineOf } from './run-writer.js';
import { fieldsOf, type JsonObject, numberIn, proseOf, textIn, timeIn } from './values.js';

/** Events that say nothing of the loop. */
const SIDE = new Set(
  `Condensation CondensationRequest CondensationSummaryEvent SystemPromptEvent TokenEvent LLMCompletionLogEvent
  HookExecutionEvent StreamingDeltaEvent ConversationIterationEvent`.split(/\s+/),
);
const KINDS = new Set([
  ...SIDE,
  ...`ActionEvent ObservationEvent MessageEvent AgentErrorEvent UserRejectObservation ConversationErrorEvent
  ConversationStateUpdateEvent PauseEvent InterruptEvent ACPToolCallEvent`.split(/\s+/),
]);

export const isV1Event = (event: JsonObject): boolean => KINDS.has(textIn(event['kind']) ?? '') && 'source' in event;
/** What a conversation is in, in a file of its own. */
export const isV1State = (record: JsonObject): boolean =>
  'execution_status' in record && ('agent' in record || 'max_iterations' in record || 'persistence_dir' in record);

const CODE = /^\w{1,80}$/;

/** Reads the events of one conversation of version 1. */
export const createV1Reader = (world: World, conversation: Conversation) => {
  let calls = 0;
  const foreign = new Set<string>();

  const takeAction = (event: JsonObject, line: LineOf): void => {
    const ts = timeIn(event['timestamp']);
    const tool = textIn(event['tool_name']);
    if (tool === undefined) {
      world.unusable(line, 'an ActionEvent lacks its tool_name');
      return;
    }
    const action = fieldsOf(event['action']);
    conversation.respond(line, textIn(event['llm_response_id']), {}, ts);
    // Where the arguments were refused there is no action, and what the model called stands.
    const called = event['action'] ?? fieldsOf(event['tool_call'])['arguments'];
    const args = tool === 'think' ? proseOf(action['thought']) : called;
    if (tool === 'finish') conversation.finish(line, action['task_completed']);
    else {
      calls += 1;
      const id = textIn(event['tool_call_id']) ?? textIn(event['id']) ?? `nth ${calls}`;
      conversation.call(line, { id, name: tool, args, ts });
    }
  };

  const answer = (event: JsonObject, value: unknown, isError: boolean | undefined, exitCode?: number): void => {
    const ids = [event['tool_call_id'], event['action_id']].flatMap((id) => textIn(id) ?? []);
    conversation.result(ids, { value, isError, exitCode });
  };

  const takeObservation = (event: JsonObject): void => {
    const observation = fieldsOf(event['observation']);
    const { content, output, is_error: isFailure, error } = observation;
    const said = numberIn(observation['exit_code'] ?? fieldsOf(observation['metadata'])['exit_code']);
    const code = said === -1 ? undefined : said;
    const isFailed = isFailure === true || (error !== undefined && error !== null && error !== false && error !== '');
    const isOk = isFailure === false || code === 0;
    const isError = isFailed || (code !== undefined && code !== 0) ? true : isOk ? false : undefined;
    answer(event, content ?? output ?? observation, isError, code);
  };

  /** A call that another agent made, told again whenever it gets on; its title is prose. */
  const takeForeignCall = (event: JsonObject, line: LineOf): void => {
    const id = textIn(event['tool_call_id']);
    if (id === undefined) {
      world.unusable(line, 'an ACPToolCallEvent lacks its tool_call_id');
      return;
    }
    const { status, raw_input: args, raw_output: output, content } = event;
    if (!foreign.has(id)) {
      foreign.add(id);
      const ts = timeIn(event['timestamp']);
      conversation.respond(line, undefined, {}, ts);
      conversation.call(line, { id, name: textIn(event['tool_kind']) ?? 'acp', args, ts });
    }
    const isError = status === 'failed' || event['is_error'] === true;
    if (status === 'completed' || isError) conversation.result([id], { value: output ?? content, isError });
  };

  const takeState = ({ key, value }: JsonObject, line: LineOf): void => {
    const status = textIn(key === 'execution_status' ? value : fieldsOf(value)['execution_status']);
    if (status !== undefined) conversation.enter(line, status, '');
  };

  const takeError = (event: JsonObject, line: LineOf): void => {
    const code = textIn(event['code']) ?? '';
    conversation.fail(line, `${code} ${textIn(event['detail']) ?? ''}`, CODE.test(code) ? code : 'error');
  };

  return {
    take(event: JsonObject, line: LineOf): void {
      const kind = textIn(event['kind']) ?? '(no kind)';
      const { content } = fieldsOf(event['llm_message']);
      const ts = timeIn(event['timestamp']);
      if (kind === 'ActionEvent') takeAction(event, line);
      else if (kind === 'ObservationEvent' && event['tool_name'] !== 'finish') takeObservation(event);
      else if (kind === 'ACPToolCallEvent') takeForeignCall(event, line);
      else if (kind === 'AgentErrorEvent') answer(event, event['error'], true);
      else if (kind === 'MessageEvent' && event['source'] === 'user') conversation.prompt(line, proseOf(content), ts);
      else if (kind === 'MessageEvent' && event['source'] === 'agent') {
        conversation.respond(line, textIn(event['llm_response_id']), {}, ts);
      } else if (kind === 'UserRejectObservation') {
        answer(event, event['rejection_reason'], true);
        conversation.stop(line, 'user_rejected');
      } else if (kind === 'ConversationErrorEvent') takeError(event, line);
      else if (kind === 'ConversationStateUpdateEvent') takeState(event, line);
      else if (kind === 'PauseEvent') conversation.enter(line, 'paused', '');
      else if (kind === 'InterruptEvent') conversation.interrupt(line);
      else if (!KINDS.has(kind)) world.notUnderstood(kind);
    },
  };
};
