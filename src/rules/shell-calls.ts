import { MARK, markedIn, nameIndex, newMemory, readShell, type ShellCommand, type ShellMemory } from './shell-words.js';

/** One program that a command line runs, whatever it is wrapped in. */
export interface Call {
  /** The program's own name: no folder, no suffix, small letters. */
  readonly name: string;
  readonly args: readonly string[];
  /** The arguments apart: what stands behind an option that takes a value is neither. */
  readonly options: readonly string[];
  readonly positionals: readonly string[];
  /** The files that its output is redirected to. */
  readonly writes: readonly string[];
  /** What it reads, where the command line itself says it. */
  readonly input: string | undefined;
  /** It runs as code what a download prints. */
  readonly runsDownload: boolean;
  /** `find` runs it on what it finds. */
  readonly isInTree: boolean;
}

const GIT =
  '-C -c -m -F -o -x --git-dir --work-tree --namespace --super-prefix --config-env --message --file --author --date --exec --onto';
const DOCKER =
  '-H -c -l -f -p -e -u -w -v -m -h --host --context --config --log-level --file --project-name --profile --env-file ' +
  '--project-directory --env --user --workdir --volume --name --network --entrypoint --mount --platform --publish --label ' +
  '--memory --hostname --add-host --cpus --gpus --ipc --pid --shm-size --ulimit --cap-add --cap-drop --restart --index';
const NODE_PACKAGES =
  '-w -C -F --prefix --workspace --registry --userconfig --dir --filter --cwd --loglevel --tag --otp';
const INFRASTRUCTURE = '-C -s -chdir --cwd --stack --config --working-dir';
const SITES = '-a -c -e -t --app --config --env --cwd --scope --token --project';

/** Options that take the next word as their value, by program. */
const VALUED: ReadonlyMap<string, ReadonlySet<string>> = new Map(
  (
    [
      ['git', GIT],
      ['hg', '-R --repository --cwd --config'],
      ['jj', '-R --repository'],
      ['docker|podman|nerdctl|docker-compose|podman-compose', DOCKER],
      [
        'kubectl|oc',
        '-n -s -c --namespace --context --cluster --kubeconfig --server --user --token --as --as-group --container --v',
      ],
      ['helm', '-n --namespace --kube-context --kubeconfig'],
      ['npm|pnpm|yarn|bun|npx|bunx|lerna', `${NODE_PACKAGES} -p --package`],
      ['cargo', '-C -Z -p --config --color --manifest-path --package'],
      ['terraform|tofu|terragrunt|pulumi|cdk|serverless|sls', INFRASTRUCTURE],
      ['aws', '--profile --region --output --endpoint-url --query'],
      ['gcloud', '--project --account --configuration --format --zone --region'],
      ['az', '--subscription --output -o'],
      ['gh', '-R -X --repo --hostname --method'],
      ['fly|flyctl|vercel|netlify|wrangler|firebase|heroku', SITES],
      ['poetry|uv|pdm|hatch', '-C -P --directory --project --with'],
      ['mvn|mvnw|gradle|gradlew', '-f -p --file'],
      ['systemctl', '-H -M -t -p -s -n -o --host --machine --type --property --signal --state --root'],
      ['redis-cli', '-h -p -a -n -u'],
      ['mysqladmin', '-u -h -P -S --user --host --port'],
      ['launchctl', ''],
      ['sudo', '-u -g -h -p -C -r -t -T -U -D -R --user --group --host --prompt --chdir --chroot'],
      ['doas', '-u -C'],
      ['su|runuser', '-c -s -g -G -w --command --shell --group --user -u'],
      ['pkexec|run0', '--user -u'],
      ['env', '-u -C -S --unset --chdir --split-string'],
      [
        'xargs',
        '-n -P -I -L -s -d -E -a -J -R --max-args --max-procs --replace --max-lines --max-chars --delimiter --arg-file',
      ],
      ['parallel', '-j -N -a -I --jobs'],
      ['time', '-f -o --format --output'],
      ['nice', '-n --adjustment'],
      ['ionice', '-c -n -p --class --classdata'],
      ['timeout|gtimeout', '-s -k --signal --kill-after'],
      ['exec', '-a'],
      ['stdbuf', '-i -o -e --input --output --error'],
      ['watch', '-n --interval'],
      ['flock', '-w -E --timeout --conflict-exit-code'],
      ['strace|ltrace', '-e -o -p -s -u'],
      ['chroot', '--userspec --groups'],
      ['ssh', '-b -c -D -E -e -F -I -i -J -L -l -m -O -o -p -Q -R -S -W -w'],
      ['tmux', '-t -L -S -f -n -s -c'],
      ['python', '-W -X'],
    ] as const
  ).flatMap(([names, options]) => names.split('|').map((name) => [name, new Set(options.split(' '))] as const)),
);
const NONE_VALUED: ReadonlySet<string> = new Set();

/** Whether an option takes the next word as its value: of short options in one word, the first that takes one decides. */
const takesNext = (option: string, valued: ReadonlySet<string>): boolean => {
  if (valued.has(option)) return true;
  if (option.startsWith('--')) return false;
  for (let at = 1; at < option.length; at += 1) {
    if (valued.has(`-${option[at]}`)) return at === option.length - 1;
  }
  return false;
};

/** Walks over arguments; `visit` gets each option and positional with its index, and may stop the walk with `false`. */
const visitArgs = (
  name: string,
  args: readonly string[],
  visit: (kind: 'option' | 'positional', word: string, index: number) => boolean,
): void => {
  const valued = VALUED.get(name) ?? NONE_VALUED;
  let isOver = false;
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? '';
    const isOption = !isOver && /^-./.test(word);
    if (word === '--' && !isOver) isOver = true;
    // `cargo +nightly publish`: a toolchain stands where a verb would.
    else if (index === 0 && name === 'cargo' && word.startsWith('+')) continue;
    else if (!visit(isOption ? 'option' : 'positional', word, index)) return;
    else if (isOption && takesNext(word, valued)) index += 1;
  }
};

const SUFFIX = /\.(?:exe|cmd|bat|ps1)$/;
const PYTHON = /^(?:python|pypy|py)[\d.]*$/;
const nameOf = (word: string): string => {
  const name = word
    .slice(Math.max(word.lastIndexOf('/'), word.lastIndexOf('\\')) + 1)
    .toLowerCase()
    .replace(SUFFIX, '');
  return PYTHON.test(name) ? 'python' : name;
};

/** Where the command begins that a wrapper runs, counted in its arguments; how many positionals stand before it. */
const WRAPPERS: ReadonlyMap<string, number> = new Map([
  ...[
    'sudo|doas|pkexec|run0|env|xargs|parallel|nohup|setsid|time|nice|ionice|command|builtin|exec|stdbuf|unbuffer',
    'caffeinate|strace|ltrace|busybox|npx|bunx|pipx|uvx|rtk|winpty|dbus-run-session|xvfb-run|fakeroot|rlwrap',
  ].flatMap((names) => names.split('|').map((name) => [name, 0] as const)),
  ...['timeout', 'gtimeout', 'chroot', 'flock', 'taskset', 'proxychains'].map((name) => [name, 1] as const),
]);
/** Wrappers with a verb of their own, and how many positionals stand between it and the command. */
const VERB_WRAPPERS: ReadonlyMap<string, number> = new Map([
  ...['docker', 'podman', 'nerdctl'].flatMap((name): [string, number][] => [
    [`${name} exec`, 1],
    [`${name} run`, 1],
    [`${name} compose exec`, 1],
    [`${name} compose run`, 1],
  ]),
  ['docker-compose exec', 1],
  ['docker-compose run', 1],
  ['kubectl exec', 1],
  ['oc exec', 1],
  ...['npm exec', 'npm x', 'pnpm exec', 'pnpm dlx', 'yarn exec', 'yarn dlx', 'bun x', 'uv run', 'poetry run'].map(
    (key): [string, number] => [key, 0],
  ),
  ['bundle exec', 0],
  ['pipenv run', 0],
  ['direnv exec', 1],
  ['mise exec', 0],
  ['git bisect run', 0],
  ['uv tool run', 0],
]);

/** Options with which a wrapper runs nothing. */
const ASKS: ReadonlyMap<string, RegExp> = new Map([
  ['command', /^-[pvV]*[vV]/],
  ['sudo', /^(?:-[lvkK]+|--list|--validate)$/],
]);

const VARIABLE = /^[A-Za-z_]\w*=/;

/** The arguments from the positional on that is `skipped` positionals behind the first. */
const argsBehind = (name: string, args: readonly string[], skipped: number): readonly string[] => {
  let left = skipped;
  let begin = args.length;
  visitArgs(name, args, (kind, word, index) => {
    const asks = kind === 'option' && ASKS.get(name)?.test(word) === true;
    if (asks) return false;
    if (kind === 'option' || ((name === 'env' || name === 'sudo') && VARIABLE.test(word))) return true;
    if (left === 0) begin = index;
    left -= 1;
    return left >= 0;
  });
  return args.slice(begin);
};

const FIND_RUNS: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir', '-x', '-X', '--exec']);
const foundBy = (args: readonly string[]): readonly (readonly string[])[] => {
  const runs: (readonly string[])[] = [];
  for (let index = 0; index < args.length; index += 1) {
    if (!FIND_RUNS.has(args[index] ?? '')) continue;
    const begin = index + 1;
    while (index < args.length && args[index] !== ';' && args[index] !== '+') index += 1;
    runs.push(args.slice(begin, index));
  }
  return runs;
};

const FINDERS: ReadonlySet<string> = new Set(['find', 'fd', 'fdfind']);

/** The commands that a call runs itself, as words. */
const wrappedBy = ({ name, args, positionals }: Call): readonly (readonly string[])[] => {
  if (FINDERS.has(name)) return foundBy(args);
  if (name === 'python') {
    const module = args.indexOf('-m');
    return module === -1 ? [] : [args.slice(module + 1)];
  }
  const skipped = WRAPPERS.get(name);
  if (skipped !== undefined) return [argsBehind(name, args, skipped)];
  for (const verbs of [1, 2]) {
    const behind = VERB_WRAPPERS.get([name, ...positionals.slice(0, verbs)].join(' '));
    if (behind !== undefined) return [argsBehind(name, args, verbs + behind)];
  }
  return [];
};

const SHELLS: ReadonlySet<string> = new Set(['sh', 'bash', 'zsh', 'dash', 'ksh', 'ash', 'fish', 'mksh']);
const INTERPRETERS: ReadonlySet<string> = new Set([
  ...['python', 'node', 'perl', 'ruby', 'php', 'deno', 'bun', 'lua', 'rscript', 'osascript'],
  ...['iex', 'invoke-expression'],
]);
const SOURCES: ReadonlySet<string> = new Set(['source', '.']);

/** Where a shell's code comes from: an argument, a file, or what it reads. */
type Code = { readonly from: 'text' | 'file'; readonly word: string } | { readonly from: 'input' } | undefined;

const shellCode = (args: readonly string[]): Code => {
  let isText = false;
  for (let index = 0; index < args.length; index += 1) {
    const word = args[index] ?? '';
    if (/^[-+]./.test(word) && word !== '--') {
      if (/^-[a-z]*s/i.test(word) && !word.startsWith('--')) return { from: 'input' };
      if (/^-[a-z]*c/i.test(word) && !word.startsWith('--')) isText = true;
      if (/^[-+][a-z]*o$|^--(?:rcfile|init-file)$/i.test(word)) index += 1;
    } else if (word !== '--') return word === '-' ? { from: 'input' } : { from: isText ? 'text' : 'file', word };
  }
  return isText ? undefined : { from: 'input' };
};

const interpreterCode = (args: readonly string[]): Code => {
  const [first] = args;
  if (first === undefined || first === '-' || first === '/dev/stdin') return { from: 'input' };
  const text = args.find((_word, index) => index > 0 && /^-[a-z]*[cer]$/i.test(args[index - 1] ?? ''));
  if (text !== undefined) return { from: 'text', word: text };
  return first.startsWith('-') ? undefined : { from: 'file', word: first };
};

const codeOf = (name: string, args: readonly string[]): Code => {
  if (SHELLS.has(name)) return shellCode(args);
  if (INTERPRETERS.has(name)) return interpreterCode(args);
  const [first] = args;
  return SOURCES.has(name) && first !== undefined ? { from: 'file', word: first } : undefined;
};

const valueBehind = (args: readonly string[], option: RegExp): string | undefined => {
  const index = args.findIndex((word) => option.test(word));
  return index === -1 ? undefined : args[index + 1];
};

/** Programs that read an argument as a command line, and where it stands. */
const SCRIPTS: ReadonlyMap<string, (call: Call) => string | undefined> = new Map<
  string,
  (call: Call) => string | undefined
>([
  ['eval', ({ args }) => args.join(' ')],
  ['trap', ({ positionals }) => positionals[0]],
  ['watch', ({ args }) => argsBehind('watch', args, 0).join(' ')],
  [
    'ssh',
    ({ args, input }) => {
      const remote = argsBehind('ssh', args, 1);
      return remote.length === 0 ? input : remote.join(' ');
    },
  ],
  ...['su', 'runuser', 'script', 'flock', 'npx'].map((name): [string, (call: Call) => string | undefined] => [
    name,
    ({ args }) => valueBehind(args, /^(?:-[a-z]*c|--command|--call)$/),
  ]),
  ['env', ({ args }) => valueBehind(args, /^(?:-[a-z]*S|--split-string)$/)],
  ...['powershell', 'pwsh'].map((name): [string, (call: Call) => string | undefined] => [
    name,
    ({ args }) => {
      const index = args.findIndex((word) => /^-(?:c|command)$/i.test(word));
      return index === -1 ? undefined : args.slice(index + 1).join(' ');
    },
  ]),
  ['cmd', ({ args }) => (/^\/[ck]$/i.test(args[0] ?? '') ? args.slice(1).join(' ') : undefined)],
  [
    'tmux',
    ({ positionals }) => (/^send(?:-keys)?$/.test(positionals[0] ?? '') ? positionals.slice(1).join('\n') : undefined),
  ],
  [
    'git',
    ({ positionals: [verb, next, ...rest] }) =>
      verb === 'submodule' && next === 'foreach' ? rest.join(' ') : undefined,
  ],
]);

const scriptOf = (call: Call): string | undefined => {
  if (!SHELLS.has(call.name)) return SCRIPTS.get(call.name)?.(call);
  const code = shellCode(call.args);
  return code?.from === 'text' ? code.word : code?.from === 'input' ? call.input : undefined;
};

const DOWNLOADERS: ReadonlySet<string> = new Set([
  ...['curl', 'wget', 'fetch', 'http', 'https', 'xh', 'aria2c', 'lwp-request'],
  ...['iwr', 'irm', 'invoke-webrequest', 'invoke-restmethod'],
]);

/** What a call prints, where its own words say it. */
const printedBy = ({ name, args, positionals, input }: Call): string | undefined => {
  if (name === 'echo' || name === 'printf') return args.join(name === 'echo' ? ' ' : '\n').replaceAll('\\n', '\n');
  return (name === 'cat' && positionals.length === 0) || name === 'tee' ? input : undefined;
};

/** What is known while a command line is walked: the calls so far, and what each command hands on. */
interface Walk {
  readonly memory: ShellMemory;
  readonly calls: Call[];
  readonly printed: Map<ShellCommand, string>;
  readonly downloads: Set<ShellCommand>;
  depth: number;
}

const MAX_LAYERS = 32;
const MAX_SCRIPTS = 8;

const isDownload = (word: string | undefined, { memory, downloads }: Walk): boolean => {
  const index = word === undefined ? undefined : markedIn(word);
  const commands = index === undefined ? undefined : memory.substitutions[index];
  return commands?.some((command) => downloads.has(command)) === true;
};

type Surroundings = Pick<Call, 'writes' | 'input' | 'isInTree'> & { readonly isFed: boolean };

const runsDownload = (name: string, args: readonly string[], around: Surroundings, walk: Walk): boolean => {
  const code = codeOf(name, args);
  if (code?.from === 'input') return around.isFed || isDownload(around.input, walk);
  return isDownload(code?.word, walk);
};

const callOf = (words: readonly string[], around: Surroundings, walk: Walk): Call => {
  const [word = '', ...args] = words;
  const name = nameOf(word);
  const options: string[] = [];
  const positionals: string[] = [];
  visitArgs(name, args, (kind, arg) => {
    if (kind === 'option') options.push(arg);
    else positionals.push(arg);
    return true;
  });
  const { writes, input, isInTree } = around;
  const isRemote = isDownload(word, walk) || runsDownload(name, args, around, walk);
  return { name, args, options, positionals, writes, input, isInTree, runsDownload: isRemote };
};

const walkScript = (text: string, walk: Walk): void => {
  if (walk.depth >= MAX_SCRIPTS) {
    walk.memory.isUnreadable = true;
    return;
  }
  walk.depth += 1;
  for (const command of readShell(text, walk.memory)) walkCommand(command, walk);
  walk.depth -= 1;
};

/** Walks through the wrappers of a command; gives the call in their midst. */
const walkWords = (words: readonly string[], around: Surroundings, walk: Walk, layer: number): Call | undefined => {
  if (layer > MAX_LAYERS) {
    walk.memory.isUnreadable = true;
    return undefined;
  }
  const call = callOf(words, around, walk);
  walk.calls.push(call);
  const script = scriptOf(call);
  if (script !== undefined) walkScript(script, walk);
  let last = call;
  const isInTree = around.isInTree || FINDERS.has(call.name);
  for (const wrapped of wrappedBy(call)) {
    const inner = wrapped.slice(nameIndex(wrapped));
    if (inner.length > 0) last = walkWords(inner, { ...around, isInTree }, walk, layer + 1) ?? last;
  }
  return last;
};

/** Ends of groups: what is piped from behind them is what anything in the group printed. */
const CLOSERS: ReadonlySet<string> = new Set(['}', ')', 'fi', 'done', 'esac']);

const walkCommand = (command: ShellCommand, walk: Walk): void => {
  const { before, writes } = command;
  const words = command.words.slice(nameIndex(command.words));
  const isFed = before !== undefined && walk.downloads.has(before);
  const input = command.input ?? (before && walk.printed.get(before));
  const call = walkWords(words, { writes, input, isInTree: false, isFed }, walk, 0);
  if (call === undefined) return;
  const isGroup = CLOSERS.has(words[0] ?? '') && walk.downloads.size > 0;
  if (isFed || isGroup || DOWNLOADERS.has(call.name)) walk.downloads.add(command);
  const printed = printedBy(call);
  if (printed !== undefined) walk.printed.set(command, printed);
};

/** Every program that a command line runs; undefined where it is too long or too deep to say. */
export const callsOf = (command: string): readonly Call[] | undefined => {
  const walk: Walk = { memory: newMemory(), calls: [], printed: new Map(), downloads: new Set(), depth: 0 };
  walkScript(command.replaceAll(MARK, ' '), walk);
  return walk.memory.isUnreadable ? undefined : walk.calls;
};
