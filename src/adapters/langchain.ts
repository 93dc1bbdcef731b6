import type { VolatileArgument, VolatileText } from './digest.js';
import type { Result } from './run-writer.js';
import { fieldsOf, isObject, type JsonObject, objectsIn, parsedIn, textIn } from './values.js';

/** What differs from call to call in what LangChain says of calls. */
export const LANGCHAIN_VOLATILE: {
  readonly args: readonly VolatileArgument[];
  readonly results: readonly VolatileText[];
} = {
  args: [{ tool: '*', key: 'tool_call_id', because: 'a name of the call, not what is called' }],
  results: [
    { pattern: / tool_call_id='[^']*'/g, because: 'a message printed by Python names its call' },
    {
      pattern: / id='(?:\w+-+)?[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:-\d+)?'/g,
      because: 'a message printed by Python has an id of its own',
    },
  ],
};

const fieldsOfMessage = (value: JsonObject): JsonObject => {
  const said = isObject(value['output']) ? value['output'] : value;
  return isObject(said['kwargs']) ? said['kwargs'] : said;
};

const MAY_BE_MESSAGE = /"tool_call_id"|"output"/;
/** A tool's result: of a message, what it says without its ids; of anything else, all of it. */
export const resultIn = (given: unknown): Result => {
  if (typeof given === 'string' && !MAY_BE_MESSAGE.test(given)) return { value: given };
  const value = fieldsOf(parsedIn(given));
  const message = fieldsOfMessage(value);
  if (!('content' in message && 'tool_call_id' in message)) return { value: given };
  const { status } = message;
  return { value: message['content'], ...(status === 'error' && { isError: true }) };
};

/** A tool's arguments: a call as a message holds it names itself. */
export const argumentsIn = (given: unknown): unknown => {
  const said = fieldsOf(given);
  return said['type'] === 'tool_call' && 'args' in said ? said['args'] : given;
};

/** Why a response ended, where the outputs of a model's run say it. */
export const finishIn = (outputs: unknown): string | undefined => {
  const { generations } = fieldsOf(outputs);
  const [first] = Array.isArray(generations) ? objectsIn(generations.flat()) : [];
  const message = fieldsOf(fieldsOf(first?.['message'])['kwargs']);
  const info = fieldsOf(first?.['generation_info'] ?? message['response_metadata']);
  return textIn(info['finish_reason']) ?? textIn(info['stop_reason']);
};
