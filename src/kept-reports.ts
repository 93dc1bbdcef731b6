import type { Contract } from './contract.js';
import { createPages, type Pages, type ReadPages } from './pages.js';
import type { RuleId } from './rules/index.js';
import type { Place, Spent, Terminal } from './run.js';
import { actionOf, type Finding, NOTHING_SHARED, orNone, type RunReport, type Unverifiable } from './verdict.js';

// A report as JSON: each part by its place in a list, and null for what is undefined.
const packPlace = ({ file, line, seq, spanId }: Place) => [file, line, seq ?? null, spanId ?? null] as const;
const packTerminal = ({ place, reason, status, successorRun, detail, claim, isInferred }: Terminal) =>
  [
    packPlace(place),
    reason ?? null,
    status ?? null,
    successorRun ?? null,
    detail ?? null,
    claim ?? null,
    isInferred,
  ] as const;
const packFinding = ({ rule, severity, message, at, evidence }: Finding) =>
  [rule, severity, message, packPlace(at), evidence] as const;
const packUnverifiable = ({ rule, because, failedAt }: Unverifiable) =>
  [rule, because, failedAt === undefined ? null : packPlace(failedAt)] as const;
const packSpent = (spent: Spent) =>
  [
    spent.spans,
    spent.calls,
    spent.iterations,
    spent.tokensIn,
    spent.tokensCached,
    spent.tokensOut,
    spent.tokensAux,
    spent.seconds ?? null,
  ] as const;
const packHead = (report: Head) =>
  [
    report.verdict,
    report.fails,
    report.failsByVerdict,
    report.isInconclusive,
    report.iter,
    report.spans,
    report.required,
    report.breaks,
  ] as const;
const pack = (report: RunReport) =>
  [
    packHead(report),
    packPlace(report.first),
    packPlace(report.last),
    report.terminal === undefined ? null : packTerminal(report.terminal),
    report.findings.map(packFinding),
    report.unverifiable.map(packUnverifiable),
    packSpent(report.spent),
    report.spentAfter === undefined ? null : packSpent(report.spentAfter),
  ] as const;
type Packed = ReturnType<typeof pack>;

const unpackPlace = ([file, line, seq, spanId]: ReturnType<typeof packPlace>, linesBefore: number): Place => ({
  file,
  line: linesBefore + line,
  seq: seq ?? undefined,
  spanId: spanId ?? undefined,
});
const unpackTerminal = (packed: ReturnType<typeof packTerminal>, linesBefore: number): Terminal => {
  const [place, reason, status, successorRun, detail, claim, isInferred] = packed;
  return {
    place: unpackPlace(place, linesBefore),
    reason: reason ?? undefined,
    status: status ?? undefined,
    successorRun: successorRun ?? undefined,
    detail: detail ?? undefined,
    claim: claim ?? undefined,
    isInferred,
  };
};
const unpackSpent = (packed: ReturnType<typeof packSpent>): Spent => {
  const [spans, calls, iterations, tokensIn, tokensCached, tokensOut, tokensAux, seconds] = packed;
  return {
    spans,
    calls,
    iterations,
    tokensIn,
    tokensCached,
    tokensOut,
    tokensAux,
    seconds: seconds ?? undefined,
  };
};
const unpackHead = (packed: ReturnType<typeof packHead>): Head => {
  const [verdict, fails, failsByVerdict, isInconclusive, iter, spans, required, breaks] = packed;
  return { verdict, fails, failsByVerdict, isInconclusive, iter, spans, required, breaks };
};

/** What is asked of every run when all are counted and listed; it is not packed. */
type Head = Pick<
  RunReport,
  'verdict' | 'fails' | 'failsByVerdict' | 'isInconclusive' | 'iter' | 'spans' | 'required' | 'breaks'
>;
type Body = Pick<RunReport, 'first' | 'last' | 'terminal' | 'findings' | 'unverifiable' | 'spent' | 'spentAfter'>;

const unpackBody = (packed: Packed, linesBefore: number): Body => {
  const [, first, last, terminal, findings, unverifiable, spent, spentAfter] = packed;
  return {
    first: unpackPlace(first, linesBefore),
    last: unpackPlace(last, linesBefore),
    terminal: terminal === null ? undefined : unpackTerminal(terminal, linesBefore),
    findings: findings.map(([rule, severity, message, at, evidence]) => ({
      rule,
      severity,
      message,
      at: unpackPlace(at, linesBefore),
      evidence,
    })),
    unverifiable: unverifiable.map(([rule, because, failedAt]) => ({
      rule,
      because,
      failedAt: failedAt === null ? undefined : unpackPlace(failedAt, linesBefore),
    })),
    spent: unpackSpent(spent),
    spentAfter: spentAfter === null ? undefined : unpackSpent(spentAfter),
  };
};

/** Reads packed reports; of the last one, its parts are mostly asked for in a row. */
class Unpacker {
  readonly #pages: ReadPages;
  readonly #linesBefore: number;
  #number = -1;
  #body: Body | undefined;

  constructor(pages: ReadPages, linesBefore: number) {
    this.#pages = pages;
    this.#linesBefore = linesBefore;
  }

  packed(number: number): Packed {
    const [bytes] = this.#pages.read(number);
    return JSON.parse(bytes?.toString('utf8') ?? '');
  }

  body(number: number): Body {
    if (this.#body === undefined || number !== this.#number) {
      this.#body = unpackBody(this.packed(number), this.#linesBefore);
      this.#number = number;
    }
    return this.#body;
  }
}

class KeptReport implements RunReport {
  readonly runId: string;
  readonly contract: Contract;
  readonly verdict: RunReport['verdict'];
  readonly fails: boolean;
  readonly failsByVerdict: boolean;
  readonly isInconclusive: boolean;
  readonly iter: number;
  readonly spans: number;
  readonly required: readonly RuleId[];
  readonly breaks: readonly RuleId[];
  readonly number: number;
  /** Only such are kept as bytes. */
  readonly lies = 'inside';
  readonly #unpacker: Unpacker;

  constructor(runId: string, contract: Contract, head: Head, number: number, unpacker: Unpacker) {
    this.runId = runId;
    this.contract = contract;
    this.verdict = head.verdict;
    this.fails = head.fails;
    this.failsByVerdict = head.failsByVerdict;
    this.isInconclusive = head.isInconclusive;
    this.iter = head.iter;
    this.spans = head.spans;
    this.required = orNone(head.required);
    this.breaks = orNone(head.breaks);
    this.number = number;
    this.#unpacker = unpacker;
  }

  get #body(): Body {
    return this.#unpacker.body(this.number);
  }
  get action(): string {
    return actionOf(this.verdict);
  }
  get shared(): RunReport['shared'] {
    return NOTHING_SHARED;
  }
  get first(): Place {
    return this.#body.first;
  }
  get last(): Place {
    return this.#body.last;
  }
  get terminal(): Terminal | undefined {
    return this.#body.terminal;
  }
  get findings(): RunReport['findings'] {
    return this.#body.findings;
  }
  get unverifiable(): RunReport['unverifiable'] {
    return this.#body.unverifiable;
  }
  get spent(): Spent {
    return this.#body.spent;
  }
  get spentAfter(): Spent | undefined {
    return this.#body.spentAfter;
  }
}

const isTold = ({ evidence }: Finding): boolean =>
  Object.values(evidence).every((value) => typeof value !== 'number' || Number.isFinite(value));
/** Whether JSON can tell all of the report. */
const isPlain = ({ shared, findings, lies }: RunReport): boolean =>
  shared.size === 0 && lies === 'inside' && findings.every(isTold);

/** Reports of runs that are over, most of each as bytes outside of the heap. */
export interface KeptReports {
  /** The same report in less room; one that cannot be told as bytes stays as it is. */
  keep(report: RunReport): RunReport;
  /** The bytes of them all. */
  readonly pages: Pages;
}

export const keepReports = (): KeptReports => {
  const pages = createPages();
  const unpacker = new Unpacker(pages, 0);
  return {
    keep(report) {
      if (report instanceof KeptReport || !isPlain(report)) return report;
      const number = pages.append(-1, Buffer.from(JSON.stringify(pack(report))));
      return new KeptReport(report.runId, report.contract, report, number, unpacker);
    },
    pages,
  };
};

/** The number of a report's bytes; undefined where it has none. */
export const numberOf = (report: RunReport): number | undefined =>
  report instanceof KeptReport ? report.number : undefined;

/** Reads reports that another thread has kept; their lines count from a later line than the file's first. */
export const readKept = (pages: ReadPages, linesBefore: number) => {
  const unpacker = new Unpacker(pages, linesBefore);
  return (number: number, runId: string, contract: Contract): RunReport => {
    const [head] = unpacker.packed(number);
    return new KeptReport(runId, contract, unpackHead(head), number, unpacker);
  };
};
