/** Records an import in the audit log. */
import type { Kysely } from 'kysely';
import type { Author } from '../../audit/author.ts';
import { recordChange } from '../../audit/record.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import type { ImportReport } from './report.ts';

/**
 * Runs an import, and records it with its counts. An import is many transactions, so its entry has one of its own: an import that
 * fails is recorded as aborted, unless the database is away.
 * @throws the error of the import
 */
export async function recordedImport(
  db: Kysely<Database>,
  appId: string,
  author: Author,
  clock: Clock,
  run: () => Promise<ImportReport>,
): Promise<ImportReport> {
  const record = async (after: Readonly<Record<string, unknown>>): Promise<void> =>
    recordChange(db, author, { appId, action: 'devices.imported', after }, clock);
  let report: ImportReport;
  try {
    report = await run();
  } catch (error) {
    await record({ aborted: true }).catch(() => undefined);
    throw error;
  }
  const { rejected: _lines, ignored: _values, ...counts } = report;
  await record(counts);
  return report;
}
