import type { CheckSettings } from '../src/index.js';
import { CHECKPOINT_ROWS } from './rows-checkpoints.js';
import { EDGE_ROWS } from './rows-edges.js';
import { GUARD_ROWS } from './rows-guards.js';
import { RAILS_ROWS } from './rows-rails.js';
import { RECEIPT_ROWS } from './rows-receipts.js';
import { RUN_ROWS } from './rows-runs.js';
import type { Row } from './trace-words.js';

export const ROWS: readonly Row[] = [
  ...RUN_ROWS,
  ...RECEIPT_ROWS,
  ...RAILS_ROWS,
  ...CHECKPOINT_ROWS,
  ...GUARD_ROWS,
  ...EDGE_ROWS,
];

/** Rows that show one trace under several severities are told apart by them. */
const underOf = ({ config = {} }: Row): string => ('rules' in config ? ` under ${JSON.stringify(config.rules)}` : '');

export const nameOf = (row: Row): string => `${row.rule}: ${row.shows}${underOf(row)}`;

export const settingsOf = ({ config, partial }: Row): CheckSettings => ({
  ...(config && { config }),
  ...(partial && { partial }),
});
