// DuckDB in SQL, through its Node package. Started by itself, `node duckdb.mjs THREADS`, it judges stdin.
import { execFileSync } from 'node:child_process';
import { writeSync } from 'node:fs';
import { createRequire } from 'node:module';

const FOLDER = new URL('../.installed/', import.meta.url);
const PACKAGE = '@duckdb/node-api';
const VERSION = '1.5.6-r.1';

// One window, so that the spans are sorted once.
const VERDICTS = `
WITH spans AS (
  SELECT row_number() OVER () AS position, run_id, seq, iter, type, args_hash, reason
  FROM read_ndjson('/dev/stdin', columns = {
    run_id: 'VARCHAR', seq: 'BIGINT', iter: 'BIGINT', type: 'VARCHAR', args_hash: 'VARCHAR', reason: 'VARCHAR'
  })
),
ordered AS (
  SELECT run_id, iter, type, args_hash, reason,
    lag(iter IGNORE NULLS) OVER run AS iter_before,
    count(*) FILTER (type = 'tool') OVER (run ROWS BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING) AS calls_to_end
  FROM spans
  WINDOW run AS (PARTITION BY run_id ORDER BY coalesce(seq, position), position)
),
runs AS (
  SELECT run_id,
    count(*) AS spans,
    coalesce(max(iter), 0) AS iter,
    count(*) FILTER (type = 'terminal') AS stops,
    any_value(reason) FILTER (type = 'terminal') AS reason,
    coalesce(bool_or(iter_before + 1 < iter), false) AS skips,
    count(args_hash) FILTER (type = 'tool' AND calls_to_end <= 3) AS calls,
    min(args_hash) FILTER (type = 'tool' AND calls_to_end <= 3) AS least,
    max(args_hash) FILTER (type = 'tool' AND calls_to_end <= 3) AS greatest
  FROM ordered
  GROUP BY run_id
)
SELECT concat_ws(chr(9), run_id,
  CASE
    WHEN stops > 1 THEN 'double_stop'
    WHEN skips THEN 'bad_clock'
    WHEN calls = 3 AND least = greatest AND least <> '' THEN 'no_progress'
    WHEN stops = 0 THEN 'open_loop'
    WHEN reason = 'done' THEN if(iter <= 24, 'closed_ok', 'closed_done')
    WHEN reason = 'budget' THEN 'closed_cap'
    WHEN reason IN ('rejected', 'blocked', 'handoff') THEN 'closed_' || reason
    ELSE 'bad_terminal'
  END,
  'iter=' || iter, 'spans=' || spans)
FROM runs ORDER BY run_id`;

/** Where the package's code is; undefined where it is not installed. */
const findPackage = () => {
  try {
    return createRequire(FOLDER).resolve(PACKAGE);
  } catch {
    return undefined;
  }
};

const judgeStdin = async (threads) => {
  const { DuckDBInstance } = await import(findPackage());
  const instance = await DuckDBInstance.create(':memory:', { threads });
  const connection = await instance.connect();
  const reader = await connection.runAndReadAll(VERDICTS);
  const text = Buffer.from(
    reader
      .getRows()
      .map(([line]) => `${line}\n`)
      .join(''),
  );
  for (let written = 0; written < text.length; ) written += writeSync(1, text, written);
};

export const duckdb = {
  id: 'duckdb',
  title: 'DuckDB, SQL',
  role: 'judge',
  takesHostile: false,
  find({ cores }) {
    if (findPackage() === undefined) return { missing: `${PACKAGE} is not installed: npm run bench -- --install` };
    return {
      command: [process.execPath, import.meta.filename, String(cores)],
      exits: [0],
      version: `DuckDB ${VERSION}`,
    };
  },
  install() {
    const args = ['install', '--prefix', FOLDER.pathname, '--no-save', '--no-package-lock', '--loglevel=error'];
    execFileSync('npm', [...args, `${PACKAGE}@${VERSION}`], { stdio: 'inherit' });
  },
};

if (import.meta.filename === process.argv[1]) await judgeStdin(process.argv[2]);
