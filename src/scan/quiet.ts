import type { Contract } from '../contract.js';
import { falseBudget } from '../rules/false-budget.js';
import { openLoop } from '../rules/open-loop.js';
import type { RunSoFar } from '../run.js';
import { NO_SPAN, REASONS, type Span } from '../span.js';
import { judge, RulesFold, type RulesInForce, type RunReport } from '../verdict.js';
import { AlikeReport } from './alike-report.js';
import type { RunRecords } from './records.js';
import { EMITTERS, STATUSES } from './scanner.js';

/** The code of a reason that is none of those known: its text stands in the record. */
const OTHER_REASON = 255;

const iterOf = (iter: number): number | undefined => (iter < 0 ? undefined : iter);

/** What the kernel keeps of a quiet run. */
const factsOf = (records: RunRecords, run: number) => {
  const { word, signed, double, text, linesBefore } = records;
  const hasMono = word(run, 'hasMono') !== 0;
  return {
    lines: word(run, 'lines'),
    calls: word(run, 'calls'),
    firstFile: word(run, 'firstFile'),
    firstLine: linesBefore + word(run, 'firstLine'),
    firstSeq: double(run, 'firstSeq'),
    lastFile: word(run, 'lastFile'),
    lastLine: linesBefore + word(run, 'lastLine'),
    lastSeq: double(run, 'lastSeq'),
    lastSpanId: text(run, 'spanId', 'spanIdLength'),
    firstIter: iterOf(signed(run, 'firstIter')),
    lastIter: iterOf(signed(run, 'lastIter')),
    greatestIter: signed(run, 'greatestIter'),
    tokensIn: double(run, 'tokens', 0),
    tokensCached: double(run, 'tokens', 1),
    tokensOut: double(run, 'tokens', 2),
    tokensAux: double(run, 'tokens', 3),
    firstMono: hasMono ? double(run, 'firstMono') : undefined,
    lastMono: hasMono ? double(run, 'lastMono') : undefined,
    firstTs: text(run, 'firstTs', 'firstTsLength'),
    lastTs: text(run, 'lastTs', 'lastTsLength'),
    hasGoal: word(run, 'hasGoal') !== 0,
    hasMixedEmitters: word(run, 'isMixed') !== 0,
    reason:
      word(run, 'reason') === OTHER_REASON ? text(run, 'reasonText', 'reasonLength') : REASONS[word(run, 'reason') - 1],
    status: STATUSES[word(run, 'status') - 1],
  };
};
type Facts = ReturnType<typeof factsOf>;

/** Gives a run what its record adds up. Each by its name: a run is judged in no more time than that takes. */
const adoptTotals = (run: RunSoFar, facts: Facts, lines: number): void => {
  run.lines = lines;
  run.spans = lines;
  run.calls = facts.calls;
  run.firstIter = facts.firstIter;
  run.lastIter = facts.lastIter;
  run.greatestIter = facts.greatestIter;
  run.tokensIn = facts.tokensIn;
  run.tokensCached = facts.tokensCached;
  run.tokensOut = facts.tokensOut;
  run.tokensAux = facts.tokensAux;
  run.firstMono = facts.firstMono;
  run.lastMono = facts.lastMono;
  run.firstTs = facts.firstTs;
  run.lastTs = facts.lastTs;
  run.hasMixedEmitters = facts.hasMixedEmitters;
};

/**
 * Gives a run that has become loud the facts of the spans that no rule has seen.
 * @param lines how many spans the record tells of
 */
export const catchUp = ({ run: known }: RulesFold, records: RunRecords, run: number, lines: number): void => {
  const facts = factsOf(records, run);
  adoptTotals(known, facts, lines);
  known.stepCalls = facts.calls;
  known.hasArgs = facts.calls > 0;
  known.emitter = EMITTERS[records.word(run, 'emitter') - 1];
};

/** Gives a run the facts of all of its spans. */
const adopt = (run: RunSoFar, facts: Facts): void => {
  adoptTotals(run, facts, facts.lines);
  run.firstFile = facts.firstFile;
  run.firstLine = facts.firstLine;
  run.firstSeq = facts.firstSeq;
  run.lastFile = facts.lastFile;
  run.lastLine = facts.lastLine;
  run.lastSeq = facts.lastSeq;
  run.lastPlaceSeq = facts.lastSeq;
  run.lastSpanId = facts.lastSpanId;
};

/** Judges a quiet run as if every rule had seen its spans: only the first and the last can have left anything behind. */
const judgeByRules = (runId: string, contract: Contract, facts: Facts, inForce: RulesInForce): RunReport => {
  const { firstFile: file, firstLine: line, firstSeq: seq, lastSeq, reason, status } = facts;
  const first: Span = { ...NO_SPAN, runId, file, line, seq };
  const fold = new RulesFold(first, contract, inForce);
  fold.look({ ...first, type: facts.hasGoal ? 'loop_start' : '', hasGoal: facts.hasGoal, iter: facts.firstIter });
  adopt(fold.run, facts);
  if (reason === undefined) return judge(fold);
  const place = { file: facts.lastFile, line: facts.lastLine, seq: lastSeq, spanId: facts.lastSpanId };
  // Before it, the seq was lower.
  fold.run.lastSeq = undefined;
  fold.look({ ...NO_SPAN, runId, ...place, type: 'terminal', reason, status, iter: facts.lastIter });
  const { successorRun, detail, claim, isInferred } = NO_SPAN;
  fold.run.lastSeq = lastSeq;
  fold.run.terminals = 1;
  fold.run.terminal = { place, reason, status, successorRun, detail, claim, isInferred };
  return judge(fold);
};

const NOT_ALIKE = -1;
const KINDS_OF_STATUS = STATUSES.length + 1;

/** What a quiet run is, but for its numbers: of all runs of a kind the same is said. */
const kindOf = ({ word, signed, double }: RunRecords, run: number, { budget, sources }: Contract): number => {
  const reason = word(run, 'reason');
  const isPlain =
    reason !== OTHER_REASON &&
    word(run, 'hasGoal') !== 0 &&
    signed(run, 'firstIter') >= 0 &&
    word(run, 'hasMono') !== 0 &&
    double(run, 'lastMono') >= double(run, 'firstMono');
  // Of a budget that ended early, the numbers are said; where nobody declared one, that alone.
  const isEarly = REASONS[reason - 1] === 'budget' && signed(run, 'greatestIter') < budget;
  if (!isPlain || (isEarly && sources.budget !== 'default')) return NOT_ALIKE;
  return ((reason * KINDS_OF_STATUS + word(run, 'status')) * 2 + word(run, 'isMixed')) * 2 + Number(isEarly);
};

/** Whether what is said of the run is said of all of its kind: that it does not stop, that it had no budget, or nothing. */
const isModel = ({ findings, unverifiable, shared, spentAfter }: RunReport): boolean =>
  findings.every(({ rule }) => rule === openLoop.id) &&
  unverifiable.every(({ rule }) => rule === falseBudget.id) &&
  shared.size === 0 &&
  spentAfter === undefined;

/** Judges quiet runs. The first of a kind stands for all. */
export const createQuietJudge = (records: RunRecords, inForce: RulesInForce) => {
  const models = new Map<Contract, Map<number, RunReport>>();
  const modelsOf = (contract: Contract): Map<number, RunReport> => {
    const known = models.get(contract) ?? new Map<number, RunReport>();
    if (known.size === 0) models.set(contract, known);
    return known;
  };
  return (run: number, runId: string, contract: Contract): RunReport => {
    const kind = kindOf(records, run, contract);
    const known = modelsOf(contract);
    const model = known.get(kind);
    if (model !== undefined) return new AlikeReport(runId, model, records, run);
    const report = judgeByRules(runId, contract, factsOf(records, run), inForce);
    if (kind !== NOT_ALIKE && isModel(report)) known.set(kind, report);
    return report;
  };
};
