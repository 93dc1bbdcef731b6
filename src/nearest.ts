import leven from 'leven';

/** ` (did you mean x?)` for the known word nearest to what was typed; empty when none is near. */
export const didYouMean = (typed: string, known: readonly string[]): string => {
  const nearest = known
    .map((word) => ({ word, distance: leven(typed, word) }))
    .reduce<{ word: string; distance: number } | undefined>(
      (best, candidate) => (best === undefined || candidate.distance < best.distance ? candidate : best),
      undefined,
    );
  const isNear = nearest !== undefined && nearest.distance <= Math.max(2, nearest.word.length / 2);
  return isNear ? ` (did you mean ${nearest.word}?)` : '';
};
