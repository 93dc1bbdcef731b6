/** What the process takes besides the lines that it keeps: Node, the rules, what is known of some ten thousand runs. */
const BESIDES = 2 ** 27;
/** The least that can be asked for. */
export const LEAST_MEMORY = BESIDES + 2 ** 25;
const DEFAULT_MEMORY = 3 * BESIDES;

/** How many bytes of lines may stand in memory. */
export interface LineMemory {
  /** Of late runs that are judged together; of more, the input is read again more often. */
  readonly batch: number;
  /** Of inputs that cannot be read again; more go to a temporary file. */
  readonly spool: number;
}

/** Shares out what the process may take. The last quarter is for lists that grow while they are copied. */
export const lineMemory = (whole: number = DEFAULT_MEMORY): LineMemory => {
  const lines = whole - BESIDES;
  return { batch: lines / 2, spool: lines / 4 };
};
