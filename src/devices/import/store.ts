/** Stores a page of an import: new devices are copied into the table, known ones are merged. */
import { type Kysely, sql } from 'kysely';
import type { TokenKey } from '../../apps/token-keys.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { type ApiError, invalidRequest } from '../../api/errors.ts';
import type { EventLoopShare } from '../../scheduling/event-loop-share.ts';
import { otherPlatform } from '../device-errors.ts';
import { backOff, Conflict, retryOnConflict, tooManyConflicts } from '../retry-on-conflict.ts';
import type { Page } from './page.ts';
import { copyDevices, type NewId } from './copy.ts';
import { type DeviceLine, preparedText, withoutCustom } from './device-line.ts';
import { mergeDevices, type MergeOutcome } from './merge.ts';
import { storeQuietHours } from './store-quiet-hours.ts';
import { addIgnored, emptyReport, type ImportReport, rejectionOf } from './report.ts';
import { haveRetired, type TakenBack, takeBackTokens } from './retired.ts';

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

/**
 * A guess about the devices of a page, based on the page before. If all are expected to be new or all known, their
 * tokens are not looked up, which saves 7 µs per device. A wrong guess is noticed, and the lines are stored again as
 * `mixed`.
 */
export type Expectation = 'all_new' | 'all_known' | 'mixed';

/** `old_token`: the line's token is an old one of a device that has a new one. */
type Outcome = 'imported' | 'old_token' | MergeOutcome;

/** @throws {ApiError} `unavailable` if other calls keep changing the same devices */
export async function storePage(
  db: Kysely<Database>,
  context: ImportContext,
  page: Page,
  expectation: Expectation,
): Promise<ImportReport> {
  const report = { ...emptyReport(), rejected: page.rejected };
  for (const [index, lines] of splitRepeatedTokens(page.devices).entries()) {
    // A token's later lines find the device that its first line has stored.
    await storeLines(db, context, lines, index === 0 ? expectation : 'mixed', report);
  }
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
    const index = countByToken.get(device.pushToken) ?? 0;
    countByToken.set(device.pushToken, index + 1);
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
  expectation: Expectation,
  report: ImportReport,
): Promise<void> {
  let left = lines;
  let expected = expectation;
  const store = async (trx: Kysely<Database>): Promise<Outcome[]> => {
    const guess = expected;
    expected = 'mixed';
    return storeOnce(trx, context, left, guess);
  };
  for (let attempt = 1; attempt <= ATTEMPTS_MAX && left.length > 0; attempt++) {
    if (attempt > 1) await backOff(attempt);
    const outcomes = await retryOnConflict(db, store);
    for (const [index, line] of left.entries()) addOutcome(report, line, outcomes[index]);
    left = left.flatMap((line, index) => {
      if (outcomes[index] === 'too_many_attributes') return [withoutCustom(line)];
      return outcomes[index] === 'conflict' ? [line] : [];
    });
  }
  if (left.length > 0) throw tooManyConflicts();
}

function addOutcome(report: ImportReport, line: DeviceLine, outcome: Outcome | undefined): void {
  switch (outcome) {
    case 'imported':
    case 'updated':
    case 'unchanged':
      report[outcome] += 1;
      addIgnored(report, line.number, line.ignored);
      return;
    case 'other_platform':
    case 'old_token':
      report.rejected.push(rejectionOf(line.number, refusalOf(line, outcome)));
      return;
    case 'too_many_attributes':
    case 'conflict':
    case undefined:
  }
}

function refusalOf({ platform }: DeviceLine, outcome: 'other_platform' | 'old_token'): ApiError {
  switch (outcome) {
    case 'other_platform':
      return otherPlatform('platform', platform === 'iOS' ? 'Android' : 'iOS');
    case 'old_token':
      return invalidRequest([
        { path: 'push_token', message: 'is an old token of a device that has a new one' },
      ]);
  }
}

/**
 * Stores lines in a transaction, with the same result as registering each of them.
 * @param lines in file order, with different push tokens
 * @returns an outcome for each line, by position; `conflict` also if a device is unknown although `all_known` was
 *   expected
 * @throws a unique violation or {@link Conflict} if a device is known although `all_new` was expected, or was
 *   registered meanwhile; the transaction must then be rolled back
 */
async function storeOnce(
  db: Kysely<Database>,
  context: ImportContext,
  lines: readonly DeviceLine[],
  expectation: Expectation,
): Promise<Outcome[]> {
  const now = context.clock();
  const tokens = expectation === 'mixed' ? await findTokens(db, context.appId, lines) : undefined;
  const isKnown = ({ pushToken }: DeviceLine): boolean =>
    tokens === undefined ? expectation === 'all_known' : tokens.has(pushToken);
  const unknown = lines.filter((line) => !isKnown(line));
  const retired =
    expectation === 'mixed'
      ? await takeBackTokens(db, { ...context, now }, unknown)
      : new Map<string, TakenBack>();
  const added = unknown.filter(({ pushToken }) => !retired.has(pushToken));
  if (added.length > 0) {
    await copyNew(db, context, added, now);
    // Not needed after a look-up: a device would have to be registered and its token retired since then.
    if (expectation !== 'mixed' && (await haveRetired(db, context, added))) throw new Conflict();
  }
  const known = lines.filter((line) => isKnown(line) || retired.get(line.pushToken) === 'taken_back');
  const merged = known.length === 0 ? [] : await mergeKnown(db, context, known, now);
  const outcomes = new Map(known.map((line, index) => [line, merged[index] ?? 'conflict']));
  const stored = lines.map((line): Outcome => {
    const outcome = outcomes.get(line);
    const taken = retired.get(line.pushToken);
    if (taken === 'taken_back') return outcome === 'unchanged' ? 'updated' : (outcome ?? 'conflict');
    return outcome ?? taken ?? 'imported';
  });
  const withHours = lines.filter(
    (line, index) => line.quietHours !== undefined && isStored(stored[index] ?? 'conflict'),
  );
  if (withHours.length === 0) return stored;
  const changed = await storeQuietHours(db, context.appId, withHours, now);
  return stored.map((outcome, index) =>
    outcome === 'unchanged' && changed.has(lines[index]?.pushToken ?? '') ? 'updated' : outcome,
  );
}

function isStored(outcome: Outcome): boolean {
  return outcome === 'imported' || outcome === 'updated' || outcome === 'unchanged';
}

/** Copies the devices sorted by push token, so that two imports of the same devices do not deadlock. */
async function copyNew(
  db: Kysely<Database>,
  { appId, newId, share }: ImportContext,
  lines: readonly DeviceLine[],
  now: Date,
): Promise<void> {
  await share.whenFree();
  const inOrder = lines.toSorted((left, right) => (left.pushToken < right.pushToken ? -1 : 1));
  const devices: { id: string; row: string }[] = [];
  for (const line of inOrder) {
    if (line.preparedFor !== 'copy') await share.whenFree();
    devices.push({ id: newId(line.number), row: preparedText(line, 'copy') });
  }
  await share.whenFree();
  await copyDevices(db, { appId, now }, devices);
}

async function mergeKnown(
  db: Kysely<Database>,
  { appId, share }: ImportContext,
  lines: readonly DeviceLine[],
  now: Date,
): Promise<MergeOutcome[]> {
  await share.whenFree();
  const items: string[] = [];
  for (const line of lines) {
    if (line.preparedFor !== 'merge') await share.whenFree();
    items.push(preparedText(line, 'merge'));
  }
  return mergeDevices(db, appId, items, now);
}

/** Finds the push tokens that devices of the app already have. */
async function findTokens(
  db: Kysely<Database>,
  appId: string,
  lines: readonly DeviceLine[],
): Promise<ReadonlySet<string>> {
  const tokens = lines.map(({ pushToken }) => pushToken);
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
