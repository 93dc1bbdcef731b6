// The lines of a generated trace before a run, a place and digests are written into them.
import { below, isWithin } from './random.mjs';
import { STOPS } from './runs.mjs';

const VARIETY = { tool: 1024, spun: 64, other: 64 };
const TOOLS = [
  'read_file',
  'edit_file',
  'run_command',
  'search',
  'list_folder',
  'write_file',
  'run_tests',
  'fetch_page',
];
const OTHERS = [
  (hex) => ({ type: 'state', state_hash: hex() }),
  () => ({ type: 'note', text: 'the plan has three steps; the second one is under way' }),
  () => ({ type: 'usage', tokens_aux: 120, cache: 'warm' }),
];
const OPTIONAL = [
  () => ({ emitter: 'harness' }),
  (hex) => ({ call_id: `call_${hex()}` }),
  () => ({ effect: 'read', exit_code: 0 }),
  (hex) => ({ parent_id: hex() }),
  () => ({ tokens_in: 1843, tokens_cached: 900, tokens_out: 77 }),
];

const TIME = '00:00:00';
export const CLOCK = '0000000000';
const SPAN_ID = 'S'.repeat(8);
const ARGS = 'A'.repeat(16);
const RESULT = 'R'.repeat(16);

/** One shape: what stands between `seq` and `iter`, what follows, and where the latter has its slots; -1 for none. */
const shapeOf = ({ type, ...fields }) => {
  const rest = { ...fields, ts: `2026-01-01T${TIME}Z`, mono_ms: 0, span_id: SPAN_ID };
  const tail = `,${JSON.stringify(rest).slice(1)}\n`.replace('"mono_ms":0', `"mono_ms":${CLOCK}`);
  return {
    middle: Buffer.from(`,"type":"${type}","iter":`),
    tail: Buffer.from(tail),
    slots: {
      args: tail.indexOf(ARGS),
      result: tail.indexOf(RESULT),
      time: tail.indexOf(TIME),
      clock: tail.indexOf(CLOCK),
      spanId: tail.indexOf(SPAN_ID),
    },
  };
};

const repeat = (count, make) => Array.from({ length: count }, (_, index) => make(index));

/** Shapes by kind. With repeated digests each shape keeps its own; neighbouring shapes never share one. */
export const shapesFor = ({ digests, optional }, random) => {
  const hex = () => `${(random() >>> 0).toString(16)}${(random() >>> 0).toString(16)}`.padStart(16, '0');
  const slot = (name) => (digests === 'unique' ? name : hex());
  const extra = () => (isWithin(optional, random()) ? OPTIONAL[below(OPTIONAL.length, random())](hex) : {});
  const tool = (args, name) => ({
    type: 'tool',
    name,
    args_hash: args,
    result_hash: slot(RESULT),
    status: isWithin(0.05, random()) ? 'error' : 'ok',
    ...extra(),
  });
  const stop = (reason) => ({ type: 'terminal', reason, status: reason === 'done' ? 'ok' : 'error' });
  const objects = {
    start: [{ type: 'loop_start', goal: 'the tests of the package pass' }],
    model: [{ type: 'model', tokens_in: 2048, tokens_out: 200, stop_reason: 'tool_use' }],
    other: repeat(VARIETY.other, (index) => OTHERS[index % OTHERS.length](hex)),
    tool: repeat(VARIETY.tool, (index) => tool(slot(ARGS), TOOLS[index % TOOLS.length])),
    spun: repeat(VARIETY.spun, () => tool(hex(), 'edit_file')),
    ...Object.fromEntries(STOPS.map((reason) => [reason, [stop(reason)]])),
  };
  return Object.fromEntries(Object.entries(objects).map(([kind, list]) => [kind, list.map(shapeOf)]));
};
