/** Stores a page of an import: new devices are copied into the table, known ones are merged. */
import { type Kysely, sql } from 'kysely';
import type { TokenKey } from '../../apps/token-keys.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { invalidRequest } from '../../api/errors.ts';
import type { EventLoopShare } from '../../scheduling/event-loop-share.ts';
import { platformCannotChange, tooManyAttributes } from '../device-errors.ts';
import { backOff, retryOnConflict, tooManyConflicts } from '../retry-on-conflict.ts';
import type { Page } from './page.ts';
import { copyDevices, copyRow, type NewId } from './copy.ts';
import type { DeviceLine } from './device-line.ts';
import { mergeDevices, mergeItem, type MergeOutcome } from './merge.ts';
import { addIgnored, emptyReport, type ImportReport, rejectionOf } from './report.ts';
import { takeBackTokens } from './retired.ts';

/** How many times a line is tried while other calls keep changing its device. */
const ATTEMPTS_MAX = 10;

/** The values that stay the same during an import. */
export interface ImportContext {
  appId: string;
  tokenKey: TokenKey;
  newId: NewId;
  clock: Clock;
  share: EventLoopShare;
}

/** `old_token`: the line's token is an old one of a device that has a new one. */
type Outcome = 'imported' | 'old_token' | MergeOutcome;

/** @throws {ApiError} `unavailable` if other calls keep changing the same devices */
export async function storePage(
  db: Kysely<Database>,
  context: ImportContext,
  page: Page,
): Promise<ImportReport> {
  const report = { ...emptyReport(), rejected: page.rejected };
  for (const lines of splitRepeatedTokens(page.devices)) await storeLines(db, context, lines, report);
  report.rejected.sort((left, right) => left.line - right.line);
  report.ignored?.sort((left, right) => left.line - right.line);
  report.rejected_count = report.rejected.length;
  return report;
}

/** @returns lists of lines that have each token once: its first line is in the first list, its second in the second */
function splitRepeatedTokens(devices: readonly DeviceLine[]): DeviceLine[][] {
  const lists: DeviceLine[][] = [];
  const countByToken = new Map<string, number>();
  for (const device of devices) {
    const { push_token: pushToken } = device.registration;
    const index = countByToken.get(pushToken) ?? 0;
    countByToken.set(pushToken, index + 1);
    (lists[index] ??= []).push(device);
  }
  return lists;
}

/**
 * Stores lines, tries those with a conflict again, and adds the outcomes to the report. A line whose device would have too many
 * custom attributes is stored without its own.
 */
async function storeLines(
  db: Kysely<Database>,
  context: ImportContext,
  lines: readonly DeviceLine[],
  report: ImportReport,
): Promise<void> {
  let left = lines;
  for (let attempt = 1; attempt <= ATTEMPTS_MAX && left.length > 0; attempt++) {
    if (attempt > 1) await backOff(attempt);
    const tried = left;
    const outcomes = await retryOnConflict(db, async (trx) => storeOnce(trx, context, tried));
    left = tried.flatMap((line, index) => lineLeft(report, line, outcomes[index] ?? 'conflict'));
  }
  if (left.length > 0) throw tooManyConflicts();
}

/** Adds an outcome to the report. @returns the line that is to be tried again, if any */
function lineLeft(report: ImportReport, line: DeviceLine, outcome: Outcome): DeviceLine[] {
  const { number, registration, ignored } = line;
  switch (outcome) {
    case 'imported':
    case 'updated':
    case 'unchanged':
      report[outcome] += 1;
      addIgnored(report, number, ignored);
      return [];
    case 'other_platform': {
      const stored = registration.platform === 'iOS' ? 'Android' : 'iOS';
      report.rejected.push(rejectionOf(number, invalidRequest([platformCannotChange('platform', stored)])));
      return [];
    }
    case 'old_token': {
      const message = 'is an old token of a device that has a new one';
      report.rejected.push(rejectionOf(number, invalidRequest([{ path: 'push_token', message }])));
      return [];
    }
    case 'too_many_attributes': {
      const { custom: _custom, ...others } = registration;
      return [{ number, registration: others, ignored: [...ignored, tooManyAttributes('custom')] }];
    }
    case 'conflict':
      return [line];
  }
}

/**
 * Stores lines in a transaction, with the same result as registering each of them.
 * @param lines in file order, with different push tokens
 * @returns an outcome for each line, by position
 * @throws a unique violation if a device was registered meanwhile; the transaction must then be rolled back
 */
async function storeOnce(
  db: Kysely<Database>,
  context: ImportContext,
  lines: readonly DeviceLine[],
): Promise<Outcome[]> {
  const { appId, clock } = context;
  const now = clock();
  const tokens = await findTokens(db, appId, lines);
  const isKnown = ({ registration }: DeviceLine): boolean => tokens.has(registration.push_token);
  const unknown = lines.filter((line) => !isKnown(line));
  const retired = await takeBackTokens(db, { ...context, now }, unknown);
  const takenOf = ({ registration }: DeviceLine) => retired.get(registration.push_token);
  const added = unknown.filter((line) => takenOf(line) === undefined);
  if (added.length > 0) await copyNew(db, context, added, now);
  const known = lines.filter((line) => isKnown(line) || takenOf(line) === 'taken_back');
  const merged = await mergeKnown(db, context, known, now);
  return lines.map((line) => {
    const outcome = merged.get(line);
    const taken = takenOf(line);
    if (taken !== 'taken_back') return outcome ?? taken ?? 'imported';
    return outcome === 'unchanged' ? 'updated' : (outcome ?? 'conflict');
  });
}

/** Copies the devices sorted by push token, so that two imports of the same devices do not deadlock. */
async function copyNew(
  db: Kysely<Database>,
  { appId, newId, share }: ImportContext,
  lines: readonly DeviceLine[],
  now: Date,
): Promise<void> {
  const inOrder = lines.toSorted((left, right) =>
    left.registration.push_token < right.registration.push_token ? -1 : 1,
  );
  const moment = now.toISOString();
  const rows: string[] = [];
  for (const { number, registration } of inOrder) {
    await share.whenFree();
    rows.push(copyRow({ appId, id: newId(number), moment }, registration));
  }
  await copyDevices(db, rows);
}

async function mergeKnown(
  db: Kysely<Database>,
  { appId, share }: ImportContext,
  lines: readonly DeviceLine[],
  now: Date,
): Promise<Map<DeviceLine, MergeOutcome>> {
  if (lines.length === 0) return new Map();
  const items: string[] = [];
  for (const [index, { registration }] of lines.entries()) {
    await share.whenFree();
    items.push(mergeItem(index, registration));
  }
  const outcomes = await mergeDevices(db, appId, items, now);
  return new Map(lines.map((line, index) => [line, outcomes[index] ?? 'conflict']));
}

/** Finds the push tokens that devices of the app already have. */
async function findTokens(
  db: Kysely<Database>,
  appId: string,
  lines: readonly DeviceLine[],
): Promise<ReadonlySet<string>> {
  const tokens = lines.map(({ registration }) => registration.push_token);
  // The app is a column, so that Postgres looks up each token in the index. If the app were a constant, the planner
  // would assume that it has a 200th of all devices, and would read every device of the app.
  const { rows } = await sql<{ token: string }>`
    select token from (select ${appId}::uuid as app_id, unnest(${tokens}::text[]) as token offset 0) as line
    where (
      select true from devices where devices.app_id = line.app_id and devices.push_token = line.token
    )`.execute(db);
  return new Set(rows.map((row) => row.token));
}

/** With this many devices, by Postgres' own estimate, plans use the indexes as they should. */
const ENOUGH_DEVICES = 100_000;

/**
 * Updates the planner's statistics, unless they already count many devices. Autovacuum would do so within minutes;
 * until then prepared statements keep a plan for a page or two of devices, and scan a million devices to find one. Only
 * two columns are analyzed: the planner needs the size of the table and how few devices have quiet hours, and analyzing
 * all columns takes longer.
 *
 * Never rejects: devices are stored without it too. Where the table did not fit into memory, the sample took longer
 * than the time limit of statements.
 */
export async function updatePlannerStatistics(db: Kysely<Database>): Promise<void> {
  try {
    const { rows } = await sql<{ knows: boolean }>`
      select reltuples >= ${ENOUGH_DEVICES} as knows from pg_class where oid = 'devices'::regclass`.execute(
      db,
    );
    if (rows[0]?.knows !== true) await sql`analyze (skip_locked) devices (id, quiet_hours)`.execute(db);
  } catch {
    // If the database is away, the statements that store devices report it.
  }
}
