import { agent } from './agent.js';
import { csv } from './csv.js';
import { github } from './github.js';
import { gitlab } from './gitlab.js';
import { html } from './html.js';
import { json } from './json.js';
import { junit } from './junit.js';
import { markdown } from './markdown.js';
import { ndjson } from './ndjson.js';
import { pretty } from './pretty.js';
import type { Reporter } from './reporter.js';
import { sarif } from './sarif.js';
import { teamcity } from './teamcity.js';
import { tsv } from './tsv.js';

/** Every output format, each loaded when it is asked for; the first is the default. */
const LOADERS = {
  tsv: () => tsv,
  pretty: () => pretty,
  json: () => json,
  ndjson: () => ndjson,
  github: () => github,
  markdown: () => markdown,
  gitlab: () => gitlab,
  junit: () => junit,
  sarif: () => sarif,
  teamcity: () => teamcity,
  csv: () => csv,
  agent: () => agent,
  html: () => html,
} satisfies Readonly<Record<string, () => Reporter>>;

export type Format = keyof typeof LOADERS;

const isFormat = (id: string): id is Format => Object.hasOwn(LOADERS, id);
/** What `--format` takes. */
export const FORMATS: readonly Format[] = Object.keys(LOADERS).filter(isFormat);
export const DEFAULT_FORMAT: Format = 'tsv';
/** The default where standard output is a terminal. */
export const TERMINAL_FORMAT: Format = 'pretty';

/** The reporter of a format; the default one for a word that is none. */
export const reporterOf = (format: Format): Reporter => LOADERS[isFormat(format) ? format : DEFAULT_FORMAT]();
