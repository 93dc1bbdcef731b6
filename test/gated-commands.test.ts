import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { GATED_CLASSES, gateOf, UNREADABLE } from '../src/rules/gated-commands.js';
import { MAX_LENGTH } from '../src/rules/shell-words.js';

const GATED: Readonly<Record<string, readonly string[]>> = {
  push: [
    'git push',
    'git -C dir push',
    'git --git-dir=x push',
    '/usr/bin/git push',
    'sudo git push',
    'env A=b git push',
    'A=b git push',
    'cd x && git push',
    'git add .; git commit -m "wip" && git push origin main',
    'true || git push',
    '(git push)',
    '{ git push; }',
    'echo $(git push)',
    'echo "$(git push)"',
    'echo `git push`',
    'if true; then git push; fi',
    'for i in 1 2; do git push; done',
    'sh -c "git push"',
    "bash -lc 'git push'",
    'bash -c "sh -c \'git push\'"',
    'nohup git push &',
    'time git push',
    'nice -n 5 git push',
    'timeout 30 git push',
    'timeout -k 5 30 git push',
    'command git push',
    'exec git push',
    'stdbuf -oL git push',
    'setsid git push',
    'echo x | xargs git push',
    'xargs -I{} git push {}',
    'git push --force',
    'git -c a.b=c push',
    'git\npush\ngit push',
    'git push # comment',
    'git \\\n  push',
    "g'i't push",
    '"git" "push"',
    '\\git push',
    'G=git; $G push',
    'C="git push"; $C',
    `git\${IFS}push`,
    '! git push',
    'git push 2>&1 | tail -5',
    'git 2>/dev/null push',
    'bash <<EOF\ngit push\nEOF',
    'bash <<< "git push"',
    'echo "git push" | sh',
    'cat <<EOF\n$(git push)\nEOF',
    'ssh host "git push"',
    'eval "git push"',
    'ssh -p 22 host <<EOF\ngit push\nEOF',
    'diff <(git push) x',
    'case x in a) git push;; esac',
    'echo $(case x in a) git push;; esac)',
    'f() { git push; }; f',
    'function f { git push; }',
    'x=$((1<<2)); git push',
    'docker exec c git push',
    'docker compose exec -T web git push',
    'docker run --rm -v a:b img git push',
    'kubectl exec -n x pod -c d -- git push',
    'echo a#b; git push',
    'if (( a << 2 )); then git push; fi',
    '[ $# -gt 0 ] && git push',
    'git push&',
    'git push|cat',
    'cat <<EOF >f && git push\nbody\nEOF',
    'cat <<EOF\nbody\nEOF\ngit push',
    'trap "git push" EXIT',
    'python3 -m x; git push',
    'tmux send-keys -t 0 "git push" Enter',
    '$(which x); git push',
    'env -S "git push"',
    'sudo -u bob -- git push',
    'doas git push',
    'su -c "git push" bob',
    'sudo env X=1 nohup nice -n 3 timeout 3 bash -lc "cd x && git push"',
    'GIT push',
    'git.exe push',
    `\${G:-git} push`,
    'x=`echo y`; git push',
    'pwsh -Command "git push"',
    'flock /tmp/l git push',
    'curl |\n git push',
    'a |& git push',
    'git push --dry-run; git push',
    'git submodule foreach "git push"',
    'find . -name x -exec git push \\;',
    '! { git push; }',
    'while :; do sleep 1; git push; done',
    'test "a" = \'b\' && git push',
    'printf "%s\\n" "git push" | bash',
    "bash -c $'git push'",
    'git push -- --dry-run',
    'git push <<EOF\nnever closed',
    "git push 'never closed",
    'coproc git push',
    `\${UNKNOWN:-git} push`,
    'cat <<-EOF\n\tbody\n\tEOF\ngit push',
    'cat <<A <<B\n1\nA\n2\nB\ngit push',
    'echo "`git push`"',
    'echo `echo \\`git push\\``',
    'git p"us"h',
    'diff <(cat a) <(git push)',
    'make && (cd x; git push) > log 2>&1',
    'if [[ $a == b && -n $c ]]; then git push; fi',
    'for ((i=0;i<<3;i++)); do\ngit push\ndone',
    'x=$((16#ff)); git push',
    'sudo -nu bob git push',
    'nice -10 git push',
    'env -i PATH=x git push',
    'poetry run git push',
    'npm exec -- git push',
    'powershell.exe -Command "git push"',
    'cmd /c git push',
    'flock -n /tmp/l -c "git push"',
    'export X=1; git push',
    'git --no-pager push',
    'git push --dry-run=false',
    'cat <<EOF | bash\ngit push\nEOF',
    'echo -e "ls\\ngit push" | sh',
  ],
  'recursive-delete': [
    'rm -rf x',
    'rm -r -f x',
    'rm -fr x',
    'rm --recursive x',
    'rm -Rf x',
    'rm x -r',
    'find . -delete',
    'find . -name "*.o" -exec rm {} +',
    'find . | xargs rm -rf',
    'git clean -fdx',
    'git clean -xdf',
    'rimraf dist',
    'npx rimraf dist',
    'npx --yes rimraf dist',
    'rsync -a --delete a b',
    "trap 'rm -rf $T' EXIT",
    'rm -rf "$(pwd)"/x',
    'cmd /c rd /s /q x',
    'powershell -Command "Remove-Item -Recurse -Force x"',
    'busybox rm -rf x',
    'git ls-files -z | xargs -0 -n 1 rm -r',
    '/bin/rm -rf /',
    'find . -type d -exec sh -c \'rm -rf "$1"\' _ {} \\;',
    'fd -t f -x rm',
    'del /s /q x',
    'git clean --force -d',
  ],
  publish: [
    'npm publish',
    'npm --prefix x publish',
    'npm publish --access public',
    'pnpm -r publish',
    'yarn npm publish',
    'cargo publish',
    'cargo +nightly publish',
    'twine upload dist/*',
    'python -m twine upload dist/*',
    'python3.11 -m twine upload x',
    'gem push x',
    'docker push x',
    'docker --context c push x',
    'docker buildx build --push .',
    'poetry publish',
    'gh release create v1',
    'mvn deploy',
    './gradlew publishToMavenLocal',
  ],
  apply: [
    'terraform apply',
    'terraform -chdir=x apply -auto-approve',
    'kubectl apply -f x',
    'kubectl -n prod apply -f x',
    'helm upgrade x y',
    'helm -n a install x y',
    'pulumi up',
    'cdk deploy',
    'ansible-playbook x.yml',
    'gcloud run deploy x',
    'tofu apply',
  ],
  destroy: [
    'terraform destroy',
    'terraform apply -destroy',
    'kubectl -n prod delete pod x',
    'kubectl --context=x delete pod x',
    'kubectl delete -f x',
    'helm uninstall x',
    'aws ec2 terminate-instances --x',
    'aws --profile p s3 rm s3://x --recursive',
    'gcloud compute instances delete x',
    'gh repo delete x',
    'gh api -X DELETE repos/x',
    'gh api --method=DELETE repos/x',
    'kubectl delete pod x --dry-run=none',
    'gh api repos/x --method DELETE',
  ],
  'sql-delete': [
    'psql -c "DROP TABLE x"',
    'psql -h h -U u -c "delete from t where id=1"',
    'mysql -e "TRUNCATE users"',
    'mysql -e"DROP DATABASE x"',
    'sqlite3 db "DELETE FROM t"',
    'psql --command="drop table x"',
    'psql <<SQL\nDROP TABLE x;\nSQL',
    'echo "drop table x" | psql',
    'psql <<< "drop table x"',
    'docker exec db psql -c "DROP SCHEMA x"',
    'dropdb x',
    'redis-cli flushall',
    'mongosh --eval "db.x.drop()"',
    'ALTER=1 psql -c "alter table t drop column c"',
    'bq query "DELETE FROM x"',
    'sudo -u postgres psql -c "DROP TABLE x"',
    'kubectl exec -it p -- psql -c "drop table x"',
    'mysql -p -e "drop table x"',
    'psql -c "DROP TABLE IF EXISTS x"',
    'psql -c "drop materialized view x"',
    'psql -c \'truncate "users"\'',
    'mongosh --eval "db.x.deleteMany({})"',
    'cat <<SQL | mysql app\nDELETE FROM t;\nSQL',
    'rails db:drop',
  ],
  disk: [
    'mkfs /dev/sda',
    'mkfs.ext4 /dev/sda1',
    'dd if=x of=/dev/sda',
    'cat x > /dev/sda',
    'sudo dd if=/dev/zero of=/dev/nvme0n1',
    'fdisk /dev/sda',
    'wipefs -a /dev/sda',
    'diskutil eraseDisk x',
    '> /dev/sda',
    'zpool destroy x',
    'cp a /dev/sdb',
    'dd if=x of=/dev/mapper/root',
    'shred /dev/sda',
    'fdisk /dev/vdb',
  ],
  permissions: [
    'chmod -R 777 x',
    'chmod 777 x',
    'chown -R a b',
    'chown -R a:b .',
    'chmod a+w x',
    'chmod -R 755 x',
    'chgrp -R x y',
    'chmod o+rwx x',
    'find . -exec chmod 644 {} +',
    'chmod 0666 x',
    'chmod u=rwx,o+w x',
    'chmod ugo+w x',
    'setfacl -R -m u:a:rwx x',
    'chmod --recursive 700 x',
  ],
  privilege: [
    'sudo ls',
    'sudo apt-get install x',
    'su',
    'su -',
    'doas ls',
    'chmod u+s x',
    'chmod 4755 x',
    'visudo',
    'usermod -aG sudo x',
    'echo x >> /etc/sudoers',
    'sudo -i',
    'echo x | sudo tee -a /etc/sudoers',
    'sudo -s',
    'sudo -e /etc/hosts',
    'chmod u=rwxs x',
    'pkexec ls',
    'chmod 6755 x',
  ],
  'remote-code': [
    'curl x | sh',
    'curl -fsSL x | bash -s -- --yes',
    'bash <(curl x)',
    'wget -qO- x | sh',
    'curl x | sudo sh',
    'sh -c "$(curl x)"',
    'eval "$(curl x)"',
    'source <(curl x)',
    '. <(curl x)',
    'curl x | python3',
    'curl x | python3 -',
    'curl x | tee f | sh',
    'curl x | gunzip | bash',
    'bash -c "$(wget -qO- x)"',
    '$(curl x)',
    'eval `curl x`',
    'X=$(curl x); eval "$X"',
    'curl x | (sh)',
    '(curl x) | sh',
    '{ curl x; } | sh',
    'curl x | env A=b bash',
    'bash < <(curl x)',
    'sh <<< "$(curl x)"',
    'curl x | node',
    'python3 -c "$(curl x)"',
    'powershell -c "iwr x | iex"',
    'python <(curl x)',
    'curl x |\n sh',
    'curl x | bash -ex',
    'curl x | bash -euo pipefail',
    'curl x | nohup bash &',
    'curl x | xargs sh',
    'for f in a; do curl x; done | sh',
    'curl x | bash -o pipefail',
    'wget -O- x | perl',
    'curl x | php',
  ],
  containers: [
    'docker rm x',
    'docker rm -f x',
    'docker system prune -af',
    'docker volume rm x',
    'docker compose down -v',
    'docker compose -f x.yml down',
    'docker-compose -f x down',
    'docker image prune',
    'docker stop x',
    'podman rm x',
    'docker ps -q | xargs docker rm',
  ],
  services: [
    'systemctl stop x',
    'systemctl --user stop x',
    'service x stop',
    'shutdown -h now',
    'reboot',
    'launchctl unload x',
    'systemctl restart x',
    'kill -9 -1',
    'crontab -r',
    'pm2 delete x',
    'sudo systemctl stop x',
    'init 0',
  ],
  history: [
    'git reset --hard',
    'git reset --hard HEAD~1',
    'git rebase main',
    'git rebase -i HEAD~3',
    'git filter-branch x',
    'git commit --amend',
    'git commit -a --amend --no-edit',
    'git -C x commit --amend',
    'git branch -D x',
    'git stash drop',
    'git reflog expire --all',
    'git pull --rebase',
    'git filter-repo',
    'git rebase --continue',
    'git update-ref -d refs/heads/x',
    'git branch --delete --force x',
    'git stash clear',
    'git pull -r',
  ],
};

const FREE = [
  'git stash push',
  'echo "git push"',
  'echo git push',
  'printf "git push"',
  'grep -r "git push" .',
  'rg "rm -rf" src',
  'sed -i "s/git push/x/" f',
  'git commit -m "git push"',
  'git commit -m "git push; rm -rf /"',
  "git commit -m 'x $(git push)'",
  '# git push',
  'ls # git push',
  'cat <<EOF\ngit push\nEOF',
  'git commit -m "$(cat <<\'EOF\'\ngit push now\nEOF\n)"',
  'git push --dry-run',
  'git push -n',
  'git log --grep "git push"',
  'terraform plan',
  'npm publish --dry-run',
  'kubectl delete pod x --dry-run=client',
  'kubectl -n push get pods',
  'git config alias.p push',
  'git remote set-url --push o x',
  'man git-push',
  'which git',
  'command -v git push',
  'git help push',
  'ls -R',
  'rm x',
  'rm -f x',
  'chmod +x a',
  'chmod 755 a',
  'chmod 644 a',
  'curl x | jq .',
  'curl x | tar xz',
  'curl x | python3 -m json.tool',
  'curl x | python3 -c "import json"',
  'curl x -o f',
  'docker run --rm x',
  'docker ps',
  'docker compose up -d',
  'systemctl status x',
  'systemctl start x',
  'psql -c "SELECT 1"',
  'psql -c "select \'drop table x\'"',
  'psql -c "-- drop table x"',
  'git rebase --abort',
  'git reset --soft HEAD~1',
  'git reset HEAD',
  'git branch -d x',
  'find . -name x',
  'find . -type f -exec cat {} \\;',
  'dd if=/dev/zero of=file',
  'echo x > /dev/null',
  'cat x > /dev/stderr',
  'fdisk -l',
  'npm run publish',
  'cargo build',
  'cargo publish --dry-run',
  'gh pr list',
  'helm template',
  'kubectl get',
  'kubectl rollout status x',
  'docker rmx',
  'sqlite3 db "select * from t"',
  'truncate -s 0 f',
  'echo "DROP TABLE x"',
  'grep "DROP TABLE" f.sql',
  'python -c "print(1)"',
  'git rm -r x',
  'git checkout -b push',
  'git commit -am "--amend"',
  'git clean -n',
  'bash script.sh',
  'sudo -l',
  'bash -c "echo git push"',
  'tee f <<EOF\nrm -rf x\nEOF',
  'echo "a" > rm',
  'vim -c "git push"',
  'node -e "git push"',
  "echo '$(git push)'",
  'echo "\\$(git push)"',
  'crontab -l',
  'kill 123',
  'kill -9 1234',
  'rsync -a a b',
  'wget x',
  'export A="git push"',
  'alias p="git push"',
  'x=y',
  '[[ "git push" == x ]]',
  'git diff -- push',
  'awk "/git push/"',
  'git fetch && git log origin/main..HEAD',
  'gh api repos/x',
  'ansible-playbook --check x.yml',
  'echo \\$(whoami',
  "cat <<'EOF'\n$(git push)\nEOF",
  'echo "a > /dev/sda"',
  'echo x > "file > /dev/sda"',
  'docker run --rm alpine ls',
  'terraform apply --help',
  'git rm -r --cached x',
  'git pull',
  'git pull --rebase=false',
  'git stash',
  'git replace',
  'curl x > f.sh',
  'curl x | sh -c "wc -l"',
  'curl x | bash script.sh',
  'chmod 1644 x',
  'chmod -x f',
  'rd x',
  'Remove-Item x',
  'del x',
  'parted /dev/sda print',
  'sgdisk -p /dev/sda',
  'sfdisk -d /dev/sda',
  'wipefs /dev/sda',
  'mdadm --detail /dev/md0',
  'passwd -S',
  'shutdown -c',
  'kill -1',
  'mongosh --eval "db.x.find()"',
  'redis-cli get x',
  'dd if=/dev/sda of=disk.img',
  'tee log',
  'rsync -an --delete a b',
  'aws s3 ls',
  'kubectl delete pod x --dry-run=server',
  'helm upgrade x --dry-run',
];

const ROWS = Object.entries(GATED).flatMap(([gate, commands]) => commands.map((command) => [command, gate] as const));

describe('a gated command is found, however it is wrapped', () => {
  test.each(ROWS)('%j is %s', (command, gate) => {
    expect(gateOf(command)).toBe(gate);
  });

  test('every class has rows', () => {
    expect(Object.keys(GATED).toSorted()).toEqual(GATED_CLASSES.map(({ id }) => id).toSorted());
  });
});

describe('text about a command is not the command', () => {
  test.each(FREE)('%j is not gated', (command) => {
    expect(gateOf(command)).toBeUndefined();
  });
});

/** What an action needs beside its verbs. */
const SWITCHES: ReadonlyMap<string, string> = new Map([
  ...['remove-item', 'ri', 'rd', 'rmdir', 'del', 'erase'].map((name) => [name, '/s x'] as const),
  ['crontab', '-r'],
  ['wipefs', '-a x'],
  ['mdadm', '--create'],
  ['svn', 'x'],
  ['git replace', 'a b'],
]);

/** An action with each of its words' alternatives once. */
const spellings = (action: string): readonly string[] => {
  const words = action.split(' ').map((word) => word.replaceAll('*', 'x').split('|'));
  const longest = Math.max(...words.map((alternatives) => alternatives.length));
  return Array.from({ length: longest }, (_, index) =>
    words.map((alternatives) => alternatives[index % alternatives.length]).join(' '),
  );
};

describe('every action of the table', () => {
  const rank = new Map(GATED_CLASSES.map(({ id }, index) => [id, index]));
  const rows = GATED_CLASSES.flatMap(({ id, actions }) =>
    actions.flatMap(spellings).map((words) => [words, id] as const),
  );

  test.each(rows)('%s is %s, or of a class before it', (words, id) => {
    const [program = ''] = words.split(' ');
    const gate = gateOf(`${words} ${SWITCHES.get(words) ?? SWITCHES.get(program) ?? 'x'}`);
    expect(rank.get(gate ?? '')).toBeLessThanOrEqual(rank.get(id) ?? -1);
  });
});

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

/** What runs the command that it is put around. */
const WRAPPERS: readonly ((command: string) => string)[] = [
  (command) => `sudo -u bob ${command}`,
  (command) => `doas ${command}`,
  (command) => `env A=b ${command}`,
  (command) => `A=b ${command}`,
  (command) => `echo x | xargs -n 1 ${command}`,
  (command) => `nohup ${command} &`,
  (command) => `time ${command}`,
  (command) => `nice -n 5 ${command}`,
  (command) => `timeout -k 5 30 ${command}`,
  (command) => `command ${command}`,
  (command) => `exec ${command}`,
  (command) => `stdbuf -oL ${command}`,
  (command) => `setsid ${command}`,
];
/** What runs a whole command line. */
const LINES: readonly ((line: string) => string)[] = [
  (line) => `cd x && ${line}`,
  (line) => `false || ${line}`,
  (line) => `make; ${line}; ls`,
  (line) => `# first\n${line}\n# last`,
  (line) => `(${line})`,
  (line) => `{ ${line}\n}`,
  (line) => `if true; then ${line}\nfi`,
  (line) => `echo "$(${line})"`,
  (line) => `cat <(${line})`,
  (line) => `sh -c ${quoted(line)}`,
  (line) => `bash -lc ${quoted(line)}`,
  (line) => `eval ${quoted(line)}`,
  (line) => `ssh host ${quoted(line)}`,
  (line) => `bash <<'EOF'\n${line}\nEOF`,
  (line) => `cat <<'TEXT' > f\ngit push is text here\nTEXT\n${line}`,
  (line) => `${line} | tee log`,
];
/** What only speaks of it. */
const TALK: readonly ((line: string) => string)[] = [
  (line) => `echo ${quoted(line)}`,
  (line) => `printf '%s' ${quoted(line)}`,
  (line) => `grep -r ${quoted(line)} .`,
  (line) => `rg -- ${quoted(line)}`,
  (line) => `sed -i ${quoted(line)} f`,
  (line) => `git commit -m ${quoted(line)}`,
  (line) => `git commit -am ${quoted(line)}`,
  (line) => `git log --grep=${quoted(line)}`,
  (line) => `ls # ${line.replaceAll('\n', ' ')}`,
  (line) => `cat > f <<'END_OF_TEXT'\n${line}\nEND_OF_TEXT\nls`,
  (line) => `git commit -F - <<'END_OF_TEXT'\n${line}\nEND_OF_TEXT`,
  (line) => `X=${quoted(line)}; ls`,
];

const simple = fc.constantFrom(
  'git push origin main',
  '/usr/bin/git -C dir push',
  'npm --prefix x publish',
  'terraform -chdir=x apply',
  'kubectl -n prod delete pod x',
  'rm -r -f x',
  'find . -name x -exec rm -rf {} +',
  'psql -c "DROP TABLE x"',
  'dd if=x of=/dev/sda',
  'chmod -R 777 x',
  'docker compose down',
  'systemctl stop x',
  'git reset --hard',
);
const wrapped = (around: fc.Arbitrary<(text: string) => string>, most: number) =>
  fc
    .array(around, { maxLength: most })
    .map((stack) => (text: string) => stack.reduce((inner, wrap) => wrap(inner), text));

const RUNS = { numRuns: 1000 };

describe('for any command', () => {
  const inWrappers = fc.tuple(simple, wrapped(fc.constantFrom(...WRAPPERS), 4)).map(([command, wrap]) => wrap(command));
  const inLines = fc.tuple(inWrappers, wrapped(fc.constantFrom(...LINES), 4)).map(([command, wrap]) => wrap(command));

  test('any stack of wrappers and lines keeps it gated', () => {
    fc.assert(
      fc.property(inLines, (line) => gateOf(line) !== undefined),
      RUNS,
    );
  });

  test('each wrapper alone keeps its class', () => {
    fc.assert(
      fc.property(simple, fc.constantFrom(...WRAPPERS), (command, wrap) => gateOf(wrap(command)) === gateOf(command)),
      RUNS,
    );
  });

  test('to speak of it is not to run it', () => {
    fc.assert(
      fc.property(inLines, fc.constantFrom(...TALK), (line, speak) => gateOf(speak(line)) === undefined),
      RUNS,
    );
  });

  test('to run it beside such talk is to run it', () => {
    fc.assert(
      fc.property(inLines, fc.constantFrom(...TALK), (line, speak) => gateOf(`${speak(line)}\n${line}`) !== undefined),
      RUNS,
    );
  });
});

/** Pieces that shells give a meaning, and that readers of shells stumble over. */
const piece = fc.constantFrom(
  ...[
    ...'"\'`$()<>|&;#\\{}*!=-/[ \t\r\n1a',
    '$(',
    '${',
    '<<',
    '<<E\n',
    'E\n',
    "$'",
    '&>',
    '2>',
    '<<<',
    '((',
    '))',
    ';;',
  ],
  ...[
    'sudo ',
    'eval ',
    'sh -c ',
    'find -exec ',
    'x=$x$x;',
    '$x',
    'case ',
    'esac ',
    'curl x|',
    'echo ',
    'git ',
    '\ue000',
    '\ud800',
  ],
);

describe('hostile commands', () => {
  test('never throw', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join('')),
        ),
        (text) => {
          gateOf(text);
        },
      ),
      { numRuns: 5000 },
    );
  });

  // Far more than a slow machine takes for linear work, far less than quadratic work takes.
  const PATIENCE = 20_000;
  test(
    'take bounded time, whatever they repeat',
    () => {
      fc.assert(
        fc.property(fc.array(piece, { minLength: 1, maxLength: 4 }), (pieces) => {
          const unit = pieces.join('');
          const begin = performance.now();
          gateOf(unit.repeat(Math.floor(MAX_LENGTH / unit.length)));
          expect(performance.now() - begin).toBeLessThan(PATIENCE);
        }),
        { numRuns: 60 },
      );
    },
    60 * PATIENCE,
  );

  test.each([
    ['too long', `ls ${'x'.repeat(MAX_LENGTH)}`],
    ['too deep', `${'$('.repeat(99)}ls${')'.repeat(99)}`],
    ['wrapped too often', `${'sudo '.repeat(99)}ls`],
    ['a script in too many scripts', `${'eval '.repeat(99)}ls`],
    ['more text than was given', `x=${'y'.repeat(99)}${'; eval $x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x$x'.repeat(999)}`],
  ])('%s to be read is gated', (_what, command) => {
    expect(gateOf(command)).toBe(UNREADABLE);
  });

  test('as long as may be is read', () => {
    expect(gateOf(`ls ${'x'.repeat(MAX_LENGTH - 3)}`)).toBeUndefined();
    expect(gateOf(`git push ${'x'.repeat(MAX_LENGTH - 9)}`)).toBe('push');
  });
});
