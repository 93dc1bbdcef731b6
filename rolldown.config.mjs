// The command as it is started: what every run needs in one file, and the rest in files that are loaded when used.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'rolldown';

const ROOT = dirname(fileURLToPath(import.meta.url));
const SRC = join(ROOT, 'src');

const IMPORTED = /^import [^;]* from '\.\/([\w-]+)\.js';$/gm;
/** The reporters of the list, but for the default one and what all of them share. */
const LATE_REPORTERS = [...readFileSync(join(SRC, 'reporters/index.ts'), 'utf8').matchAll(IMPORTED)]
  .map(([, name]) => name)
  .filter((name) => name !== 'tsv' && name !== 'reporter')
  .map((name) => `reporters/${name}`);

/** Modules of the checker that a run may do without; nothing of them may be asked for while other modules load. */
const LATE_MODULES = [
  ...LATE_REPORTERS,
  'commands/explain',
  'commands/print-contract',
  'commands/rules',
  'commands/schema',
  'contract-schema',
  'decoders',
  'plain-trace',
  'progress-line',
  'read-span',
  'rules/gated-commands',
  'rules/receipt-signature',
  'threads',
  'timeline',
];
/** Parts of Node that it does not load by itself. */
const LATE_PARTS = ['crypto', 'fs/promises', 'os', 'stream', 'stream/promises', 'worker_threads'];

const isOwn = (id) => id.startsWith(SRC + sep);
const nameOf = (id) => relative(SRC, id).replaceAll(sep, '/').replace(/\.ts$/, '');
const fileOf = (name) => name.replaceAll('/', '-');

const IMPORT = /^import (?!type )([^'"]*?) from '([^']+)';$/gm;
/** The names that an import takes, types aside. */
const namesIn = (clause) =>
  [...clause.replace(/^(\w+)(,|$)/, '{ default as $1 }$2').matchAll(/[{,]\s*(?!type )(\w+)(?: as \w+)?/g)].map(
    ([, name]) => name,
  );

/** What a late import loads, as the files beside it see it. */
const targetOf = (source, importer) => {
  if (source.startsWith('node:')) return LATE_PARTS.includes(source.slice(5)) ? source : undefined;
  if (!source.startsWith('.')) return undefined;
  const name = nameOf(join(dirname(importer), source)).replace(/\.js$/, '');
  return LATE_MODULES.includes(name) ? `./${fileOf(name)}.cjs` : undefined;
};

const LATE = '\0late:';
/** Makes imports late: each name loads its module when it is first used. */
const late = {
  name: 'late',
  transform(code, id) {
    if (!isOwn(id)) return undefined;
    return code.replaceAll(IMPORT, (whole, clause, source) => {
      const target = targetOf(source, id);
      return target === undefined ? whole : `import ${clause} from '${LATE}${target}?${namesIn(clause).join(',')}';`;
    });
  },
  resolveId(source, importer) {
    if (source.startsWith(LATE)) return source;
    // The files lie side by side; what a name would be beside the importer does not matter.
    return importer?.startsWith(LATE) ? { id: source, external: 'absolute' } : undefined;
  },
  load(id) {
    if (!id.startsWith(LATE)) return undefined;
    const [target, names] = id.slice(LATE.length).split('?');
    const getters = names
      .split(',')
      .map((name) => `Object.defineProperty(exports, '${name}', { enumerable: true, get: () => load().${name} });`);
    return [
      'let loaded;',
      `const load = () => (loaded ??= require('${target}'));`,
      "Object.defineProperty(exports, '__esModule', { value: true });",
      ...getters,
    ].join('\n');
  },
};

const WORDS = ['passing', 'why', 'evidence', 'needs', 'unjudged', 'action', 'source', 'example', 'table'];
/** The rules in a file: what `defineRule` is given. */
const rulesIn = (program) =>
  program.body.flatMap(({ declaration }) =>
    (declaration?.declarations ?? []).flatMap(({ init }) =>
      init?.type === 'CallExpression' && init.callee.name === 'defineRule' ? init.arguments : [],
    ),
  );
/** Makes what a rule says of itself late: a run that keeps it need not lay out the words. */
const lateWords = {
  name: 'late-words',
  transform(code, id) {
    if (!nameOf(id).startsWith('rules/')) return undefined;
    const edits = rulesIn(this.parse(code, { lang: 'ts' }))
      .flatMap(({ properties }) => properties)
      .filter(({ key, shorthand }) => WORDS.includes(key?.name) && !shorthand);
    return edits.reduceRight((text, { start, end, key, value }) => {
      const getter = `get ${key.name}() { return ${code.slice(value.start, value.end)}; }`;
      return text.slice(0, start) + getter + text.slice(end);
    }, code);
  },
};

const THREAD = "new URL('./part-thread.js', import.meta.url)";
/** Puts what the files open by name beside them. */
const besides = {
  name: 'besides',
  transform(code, id) {
    if (nameOf(id) !== 'threads') return undefined;
    if (!code.includes(THREAD)) this.error('threads.ts names its file in another way');
    return code.replace(THREAD, THREAD.replace('.js', '.cjs'));
  },
  generateBundle() {
    const source = readFileSync(join(SRC, 'scan/kernel.wasm'));
    this.emitFile({ type: 'asset', fileName: 'bundle/kernel.wasm', source });
  },
};

/** Everything that is loaded with a module, late imports aside. */
const loadedWith = (id, modules, found = new Set()) => {
  if (found.has(id)) return found;
  found.add(id);
  for (const other of modules.getModuleInfo(id)?.importedIds ?? []) loadedWith(other, modules, found);
  return found;
};
let always;
/** What rolldown itself adds. */
const RUNTIME = '\0rolldown/runtime.js';

const ABOVE_ASCII = /[^\0-\x7f]/g;
/** Files of ASCII alone are read faster. What is above stands in texts and patterns, where it may be escaped. */
const ascii = {
  name: 'ascii',
  renderChunk: (code, { name }) =>
    name === 'main'
      ? code.replaceAll(ABOVE_ASCII, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
      : undefined,
};

const PACKAGE = /^.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+/;
/** The name of the package that a module comes from. */
const packageOf = (id) =>
  PACKAGE.exec(id)?.[0]
    .replace(/^.*node_modules[\\/]/, '')
    .replaceAll(/[\\/]/g, '-');
const LICENCE = /^(?:licen[cs]e|copying|notice)/i;
/** Writes the licences of the packages that the files hold. */
const thirdParty = {
  name: 'third-party',
  generateBundle(_options, bundle) {
    const ids = Object.values(bundle).flatMap((chunk) => (chunk.type === 'chunk' ? Object.keys(chunk.modules) : []));
    const folders = new Set(ids.flatMap((id) => PACKAGE.exec(id)?.[0] ?? []));
    const texts = [...folders].sort().map((folder) => {
      const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      const files = readdirSync(folder).filter((file) => LICENCE.test(file));
      if (files.length === 0) this.error(`${name} has no text of its licence`);
      return [
        `${name} ${version} (${license})`,
        ...files.map((file) => readFileSync(join(folder, file), 'utf8').trim()),
      ].join('\n\n');
    });
    this.emitFile({
      type: 'asset',
      fileName: 'THIRD-PARTY.txt',
      source: `${texts.join(`\n\n${'-'.repeat(80)}\n\n`)}\n`,
    });
  },
};

const entries = Object.fromEntries(
  ['part-thread', ...LATE_MODULES].map((name) => [`bundle/${fileOf(name)}`, join(SRC, `${name}.ts`)]),
);

export default defineConfig({
  input: { cli: join(SRC, 'cli.ts'), ...entries },
  platform: 'node',
  // yargs asks where a config that extends another one stands; the command has none.
  checks: { emptyImportMeta: false },
  plugins: [lateWords, late, besides, ascii, thirdParty],
  output: {
    dir: join(ROOT, 'dist'),
    cleanDir: true,
    format: 'cjs',
    exports: 'named',
    // Names stay as they are, so that a fault can be found by its stack.
    minify: { compress: true, mangle: false, codegen: { removeWhitespace: false } },
    comments: { legal: true, annotation: false, jsdoc: false },
    entryFileNames: '[name].cjs',
    chunkFileNames: ({ name, moduleIds }) => `bundle/${packageOf(moduleIds.at(-1)) ?? name}.cjs`,
    codeSplitting: {
      groups: [
        {
          debugName: 'main',
          name(id, modules) {
            always ??= loadedWith(join(SRC, 'main.ts'), modules);
            return always.has(id) || id === RUNTIME ? 'main' : undefined;
          },
        },
      ],
    },
  },
});
