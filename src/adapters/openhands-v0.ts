import type { World } from './adapter.js';
import type { Conversation } from './openhands-conversation.js';
import type { LineOf } from './run-writer.js';
import { countIn, fieldsOf, isObject, type JsonObject, numberIn, proseOf, textIn, timeIn } from './values.js';

/** Actions that call no tool. */
const SIDE_ACTIONS = new Set(
  'message system recall change_agent_state null condensation condensation_request loop_recovery finish reject'.split(
    ' ',
  ),
);
const CALLS = new Set(
  `run run_ipython read write edit browse browse_interactive call_tool_mcp delegate think task_tracking push
  send_pr add_task modify_task kill save_plan`.split(/\s+/),
);
const SIDE_OBSERVATIONS = new Set(
  'null recall agent_condensation system chat download loop_detection condense microagent_knowledge'.split(' '),
);
const RESULTS = new Set(
  `run run_ipython read write edit browse browse_interactive mcp delegate think task_tracking error success
  user_rejected agent_state_changed`.split(/\s+/),
);

export const isV0Event = (event: JsonObject): boolean => {
  const { action, observation } = event;
  if (typeof action === 'string') return CALLS.has(action) || SIDE_ACTIONS.has(action);
  return typeof observation === 'string' && (RESULTS.has(observation) || SIDE_OBSERVATIONS.has(observation));
};

/** What an event of the oldest, flat form says beside its arguments. */
const META = new Set(
  'id timestamp source message action observation cause tool_call_metadata llm_metrics content extras'.split(' '),
);
const argsOf = (event: JsonObject): JsonObject =>
  isObject(event['args']) ? event['args'] : Object.fromEntries(Object.entries(event).filter(([key]) => !META.has(key)));

const idOf = (value: unknown): string | undefined => {
  const id = numberIn(value) ?? textIn(value);
  return id === undefined ? undefined : String(id);
};

/** What a tool is called with. The thought beside it is prose; where thinking is all, it is the argument. */
const calledIn = (action: string, args: JsonObject): { readonly name: string; readonly args: unknown } => {
  if (action === 'think') return { name: action, args: proseOf(args['thought']) };
  if (action === 'call_tool_mcp') return { name: textIn(args['name']) ?? action, args: args['arguments'] };
  return { name: action, args };
};

/** Reads the events of one conversation of version 0. */
export const createV0Reader = (world: World, conversation: Conversation) => {
  /** The action that an observation without a cause answers. */
  let latest: string | undefined;
  let count = 0;
  let isPrompted = false;

  const takeAction = (event: JsonObject, action: string, line: LineOf): void => {
    const args = argsOf(event);
    const ts = timeIn(event['timestamp']);
    const isUser = event['source'] === 'user' || (event['source'] === undefined && action === 'message' && !isPrompted);
    if (action === 'message' && isUser) {
      isPrompted = true;
      conversation.prompt(line, proseOf(args['content'] ?? event['content'] ?? event['message']), ts);
      return;
    }
    if (action === 'change_agent_state') return;
    const isSide = SIDE_ACTIONS.has(action) && action !== 'message' && action !== 'finish' && action !== 'reject';
    if (isSide || event['source'] === 'user' || event['source'] === 'environment') return;
    if (!SIDE_ACTIONS.has(action) && !CALLS.has(action)) world.notUnderstood(action);
    const { tool_call_id: callId, model_response: response } = fieldsOf(event['tool_call_metadata']);
    const { id: responseId, usage } = fieldsOf(response);
    const { prompt_tokens: into, completion_tokens: out } = fieldsOf(usage);
    const used = usage === undefined ? {} : { in: countIn(into), out: countIn(out) };
    conversation.respond(line, textIn(responseId), used, ts);
    if (action === 'finish') conversation.finish(line, args['task_completed']);
    else if (action === 'reject') conversation.stop(line, 'rejected');
    else if (action === 'message') {
      if (args['wait_for_response'] === true) conversation.enter(line, 'awaiting_user_input', '');
    } else {
      count += 1;
      latest = idOf(event['id']) ?? textIn(callId) ?? `nth ${count}`;
      const called = calledIn(action, args);
      conversation.call(line, { id: latest, ...called, ts, more: action === 'delegate' ? { effect: 'spawn' } : {} });
    }
  };

  const takeObservation = (event: JsonObject, observation: string, line: LineOf): void => {
    const extras = fieldsOf(event['extras']);
    const text = proseOf(event['content']);
    if (observation === 'agent_state_changed') {
      const reason = textIn(extras['reason']) ?? '';
      conversation.enter(line, textIn(extras['agent_state']) ?? '', `${reason} ${text}`);
      return;
    }
    const exitCode = numberIn(fieldsOf(extras['metadata'])['exit_code'] ?? extras['exit_code'] ?? event['exit_code']);
    // -1 stands for a command that has not ended.
    const code = exitCode === -1 ? undefined : exitCode;
    const isFailure = observation === 'error' || observation === 'user_rejected' || extras['error'] === true;
    const isError = isFailure ? true : code === undefined ? undefined : code !== 0;
    const cause = idOf(event['cause']) ?? (event['id'] === undefined ? latest : undefined);
    if (cause !== undefined && !SIDE_OBSERVATIONS.has(observation)) {
      conversation.result([cause], { value: event['content'], isError, exitCode: code });
    }
    if (observation === 'user_rejected') conversation.stop(line, 'user_rejected');
    if (observation === 'error') conversation.note(text);
    if (!RESULTS.has(observation) && !SIDE_OBSERVATIONS.has(observation)) world.notUnderstood(observation);
  };

  return {
    take(event: JsonObject, line: LineOf): void {
      const [action, observation] = [textIn(event['action']), textIn(event['observation'])];
      if (action !== undefined) takeAction(event, action, line);
      else if (observation !== undefined) takeObservation(event, observation, line);
      else world.notUnderstood('(neither action nor observation)');
    },
  };
};
