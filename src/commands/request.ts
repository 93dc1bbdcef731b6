import type { RunUnit } from '../adapters/adapter.js';
import type { ContractPart, LimitsName, Profile } from '../contract.js';
import type { From } from '../recognise.js';
import type { Format } from '../reporters/index.js';
import type { SchemaName } from '../schema-names.js';

/** Words that name a command, not a file. */
export const COMMAND_NAMES: readonly string[] = ['convert', 'explain', 'formats', 'gate', 'rules', 'schema'];

/** One report to write: to stdout, or to a file. */
export interface Output {
  readonly format: Format;
  /** undefined: stdout. */
  readonly path: string | undefined;
  /** Nobody asked for it: on a terminal it is made for people. */
  readonly isDefault?: true;
}

/** What `terminal-contract [files..]` was asked. */
export interface CheckRequest {
  readonly kind: 'check';
  readonly files: readonly string[];
  readonly configPath: string | undefined;
  readonly profile: Profile | undefined;
  readonly limits: LimitsName | undefined;
  readonly part: ContractPart;
  readonly isPartial: boolean;
  readonly isEmptyAllowed: boolean;
  readonly isQuiet: boolean;
  /** What the inputs are; undefined: each is looked at. */
  readonly from: From | undefined;
  /** What a run of a foreign format is; undefined: a turn. */
  readonly unit: RunUnit | undefined;
  /** Words of {@link timeOf}: the time that is asked about. */
  readonly since: string | undefined;
  readonly until: string | undefined;
  /** undefined: as many as there are cores. */
  readonly jobs: number | undefined;
  /** Bytes; undefined: the default. */
  readonly maxMemory: number | undefined;
  readonly outputs: readonly Output[];
  /** Whether what people read is coloured; undefined: on a terminal, unless NO_COLOR is set. */
  readonly isColoured: boolean | undefined;
}

/** What `terminal-contract convert [files..]` was asked. */
export interface ConvertRequest {
  readonly kind: 'convert';
  readonly files: readonly string[];
  readonly configPath: string | undefined;
  readonly from: From | undefined;
  readonly unit: RunUnit | undefined;
  readonly isQuiet: boolean;
}

/** What `terminal-contract gate files..` was asked. */
export interface GateRequest extends Omit<CheckRequest, 'kind'> {
  readonly kind: 'gate';
  /** Write what is found as what is expected. */
  readonly isUpdate: boolean;
}

/** What the command line asks for. */
export type Request =
  | CheckRequest
  | GateRequest
  | (Omit<CheckRequest, 'kind'> & { readonly kind: 'print-contract' })
  | (Omit<CheckRequest, 'kind'> & { readonly kind: 'explain'; readonly runId: string })
  | { readonly kind: 'rules'; readonly ruleId: string | undefined; readonly configPath: string | undefined }
  | ConvertRequest
  | { readonly kind: 'formats' }
  | { readonly kind: 'schema'; readonly name: SchemaName }
  /** Text that answers the request by itself: help or the version. */
  | { readonly kind: 'answer'; readonly text: string }
  | { readonly kind: 'refusal'; readonly message: string };
