import { MARK, nameIndex, newMemory, readShell, type ShellCommand, type ShellMemory } from './shell-words.js';

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
      ['proxychains', '-f'],
      ['python', '-W -X'],
    ] as const
  ).flatMap(([names, options]) => names.split('|').map((name) => [name, new Set(options.split(' '))] as const)),
);
const NONE_VALUED: ReadonlySet<string> = new Set();

/** Whether an option takes the next word as its value: of short options in one word, the first that takes one decides. */
const takesNext = (option: string, valued: ReadonlySet<string>): boolean => {
  if (valued.has(option)) return true;
  if (option.startsWith('--')) return false;
  const letters = option.split('');
  return letters.findIndex((letter) => valued.has(`-${letter}`)) === letters.length - 1;
};

interface Part {
  readonly isOption: boolean;
  readonly word: string;
  readonly index: number;
}

/** The options and positionals among arguments: an option's value, and what ends the options, are neither. */
const partsOf = (name: string, args: readonly string[]): readonly Part[] => {
  const valued = VALUED.get(name) ?? NONE_VALUED;
  const parts: Part[] = [];
  let isOver = false;
  let isValue = false;
  for (const [index, word] of args.entries()) {
    const isOption = !isOver && /^-./.test(word);
    // `cargo +nightly publish`: a toolchain stands where a verb would.
    const isToolchain = index === 0 && name === 'cargo' && word.startsWith('+');
    if (isValue) isValue = false;
    else if (word === '--' && !isOver) isOver = true;
    else if (!isToolchain) {
      parts.push({ isOption, word, index });
      isValue = isOption && takesNext(word, valued);
    }
  }
  return parts;
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
    'caffeinate|strace|ltrace|busybox|npx|bunx|pipx|uvx|rtk|winpty|dbus-run-session|xvfb-run|fakeroot|rlwrap|proxychains',
  ].flatMap((names) => names.split('|').map((name) => [name, 0] as const)),
  ...['timeout', 'gtimeout', 'chroot', 'flock', 'taskset'].map((name) => [name, 1] as const),
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

/** The arguments from the positional on that is `skipped` positionals behind the first. */
const argsBehind = (name: string, args: readonly string[], skipped: number): readonly string[] => {
  const positionals = partsOf(name, args).filter(({ isOption }) => !isOption);
  const begin = positionals[skipped]?.index ?? args.length;
  // `command -v` runs nothing.
  const asks = name === 'command' && args.slice(0, begin).some((word) => /[vV]/.test(word));
  return args.slice(asks ? args.length : begin);
};

const FIND_RUNS: ReadonlySet<string> = new Set(['-exec', '-execdir', '-ok', '-okdir', '-x', '-X', '--exec']);
const foundBy = (args: readonly string[]): readonly (readonly string[])[] => {
  const runs: string[][] = [];
  let run: string[] | undefined;
  for (const word of args) {
    if (word === ';' || word === '+') run = undefined;
    else if (run !== undefined) run.push(word);
    else if (FIND_RUNS.has(word)) {
      run = [];
      runs.push(run);
    }
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
const INPUTS: ReadonlySet<string | undefined> = new Set([undefined, '-', '/dev/stdin']);

/** Code that is named, as text or as a file. */
interface NamedCode {
  readonly isText: boolean;
  readonly word: string;
}

const SHELL_FILES: ReadonlySet<string> = new Set(['--rcfile', '--init-file']);
const shellCode = (args: readonly string[]): NamedCode | 'input' => {
  let isText = false;
  let isValue = false;
  for (const word of args) {
    if (isValue) isValue = false;
    else if (!/^[-+]./.test(word)) return word === '-' ? 'input' : { isText, word };
    else if (/^-[a-z]*s/i.test(word)) return 'input';
    else {
      isText ||= /^-[a-z]*c/i.test(word);
      isValue = /^[-+][a-z]*o/i.test(word) || SHELL_FILES.has(word);
    }
  }
  return 'input';
};

/** The words behind an option. */
const behind = (args: readonly string[], option: RegExp): readonly string[] | undefined => {
  const index = args.findIndex((word) => option.test(word));
  return index === -1 ? undefined : args.slice(index + 1);
};

/** What holds the code that a program runs, or that it is what the program reads. */
const codeOf = (name: string, args: readonly string[]): { readonly word: string | undefined } | 'input' | undefined => {
  if (SHELLS.has(name)) return shellCode(args);
  const [first] = args;
  if (SOURCES.has(name)) return { word: first };
  if (!INTERPRETERS.has(name)) return undefined;
  return INPUTS.has(first) ? 'input' : { word: behind(args, /^-[a-z]*[cer]$/i)?.[0] ?? first };
};

const TMUX_SENDS: ReadonlySet<string | undefined> = new Set(['send', 'send-keys']);

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
    ({ args }) => behind(args, /^(?:-[a-z]*c|--command|--call)$/)?.[0],
  ]),
  ['env', ({ args }) => behind(args, /^(?:-[a-z]*S|--split-string)$/)?.[0]],
  ...['powershell', 'pwsh'].map((name): [string, (call: Call) => string | undefined] => [
    name,
    ({ args }) => behind(args, /^-(?:c|command)$/i)?.join(' '),
  ]),
  ['cmd', ({ args }) => behind(args, /^\/[ck]$/i)?.join(' ')],
  ['tmux', ({ positionals }) => (TMUX_SENDS.has(positionals[0]) ? positionals.join('\n') : undefined)],
  [
    'git',
    ({ positionals: [verb, next, ...rest] }) =>
      verb === 'submodule' && next === 'foreach' ? rest.join(' ') : undefined,
  ],
]);

const scriptOf = (call: Call): string | undefined => {
  if (!SHELLS.has(call.name)) return SCRIPTS.get(call.name)?.(call);
  const code = shellCode(call.args);
  if (code === 'input') return call.input;
  return code.isText ? code.word : undefined;
};

const DOWNLOADERS: ReadonlySet<string> = new Set([
  ...['curl', 'wget', 'fetch', 'http', 'https', 'xh', 'aria2c', 'lwp-request'],
  ...['iwr', 'irm', 'invoke-webrequest', 'invoke-restmethod'],
]);

/** What a call prints, where its own words say it. */
const printedBy = ({ name, args, input }: Call): string | undefined => {
  if (name === 'echo' || name === 'printf') return args.join(name === 'echo' ? ' ' : '\n').replaceAll('\\n', '\n');
  // Any other may hand on what it reads.
  return input;
};

/** What is known while a command line is walked: the calls so far, and what each command hands on. */
interface Walk {
  readonly memory: ShellMemory;
  readonly calls: Call[];
  readonly printed: Map<ShellCommand | undefined, string | undefined>;
  readonly downloads: Set<ShellCommand | undefined>;
  depth: number;
}

const MAX_LAYERS = 32;
const MAX_SCRIPTS = 8;

const isDownload = (word: string | undefined, { memory, downloads }: Walk): boolean =>
  memory.substitutions.get(word)?.some((command) => downloads.has(command)) === true;

type Surroundings = Pick<Call, 'writes' | 'input' | 'isInTree'> & { readonly isFed: boolean };

const runsDownload = (name: string, args: readonly string[], around: Surroundings, walk: Walk): boolean => {
  const code = codeOf(name, args);
  if (code === 'input') return around.isFed || isDownload(around.input, walk);
  return isDownload(code?.word, walk);
};

const callOf = (words: readonly string[], around: Surroundings, walk: Walk): Call => {
  const [word = '', ...args] = words;
  const name = nameOf(word);
  const options: string[] = [];
  const positionals: string[] = [];
  for (const part of partsOf(name, args)) (part.isOption ? options : positionals).push(part.word);
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
const walkWords = (words: readonly string[], around: Surroundings, walk: Walk, layer: number): Call => {
  const call = callOf(words, around, walk);
  walk.calls.push(call);
  if (layer > MAX_LAYERS) {
    walk.memory.isUnreadable = true;
    return call;
  }
  const script = scriptOf(call);
  if (script !== undefined) walkScript(script, walk);
  let last = call;
  const isInTree = around.isInTree || FINDERS.has(call.name);
  for (const wrapped of wrappedBy(call)) {
    last = walkWords(wrapped.slice(nameIndex(wrapped)), { ...around, isInTree }, walk, layer + 1);
  }
  return last;
};

/** Ends of groups: what is piped from behind them is what anything in the group printed. */
const CLOSERS: ReadonlySet<string | undefined> = new Set(['}', ')', 'fi', 'done', 'esac']);

const walkCommand = (command: ShellCommand, walk: Walk): void => {
  const { before, writes } = command;
  const words = command.words.slice(nameIndex(command.words));
  const isFed = walk.downloads.has(before);
  const input = command.input ?? walk.printed.get(before);
  const call = walkWords(words, { writes, input, isInTree: false, isFed }, walk, 0);
  const isGroup = CLOSERS.has(words[0]) && walk.downloads.size > 0;
  if (isFed || isGroup || DOWNLOADERS.has(call.name)) walk.downloads.add(command);
  walk.printed.set(command, printedBy(call));
};

const NO_MARK = '\uE001';

/** Every program that a command line runs; undefined where it is too long or too deep to say. */
export const callsOf = (command: string): readonly Call[] | undefined => {
  const walk: Walk = { memory: newMemory(), calls: [], printed: new Map(), downloads: new Set(), depth: 0 };
  walkScript(command.replaceAll(MARK, NO_MARK), walk);
  return walk.memory.isUnreadable ? undefined : walk.calls;
};
