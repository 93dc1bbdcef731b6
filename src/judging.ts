import {
  type Contract,
  type ContractPart,
  EMPTY_PART,
  looserFields,
  readTraceContract,
  resolveContract,
  strictest,
  type Terms,
  withKnownRules,
} from './contract.js';
import { type CustomRules, NO_CUSTOM_RULES } from './custom-rules/index.js';
import type { Span } from './span.js';
import { RulesFold, type RulesInForce, rulesInForce } from './verdict.js';

/** The contracts of a trace: one a file, and one for each run that brings its own. */
const createContracts = (terms: Terms) => {
  const isAsked = terms.profile !== 'classic';
  const headers = new Map<number, ContractPart>();
  const shared = new Map<number, Contract>();
  const base = resolveContract(terms, EMPTY_PART, EMPTY_PART);
  // Lines whose contract cannot be read were left out as unusable.
  const partOf = (own: unknown): ContractPart => {
    const part = readTraceContract(own);
    return 'field' in part ? EMPTY_PART : withKnownRules(part, terms);
  };
  return {
    base,
    isAsked,
    setHeader(file: number, part: ContractPart): void {
      const known = withKnownRules(part, terms);
      headers.set(file, known);
      shared.set(file, resolveContract(terms, known, EMPTY_PART));
    },
    /** @param owns the contracts that the run brings, in seq order */
    of(file: number, owns: readonly unknown[]): Contract {
      const parts = isAsked ? owns.map(partOf) : [];
      const [first, ...others] = parts;
      if (first === undefined) return shared.get(file) ?? base;
      const header = headers.get(file) ?? EMPTY_PART;
      const contract = resolveContract(terms, header, strictest(parts));
      if (others.length === 0) return contract;
      // What a later contract asks beyond the first is asked of the run that already has one.
      const loosened = parts.flatMap((part) => [
        ...resolveContract(terms, header, part).loosened,
        ...looserFields(part, first),
      ]);
      return { ...contract, loosened: [...new Set(loosened)] };
    },
  };
};

type Contracts = ReturnType<typeof createContracts>;

/** What runs are judged by: their contracts, the rules in force, and the keys of a line that custom rules read. */
export interface Judging {
  readonly contracts: Contracts;
  readonly inForce: RulesInForce;
  readonly fields: readonly string[];
  /** Begins to judge a run. @param owns the contracts that it brings, in seq order */
  startFold(first: Span, owns: readonly unknown[]): RulesFold;
}

export const createJudging = (terms: Terms, { rules }: CustomRules = NO_CUSTOM_RULES): Judging => {
  const contracts = createContracts(terms);
  const inForce = rulesInForce(terms.profile, rules);
  return {
    contracts,
    inForce,
    fields: [...new Set(inForce.rules.flatMap((rule) => rule.fields ?? []))],
    startFold: (first, owns) => new RulesFold(first, contracts.of(first.file, owns), inForce),
  };
};
