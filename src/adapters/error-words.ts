import { textIn } from './values.js';

/** What stands in an error's text, and the word for it. */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/^[\w.]*GraphRecursionError|^Recursion limit of \d+ reached/, 'GraphRecursionError'],
  [/^[\w.]*(?:GraphInterrupt|NodeInterrupt)|^\(?Interrupt\(/, 'GraphInterrupt'],
  [/^[\w.]*MaxTurnsExceeded|^Max turns(?: \(\d+\))? exceeded/i, 'MaxTurnsExceeded'],
  [/GuardrailTripwireTriggered|^Guardrail tripwire triggered/i, 'guardrail'],
  [/^[\w.]*KeyboardInterrupt/, 'user_interrupt'],
  [/^[\w.]*(?:CancelledError|AbortError)/, 'cancelled'],
];

/** The word for an error that says why a run ended; undefined of any other. */
export const wordOfError = (message: unknown): string | undefined => {
  const text = textIn(message);
  return text === undefined ? undefined : WORDS.find(([pattern]) => pattern.test(text))?.[1];
};
