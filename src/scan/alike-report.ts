import type { Contract } from '../contract.js';
import { openEvidence } from '../rules/open-loop.js';
import type { Place, Spent, Terminal } from '../run.js';
import type { RunReport, Verdict } from '../verdict.js';
import type { RunRecords } from './records.js';

const MS = 1000;

/** A terminal whose place is read when it is asked for: most that are looked at are not the kind that is looked for. */
class AlikeTerminal implements Terminal {
  readonly reason: string | undefined;
  readonly status: string | undefined;
  readonly successorRun: string | undefined;
  readonly detail: string | undefined;
  readonly claim: string | undefined;
  readonly isInferred: boolean;
  readonly #report: AlikeReport;

  constructor({ reason, status, successorRun, detail, claim, isInferred }: Terminal, report: AlikeReport) {
    this.reason = reason;
    this.status = status;
    this.successorRun = successorRun;
    this.detail = detail;
    this.claim = claim;
    this.isInferred = isInferred;
    this.#report = report;
  }

  get place(): Place {
    return this.#report.last;
  }
}

/** A quiet run of which all is said that was said of another one, and what differs is numbers: they are read when asked. */
export class AlikeReport implements RunReport {
  readonly runId: string;
  readonly #model: RunReport;
  readonly #records: RunRecords;
  readonly #run: number;

  constructor(runId: string, model: RunReport, records: RunRecords, run: number) {
    this.runId = runId;
    this.#model = model;
    this.#records = records;
    this.#run = run;
  }

  get contract(): Contract {
    return this.#model.contract;
  }
  get verdict(): Verdict {
    return this.#model.verdict;
  }
  get fails(): boolean {
    return this.#model.fails;
  }
  get failsByVerdict(): boolean {
    return this.#model.failsByVerdict;
  }
  get isInconclusive(): boolean {
    return this.#model.isInconclusive;
  }
  get action(): string {
    return this.#model.action;
  }
  get findings(): RunReport['findings'] {
    const { findings } = this.#model;
    // The one that there can be: the run does not stop.
    return findings.length === 0
      ? findings
      : findings.map((finding) => ({ ...finding, at: this.last, evidence: openEvidence(this.spans, this.#calls) }));
  }
  get unverifiable(): RunReport['unverifiable'] {
    return this.#model.unverifiable;
  }
  get required(): RunReport['required'] {
    return this.#model.required;
  }
  get breaks(): RunReport['breaks'] {
    return this.#model.breaks;
  }
  get spentAfter(): Spent | undefined {
    return this.#model.spentAfter;
  }
  get shared(): RunReport['shared'] {
    return this.#model.shared;
  }
  get lies(): RunReport['lies'] {
    return this.#model.lies;
  }
  get iter(): number {
    return this.#records.signed(this.#run, 'greatestIter');
  }
  get spans(): number {
    return this.#records.word(this.#run, 'lines');
  }
  get #calls(): number {
    return this.#records.word(this.#run, 'calls');
  }
  get first(): Place {
    const { word, double, linesBefore } = this.#records;
    const run = this.#run;
    const line = linesBefore + word(run, 'firstLine');
    return { file: word(run, 'firstFile'), line, seq: double(run, 'firstSeq'), spanId: undefined };
  }
  get last(): Place {
    const { word, double, text, linesBefore } = this.#records;
    const run = this.#run;
    const line = linesBefore + word(run, 'lastLine');
    const spanId = text(run, 'spanId', 'spanIdLength');
    return { file: word(run, 'lastFile'), line, seq: double(run, 'lastSeq'), spanId };
  }
  get terminal(): Terminal | undefined {
    const { terminal } = this.#model;
    return terminal && new AlikeTerminal(terminal, this);
  }
  get spent(): Spent {
    const { word, signed, double } = this.#records;
    const run = this.#run;
    return {
      spans: word(run, 'lines'),
      calls: this.#calls,
      iterations: signed(run, 'greatestIter'),
      tokensIn: double(run, 'tokens', 0),
      tokensCached: double(run, 'tokens', 1),
      tokensOut: double(run, 'tokens', 2),
      tokensAux: double(run, 'tokens', 3),
      seconds: (double(run, 'lastMono') - double(run, 'firstMono')) / MS,
    };
  }
}
