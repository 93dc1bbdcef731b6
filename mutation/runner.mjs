import { readFileSync } from 'node:fs';
import { registerHooks, stripTypeScriptTypes } from 'node:module';
import { basename, resolve } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { Script } from 'node:vm';
import { INSTRUMENTER_CONSTANTS } from '@stryker-mutator/api/core';
import { declareFactoryPlugin, PluginKind } from '@stryker-mutator/api/plugin';
import { DryRunStatus, determineHitLimitReached, MutantRunStatus, TestStatus } from '@stryker-mutator/api/test-runner';

// The sources name each other as they are called when built. Whatever a module computes when it is loaded is
// computed again in a load of its own: a mutant of it has to be there by then. What does not import it is shared.
const LOAD = '?load=';
/** By address, who imports a module. */
const importers = new Map();
let shared = 1;
let isFresh = () => true;
const sources = new Map();
const sourceOf = (path) => {
  if (!sources.has(path)) sources.set(path, stripTypeScriptTypes(readFileSync(fileURLToPath(path), 'utf8')));
  return sources.get(path);
};
registerHooks({
  resolve(specifier, context, next) {
    const load = context.parentURL?.split(LOAD)[1];
    if (!specifier.startsWith('.') || load === undefined) return next(specifier, context);
    const { url, format } = next(specifier.replace(/\.js$/, '.ts'), context);
    if (!importers.has(url)) importers.set(url, new Set());
    importers.get(url).add(context.parentURL.split(LOAD)[0]);
    return { url: `${url}${LOAD}${isFresh(url) ? load : shared}`, format, shortCircuit: true };
  },
  load(url, context, next) {
    const [path, load] = url.split(LOAD);
    return load === undefined ? next(url, context) : { source: sourceOf(path), format: 'module', shortCircuit: true };
  },
});

const withImporters = (url, found = new Set()) => {
  if (found.has(url)) return found;
  found.add(url);
  for (const importer of importers.get(url) ?? []) withImporters(importer, found);
  return found;
};

let loads = 0;
const load = async () => {
  loads += 1;
  // The mutated copy: the process is moved into it after this module was loaded.
  const { href } = pathToFileURL(resolve('test/cases.ts'));
  const { CASES } = await import(`${href}${LOAD}${loads}`);
  return CASES;
};

/** Loads all of it; later loads of a part share what they do not load. */
const loadCases = async () => {
  isFresh = () => true;
  shared = loads + 1;
  return load();
};

const loadWith = async (path) => {
  const fresh = withImporters(pathToFileURL(resolve(path)).href);
  isFresh = (url) => fresh.has(url);
  return load();
};

/** Loaded as `loadWith` does, and never judged while a mutant is there. */
let control = { path: undefined, shared: 0, cases: [] };
const controlOf = async (path) => {
  if (control.path !== path || control.shared !== shared) control = { path, shared, cases: await loadWith(path) };
  return control.cases;
};

const NEVER_ENDS = 'never ends';
const WAS_STOPPED = 'was stopped';
/** What is said of a case, or that judging it threw. */
const saying = async ({ says }) => {
  try {
    return await says();
  } catch (error) {
    return error?.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT' ? WAS_STOPPED : `threw ${error?.name}`;
  }
};

const call = new Script('judged()');
/** The same, where no count tells what never ends: the clock does, unless it has waited before. */
const sayingWithin =
  (timeout) =>
  async ({ says }) => {
    globalThis.judged = says;
    const begin = process.cpuUsage();
    const text = await saying({ says: () => call.runInThisContext({ timeout }) });
    return text === WAS_STOPPED && process.cpuUsage(begin).user / 1000 > timeout / 2 ? NEVER_ENDS : text;
  };
// What ends does so in milliseconds. What a machine that stands still has stopped is asked again, with more time.
const SOON_MS = 2000;
const LATE_MS = 20_000;
// Looking at the clock takes as long as judging a trace: where the mutant is one that counts, only commands are
// judged by it, for what reads them can run on without coming by the mutant.
const isTrace = ({ says }) => says.constructor.name === 'AsyncFunction';

/** What the mutated modules look at: which mutant is there, and where they count what they come by. */
globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE] ??= {};
const mutation = globalThis[INSTRUMENTER_CONSTANTS.NAMESPACE];

let cases = [];
/** The same cases, never judged while a mutant is there: what one leaves behind would stay. */
let untouched = [];
const expected = new Map();
const expectedOf = async (id) => {
  if (!expected.has(id)) {
    const { activeMutant } = mutation;
    mutation.activeMutant = undefined;
    expected.set(id, await saying(untouched[id]));
    mutation.activeMutant = activeMutant;
  }
  return expected.get(id);
};

const covered = async (id) => {
  const begin = performance.now();
  mutation.currentTestId = String(id);
  await expectedOf(id);
  mutation.currentTestId = undefined;
  return {
    id: String(id),
    name: untouched[id].name,
    status: TestStatus.Success,
    timeSpentMs: performance.now() - begin,
  };
};

/** By file, how many of its mutants each case has killed: what killed one is asked first about the next. */
const killers = new Map();
const killersOf = (path) => {
  if (!killers.has(path)) killers.set(path, new Map());
  return killers.get(path);
};

const likeliestFirst = (ids, path) => {
  const kills = killersOf(path);
  const rule = basename(path, '.ts');
  const chance = (id) => (kills.get(id) ?? 0) + (cases[id].name.startsWith(rule) ? 0.5 : 0);
  return ids
    .map((id) => [id, chance(id)])
    .sort(([, one], [, other]) => other - one)
    .map(([id]) => id);
};

/** What never ends passes its mutant more often than this in one case; what ends does so far more seldom. */
const MOST_HITS = 2_000_000;

/** The first case of which something else is said kills the mutant. */
const firstKill = async (ids, mutated, sayingOf) => {
  for (const [index, id] of ids.entries()) {
    mutation.hitCount = 0;
    const text = mutated[id] === undefined ? 'is gone' : await sayingOf(mutated[id]);
    if (text === (await expectedOf(id))) continue;
    return { status: MutantRunStatus.Killed, killedBy: [String(id)], failureMessage: text, nrOfTests: index + 1 };
  }
  return { status: MutantRunStatus.Survived, nrOfTests: ids.length };
};

const loadAndKill = async (ids, { mutantActivation, sandboxFileName }, timeout) => {
  try {
    const inTime = sayingWithin(timeout);
    if (mutantActivation === 'static') return await firstKill(ids, await loadWith(sandboxFileName), inTime);
    return await firstKill(ids, cases, (judged) => (isTrace(judged) ? saying(judged) : inTime(judged)));
  } catch (error) {
    // Modules that cannot even be loaded: no trace is judged as before.
    return { status: MutantRunStatus.Killed, killedBy: ['0'], failureMessage: String(error), nrOfTests: 0 };
  }
};

const runOnce = async ({ activeMutant, hitLimit, ...run }, ids, timeout) => {
  const most = Math.min(hitLimit ?? MOST_HITS, MOST_HITS);
  Object.assign(mutation, { activeMutant: activeMutant.id, hitCount: 0, hitLimit: most });
  const outcome = await loadAndKill(ids, run, timeout);
  const endless = determineHitLimitReached(mutation.hitCount, most);
  Object.assign(mutation, { activeMutant: undefined, hitCount: undefined, hitLimit: undefined });
  return endless === undefined ? outcome : { ...endless, killedBy: outcome.killedBy };
};

const isKilled = ({ status }) => status === MutantRunStatus.Killed;
const mayBeAskedAgain = (outcome) => isKilled(outcome) && outcome.failureMessage !== NEVER_ENDS;

/**
 * Whether it was the mutant that killed, and nothing that an earlier one had written to what all runs share: the case
 * is judged as ever without the mutant, and otherwise again with it.
 */
const isSure = async (run, outcome) => {
  if (outcome.failureMessage === WAS_STOPPED) return false;
  const isStatic = run.mutantActivation === 'static';
  for (const id of outcome.killedBy?.map(Number) ?? []) {
    const { [id]: without } = isStatic ? await controlOf(run.sandboxFileName) : cases;
    if ((await saying(without)) !== (await expectedOf(id))) return false;
    if (!isStatic && mayBeAskedAgain(outcome) && !isKilled(await runOnce(run, [id], SOON_MS))) return false;
  }
  return true;
};

const remembered = ({ activeMutant }, outcome) => {
  const kills = killersOf(activeMutant.fileName);
  for (const id of outcome.killedBy ?? []) kills.set(Number(id), (kills.get(Number(id)) ?? 0) + 1);
  return outcome;
};

/** Judges what `test/cases.ts` lists in this process, in milliseconds a mutant. */
const createRunner = () => ({
  capabilities: () => ({ reloadEnvironment: true }),
  async init() {
    untouched = await loadCases();
    cases = await loadCases();
  },
  async dryRun() {
    const tests = [];
    for (const id of cases.keys()) tests.push(await covered(id));
    return { status: DryRunStatus.Complete, tests, mutantCoverage: mutation.mutantCoverage };
  },
  async mutantRun(run) {
    const ids = likeliestFirst(run.testFilter?.map(Number) ?? [...cases.keys()], run.activeMutant.fileName);
    const outcome = await runOnce(run, ids, SOON_MS);
    if (await isSure(run, outcome)) return remembered(run, outcome);
    cases = await loadCases();
    return remembered(run, await runOnce(run, ids, LATE_MS));
  },
});

export const strykerPlugins = [declareFactoryPlugin(PluginKind.TestRunner, 'traces', createRunner)];
