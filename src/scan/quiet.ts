import type { Contract } from '../contract.js';
import type { RunSoFar, Spent } from '../run.js';
import { NO_SPAN, REASONS, type Span } from '../span.js';
import { judge, RulesFold, type RulesInForce, type RunReport } from '../verdict.js';
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
  const { successorRun, claim, isInferred } = NO_SPAN;
  fold.run.lastSeq = lastSeq;
  fold.run.terminals = 1;
  fold.run.terminal = { place, reason, status, successorRun, claim, isInferred };
  return judge(fold);
};

const MS = 1000;
const spentOf = (facts: Facts): Spent | undefined => {
  const { firstMono, lastMono } = facts;
  if (firstMono === undefined || lastMono === undefined || lastMono < firstMono) return undefined;
  const { lines: spans, calls, greatestIter: iterations, tokensIn, tokensCached, tokensOut, tokensAux } = facts;
  const seconds = (lastMono - firstMono) / MS;
  return { spans, calls, iterations, tokensIn, tokensCached, tokensOut, tokensAux, seconds };
};

/** Whether a run's record says the commonest thing of all: it began with its goal, and is done. */
const isPlain = ({ hasGoal, reason, firstIter }: Facts): boolean =>
  hasGoal && reason === 'done' && firstIter !== undefined;

/** Judges quiet runs. The report of a plain one is made from that of the first, where that has nothing to say. */
export const createQuietJudge = (records: RunRecords, inForce: RulesInForce) => {
  const plain = new Map<Contract, RunReport>();
  return (run: number, runId: string, contract: Contract): RunReport => {
    const facts = factsOf(records, run);
    const model = isPlain(facts) ? plain.get(contract) : undefined;
    const spent = model && spentOf(facts);
    if (model === undefined || spent === undefined) {
      const report = judgeByRules(runId, contract, facts, inForce);
      const isSilent = report.findings.length + report.unverifiable.length === 0 && report.verdict === 'closed_ok';
      if (isSilent && !report.fails && isPlain(facts)) plain.set(contract, report);
      return report;
    }
    const last = { file: facts.lastFile, line: facts.lastLine, seq: facts.lastSeq, spanId: facts.lastSpanId };
    return {
      ...model,
      runId,
      iter: facts.greatestIter,
      spans: facts.lines,
      first: { file: facts.firstFile, line: facts.firstLine, seq: facts.firstSeq, spanId: undefined },
      last,
      terminal: model.terminal && { ...model.terminal, place: last, status: facts.status },
      spent,
    };
  };
};
