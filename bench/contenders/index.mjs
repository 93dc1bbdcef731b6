import { duckdb } from './duckdb.mjs';
import { jq } from './jq.mjs';
import { python } from './python.mjs';
import { read } from './read.mjs';
import { splitParse } from './split-parse.mjs';
import { thisTool } from './this-tool.mjs';
import { wc } from './wc.mjs';

/** What the others are compared with. */
export const FLOOR = 'read';
export const TOOL = 'terminal';

/**
 * @typedef {object} Contender
 * @property {string} id
 * @property {string} title
 * @property {'judge' | 'part' | 'floor'} role whether it gives every run its verdict, does a part of the work, or none
 * @property {boolean} takesHostile whether it can be asked about lines that are no spans
 * @property {(terms: { cores: number, isHostile: boolean }) => Found | { missing: string }} find
 * @property {() => void} [install] brings what `find` misses
 *
 * @typedef {object} Found
 * @property {string[]} command reads the trace from stdin and prints the answer
 * @property {number[]} exits the exit codes of an answer
 * @property {string} [version]
 */

/**
 * Judges all answer one question: the classic verdict, the greatest iter and the spans of each run.
 * @type {readonly Contender[]}
 */
export const CONTENDERS = [
  thisTool({ id: 'terminal', title: 'this tool, default profile', args: [] }),
  thisTool({ id: 'strict', title: 'this tool, --profile strict', args: ['--profile', 'strict'] }),
  thisTool({ id: 'classic', title: 'this tool, --profile classic', args: ['--profile', 'classic'] }),
  python,
  jq,
  duckdb,
  splitParse,
  read,
  wc,
];
