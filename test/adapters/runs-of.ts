import type { RunUnit } from '../../src/adapters/adapter.js';
import { loadAdapters } from '../../src/adapters/index.js';
import { NO_WISHES } from '../../src/foreign.js';
import { createTranslation, sourceOf } from '../../src/translation.js';

const words = ({ type, name, status, reason, detail, on }: Record<string, unknown>): string =>
  type === 'tool'
    ? `${name}:${status ?? '?'}`
    : type === 'terminal'
      ? [reason, detail].filter((word) => word !== undefined).join('/')
      : `${type}${on === undefined ? '' : `:${on}`}`;

/** What files of a format come to, each a list of records: the runs by id, and each span of one in a word. */
export const runsOf = async (
  format: string,
  files: readonly (readonly object[])[],
  unit: RunUnit = 'turn',
): Promise<Record<string, string>> => {
  const adapter = (await loadAdapters()).find(({ id }) => id === format);
  if (adapter === undefined) throw new Error(`no format ${format}`);
  const inputs = files.map((records, file) => ({
    file,
    name: `some/file-${file}.jsonl`,
    adapter,
    open: () =>
      sourceOf(
        (async function* () {
          yield Buffer.from(records.map((record) => `${JSON.stringify(record)}\n`).join(''));
        })(),
      ),
  }));
  const silent = { onFault() {}, onMiss() {} };
  const { pieces } = createTranslation(inputs, { unit, ...NO_WISHES }, silent);
  let text = '';
  for await (const piece of pieces) text += piece.toString();
  const runs: Record<string, string> = {};
  for (const line of text.trimEnd().split('\n').slice(1)) {
    const { run_id, ...span } = JSON.parse(line);
    runs[run_id] = [...(runs[run_id] === undefined ? [] : [runs[run_id]]), words(span)].join(' ');
  }
  return runs;
};
