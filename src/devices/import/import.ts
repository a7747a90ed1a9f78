/**
 * Imports devices from newline-delimited JSON of any length, in constant memory: lines are checked and collected into
 * pages, and each page is stored in a transaction while the next is read. A bad line affects no other line. If the
 * stream breaks off, stored pages stay, and importing the file again is cheap.
 */
import type { Kysely } from 'kysely';
import type { TokenKeys } from '../../apps/token-keys.ts';
import type { Author } from '../../audit/author.ts';
import { recordChange } from '../../audit/record.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { ApiError, DETAILS_MAX } from '../../api/errors.ts';
import { bulkShare, type EventLoopShare } from '../../scheduling/event-loop-share.ts';
import { type Line, readLines } from '../../json/lines.ts';
import { addLine, type Page, emptyPage, isFull, sharesToken } from './page.ts';
import { idsOfImport } from './copy.ts';
import { LINE_BYTES_MAX } from './device-line.ts';
import { addIgnored, addReport, emptyReport, type ImportReport } from './report.ts';
import { updatePlannerStatistics, storePage } from './store.ts';

/** One page is read while the database stores two. More would take processor time from other work. */
const PAGES_IN_FLIGHT_MAX = 3;
/** After this many new devices, an import updates the planner's statistics, once. */
const ANALYZE_AFTER = 1_000;
/**
 * A file with this many rejected lines in a row contains no devices, and a rejected line costs as much as a good one.
 */
const REJECTED_IN_A_ROW_MAX = 10_000;

/**
 * Runs an import, and records it in the audit log with its counts. An import is many transactions, so its entry has one
 * of its own: an import that fails is recorded as aborted, unless the database is away.
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

/**
 * Registers a device per line as `registerDevice` does, with two differences: a device with the same attributes is left
 * unchanged, including `registered_at`, and a gateway's report on a token counts as newer than the import.
 * @param chunks the bytes of the lines. Each line is a device object as `POST /v6/devices` accepts it, at most 64 KiB.
 *   Errors of the stream are thrown here.
 * @param share limits how much of the event loop the import uses
 * @throws {ApiError} `unavailable` if other calls keep changing the same devices; `invalid_request` after 10,000
 *   rejected lines in a row. The lines before them are stored by then, and the error has their counts.
 */
export async function importDevices(
  db: Kysely<Database>,
  tokenKeys: TokenKeys,
  appId: string,
  chunks: AsyncIterable<Uint8Array>,
  clock: Clock,
  share: EventLoopShare = bulkShare,
): Promise<ImportReport> {
  return importLines(db, tokenKeys, appId, readLines(chunks, LINE_BYTES_MAX), clock, share);
}

/**
 * The same for lines, such as those that `@carillon/import-formats` makes of the export of another service.
 * @param chunks the lines in the order of their numbers, some at a time
 */
export async function importLines(
  db: Kysely<Database>,
  tokenKeys: TokenKeys,
  appId: string,
  chunks: AsyncIterable<readonly Line[]>,
  clock: Clock,
  share: EventLoopShare = bulkShare,
): Promise<ImportReport> {
  const tokenKey = await tokenKeys.of(appId);
  const context = { appId, tokenKey, newId: idsOfImport(), clock, share };
  const report = emptyReport();
  let isAnalyzed = false;
  const inFlight: { page: Page; stored: Promise<ImportReport> }[] = []; // the oldest first
  const awaitStored = async (inFlightMax: number): Promise<void> => {
    while (inFlight.length > inFlightMax) {
      const oldest = inFlight.shift();
      if (oldest === undefined) return;
      addReport(report, await oldest.stored);
    }
    if (isAnalyzed || report.imported < ANALYZE_AFTER) return;
    isAnalyzed = true;
    await updatePlannerStatistics(db);
  };
  const beginStoring = async (page: Page): Promise<void> => {
    // Of two lines with one token, the later one must be stored last.
    const mustWait = inFlight.some((other) => sharesToken(page, other.page));
    await awaitStored(mustWait ? 0 : PAGES_IN_FLIGHT_MAX - 1);
    const stored = storePage(db, context, page);
    stored.catch(() => undefined); // `awaitStored` throws it
    inFlight.push({ page, stored });
  };

  try {
    let page = emptyPage();
    let rejectedInARow = 0;
    for await (const lines of chunks) {
      await share.whenFree(); // even without lines: a chunk may contain only empty ones
      for (const line of lines) {
        await share.whenFree();
        const read = addLine(page, line);
        if (read === 'device') rejectedInARow = 0;
        if (read === 'rejected') rejectedInARow += 1;
        if (rejectedInARow === REJECTED_IN_A_ROW_MAX) {
          await beginStoring(page);
          await awaitStored(0);
          throw brokenOffAt(line.number, report);
        }
        if (!isFull(page)) continue;
        await beginStoring(page);
        page = emptyPage();
      }
    }
    await beginStoring(page);
    await awaitStored(0);
    return report;
  } finally {
    // When the import ends, nothing of it may still run.
    await Promise.allSettled(inFlight.map(({ stored }) => stored));
  }
}

/**
 * Checks the lines of an import, and stores nothing. Rules that need the database are not checked: retired
 * tokens, and the number of custom attributes.
 */
export async function checkLines(
  chunks: AsyncIterable<readonly Line[]>,
): Promise<{ valid: number } & Omit<ImportReport, 'imported' | 'updated' | 'unchanged'>> {
  const report = emptyReport();
  let valid = 0;
  for await (const lines of chunks) {
    const page = emptyPage();
    for (const line of lines) if (addLine(page, line) === 'device') valid += 1;
    const { rejected } = page;
    const pageReport = { ...emptyReport(), rejected_count: rejected.length, rejected };
    for (const { number, ignored } of page.devices) addIgnored(pageReport, number, ignored);
    addReport(report, pageReport);
  }
  const { imported: _imported, updated: _updated, unchanged: _unchanged, ...checked } = report;
  return { valid, ...checked };
}

/** @param line the number of the last line that was read */
function brokenOffAt(line: number, { imported, updated, unchanged, rejected }: ImportReport): ApiError {
  const message =
    `The import broke off at line ${line}, the last of ${REJECTED_IN_A_ROW_MAX} rejected in a row. ` +
    `Up to there: ${imported} imported, ${updated} updated, ${unchanged} unchanged.`;
  const details = rejected.slice(0, DETAILS_MAX).map(({ line: number, error }) => ({
    path: `line ${number}`,
    message: error,
  }));
  return new ApiError('invalid_request', { message, details });
}
