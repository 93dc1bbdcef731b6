// Lines as they should not be, but are. Each function gets a whole line without its end.
import { below } from './random.mjs';

const setNumber = (line, field, write) =>
  line.replace(new RegExp(`"${field}":(\\d+)`), (_, digits) => `"${field}":${write(digits)}`);
const addFields = (line, text) => `${line.slice(0, -1)},${text}}`;
const reversed = (line) => JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line)).toReversed()));
const LONG = 'a \\"quoted\\" word, a \\\\ backslash, a \\u00e9 and an é, 😀 \\ud83d\\ude00 {[,:]} '.repeat(100);

/** Odd lines that are the same span as the plain one. */
const USABLE = [
  (line) => `${line}\r`,
  (line) => ` \t${line} \t`,
  (line) => line.replaceAll('":', '" : ').replaceAll(',"', ' ,\t"'),
  (line) => line.replace('"run_id"', '"\\u0072un_id"'),
  (line) => line.replace('"type":"', '"\\u0074ype":"'),
  (line) => line.replace('"type":"tool"', '"type":"\\u0074\\u006fol"').replace('"run-', '"\\u0072un-'),
  (line) => line.replace('"reason":"done"', '"reason":"d\\u006fne"'),
  (line) => setNumber(line, 'seq', (digits) => `${digits}.0`),
  (line) => setNumber(line, 'seq', (digits) => `${digits}00e-2`),
  (line) => setNumber(line, 'iter', (digits) => (digits === '0' ? '-0' : `${digits}E0`)),
  (line) => setNumber(line, 'mono_ms', (digits) => `${digits}.25e400`),
  (line) => `{"run_id":"another","seq":7,"iter":99,"type":"terminal","reason":"blocked",${withRepeats(line)}`,
  (line) => addFields(line, '"__proto__":{"run_id":"another"},"constructor":null'),
  (line) => addFields(line, '"args":{"run_id":"inner","seq":[1,[2,{"type":"terminal"}]],"":{}}'),
  (line) => addFields(line, '"run_ie":"near","reasom":"done","raeson":"done","typ":1,"sep":2,"iters":"x"'),
  (line) => addFields(line, '"worktree":null,"turn":null,"successor_run":false'),
  (line) => addFields(line, '"span_id":17,"ts":["odd"],"mono_ms":"late"'),
  (line) => addFields(line, `"text":"${LONG}"`),
  (line) => addFields(line, '"half":"\\ud800","zero":"\\u0000","big":123456789012345678901234567890'),
  reversed,
];

// Every field that the line goes before must be said again, or what goes before would count.
const withRepeats = (line) => `${line.slice(1, -1)}${line.includes('"reason":') ? '' : ',"reason":null'}}`;

/** Lines that are no span; they stand beside the plain one. */
const UNUSABLE = [
  (line, random) => line.slice(0, 1 + below(line.length - 1, random())),
  () => 'null',
  () => '17',
  () => '"a text"',
  () => '[{"run_id":"run-in-a-list"}]',
  () => '{"seq":1,"type":"tool"}',
  () => '{"run_id":"","seq":1,"type":"tool"}',
  () => '{"run_id":null,"seq":1,"type":"tool"}',
  () => '{"run_id":12,"seq":1,"type":"tool"}',
  (line) => setNumber(line, 'seq', (digits) => `"${digits}"`),
  (line) => setNumber(line, 'seq', (digits) => `${digits}.5`),
  (line) => setNumber(line, 'seq', () => '9007199254740992'),
  (line) => setNumber(line, 'seq', () => '1e400'),
  (line) => setNumber(line, 'seq', (digits) => `0${digits}`),
  (line) => setNumber(line, 'seq', (digits) => `+${digits}`),
  (line) => setNumber(line, 'seq', () => 'NaN'),
  (line) => setNumber(line, 'iter', () => '-1'),
  (line) => setNumber(line, 'iter', () => 'true'),
  (line) => addFields(line, '"name":{"is":"no text"}'),
  (line) => addFields(line, '"args_hash":5'),
  (line) => addFields(line, '"worktree":[]'),
  (line) => line.replace('"type":"', '"type":"\u0001'),
  (line) => line.replace('"type":"', '"type":"\\x'),
  (line) => line.replaceAll('"', "'"),
  (line) => `${line}}`,
  (line) => `${line}${line}`,
  (line) => `${line.slice(0, -1)},}`,
  (line) => `\u00a0${line}`,
  (line) => Buffer.concat([Buffer.from(line.slice(0, -1)), Buffer.from([...Buffer.from(',"x":"'), 0xff, 0x22, 0x7d])]),
  (line) =>
    Buffer.concat([
      Buffer.from(line.slice(0, -1)),
      Buffer.from([...Buffer.from(',"x":"'), 0xed, 0xa0, 0x80, 0x22, 0x7d]),
    ]),
];

const BLANK = ['', '   ', '\t\r'];

/** Ends of run ids that are awkward, as JSON and as they are printed. */
export const ID_TAILS = [
  ['', ''],
  ['é😀', 'é😀'],
  ['\\t', '\\t'],
  ['\\\\n', '\\\\n'],
  ['\\u001b[31m', '\\u001b[31m'],
  ['\\ud83d\\ude00\\"', '😀"'],
  ['\\\\x', '\\x'],
];

/** What stands in place of a plain line: it, in an odd way or beside something odd. */
export const hostileLines = (line, random) => {
  const kinds = [USABLE, USABLE, UNUSABLE, UNUSABLE, BLANK];
  const kind = kinds[below(kinds.length, random())];
  const odd = kind[below(kind.length, random())];
  if (kind === USABLE) return [odd(line)];
  return [line, kind === BLANK ? odd : odd(line, random)];
};

export const BYTE_ORDER_MARK = '\ufeff';
export const TORN = '{"run_id":"run-torn","seq":1,"ty';
