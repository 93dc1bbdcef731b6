import { spawnSync } from 'node:child_process';
import { lstatSync, readFileSync } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { describe, expect, test } from 'vitest';
import { ended, type Folder, folder, ROOT } from './run-command.js';
import { run } from './run-main.js';
import { lines } from './trace-words.js';

const KNOWN_BAD = lines('start@0 tool@1:a tool@2:a tool@3:a', 'demo');
const KNOWN_BAD_LINE = 'demo\tno_progress\titer=3\tspans=4\n';
const KEPT = lines('start@0 tool@1:a stop@1:done', 'kept');
const KEPT_LINE = 'kept\tclosed_ok\titer=1\tspans=3\n';

describe('the known-bad trace fails the same way wherever it comes from', () => {
  test.concurrent.for<readonly [string, string]>([
    ['a pipe', 'cat bad.jsonl | terminal-contract'],
    ['a pipe, as a dash', 'cat bad.jsonl | terminal-contract -'],
    ['a redirected file', 'terminal-contract < bad.jsonl'],
    ['a redirected file, as a dash', 'terminal-contract - < bad.jsonl'],
    ['a here document', 'terminal-contract <<< "$(cat bad.jsonl)"'],
    ['a file', 'terminal-contract bad.jsonl'],
    ['a file below the folder', 'terminal-contract ./bad.jsonl'],
    ['a file by its whole path', 'terminal-contract "$PWD/bad.jsonl"'],
    ['a process substitution', 'terminal-contract <(cat bad.jsonl)'],
    ['a pipe, by the name of its device', 'cat bad.jsonl | terminal-contract /dev/stdin'],
    ['a redirected file, by the name of its device', 'terminal-contract /dev/stdin < bad.jsonl'],
    ['a pattern', "terminal-contract 'b*.jsonl'"],
    ['a pattern by its whole path', 'terminal-contract "$PWD/b*.jsonl"'],
    ['a pattern of names', "terminal-contract '{bad,none}.jsonl'"],
    ['a pattern that also is a name', "cp bad.jsonl '[b].jsonl'; terminal-contract '[b].jsonl'"],
    ['two files', 'terminal-contract head.jsonl tail.jsonl'],
    ['two files against their order', 'terminal-contract tail.jsonl head.jsonl'],
    ['a file and a pipe', 'cat tail.jsonl | terminal-contract head.jsonl -'],
    ['a pipe and a file', 'cat head.jsonl | terminal-contract - tail.jsonl'],
    ['a file after --', 'terminal-contract -- bad.jsonl'],
    ['files before and after --', 'terminal-contract head.jsonl -- tail.jsonl'],
    ['a flag, then a file after --', 'terminal-contract --quiet -- bad.jsonl'],
    ['a name that begins with a dash', 'cp bad.jsonl ./-b.jsonl; terminal-contract -- -b.jsonl'],
    ['a name that is a flag', 'cp bad.jsonl ./--help; terminal-contract -- --help'],
    ['a name that is a command', 'cp bad.jsonl rules; terminal-contract ./rules'],
    ['a name that is a command, after --', 'cp bad.jsonl rules; terminal-contract -- rules'],
    ['a name that reads as a number', 'cp bad.jsonl 12; terminal-contract 12'],
    ['a name with leading zeros', 'cp bad.jsonl 007; terminal-contract 007'],
    ['a name that reads as a float', 'cp bad.jsonl 1e3; terminal-contract 1e3'],
    ['a name that reads as hexadecimal', 'cp bad.jsonl 0x10; terminal-contract 0x10'],
    ['a name with spaces', 'cp bad.jsonl "last week.jsonl"; terminal-contract "last week.jsonl"'],
    ['a name with quotes', `cp bad.jsonl "it's.jsonl"; terminal-contract "it's.jsonl"`],
    ['a name without a suffix', 'cp bad.jsonl trace; terminal-contract trace'],
    ['a name that ends in another suffix', 'cp bad.jsonl trace.csv; terminal-contract trace.csv'],
    ['a file before a flag', 'terminal-contract bad.jsonl --quiet'],
    ['a file after a switch', 'terminal-contract --quiet bad.jsonl'],
    ['a file after a flag that may be repeated', 'terminal-contract --rule open-loop=error bad.jsonl'],
    ['a file after a flag that takes a list', 'terminal-contract --token-kinds in,out bad.jsonl'],
    ['a file after a flag for one number', 'terminal-contract --budget 24 bad.jsonl'],
  ])('%s', async ([, script], { onTestFinished }) => {
    const at = folder(
      {
        'bad.jsonl': KNOWN_BAD,
        'head.jsonl': KNOWN_BAD.slice(0, 2),
        'tail.jsonl': KNOWN_BAD.slice(2),
      },
      onTestFinished,
    );
    const { stdout, code } = await at.shell(script);
    expect({ stdout, code }).toEqual({ stdout: KNOWN_BAD_LINE, code: 1 });
  });
});

test('the known-bad trace, as people see it', async () => {
  const { stdout, stderr, code } = await folder().run([], {
    stdin: { kind: 'piped', text: `${KNOWN_BAD.join('\n')}\n` },
  });
  expect({ stdout, code }).toEqual({ stdout: KNOWN_BAD_LINE, code: 1 });
  expect(stderr).toMatch(/^demo: no_progress /);
  expect(stderr).toMatch(/\n {2}error no-progress <stdin>:4: .*; halt on the next match\n/);
  expect(stderr).toMatch(/\n {2}error open-loop <stdin>:4: .*; cap the run and page\n/);
  expect(stderr).toMatch(/\n1 run, 4 spans: 1 failed, 0 passed \(no_progress 1\)\n$/);
});

interface Ending {
  readonly shows: string;
  readonly script: string;
  readonly code: number;
  readonly stdout: string;
  /** What stderr says, each somewhere in it. */
  readonly says?: readonly string[];
}

const NO_SPAN = 'the trace holds no span';
const TORN = '{"run_id":"kept","seq":4,"ty';

const ENDINGS: readonly Ending[] = [
  { shows: 'every run kept the contract', script: 'terminal-contract kept.jsonl', code: 0, stdout: KEPT_LINE },
  {
    shows: 'one run failed',
    script: 'terminal-contract kept.jsonl bad.jsonl',
    code: 1,
    stdout: KNOWN_BAD_LINE + KEPT_LINE,
    says: ['2 runs, 7 spans: 1 failed, 1 passed (no_progress 1, closed_ok 1)\n'],
  },
  {
    shows: 'an unusable line among kept runs',
    script: '{ cat kept.jsonl; echo nonsense; } | terminal-contract',
    code: 2,
    stdout: KEPT_LINE,
    says: ['<stdin>:4:2: invalid-json: ', '1 unusable line, not everything could be judged'],
  },
  {
    shows: 'an unusable line outranks a failed run',
    script: '{ echo nonsense; cat bad.jsonl; } | terminal-contract',
    code: 2,
    stdout: KNOWN_BAD_LINE,
    says: ['<stdin>:1:2: invalid-json: ', 'error no-progress <stdin>:5: '],
  },
  {
    shows: 'a missing file beside a kept one',
    script: 'terminal-contract missing.jsonl kept.jsonl',
    code: 2,
    stdout: KEPT_LINE,
    says: ['missing.jsonl: unreadable-input: cannot be read: there is no such file\n', '1 unreadable input'],
  },
  {
    shows: 'a missing file outranks a failed run',
    script: 'terminal-contract bad.jsonl missing.jsonl',
    code: 2,
    stdout: KNOWN_BAD_LINE,
    says: ['missing.jsonl: unreadable-input: '],
  },
  {
    shows: 'a link that leads nowhere',
    script: 'ln -s nowhere link.jsonl; terminal-contract link.jsonl kept.jsonl',
    code: 2,
    stdout: KEPT_LINE,
    says: ['link.jsonl: unreadable-input: '],
  },
  {
    shows: 'a folder that holds nothing',
    script: 'mkdir traces; terminal-contract traces kept.jsonl',
    code: 2,
    stdout: KEPT_LINE,
    says: ['traces: no-match: the directory holds no file\n'],
  },
  {
    shows: 'a folder as standard input',
    script: 'terminal-contract < .',
    code: 2,
    stdout: '',
    says: ['<stdin>: unreadable-input: cannot be read: it is a directory'],
  },
  {
    shows: 'a closed standard input',
    script: 'terminal-contract <&-',
    code: 2,
    stdout: '',
    says: ['<stdin>: unreadable-input: cannot be read: standard input is closed'],
  },
  {
    shows: 'a closed standard input is not empty',
    script: 'terminal-contract --allow-empty <&-',
    code: 2,
    stdout: '',
    says: ['standard input is closed'],
  },
  {
    shows: 'a closed standard input that nobody asked for',
    script: 'terminal-contract kept.jsonl <&-',
    code: 0,
    stdout: KEPT_LINE,
  },
  { shows: 'the null device', script: 'terminal-contract < /dev/null', code: 2, stdout: '', says: [NO_SPAN] },
  { shows: 'an empty pipe', script: 'true | terminal-contract', code: 2, stdout: '', says: [NO_SPAN] },
  { shows: 'an empty file', script: ': > empty; terminal-contract empty', code: 2, stdout: '', says: [NO_SPAN] },
  {
    shows: 'blank lines alone',
    script: "printf '\\n \\n\\r\\n' | terminal-contract",
    code: 2,
    stdout: '',
    says: [NO_SPAN],
  },
  {
    shows: 'a header alone',
    script: `echo '{"type":"contract","budget":2}' | terminal-contract`,
    code: 2,
    stdout: '',
    says: [NO_SPAN],
  },
  {
    shows: 'an empty file beside a trace',
    script: ': > empty; terminal-contract empty kept.jsonl',
    code: 0,
    stdout: KEPT_LINE,
  },
  { shows: 'an empty trace that may be', script: 'terminal-contract --allow-empty < /dev/null', code: 0, stdout: '' },
  {
    shows: 'an unusable trace that may be empty',
    script: 'echo nonsense | terminal-contract --allow-empty',
    code: 2,
    stdout: '',
    says: ['invalid-json'],
  },
  {
    shows: 'a last line that is cut',
    script: `{ cat kept.jsonl; printf '${TORN}'; } | terminal-contract`,
    code: 0,
    stdout: KEPT_LINE,
    says: ['<stdin>:4:29: torn-tail: ', '1 unusable line'],
  },
  {
    shows: 'a last line that is cut, of a failed run',
    script: `{ cat bad.jsonl; printf '${TORN}'; } | terminal-contract`,
    code: 1,
    stdout: KNOWN_BAD_LINE,
    says: ['<stdin>:5:29: torn-tail: '],
  },
  {
    shows: 'a last line that is cut, held against the trace',
    script: `{ cat kept.jsonl; printf '${TORN}'; } | terminal-contract --profile strict`,
    code: 2,
    stdout: KEPT_LINE,
    says: ['torn-tail: ', 'not everything could be judged'],
  },
  {
    shows: 'a last line that is cut in a character',
    script: `{ cat kept.jsonl; printf '{"run_id":"\\xe2\\x82'; } | terminal-contract`,
    code: 0,
    stdout: KEPT_LINE,
    says: ['<stdin>:4:12: torn-tail: '],
  },
  {
    shows: 'each of two files cut at its end',
    script: `for name in bad kept; do printf '${TORN}' >> $name.jsonl; done; terminal-contract kept.jsonl bad.jsonl`,
    code: 1,
    stdout: KNOWN_BAD_LINE + KEPT_LINE,
    says: ['kept.jsonl:4:29: torn-tail: ', 'bad.jsonl:5:29: torn-tail: '],
  },
  {
    shows: 'a cut line that has a line end',
    script: `{ cat kept.jsonl; echo '${TORN}'; } | terminal-contract`,
    code: 2,
    stdout: KEPT_LINE,
    says: ['<stdin>:4:29: invalid-json: '],
  },
  {
    shows: 'nothing but a cut line',
    script: `printf '${TORN}' | terminal-contract`,
    code: 2,
    stdout: '',
    says: ['torn-tail: ', NO_SPAN],
  },
  {
    shows: 'a last line that is whole without a line end',
    script: 'printf %s "$(cat kept.jsonl)" | terminal-contract',
    code: 0,
    stdout: KEPT_LINE,
  },
  {
    shows: 'an open run in a window over longer runs',
    script: 'sed \\$d kept.jsonl | terminal-contract --partial',
    code: 0,
    stdout: 'kept\topen_loop\titer=1\tspans=2\n',
    says: ['1 run, 2 spans: 0 failed, 0 passed, 1 inconclusive (open_loop 1)\n'],
  },
  {
    shows: 'an open run in a whole trace',
    script: 'sed \\$d kept.jsonl | terminal-contract',
    code: 1,
    stdout: 'kept\topen_loop\titer=1\tspans=2\n',
  },
  {
    shows: 'two stops in a window',
    script: `{ cat kept.jsonl; echo '{"run_id":"kept","seq":4,"type":"terminal","reason":"done"}'; } | terminal-contract --partial`,
    code: 1,
    stdout: 'kept\tdouble_stop\titer=1\tspans=4\n',
  },
  {
    shows: 'a rule that breaks a closed run',
    script: 'sed 1d kept.jsonl | terminal-contract --rule missing-goal=error',
    code: 1,
    stdout: 'kept\tclosed_ok\titer=1\tspans=2\tbreaks=missing-goal\n',
    says: ['error missing-goal <stdin>:1: '],
  },
  {
    shows: 'two rules that break a closed run',
    script: 'sed 1d kept.jsonl | terminal-contract --budget 0 --rule missing-goal=error --rule over-budget=error',
    code: 1,
    stdout: 'kept\tclosed_done\titer=1\tspans=2\tbreaks=over-budget,missing-goal\n',
  },
  {
    shows: 'a rule that breaks a failed run needs no column',
    script: 'terminal-contract bad.jsonl --rule missing-goal=error',
    code: 1,
    stdout: KNOWN_BAD_LINE,
  },
  {
    shows: 'a rule that warns',
    script: 'sed 1d kept.jsonl | terminal-contract',
    code: 0,
    stdout: 'kept\tclosed_ok\titer=1\tspans=2\n',
    says: ['warn missing-goal: 1 passing run, first kept at <stdin>:1: '],
  },
  {
    shows: 'a failing verdict whose rule is off',
    script: 'sed \\$d kept.jsonl | terminal-contract --rule open-loop=off',
    code: 0,
    stdout: 'kept\topen_loop\titer=1\tspans=2\n',
  },
  {
    shows: 'evidence that is required and missing',
    script: `{ cat kept.jsonl | sed \\$d; echo '{"run_id":"kept","seq":3,"type":"terminal","reason":"handoff","successor_run":"next"}'; } | terminal-contract --require termination`,
    code: 1,
    stdout: 'kept\tclosed_handoff\titer=1\tspans=3\tbreaks=open-handoff\n',
    says: ['required open-handoff: '],
  },
  {
    shows: 'evidence that is missing and not required',
    script: `{ cat kept.jsonl | sed \\$d; echo '{"run_id":"kept","seq":3,"type":"terminal","reason":"handoff","successor_run":"next"}'; } | terminal-contract --require order`,
    code: 0,
    stdout: 'kept\tclosed_handoff\titer=1\tspans=3\n',
  },
  {
    shows: 'classic: nothing to read',
    script: 'terminal-contract --profile classic < /dev/null 2> err; code=$?; cat err >&2; [ ! -s err ] && exit $code',
    code: 0,
    stdout: '',
  },
  {
    shows: 'classic: an unusable line is said',
    script: '{ cat kept.jsonl; echo nonsense; } | terminal-contract --profile classic',
    code: 2,
    stdout: KEPT_LINE,
    says: ['<stdin>:4:2: invalid-json: '],
  },
  {
    shows: 'classic: the budget is let pass, and no rule breaks a closed run',
    script: 'terminal-contract --profile classic --budget 0 kept.jsonl',
    code: 0,
    stdout: 'kept\tclosed_done\titer=1\tspans=3\n',
  },
];

describe('exit codes', () => {
  test.concurrent.for(ENDINGS)('$code: $shows', async ({ script, code, stdout, says = [] }, { onTestFinished }) => {
    const ran = await folder({ 'bad.jsonl': KNOWN_BAD, 'kept.jsonl': KEPT }, onTestFinished).shell(script);
    expect({ stdout: ran.stdout, code: ran.code }, ran.stderr).toEqual({ stdout, code });
    for (const words of says) expect(ran.stderr).toContain(words);
  });

  test.skipIf(process.getuid?.() === 0)('2: a file that may not be read (root may read all)', async () => {
    const at = folder({ 'kept.jsonl': KEPT, 'secret.jsonl': KEPT });
    const { stdout, stderr, code } = await at.shell(
      'chmod 000 secret.jsonl; terminal-contract secret.jsonl kept.jsonl',
    );
    expect({ stdout, code }).toEqual({ stdout: KEPT_LINE, code: 2 });
    expect(stderr).toContain('secret.jsonl: unreadable-input: cannot be read: permission is denied\n');
  });

  test('0: a run of every reason that passes, each on a line of its own, by the code points of the ids', async () => {
    const reasons = ['done', 'budget', 'rejected', 'blocked'];
    const ids = ['b', '\u{1f600}', '\uff5e', 'B'];
    const trace = reasons.flatMap((reason, index) => lines(`start@0 tool@1:a stop@1:${reason}`, ids[index]));
    const { stdout, code } = await folder({ 'trace.jsonl': trace }).run(['--budget', '1', 'trace.jsonl']);
    expect(stdout.split('\n')).toEqual([
      'B\tclosed_blocked\titer=1\tspans=3',
      'b\tclosed_ok\titer=1\tspans=3',
      '\uff5e\tclosed_rejected\titer=1\tspans=3',
      '\u{1f600}\tclosed_cap\titer=1\tspans=3',
      '',
    ]);
    expect(code).toBe(0);
  });
});

describe('stderr', () => {
  test('classic says nothing of usable lines, whatever the runs are', async () => {
    const at = folder({ 'trace.jsonl': [...KNOWN_BAD, ...KEPT, ...lines('tool@9:a stop@9:done', 'other')] });
    const { stderr, code } = await at.run(['--profile', 'classic', 'trace.jsonl']);
    expect({ stderr, code }).toEqual({ stderr: '', code: 1 });
  });

  test('--quiet says nothing of runs', async () => {
    const { stderr, code } = await folder({ 'trace.jsonl': KNOWN_BAD }).run(['--quiet', 'trace.jsonl']);
    expect({ stderr, code }).toEqual({ stderr: '', code: 1 });
  });

  test('--quiet says what could not be read, and no more', async () => {
    const at = folder({ 'trace.jsonl': [...KNOWN_BAD, 'nonsense'] });
    const { stderr, code } = await at.run(['--quiet', 'trace.jsonl', 'missing.jsonl']);
    expect(code).toBe(2);
    expect(stderr.split('\n')).toEqual([
      'missing.jsonl: unreadable-input: cannot be read: there is no such file',
      expect.stringMatching(/^trace\.jsonl:5:2: invalid-json: /),
      '',
    ]);
  });

  test('the first failing runs, then a count', async () => {
    const trace = Array.from({ length: 25 }, (_, index) => lines('start@0', `run-${String(index).padStart(2, '0')}`));
    const { stderr } = await folder({ 'trace.jsonl': trace.flat() }).run(['trace.jsonl']);
    expect(stderr.match(/^run-\d\d: open_loop/gm)).toHaveLength(20);
    expect(stderr).toMatch(/\n… and 5 more failing runs; --format json has them all\n25 runs, 25 spans: 25 failed/);
  });

  test('nobody reads it: the verdicts and the exit code stand', async () => {
    const trace = Array.from({ length: 2000 }, (_, index) => lines('start@0', `run-${index}`)).flat();
    const at = folder({ 'trace.jsonl': trace });
    const { stdout } = await at.shell('terminal-contract trace.jsonl 2> >(true) > out.tsv; echo $?; wc -l < out.tsv');
    expect(stdout.trim().split(/\s+/)).toEqual(['1', '2000']);
  });
});

interface Refused {
  readonly args: readonly string[];
  /** What the refusal says, each somewhere in it. */
  readonly says: readonly string[];
}

const WHOLE = 'must be a whole number from 0';
const REFUSALS: readonly Refused[] = [
  { args: ['--budget', 'abc'], says: ['--budget', WHOLE] },
  { args: ['--budget=-1'], says: ['--budget', WHOLE] },
  { args: ['--budget', '-1'], says: ['--budget', WHOLE] },
  { args: ['--budget', '1e3'], says: ['--budget', WHOLE] },
  { args: ['--budget', '0x10'], says: ['--budget', WHOLE] },
  { args: ['--budget', '1.5'], says: ['--budget', WHOLE] },
  { args: ['--budget', ' 5'], says: ['--budget', WHOLE] },
  { args: ['--budget', 'Infinity'], says: ['--budget', WHOLE] },
  { args: ['--budget', '99999999999999999999'], says: ['--budget', 'must be'] },
  {
    args: ['--max-memory', '159MB'],
    says: ['--max-memory must be a whole number of bytes, KB, MB or GB from 160MB on'],
  },
  { args: ['--max-memory', '1.5GB'], says: ['--max-memory must be a whole number'] },
  { args: ['--max-memory', '99999999999999999999GB'], says: ['--max-memory must be a whole number'] },
  { args: ['--max-memory=512M'], says: ['--max-memory must be a whole number'] },
  { args: ['--max-memory', '-1GB'], says: ['--max-memory needs a value'] },
  { args: ['--budget', ''], says: ['--budget needs a value'] },
  { args: ['--budget='], says: ['--budget needs a value'] },
  { args: ['--budget'], says: ['--budget needs a value'] },
  { args: ['--budget', '5', '--budget', '6'], says: ['--budget is given more than once'] },
  { args: ['--budget', '5', '--budget', '5'], says: ['--budget is given more than once'] },
  { args: ['--no-progress-window', '0'], says: ['--no-progress-window', 'from 1'] },
  { args: ['--max-ms', '1s'], says: ['--max-ms', 'from 1'] },
  { args: ['--max-tokens', '200k'], says: ['--max-tokens', 'from 1'] },
  { args: ['--no-progress-key', 'result'], says: ['--no-progress-key', 'args, args+result'] },
  { args: ['--seq-scope', 'file'], says: ['--seq-scope', 'run'] },
  { args: ['--token-kinds', 'in,outt'], says: ['--token-kinds', 'in, cached, out, aux'] },
  { args: ['--require', 'terminations'], says: ['--require', 'termination'] },
  { args: ['--buget', '5'], says: ['--buget', 'did you mean --budget?'] },
  { args: ['--no-budget'], says: ['--no-budget', 'did you mean --budget?'] },
  { args: ['--no-quiet'], says: ['--no-quiet'] },
  { args: ['--Budget', '5'], says: ['--Budget', 'did you mean --budget?'] },
  { args: ['--budget.x', '5'], says: ['--budget.x'] },
  { args: ['--maxMs', '5'], says: ['--maxMs', 'did you mean --max-ms?'] },
  { args: ['-b', '5'], says: ['no option -b'] },
  { args: ['--files', 'kept.jsonl'], says: ['no option --files'] },
  { args: ['--id', 'x', 'kept.jsonl'], says: ['no option --id'] },
  { args: ['--name', 'x', 'kept.jsonl'], says: ['no option --name'] },
  { args: ['--constructor', 'x'], says: ['no option --constructor'] },
  { args: ['--toString'], says: ['no option --toString'] },
  { args: ['--__proto__', 'x'], says: ['no option --'] },
  { args: ['--get-yargs-completions', 'x'], says: ['no option --get-yargs-completions'] },
  { args: ['--partial=maybe', 'kept.jsonl'], says: ['--partial'] },
  { args: ['--allow-empty=yes'], says: ['--allow-empty'] },
  { args: ['--quiet=1', 'kept.jsonl'], says: ['--quiet'] },
  { args: ['--rule', 'open-lop=error'], says: ['no rule open-lop', 'did you mean open-loop?'] },
  { args: ['--rule', 'open-loop=fatal'], says: ['off, warn, error'] },
  { args: ['--rule', 'open-loop=of'], says: ['off, warn, error', 'did you mean off?'] },
  { args: ['--rule', 'open-loop'], says: ['id=severity'] },
  { args: ['--rule', 'open-loop=error=warn'], says: ['id=severity'] },
  { args: ['--rule', 'open-loop=off', '--rule', 'open-loop=error'], says: ['--rule', 'more than once'] },
  { args: ['--profile', 'classi'], says: ['classic, terminal, strict', 'did you mean classic?'] },
  { args: ['--profile', 'strict', '--profile', 'strict'], says: ['--profile is given more than once'] },
  { args: ['--limits', 'loop-contrat'], says: ['iterated-loop', 'did you mean loop-contract?'] },
  { args: ['--format', 'jsn'], says: ['tsv, pretty, json, ndjson', 'did you mean json?'] },
  { args: ['--format', 'json='], says: ['--format', 'file'] },
  { args: ['--format'], says: ['--format needs a value'] },
  { args: ['--format', 'tsv', '--format', 'json'], says: ['two reports to one place'] },
  { args: ['--format', 'json', '--format', 'ndjson=-'], says: ['two reports to one place'] },
  { args: ['--format', 'json=none/out', '--format', 'ndjson=none/out'], says: ['two reports to one place'] },
  { args: ['--format', 'json=none/out', '--format', 'ndjson=./none/out'], says: ['two reports to one place'] },
  { args: ['-', '-'], says: ['standard input (-) is given more than once'] },
  { args: ['-', 'kept.jsonl', '-'], says: ['standard input (-) is given more than once'] },
  { args: ['rules', 'no-progres'], says: ['no rule no-progres', 'did you mean no-progress?'] },
  { args: ['rules', 'no-progress', 'open-loop'], says: ['rules'] },
  { args: ['rules', '--quiet'], says: ['rules takes no --quiet'] },
  { args: ['rules', '--name', 'x'], says: ['--name'] },
  { args: ['schema', 'spn'], says: ['span, contract, config, report, report-line', 'did you mean span?'] },
  { args: ['schema'], says: ['span, contract, config, report, report-line'] },
  { args: ['schema', 'span', 'report'], says: ['schema'] },
  { args: ['schema', 'span', '--budget', '5'], says: ['schema takes no --budget'] },
  { args: ['--config', 'none.json', 'kept.jsonl'], says: ['none.json', 'there is no such file'] },
  { args: ['--\u001b[31mred'], says: ['no option --\\u001b[31mred'] },
];

describe('a command line that cannot be carried out is refused, with the nearest known word', () => {
  // The words alone decide, so most rows need no process of their own.
  test.each(REFUSALS)('$args', async ({ args, says }) => {
    const { stdout, stderr, code } = await run(args);
    expect({ stdout, code }, stderr).toEqual({ stdout: '', code: 2 });
    expect(stderr).toMatch(/^terminal-contract: .*\n$/);
    for (const words of says) expect(stderr).toContain(words);
  });

  test.each([
    [['--budget', 'abc', 'kept.jsonl']],
    [['--format', 'json=report.json', '--format', 'ndjson=./report.json', 'kept.jsonl']],
    [['--format', 'json=report.json', '--rule', 'open-lop=error', 'kept.jsonl']],
    [['rules', 'no-progres']],
  ])('the built command: %j', async (args) => {
    const at = folder({ 'kept.jsonl': KEPT });
    const { stdout, stderr, code } = await at.run(args, { stdin: { kind: 'piped', text: `${KEPT.join('\n')}\n` } });
    expect({ stdout, code }, stderr).toEqual({ stdout: '', code: 2 });
    expect(stderr).toMatch(/^terminal-contract: .*\n$/);
    expect(at.names()).toEqual(['kept.jsonl']);
  });

  test.each([
    ['ruls', 'rules'],
    ['shema', 'schema'],
  ])('a word that is no file and nearly a command: %s', async (word, command) => {
    const { stderr, code } = await folder().run([word]);
    expect(code).toBe(2);
    expect(stderr).toMatch(new RegExp(`did you mean .*${command}`));
  });

  test('what has a value that looks like a negation is none', async () => {
    const at = folder({ 'bad.jsonl': KNOWN_BAD });
    expect(await at.run(['--no-progress-window', '3', 'bad.jsonl'])).toMatchObject({ stdout: KNOWN_BAD_LINE, code: 1 });
    const { stdout } = await at.run(['bad.jsonl', '--no-progress-window=4']);
    expect(stdout).toBe('demo\topen_loop\titer=3\tspans=4\n');
  });
});

const isOneReport = (text: string): boolean => JSON.parse(text).version === 1;

describe('--format', () => {
  const TRACES = { 'bad.jsonl': KNOWN_BAD, 'kept.jsonl': KEPT };
  const trace = ['bad.jsonl', 'kept.jsonl'];

  test('json to stdout', async () => {
    const { stdout, code } = await folder(TRACES).run(['--format', 'json', ...trace]);
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({ version: 1, profile: 'terminal', truncated: false, input_errors: [] });
    expect(report.summary).toMatchObject({
      runs: 2,
      spans: 7,
      passed: 1,
      failed: 1,
      inconclusive: 0,
      unusable_lines: 0,
    });
    expect(report.runs.map(({ run_id, verdict }: Record<string, string>) => [run_id, verdict])).toEqual([
      ['demo', 'no_progress'],
      ['kept', 'closed_ok'],
    ]);
    expect(code).toBe(1);
  });

  test('ndjson to stdout: the runs, the input errors, then the summary', async () => {
    const { stdout, code } = await folder(TRACES).run(['--format', 'ndjson', ...trace, 'missing.jsonl']);
    const kinds = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line).kind);
    expect(kinds).toEqual(['run', 'run', 'input_error', 'summary']);
    expect(code).toBe(2);
  });

  test('a dash for a file is stdout', async () => {
    const { stdout } = await folder(TRACES).run(['--format', 'json=-', ...trace]);
    expect(isOneReport(stdout)).toBe(true);
  });

  test('a file has the report that stdout would have, and stdout the default', async () => {
    const at = folder(TRACES);
    const { stdout, code } = await at.run(['--format', 'json=report.json', ...trace]);
    expect({ stdout, code }).toEqual({ stdout: KNOWN_BAD_LINE + KEPT_LINE, code: 1 });
    const alone = await at.run(['--format', 'json', ...trace]);
    expect(at.read('report.json')).toBe(alone.stdout);
    expect(at.names()).toEqual(['bad.jsonl', 'kept.jsonl', 'report.json']);
  });

  test('several at once', async () => {
    const at = folder(TRACES);
    const args = ['--format', 'tsv=a.tsv', '--format', 'json', '--format', 'ndjson=a.ndjson', '--format=json=b=c.json'];
    const { stdout } = await at.run([...args, ...trace]);
    expect(isOneReport(stdout)).toBe(true);
    expect(at.read('a.tsv')).toBe(KNOWN_BAD_LINE + KEPT_LINE);
    expect(at.read('b=c.json')).toBe(stdout);
    expect(at.read('a.ndjson').split('\n')).toHaveLength(4);
    expect(at.names()).toEqual(['a.ndjson', 'a.tsv', 'b=c.json', 'bad.jsonl', 'kept.jsonl']);
  });

  test('a file that is there is replaced', async () => {
    const at = folder({ ...TRACES, 'report.json': 'x'.repeat(1 << 20) });
    await at.run(['--format', 'json=report.json', ...trace]);
    expect(isOneReport(at.read('report.json'))).toBe(true);
  });

  test('a link stays a link, and leads to the report', async () => {
    const at = folder({ ...TRACES, 'real.json': 'old' });
    await at.shell('ln -s real.json link.json; terminal-contract --format json=link.json bad.jsonl');
    expect(lstatSync(join(at.path, 'link.json')).isSymbolicLink()).toBe(true);
    expect(isOneReport(at.read('real.json'))).toBe(true);
    expect(at.names()).toEqual(['bad.jsonl', 'kept.jsonl', 'link.json', 'real.json']);
  });

  test.each([
    ['a folder that is not there', 'none/report.json'],
    ['a folder', 'reports'],
    ['a full device', '/dev/full'],
  ])('a report that cannot be written, to %s: exit 2, nothing left behind', async (_to, path) => {
    const at = folder({ ...TRACES, 'reports/kept': '' });
    const { stderr, code } = await at.run(['--format', `json=${path}`, 'kept.jsonl']);
    expect(code).toBe(2);
    expect(stderr).toContain(`${path}: the report cannot be written`);
    expect(stderr).not.toMatch(/^ +at /m);
    expect(at.names()).toEqual(['bad.jsonl', 'kept.jsonl', 'reports']);
  });

  test.each([
    '--quiet kept.jsonl',
    '--help',
    '--version',
    'rules',
    'rules open-loop',
    'schema span',
    'explain kept kept.jsonl',
    '--print-contract',
  ])('stdout on a full device: exit 2, and one line that says so: %s', async (words) => {
    const { stderr, code } = await folder(TRACES).shell(`terminal-contract ${words} > /dev/full`);
    expect(code).toBe(2);
    expect(stderr).toMatch(/^.*ENOSPC.*\n$/);
    expect(stderr).not.toContain('the checker itself failed');
  });

  test('a folder that is gone: exit 2, and one line that says so', async () => {
    const { stderr, code } = await folder(TRACES).shell(
      'mkdir gone; cd gone; rmdir ../gone; terminal-contract --version',
    );
    expect([code, stderr]).toEqual([
      2,
      expect.stringMatching(/^terminal-contract: the working directory is gone; .*\n$/),
    ]);
  });

  test('the null device stays one', async () => {
    const { code } = await folder(TRACES).run(['--format', 'json=/dev/null', 'kept.jsonl']);
    expect(code).toBe(0);
    expect(lstatSync('/dev/null').isCharacterDevice()).toBe(true);
  });

  test('a named pipe gets the report', async () => {
    const at = folder(TRACES);
    // Opened and closed once more, so that the reader ends even if the command never wrote.
    const end = 'exec 3<> pipe; exec 3>&-; wait';
    await at.shell(`mkfifo pipe; cat pipe > got.json & terminal-contract --format json=pipe kept.jsonl; ${end}`);
    expect(isOneReport(at.read('got.json'))).toBe(true);
    expect(lstatSync(join(at.path, 'pipe')).isFIFO()).toBe(true);
  });

  // Whether the verdicts follow or not, the report comes first, whole.
  const LEADING_REPORT = /^\{\n.*?\n\}\n/s;
  test.each([
    ['a pipe', 'terminal-contract --format json=/dev/fd/1 kept.jsonl | cat'],
    ['a file', 'terminal-contract --format json=/dev/fd/1 kept.jsonl > got; code=$?; cat got; exit $code'],
    [
      'a file that is added to',
      'terminal-contract --format json=/dev/fd/1 kept.jsonl >> got; code=$?; cat got; exit $code',
    ],
  ])('stdout by the name of its device, where it is %s', async (_is, script) => {
    const { stdout, code } = await folder(TRACES).shell(script);
    expect(code).toBe(0);
    expect(isOneReport(LEADING_REPORT.exec(stdout)?.[0] ?? '{}')).toBe(true);
  });

  test('files are whole when the reader of stdout leaves early', async () => {
    const many = Array.from({ length: 5000 }, (_, index) => lines('start@0 stop@0:done', `run-${index}`)).flat();
    const at = folder({ 'many.jsonl': many });
    await at.shell('terminal-contract --format json --format ndjson=all.ndjson many.jsonl | head -1');
    expect(at.read('all.ndjson').trimEnd().split('\n')).toHaveLength(5001);
    expect(at.names()).toEqual(['all.ndjson', 'many.jsonl']);
  });
});

describe('what it says of itself', () => {
  test.each([['--help'], ['-h'], ['bad.jsonl', '--budget', 'abc', '--help']])('%s', async (...args) => {
    const { stdout, stderr, code } = await folder({ 'bad.jsonl': KNOWN_BAD }).run(args);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout).toMatch(/^Usage: terminal-contract \[files\.\.\]\n/);
    for (const flag of ['--budget', '--format', '--partial', '--print-contract']) expect(stdout).toContain(flag);
    expect(stdout).toMatch(/Exit codes: 0 .* 1 .* 2 .*\n$/);
    for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(100);
  });

  test('--version', async () => {
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
    expect(await folder().run(['--version'])).toMatchObject({ stdout: `${version}\n`, stderr: '', code: 0 });
  });

  test('rules: a line a rule', async () => {
    const { stdout, stderr, code } = await folder().run(['rules']);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    const [head, ...rows] = stdout.trimEnd().split('\n');
    expect(head).toMatch(/^rule +family +classic +terminal +strict +source$/);
    expect(rows.map((row) => row.split(' ')[0])).toContain('no-progress');
    expect(rows.find((row) => row.startsWith('no-progress '))).toMatch(
      /^no-progress +termination +error +error +error +/,
    );
  });

  test('rules no-progress: the page, whose examples do what it says', async () => {
    const at = folder();
    const { stdout, stderr, code } = await at.run(['rules', 'no-progress']);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(stdout).toMatch(/^no-progress \(termination; classic error, terminal error, strict error\)\n/);
    const examples = /\nBreaks it:\n(?<breaks>(?:\{.*\n)+)\nKeeps it:\n(?<keeps>(?:\{.*\n)+)/.exec(stdout)?.groups;
    at.write({ 'breaks.jsonl': examples?.['breaks'] ?? '', 'keeps.jsonl': examples?.['keeps'] ?? '' });
    expect((await at.run(['breaks.jsonl'])).stdout).toContain('\tno_progress\t');
    expect((await at.run(['keeps.jsonl'])).stdout).not.toContain('\tno_progress\t');
  });

  test.each(['span', 'report-line'])('schema %s', async (name) => {
    const { stdout, stderr, code } = await folder().run(['schema', name]);
    expect({ stderr, code }).toEqual({ stderr: '', code: 0 });
    expect(JSON.parse(stdout)).toMatchObject({ $schema: 'https://json-schema.org/draft/2020-12/schema' });
  });

  test('--print-contract reads no trace', async () => {
    const child = folder().start(['--print-contract'], { stdin: { kind: 'waiting' } });
    const { stdout, code } = await ended(child);
    expect(code).toBe(0);
    expect(stdout).toMatch(/^budget\t24\tdefault\n/);
  });

  test('--print-contract: every number, every severity, and who decided it', async () => {
    const args = ['--print-contract', '--budget', '5', '--rule', 'missing-goal=off', '--profile', 'strict'];
    const { stdout } = await folder().run([...args, '--require', 'order', '--token-kinds', 'in,out']);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));
    expect(rows).toContainEqual(['budget', '5', 'command line']);
    expect(rows).toContainEqual(['no_progress_window', '3', 'default']);
    expect(rows).toContainEqual(['max_ms', '-', 'default']);
    expect(rows).toContainEqual(['token_kinds', 'in,out', 'command line']);
    expect(rows).toContainEqual(['require', 'order', 'command line']);
    expect(rows).toContainEqual(['rules.missing-goal', 'off', 'command line']);
    expect(rows).toContainEqual(['rules.over-budget', 'error', 'profile strict']);
  });
});

const MANY = Array.from({ length: 20_000 }, (_, index) => lines('start@0 stop@0:done', `run-${index}`)).flat();

describe('a reader that leaves', () => {
  test.each([
    ['the verdicts', 'terminal-contract many.jsonl'],
    ['a report', 'terminal-contract --format json many.jsonl'],
    ['lines of a report', 'terminal-contract --format ndjson many.jsonl'],
    ['the verdicts of a pipe', 'cat many.jsonl | terminal-contract'],
  ])('%s: quiet, and 141', async (_of, script) => {
    const { stdout, stderr } = await folder({ 'many.jsonl': MANY }).shell(
      `{ ${script}; echo "exit $?" >&2; } | head -1 > got; cat got`,
    );
    expect(stdout.split('\n')).toHaveLength(2);
    expect(stderr).toBe('exit 141\n');
  });

  test('short output that fits the pipe ends as if it had been read', async () => {
    const { stderr } = await folder({ 'bad.jsonl': KNOWN_BAD }).shell(
      '{ terminal-contract --quiet bad.jsonl; echo "exit $?" >&2; } | head -1',
    );
    expect(stderr).toBe('exit 1\n');
  });
});

/** Writes until the command has surely begun to read: more than a pipe can hold. */
const writeUntilRead = async (child: ReturnType<Folder['start']>): Promise<void> => {
  await new Promise<void>((resolve) => child.stdin?.write('\n'.repeat(1 << 21), () => resolve()));
};

describe('a signal while it waits ends it as a shell expects', () => {
  test.each(['SIGINT', 'SIGTERM'] as const)('%s at an open pipe', async (signal) => {
    const child = folder().start(['--quiet'], { stdin: { kind: 'waiting' } });
    const end = ended(child);
    await writeUntilRead(child);
    child.kill(signal);
    expect(await end).toEqual({ stdout: '', stderr: '', code: null, signal });
  });

  test.each(['SIGINT', 'SIGTERM'] as const)('%s at a named pipe, with a report to write', async (signal) => {
    const at = folder({ 'kept.jsonl': KEPT });
    await at.shell('mkfifo pipe');
    const child = at.start(['--format', 'json=report.json', 'kept.jsonl', 'pipe']);
    const end = ended(child);
    // Opening waits for the command to open the other end.
    const writer = await open(join(at.path, 'pipe'), 'w');
    child.kill(signal);
    expect(await end).toEqual({ stdout: '', stderr: '', code: null, signal });
    await writer.close();
    expect(at.names()).toEqual(['kept.jsonl', 'pipe']);
  });
});

const HAS_TERMINAL = spawnSync('script', ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true;

describe.skipIf(!HAS_TERMINAL)('at a terminal, as the script command of util-linux makes one', () => {
  const terminal = (at: Folder, args: string, env: Record<string, string> = {}) =>
    at.shell(`script -qec "$CHECKER ${args}" /dev/null < /dev/null`, { env: { TERM: 'xterm', ...env } });

  test('the bare name prints help instead of waiting', async () => {
    const { stdout, code } = await terminal(folder(), '');
    expect(stdout).toMatch(/^Usage: terminal-contract /);
    expect(code).toBe(0);
  });

  test.each([
    ['colours', '', {}, true],
    ['NO_COLOR takes them away', '', { NO_COLOR: '1' }, false],
    ['an empty NO_COLOR does not', '', { NO_COLOR: '' }, true],
    ['a dumb terminal has none', '', { TERM: 'dumb' }, false],
    ['stderr in a file has none', '--format tsv 2> err; cat err', {}, false],
    ['another format has them on stderr', '--format tsv', {}, true],
  ])('%s', async (_shows, redirection, env, isColoured) => {
    const at = folder({ 'bad.jsonl': KNOWN_BAD });
    const { stdout } = await terminal(at, `bad.jsonl ${redirection}`, env);
    expect(stdout).toContain('error');
    expect(stripVTControlCharacters(stdout)).toMatch(
      redirection === '' ? /^no_progress with open-loop: 1 run\r\n/ : /^demo\tno_progress\titer=3\tspans=4\r\n/,
    );
    expect(stdout.includes('\u001b[')).toBe(isColoured);
  });
});

test('no colour but at a terminal, whatever the environment says', async () => {
  const at = folder({ 'bad.jsonl': KNOWN_BAD });
  const { stderr } = await at.run(['bad.jsonl'], { env: { FORCE_COLOR: '1', TERM: 'xterm' } });
  expect(stderr).toContain('no_progress');
  expect(stderr).not.toContain('\u001b');
});

describe('a trace is hostile', () => {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what must not pass
  const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff\ufffd]/;
  const HOSTILE = [
    'esc\u001b[31mred\u001b]0;title\u0007',
    'tab\tclosed_ok\titer=1',
    'line\nforged\tclosed_ok\titer=1\tspans=1',
    'return\rforged',
    'c1\u009b31m\u0085',
    'bidi\u202etxt.exe\u2066\u200f\u061c',
    'separator\u2028\u2029',
    'mark\ufeff',
    'nul\u0000del\u007f',
    'half\ud83d',
    'other half\ude00',
    '__proto__',
    'constructor',
    'toString',
    'hasOwnProperty',
    '\\u001b[31m',
    '\\t',
    '\\\t',
  ];
  const hostileSpan = (text: string, seq: number, more: object): string =>
    JSON.stringify({
      run_id: text,
      seq,
      name: text,
      args_hash: text,
      result_hash: text,
      span_id: text,
      parent_id: text,
      status: text,
      ts: text,
      emitter: text,
      claim: text,
      successor_run: text,
      [text]: text,
      ...more,
    });
  const TRACE = HOSTILE.flatMap((text) => [
    hostileSpan(text, 1, { type: text, iter: 0 }),
    hostileSpan(text, 2, {
      type: 'loop_start',
      iter: 0,
      goal: text,
      contract: { [text]: text, rules: { [text]: 'off' } },
    }),
    hostileSpan(text, 3, { type: 'tool', iter: 1 }),
    hostileSpan(text, 4, { type: 'tool', iter: 2 }),
    hostileSpan(text, 5, { type: 'tool', iter: 3 }),
    hostileSpan(text, 6, { type: 'terminal', iter: 3, reason: text }),
  ]);
  const PER_RUN = TRACE.length / HOSTILE.length;

  test('tsv: a line a run, four columns each, and no two ids alike', async () => {
    const { stdout, stderr } = await folder({ 'trace.jsonl': TRACE }).run(['trace.jsonl']);
    const rows = stdout
      .trimEnd()
      .split('\n')
      .map((line) => line.split('\t'));
    expect(rows.map(([, ...rest]) => rest)).toEqual(HOSTILE.map(() => ['no_progress', 'iter=3', `spans=${PER_RUN}`]));
    expect(new Set(rows.map(([id]) => id)).size).toBe(HOSTILE.length);
    expect(stdout).not.toMatch(RAW);
    expect(stderr).not.toMatch(RAW);
    expect(stderr).not.toContain('\t');
  });

  test.each(['json', 'ndjson'])('%s: the ids come back whole, and none stands in the text raw', async (format) => {
    const { stdout } = await folder({ 'trace.jsonl': TRACE }).run(['--format', format, '--quiet', 'trace.jsonl']);
    expect(stdout).not.toMatch(RAW);
    const runs =
      format === 'json'
        ? JSON.parse(stdout).runs
        : stdout
            .trimEnd()
            .split('\n')
            .map((line) => JSON.parse(line));
    const ids = runs.flatMap(({ run_id }: { run_id?: string }) => (run_id === undefined ? [] : [run_id]));
    expect(new Set(ids)).toEqual(new Set(HOSTILE));
  });

  test.each([
    ['that fail by a rule', (text: string) => lines('tool@1:a stop@1:done', text), []],
    ['that name no reason', (text: string) => lines('start@0 stop@0:odd', text), []],
    [
      'that were handed over',
      (text: string) => [
        JSON.stringify({ run_id: text, seq: 1, type: 'terminal', reason: 'handoff', successor_run: `to ${text}` }),
      ],
      [],
    ],
    ['that pass with a warning', (text: string) => lines('start@0 tool@1:a stop@1:done', text), ['--budget', '0']],
  ])('runs %s', async (_runs, trace, args) => {
    const at = folder({ 'trace.jsonl': HOSTILE.flatMap(trace) });
    const { stdout, stderr } = await at.run([
      '--rule',
      'missing-goal=error',
      '--require',
      'termination',
      'trace.jsonl',
      ...args,
    ]);
    expect(stdout).not.toMatch(RAW);
    expect(stderr).not.toMatch(RAW);
    expect(stdout.trimEnd().split('\n')).toHaveLength(HOSTILE.length);
  });

  test('a long id is cut between characters', async () => {
    const id = `${'long'.repeat(15)}abc\u{1f600}\u{1f600}`;
    const { stdout, stderr } = await folder({ 'trace.jsonl': lines('start@0', id) }).run(['trace.jsonl']);
    expect(stdout).toContain(`${id}\t`);
    expect(stderr).toMatch(/^(?:long){15}abc(?:\u{1f600})?…: open_loop/u);
  });

  test('names of files', async () => {
    const name = 'red\u001b[31m\nforged: closed_ok\u202e.jsonl';
    const at = folder({ [name]: [...KNOWN_BAD, 'nonsense'] });
    const { stderr } = await at.run([name, `missing ${name}`, `${name}*none`]);
    expect(stderr).not.toMatch(RAW);
    expect(stderr).toContain('red\\u001b[31m\\nforged: closed_ok\\u202e.jsonl:5:2: invalid-json: ');
    expect(stderr).not.toMatch(/^forged/m);
  });

  test('a key that is the name of a prototype gives a span nothing', async () => {
    const trace = [
      '{"__proto__":{"run_id":"forged","type":"terminal","reason":"done"},"seq":1}',
      '{"run_id":"r","seq":2,"__proto__":{"type":"terminal","reason":"done"},"constructor":{"prototype":{"type":"terminal"}}}',
    ];
    const { stdout, stderr, code } = await folder({ 'trace.jsonl': trace }).run(['trace.jsonl']);
    expect(stdout).toBe('r\topen_loop\titer=0\tspans=1\n');
    expect(stderr).toContain('trace.jsonl:1:1: missing-run-id: ');
    expect(code).toBe(2);
  });

  const DEEP = 100_000;
  const nested = `${'['.repeat(DEEP)}${']'.repeat(DEEP)}`;
  const deep = (name: string, fields: string): string => `{"run_id":"deep ${name}","seq":1,${fields}}`;
  const DEEP_TRACE = [
    `{"type":"contract","x":${nested}}`,
    deep('anywhere', `"type":"loop_start","goal":"g","x":${nested}`),
    deep('reason', `"type":"terminal","reason":${nested}`),
    deep('contract', `"type":"loop_start","goal":"g","contract":{"x":${nested}}`),
    deep('cut', `"x":${'['.repeat(DEEP)}`),
    ...KEPT,
  ];

  test.each(['piped', 'redirected'] as const)('nesting that is deep stops nothing: %s', async (kind) => {
    const at = folder({ 'trace.jsonl': DEEP_TRACE });
    const stdin =
      kind === 'piped' ? ({ kind, text: at.read('trace.jsonl') } as const) : ({ kind, path: 'trace.jsonl' } as const);
    const { stdout, stderr, code } = await at.run(['--quiet'], { stdin });
    expect(stderr).toMatch(/^<stdin>:5:\d+: invalid-json: .*\n$/);
    expect(stdout.match(/^.*?\t\w+/gm)).toEqual([
      'deep anywhere\topen_loop',
      'deep contract\topen_loop',
      'deep reason\tbad_terminal',
      'kept\tclosed_ok',
    ]);
    expect(code).toBe(2);
  });
});
