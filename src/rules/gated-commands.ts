import { type Call, callsOf } from './shell-calls.js';

/** A class of action that needs an approval, where a command can be read and its emitter named no gate. */
export interface GatedClass {
  readonly id: string;
  readonly description: string;
  /** A command of this class, and one that looks like it and is of none. */
  readonly gated: string;
  readonly harmless: string;
  /**
   * Programs with their verbs, as they are typed without their options: `|` parts alternatives, `*` stands for
   * any word, or for any end of one.
   */
  readonly actions: readonly string[];
  /** What verbs cannot say. */
  readonly also?: (call: Call) => boolean;
}

const has = ({ options }: Call, ...names: readonly string[]): boolean =>
  options.some((option) => names.includes(option.replace(/=[\s\S]*/, '')));
/** Whether a short option is given, alone or among others in one word. */
const hasLetter = ({ options }: Call, letters: string): boolean =>
  options.some((option) => !option.startsWith('--') && [...letters].some((letter) => option.includes(letter)));
const isVerb = ({ name, positionals }: Call, program: string, ...verbs: readonly string[]): boolean =>
  name === program && verbs.includes(positionals[0] ?? '');

const BLOCK_DEVICE = /^(?:of=)?\/dev\/(?:sd|hd|vd|xvd|nvme|mmcblk|disk|rdisk|loop|md|dm-|mapper\/|nbd|zd|block\/|mtd)/;
const WRITERS: ReadonlySet<string> = new Set(['tee', 'cp', 'shred']);

const ALL_MAY_WRITE = /^0?[0-7]?[0-7][0-7][2367]$|(?:^|,)[ug]*[oa][ugoa]*[+=][rxXst]*w/;
const SETS_USER = /^0?[4-7][0-7]{3}$|(?:^|,)[ugoa]*[+=][rwxXt]*s/;

const SQL_CLIENTS: ReadonlySet<string> = new Set([
  ...['psql', 'mysql', 'mariadb', 'sqlite3', 'sqlcmd', 'bq', 'clickhouse-client', 'clickhouse', 'duckdb', 'snowsql'],
  ...['cockroach', 'pgcli', 'mycli', 'usql', 'trino', 'presto', 'cqlsh', 'hive', 'beeline', 'turso', 'isql', 'osql'],
]);
const SQL_TEXT = /'[^']*'|"[^"]*"|--[^\n]*|\/\*[\s\S]*?(?:\*\/|$)/g;
const SQL_DELETION =
  /\bDROP\s+(?:[A-Z]+\s+)?(?:TABLE|DATABASE|SCHEMA|VIEW|INDEX|COLUMN|USER|ROLE|KEYSPACE|SEQUENCE|FUNCTION|TRIGGER|TYPE)\b|\bTRUNCATE\s+[\w[`]|\bDELETE\s+FROM\b/i;
// The option that a text is written to.
const OPTION = /^--[\w-]+=|^-\w/;
/** Whether a text is SQL that deletes; what it quotes and comments on deletes nothing. */
const deletesBySql = (text: string): boolean => SQL_DELETION.test(text.replace(SQL_TEXT, 'x'));

const STORE_DELETION = /\.(?:drop|dropDatabase|dropIndexes|deleteMany|deleteOne|remove)\s*\(/;

/** Every class, in the order in which the first that fits names a command. */
export const GATED_CLASSES: readonly GatedClass[] = [
  {
    id: 'push',
    description: 'hands commits to another repository',
    gated: 'git push origin main',
    harmless: 'git push --dry-run',
    actions: [
      'git push|send-pack',
      'git subtree|lfs|annex push',
      'git svn dcommit',
      'hg push',
      'jj git push',
      'svn commit|ci',
      'gh pr merge',
      'glab mr merge',
    ],
  },
  {
    id: 'publish',
    description: 'changes what a registry offers to others',
    gated: 'npm publish',
    harmless: 'npm publish --dry-run',
    actions: [
      'npm|pnpm|yarn|bun publish|unpublish|deprecate',
      'yarn npm publish',
      'cargo publish|yank',
      'twine upload',
      'gem push|yank',
      'docker|podman|nerdctl push',
      'docker|podman|nerdctl image|manifest push',
      'docker|docker-compose compose push',
      'docker-compose push',
      'poetry|uv|flit|hatch|pdm publish',
      'mvn|mvnw deploy|release:perform',
      'gradle|gradlew publish*',
      'dotnet nuget push|delete',
      'nuget push|delete',
      'helm push',
      'lerna publish',
      'changeset publish',
      'semantic-release',
      'goreleaser release',
      'vsce|ovsx publish|unpublish',
      'gh release create|upload',
      'mix hex.publish',
      'pod trunk push',
    ],
    also: (call) =>
      (isVerb(call, 'docker', 'build', 'buildx') || isVerb(call, 'podman', 'build')) && has(call, '--push'),
  },
  {
    id: 'destroy',
    description: 'takes running infrastructure away',
    gated: 'terraform destroy',
    harmless: 'terraform plan -destroy',
    actions: [
      'terraform|tofu|terragrunt destroy',
      'terraform|tofu state rm',
      'terraform|tofu workspace delete',
      'terragrunt run-all destroy',
      'pulumi destroy',
      'pulumi stack rm',
      'kubectl|oc delete',
      'helm uninstall|delete|del',
      'cdk|vagrant destroy',
      'serverless|sls remove',
      'sam|wrangler|kind|minikube|eksctl delete',
      'k3d cluster delete',
      'aws s3 rm|rb',
      'aws * delete-*',
      'aws * terminate-*',
      'gcloud * delete',
      'gcloud * * delete',
      'gcloud * * * delete',
      'az * delete',
      'az * * delete',
      'az * * * delete',
      'gsutil rm|rb',
      'bq rm',
      'gh repo|release|secret|variable|gist delete',
      'fly|flyctl apps|volumes|machine|machines destroy',
      'fly|flyctl destroy',
      'heroku apps:destroy|addons:destroy|pg:reset',
      'vercel rm|remove',
    ],
    also: (call) =>
      (/^(?:terraform|tofu|terragrunt)$/.test(call.name) &&
        isVerb(call, call.name, 'apply') &&
        has(call, '-destroy')) ||
      (isVerb(call, 'gh', 'api') && call.args.some((word) => /^(?:-X|--method=)?DELETE$/i.test(word))),
  },
  {
    id: 'apply',
    description: 'changes running infrastructure',
    gated: 'kubectl apply -f app.yaml',
    harmless: 'kubectl get pods',
    actions: [
      'terraform|tofu|terragrunt apply|import|taint|untaint',
      'terragrunt run-all apply',
      'pulumi up|update',
      'kubectl|oc apply|create|replace|patch|edit|scale|autoscale|set|label|annotate|expose|run|drain|cordon|uncordon|taint',
      'kubectl|oc rollout restart|undo|pause|resume',
      'helm install|upgrade|rollback',
      'cdk|serverless|sls|sam|wrangler|firebase|vercel|netlify|fly|flyctl|copilot deploy',
      'aws cloudformation deploy|create-stack|update-stack|execute-change-set',
      'gcloud * deploy',
      'gcloud * * deploy',
      'ansible-playbook',
      'prisma migrate deploy',
    ],
    also: (call) => call.name === 'vercel' && has(call, '--prod'),
  },
  {
    id: 'recursive-delete',
    description: 'deletes whole trees of files',
    gated: 'rm -rf build',
    harmless: 'rm build/old.txt',
    actions: ['rimraf', 'remove-item|ri|rd|rmdir|del|erase'],
    also: (call) => {
      if (call.name === 'rm') return call.isInTree || hasLetter(call, 'rR') || has(call, '--recursive');
      if (call.name === 'find' || call.name === 'fd') return call.args.includes('-delete');
      if (call.name === 'rsync') return call.options.some((option) => /^--(?:delete|remove-source-files)/.test(option));
      return isVerb(call, 'git', 'clean') && (hasLetter(call, 'f') || has(call, '--force'));
    },
  },
  {
    id: 'sql-delete',
    description: 'deletes from a database: delete, drop, truncate',
    gated: 'psql -c "DROP TABLE users"',
    harmless: 'psql -c "SELECT 1"',
    actions: [
      'dropdb',
      'dropuser',
      'mysqladmin drop',
      'redis-cli flushall|flushdb',
      'rails|rake db:drop|db:reset|db:purge',
      'prisma migrate reset',
      'prisma db push',
    ],
    also: ({ name, args, input }) => {
      if (/^(?:mongo|mongosh)$/.test(name)) return [...args, input ?? ''].some((text) => STORE_DELETION.test(text));
      if (!SQL_CLIENTS.has(name)) return false;
      return [...args.map((word) => word.replace(OPTION, '')), input ?? ''].some(deletesBySql);
    },
  },
  {
    id: 'disk',
    description: 'writes over disks, partitions or volumes',
    gated: 'mkfs.ext4 /dev/sdb1',
    harmless: 'fdisk -l /dev/sdb',
    actions: [
      'mkfs|mke2fs|mkswap|blkdiscard|newfs',
      'fdisk|sfdisk|gdisk|sgdisk|cfdisk|parted|wipefs',
      'lvremove|vgremove|pvremove|lvreduce',
      'zpool|zfs destroy',
      'zpool labelclear',
      'btrfs subvolume delete',
      'cryptsetup luksformat|luksFormat|erase',
      'mdadm',
      'diskutil erase*',
      'diskutil partitionDisk|zeroDisk|secureErase',
      'diskutil apfs delete*',
    ],
    also: ({ name, positionals, writes }) =>
      name.startsWith('mkfs.') ||
      writes.some((file) => BLOCK_DEVICE.test(file)) ||
      (name === 'dd' && positionals.some((word) => word.startsWith('of=') && BLOCK_DEVICE.test(word))) ||
      (WRITERS.has(name) && BLOCK_DEVICE.test(positionals.at(-1) ?? '')),
  },
  {
    id: 'permissions',
    description: 'opens files to everyone, or changes the rights or owners of whole trees',
    gated: 'chmod 777 run.sh',
    harmless: 'chmod 755 run.sh',
    actions: [],
    also: (call) => {
      const isWhole = has(call, '--recursive') || call.options.some((option) => /^-[a-zA-Z]*R/.test(option));
      if (/^(?:chown|chgrp|setfacl|chattr)$/.test(call.name)) return isWhole || call.isInTree;
      return call.name === 'chmod' && (isWhole || call.isInTree || ALL_MAY_WRITE.test(call.positionals[0] ?? ''));
    },
  },
  {
    id: 'remote-code',
    description: 'runs what a download prints',
    gated: 'curl -s https://example.com/install.sh | sh',
    harmless: 'curl -s https://example.com/install.sh -o install.sh',
    actions: [],
    also: ({ runsDownload }) => runsDownload,
  },
  {
    id: 'containers',
    description: 'stops or removes containers, images, volumes or networks',
    gated: 'docker rm -f web',
    harmless: 'docker ps -a',
    actions: [
      'docker|podman|nerdctl rm|rmi|kill|stop',
      'docker|podman|nerdctl container|image|volume|network|system|builder|buildx|pod|secret|stack|swarm|service rm|remove|prune|kill|stop|leave',
      'docker|podman|nerdctl compose down|rm|kill|stop',
      'docker-compose|podman-compose down|rm|kill|stop',
      'podman system reset',
      'ctr|crictl rm|rmi|stop|rmp|stopp',
    ],
  },
  {
    id: 'services',
    description: 'stops or disables services, or the machine',
    gated: 'systemctl stop nginx',
    harmless: 'systemctl status nginx',
    actions: [
      'systemctl stop|disable|mask|kill|restart|try-restart|isolate|reboot|poweroff|halt|kexec|emergency|rescue',
      'service|rc-service * stop|restart',
      'launchctl unload|bootout|remove|stop|kill|disable',
      'shutdown|reboot|halt|poweroff',
      'init|telinit 0|1|6',
      'supervisorctl stop|shutdown|restart',
      'pm2 stop|delete|kill',
      'brew services stop',
      'killall5',
      'crontab',
      'ufw disable|reset',
    ],
    // The first word may be a signal; any other `-1` stands for all that runs
    also: ({ name, args }) => name === 'kill' && args.includes('-1', 1),
  },
  {
    id: 'history',
    description: 'rewrites or drops what a repository has recorded, or what it has not recorded yet',
    gated: 'git rebase main',
    harmless: 'git log --oneline',
    actions: [
      'git rebase|filter-branch|filter-repo|replace|prune',
      'git-filter-repo',
      'bfg',
      'git stash drop|clear',
      'git reflog expire|delete',
      'hg strip|histedit|rebase|rollback',
      'jj abandon',
    ],
    also: (call) => {
      if (isVerb(call, 'git', 'reset')) return has(call, '--hard');
      if (isVerb(call, 'git', 'commit')) return has(call, '--amend');
      if (isVerb(call, 'git', 'pull')) return hasLetter(call, 'r') || has(call, '--rebase');
      if (isVerb(call, 'git', 'branch')) return hasLetter(call, 'D') || (has(call, '--delete') && has(call, '--force'));
      return isVerb(call, 'git', 'update-ref') && hasLetter(call, 'd');
    },
  },
  {
    id: 'privilege',
    description: 'acts as another user, or gives a user or a program more rights',
    gated: 'sudo ls /root',
    harmless: 'sudo --version',
    actions: [
      'sudo|doas|pkexec|run0 *',
      'su|runuser',
      'visudo',
      'sudoedit',
      'useradd|adduser|usermod|userdel|deluser|passwd|chpasswd|gpasswd|setcap',
    ],
    also: (call) =>
      (call.name === 'chmod' && SETS_USER.test(call.positionals[0] ?? '')) ||
      (call.name === 'sudo' &&
        call.options.some((option) => /^(?:-[a-zA-Z]*[sie]|--(?:shell|login|edit))$/.test(option))) ||
      [...call.writes, ...(call.name === 'tee' ? call.positionals : [])].some((file) =>
        /^\/etc\/(?:sudoers|passwd|shadow)/.test(file),
      ),
  },
];

/** What shares its words with a gated action and is none. */
const EXCEPTIONS: readonly ((call: Call) => boolean)[] = [
  (call) => has(call, '--help', '--version'),
  ({ options }) =>
    options.some(
      (option) =>
        /^-?-(?:dry-?run|dry_run|what-?if|noop|just-print)(?:=|$)/i.test(option) && !/=(?:false|none|0)$/.test(option),
    ),
  (call) => isVerb(call, 'git', 'push', 'clean') && hasLetter(call, 'n'),
  (call) => /^(?:rsync|hg|wipefs)$/.test(call.name) && hasLetter(call, 'n'),
  (call) => isVerb(call, 'cargo', 'publish') && hasLetter(call, 'n'),
  (call) => isVerb(call, 'git', 'rebase') && has(call, '--abort', '--quit', '--show-current-patch'),
  (call) => isVerb(call, 'git', 'replace') && (call.args.length === 1 || hasLetter(call, 'l')),
  (call) => isVerb(call, 'git', 'pull') && has(call, '--rebase') && call.options.includes('--rebase=false'),
  (call) =>
    call.name === 'ansible-playbook' && has(call, '--check', '-C', '--syntax-check', '--list-tasks', '--list-hosts'),
  (call) => call.name === 'crontab' && !hasLetter(call, 'r'),
  // Without a switch for whole trees, these delete files one by one, or empty folders.
  (call) =>
    /^(?:remove-item|ri|rd|rmdir|del|erase)$/.test(call.name) &&
    !call.args.some((word) => /^(?:-r(?:ec.*)?|\/s)$/i.test(word)),
  (call) => /^(?:fdisk|sfdisk|gdisk|parted)$/.test(call.name) && (hasLetter(call, 'l') || call.args.includes('print')),
  (call) => (call.name === 'sgdisk' && hasLetter(call, 'p')) || (call.name === 'sfdisk' && hasLetter(call, 'd')),
  (call) => call.name === 'wipefs' && !hasLetter(call, 'ao') && !has(call, '--all', '--offset'),
  (call) => call.name === 'mdadm' && !has(call, '--zero-superblock', '--stop', '--create', '--remove'),
  (call) => call.name === 'passwd' && hasLetter(call, 'S'),
  (call) => call.name === 'shutdown' && hasLetter(call, 'c'),
];

type Matches = (words: readonly string[]) => boolean;

const fits = (word: string | undefined, alternatives: readonly string[]): boolean =>
  word !== undefined &&
  alternatives.some((text) => (text.endsWith('*') ? word.startsWith(text.slice(0, -1)) : word === text));

/** An action read once: the programs that it is about, and whether its verbs fit. */
const readAction = (action: string): { programs: readonly string[]; matches: Matches } => {
  const [programs = [], ...verbs] = action.split(' ').map((word) => word.split('|'));
  return { programs, matches: (words) => verbs.every((alternatives, index) => fits(words[index], alternatives)) };
};

const ALSO = GATED_CLASSES.map(({ also }, rank) => ({ rank, also }));
/** The actions of each program, each with the rank of its class. */
const ACTIONS = new Map<string, { readonly rank: number; readonly matches: Matches }[]>();
for (const [rank, { actions }] of GATED_CLASSES.entries()) {
  for (const { programs, matches } of actions.map(readAction)) {
    for (const program of programs) ACTIONS.set(program, [...(ACTIONS.get(program) ?? []), { rank, matches }]);
  }
}

const NO_RANK = GATED_CLASSES.length;

const rankOf = (call: Call): number => {
  const verbal = ACTIONS.get(call.name)?.find(({ matches }) => matches(call.positionals))?.rank ?? NO_RANK;
  const other = ALSO.find(({ also }) => also?.(call) === true)?.rank ?? NO_RANK;
  const rank = Math.min(verbal, other);
  return rank < NO_RANK && EXCEPTIONS.some((isException) => isException(call)) ? NO_RANK : rank;
};

/** The gate of a command that is too long or too deep to be read: it may be any of them. */
export const UNREADABLE = 'unreadable';

/** The first class, in the table's order, of everything that a command line runs; undefined where none is gated. */
export const gateOf = (command: string): string | undefined => {
  const calls = callsOf(command);
  if (calls === undefined) return UNREADABLE;
  const rank = calls.reduce((first, call) => Math.min(first, rankOf(call)), NO_RANK);
  return GATED_CLASSES[rank]?.id;
};
