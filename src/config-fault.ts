/** A config that cannot be used: what is wrong and what to do, without a word of the file. */
export class ConfigFault extends Error {}
