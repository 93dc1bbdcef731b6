import type { Line } from './lines.js';
import { type LineFault, parse } from './scan/plain.js';
import type { Wanted } from './span.js';

const TORN: ReadonlySet<string> = new Set(['invalid-json', 'invalid-utf8']);
const TORN_MESSAGE =
  'the last line is cut and has no line end: its writer was killed; its run is judged on what remains';

/** A fault of a last line without a line end is a cut, where it can be one. */
export const tornOr = (fault: LineFault, hasEnd: boolean): LineFault =>
  !hasEnd && TORN.has(fault.code) ? { code: 'torn-tail', column: fault.column, message: TORN_MESSAGE } : fault;

/** What keeps a line from being text. */
export const faultOfLine = (line: Exclude<Line, { kind: 'text' }>): LineFault =>
  line.kind === 'too-long'
    ? { code: 'line-too-long', column: 1, message: 'longer than 16 MiB; write digests, not payloads' }
    : { code: 'invalid-utf8', column: line.column, message: 'not UTF-8 from here on; write traces in UTF-8' };

/** Credentials in a record of a foreign format: what is translated does not hold them any more. */
export const recordSecrets = (text: string, value: unknown, { secretsIn }: Wanted): readonly LineFault[] =>
  (secretsIn?.(text, value) ?? []).map(({ kind, field }) => ({
    code: 'leaked-secret',
    column: 1,
    message: `a record holds a credential (${kind}${field === undefined ? '' : ` in ${field}`}); revoke it, and write digests, not payloads`,
  }));

/** Credentials in a line that is no span, and so of no run. */
export const secretFaults = (text: string, { secretsIn }: Wanted): readonly LineFault[] =>
  (secretsIn?.(text, parse(text)?.value) ?? []).map(({ kind }) => ({
    code: 'leaked-secret',
    column: 1,
    message: `a line of no run holds a credential (${kind}); revoke it, and write digests, not payloads`,
  }));
