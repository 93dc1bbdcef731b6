import {
  type Contract,
  type ContractPart,
  EMPTY_PART,
  looserFields,
  resolveContract,
  strictest,
  type Terms,
  withKnownRules,
} from './contract.js';
import { readTraceContract } from './contract-schema.js';
import { type CustomRules, NO_CUSTOM_RULES } from './custom-rules/custom-rules.js';
import { leakedSecret } from './rules/leaked-secret.js';
import type { Rule } from './rules/rule.js';
import { loadSecretsIn } from './secrets.js';
import type { SecretsIn, Span, Wanted } from './span.js';
import { RulesFold, type RulesInForce, rulesInForce, severityOf } from './verdict.js';

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

/** What runs are judged by: their contracts, the rules in force, and what these want of a line. */
export interface Judging {
  readonly contracts: Contracts;
  readonly inForce: RulesInForce;
  readonly wanted: Wanted;
  /** Begins to judge a run. @param owns the contracts that it brings, in seq order */
  startFold(first: Span, owns: readonly unknown[]): RulesFold;
}

/** @param secretsIn finds credentials, where they are asked for */
const judgingBy = (terms: Terms, rules: readonly Rule[], secretsIn: SecretsIn | undefined): Judging => {
  const contracts = createContracts(terms);
  const inForce = rulesInForce(terms.profile, rules, secretsIn !== undefined, terms.window);
  return {
    contracts,
    inForce,
    wanted: { fields: [...new Set(inForce.rules.flatMap((rule) => rule.fields ?? []))], secretsIn },
    startFold: (first, owns) => new RulesFold(first, contracts.of(first.file, owns), inForce),
  };
};

/** Whether credentials are looked for. What the trace itself asks for is not known yet, and does not count. */
const asksForSecrets = (terms: Terms): boolean =>
  terms.profile !== 'classic' && severityOf(resolveContract(terms, EMPTY_PART, EMPTY_PART), leakedSecret.id) !== 'off';

/** Gets ready to judge. */
export const startJudging = async (terms: Terms, { rules }: CustomRules = NO_CUSTOM_RULES): Promise<Judging> =>
  judgingBy(terms, rules, asksForSecrets(terms) ? await loadSecretsIn() : undefined);
