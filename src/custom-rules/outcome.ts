import { z } from 'zod';
import type { Outcome } from '../rules/rule.js';

const place = z.object({
  file: z.int().min(0),
  line: z.int().min(1),
  seq: z.int().optional(),
  spanId: z.string().optional(),
});
const amount = z.number();
const spent = z.object({
  spans: amount,
  calls: amount,
  iterations: amount,
  tokensIn: amount,
  tokensCached: amount,
  tokensOut: amount,
  tokensAux: amount,
  seconds: amount.optional(),
});
const words = z.string().regex(/\S/);
const evidence = z.record(
  z.string().regex(/^[a-z][a-z0-9_]*$/),
  z.union([z.string(), z.number(), z.boolean(), z.null()]),
);
const outcomeSchema = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('broken'),
      at: place,
      message: words,
      evidence: evidence.default({}),
      halt: spent.optional(),
    }),
    z.strictObject({ kind: z.literal('unverifiable'), because: words }),
  ])
  .optional();

/** Reads what a custom rule returned as an outcome; undefined where it is none. */
export const readOutcome = (value: unknown): { readonly outcome: Outcome } | undefined => {
  const parsed = outcomeSchema.safeParse(value);
  if (!parsed.success) return undefined;
  const outcome = parsed.data;
  if (outcome?.kind !== 'broken') return { outcome };
  const { file, line, seq, spanId } = outcome.at;
  const halt = outcome.halt && { ...outcome.halt, seconds: outcome.halt.seconds };
  return { outcome: { ...outcome, at: { file, line, seq, spanId }, halt } };
};
