import { createPublicKey, type KeyObject, verify } from 'node:crypto';
import { canonicalJson } from '../canonical-json.js';

/** The Ed25519 keys among texts in PEM; what is none can have signed nothing. */
export const readKeys = (texts: readonly string[]): readonly KeyObject[] =>
  texts.flatMap((text) => {
    try {
      const key = createPublicKey(text);
      return key.asymmetricKeyType === 'ed25519' ? [key] : [];
    } catch {
      return [];
    }
  });

/** Base64 of the 64 bytes of a signature, in the one way to write it. */
const SIGNATURE = /^[A-Za-z0-9+/]{85}[AQgw]==$/;

/** Whether one of the keys signed a receipt, given as JSON: its canonical form (RFC 8785) without `signature`. */
export const isSigned = (receipt: string, signature: string, keys: readonly KeyObject[]): boolean => {
  if (!SIGNATURE.test(signature)) return false;
  try {
    const unsigned = Object.fromEntries(Object.entries(JSON.parse(receipt)).filter(([key]) => key !== 'signature'));
    const bytes = Buffer.from(canonicalJson(unsigned) ?? '');
    return keys.some((key) => verify(null, bytes, key, Buffer.from(signature, 'base64')));
  } catch {
    // What is nested deeper than the stack can hold has no canonical form here.
    return false;
  }
};
