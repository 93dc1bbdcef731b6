import canonicalizeModule from 'canonicalize';

/**
 * Canonical JSON (RFC 8785) of a value; undefined of what JSON cannot say.
 * @throws RangeError where the value is nested deeper than the stack can hold
 */
// The package is CommonJS: Node imports the function itself, its types put it under `default`.
export const canonicalJson = canonicalizeModule as unknown as (value: unknown) => string | undefined;
