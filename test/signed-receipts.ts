import { createPrivateKey, createPublicKey, type KeyObject, sign } from 'node:crypto';
import canonicalizeModule from 'canonicalize';
import { lines } from './trace-words.js';

// The package is CommonJS: Node imports the function itself, its types put it under `default`.
const canonicalize = canonicalizeModule as unknown as (value: unknown) => string;

const bytesOf = (prefix: string, hex: string): Buffer => Buffer.from(prefix + hex, 'hex');
const keyFrom = (secret: string): KeyObject =>
  createPrivateKey({ key: bytesOf('302e020100300506032b657004220420', secret), format: 'der', type: 'pkcs8' });
// The secret keys of the first two tests of RFC 8032, section 7.1: signatures by them are the same in every run.
const ours = keyFrom('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60');
const other = keyFrom('4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb');
const PEM = { type: 'spki', format: 'pem' } as const;
const publicOf = (key: KeyObject): string => createPublicKey(key).export(PEM).toString();
/** A key that is for agreeing on secrets, and signs nothing. */
const X25519 = createPublicKey({
  key: bytesOf('302a300506032b656e032100', '8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a'),
  format: 'der',
  type: 'spki',
})
  .export(PEM)
  .toString();

const [verify = '', receipt = '', stop = ''] = lines('verify:v1 receipt:r1,verify_ids=v1,item=a stop:done,items=a');
const unsigned: object = JSON.parse(receipt);
const signatureBy = (key: KeyObject, value: object = unsigned): string =>
  sign(null, Buffer.from(canonicalize(value)), key).toString('base64');

/** Deeper than a stack can hold. */
const DEEP = `${'['.repeat(5000)}${']'.repeat(5000)}`;

const KEYS = [publicOf(ours), publicOf(other)] as const;
const signature = signatureBy(ours);
const [OURS] = KEYS;
/** The same bytes, with other bits where the last digit has some to spare. */
const respelt = signature.replace(/.==$/, (end) => `${String.fromCharCode(end.charCodeAt(0) + 1)}==`);

/** Receipts, and the keys of the contract that they are held to. */
export const SIGNED_RECEIPTS: readonly (readonly [shows: string, trace: readonly string[], keys: readonly string[]])[] =
  (
    [
      ['by the key', { ...unsigned, signature }, [OURS]],
      ['by the second of two keys', { ...unsigned, signature: signatureBy(other) }, KEYS],
      ['beside a key of another kind', { ...unsigned, signature }, [X25519, OURS]],
      ['beside what is no key', { ...unsigned, signature }, ['none', OURS]],
      ['by another key', { ...unsigned, signature: signatureBy(other) }, [OURS]],
      ['by nobody', unsigned, [OURS]],
      [
        'with its signature among what it signs',
        { ...unsigned, signature: signatureBy(ours, { ...unsigned, signature: null }) },
        [OURS],
      ],
      ['and too deep to have a canonical form', { deep: 'DEEP', ...unsigned, signature }, [OURS]],
      ['and changed', { ...unsigned, signature, item: 'b' }, [OURS]],
      ['with a signature without padding', { ...unsigned, signature: signature.replace('==', '') }, [OURS]],
      ['with a signature that is spelt otherwise', { ...unsigned, signature: respelt }, [OURS]],
      ['with a space before the signature', { ...unsigned, signature: ` ${signature}` }, [OURS]],
      ['with text after the signature', { ...unsigned, signature: `${signature}=` }, [OURS]],
    ] as const
  ).map(([shows, line, keys]) => [shows, [verify, JSON.stringify(line).replace('"DEEP"', DEEP), stop], keys] as const);
