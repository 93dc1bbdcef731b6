import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { run } from '../run-main.js';

/** What the command says of files: run ids with verdicts, in order, and what it says of the inputs. */
export const judged = async (
  files: Readonly<Record<string, string | Buffer>>,
  ...flags: readonly string[]
): Promise<{ readonly verdicts: readonly string[]; readonly stderr: string; readonly code: number }> => {
  const folder = mkdtempSync(join(tmpdir(), 'formats-'));
  try {
    const paths = Object.entries(files).map(([name, content]) => {
      const path = join(folder, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    });
    const { stdout, stderr, code } = await run([...flags, ...paths]);
    const verdicts = stdout.split('\n').filter((line) => line !== '');
    return { verdicts: verdicts.map((line) => line.split('\t').slice(0, 3).join(' ')), stderr, code };
  } finally {
    rmSync(folder, { recursive: true });
  }
};

export const jsonLines = (records: readonly object[]): string =>
  records.map((record) => `${JSON.stringify(record)}\n`).join('');
