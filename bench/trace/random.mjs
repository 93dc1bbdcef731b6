/** A seeded source of 32-bit whole numbers, negative ones among them: small enough that none of them is boxed. */
export const randomFrom = (seed) => {
  // Neighbouring seeds should not begin alike, and the state may not be zero.
  let state = Math.imul(seed ^ 0x9e3779b9, 0x85ebca6b) | 1;
  return () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return state;
  };
};

/** The whole number below `limit` that a random number stands for. */
export const below = (limit, random) => Math.floor(((random >>> 0) / 2 ** 32) * limit);

/** Whether a random number falls into a share from 0 to 1. */
export const isWithin = (share, random) => random >>> 0 < share * 2 ** 32;

export const shuffle = (numbers, random) => {
  for (let at = numbers.length - 1; at > 0; at -= 1) {
    const other = below(at + 1, random());
    [numbers[at], numbers[other]] = [numbers[other], numbers[at]];
  }
  return numbers;
};
