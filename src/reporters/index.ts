import { json } from './json.js';
import { ndjson } from './ndjson.js';
import { tsv } from './tsv.js';

/** Every output format; the first is the default. */
export const REPORTERS = [tsv, json, ndjson] as const;

export type Format = (typeof REPORTERS)[number]['id'];
