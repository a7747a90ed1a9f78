/** Stores a batch of an import: new devices are copied into the table, known ones are merged. */
import { type Kysely, sql } from 'kysely';
import type { TokenKey } from '../../apps/token-keys.ts';
import type { Clock } from '../../clock.ts';
import type { Database } from '../../db/tables.ts';
import { type ApiError, invalidRequest } from '../../errors.ts';
import { otherPlatform, tooManyAttributes } from '../device-errors.ts';
import { backOff, Conflict, retryOnConflict, tooManyConflicts } from '../retry-on-conflict.ts';
import type { Batch } from './batch.ts';
import { copyDevices, type NewId } from './copy.ts';
import { type DeviceLine, preparedText } from './device-line.ts';
import type { EventLoopShare } from './event-loop-share.ts';
import { mergeDevices, type MergeOutcome } from './merge.ts';
import { emptyReport, type ImportReport, rejectionOf } from './report.ts';
import { haveRetired, type TakenBack, takeBackTokens } from './retired.ts';

/** How often a line is stored again because other calls keep changing its device. */
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
 * A guess about the devices of a batch, from the batch before. Where all are new or all are known, their tokens are not
 * looked up, which saves 7 µs per device; a wrong guess is noticed, and the lines are stored again as `mixed`.
 */
export type Expectation = 'all_new' | 'all_known' | 'mixed';

/** `old_token`: the line's token belonged to a device that has another one now. */
type Outcome = 'imported' | 'old_token' | MergeOutcome;

/** @throws {ApiError} `unavailable` where other calls keep changing the same devices */
export async function storeBatch(
  db: Kysely<Database>,
  context: ImportContext,
  batch: Batch,
  expectation: Expectation,
): Promise<ImportReport> {
  const report = { ...emptyReport(), rejected: batch.rejected };
  for (const [index, lines] of splitRepeatedTokens(batch.devices).entries()) {
    // Lines after the first of a token find the device that the first has stored.
    await storeLines(db, context, lines, index === 0 ? expectation : 'mixed', report);
  }
  report.rejected.sort((left, right) => left.line - right.line);
  report.rejected_count = report.rejected.length;
  return report;
}

/** Groups in which no two lines have one push token; the second line of a token is in the second group, and so on. */
function splitRepeatedTokens(devices: readonly DeviceLine[]): DeviceLine[][] {
  const groups: DeviceLine[][] = [];
  const countByToken = new Map<string, number>();
  for (const device of devices) {
    const group = countByToken.get(device.pushToken) ?? 0;
    countByToken.set(device.pushToken, group + 1);
    (groups[group] ??= []).push(device);
  }
  return groups;
}

/** Stores lines, and again those that met a conflict, and adds their outcomes to the report. */
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
    left = left.filter((_line, index) => outcomes[index] === 'conflict');
  }
  if (left.length > 0) throw tooManyConflicts();
}

function addOutcome(report: ImportReport, line: DeviceLine, outcome: Outcome | undefined): void {
  switch (outcome) {
    case 'imported':
    case 'updated':
    case 'unchanged':
      report[outcome] += 1;
      return;
    case 'too_many_attributes':
    case 'other_platform':
    case 'old_token':
      report.rejected.push(rejectionOf(line.number, refusalOf(line, outcome)));
      return;
    case 'conflict':
    case undefined:
  }
}

function refusalOf(
  { platform }: DeviceLine,
  outcome: 'too_many_attributes' | 'other_platform' | 'old_token',
): ApiError {
  switch (outcome) {
    case 'too_many_attributes':
      return tooManyAttributes('custom');
    case 'other_platform':
      return otherPlatform('platform', platform === 'iOS' ? 'Android' : 'iOS');
    case 'old_token':
      return invalidRequest([
        { path: 'push_token', message: 'is an old one of a device that has another by now' },
      ]);
  }
}

/**
 * Stores lines in a transaction, with the same result as registering each of them.
 * @param lines in their order; no two of them with one push token
 * @returns an outcome for each line, by position; `conflict` also for an unknown device among `all_known`
 * @throws a unique violation or {@link Conflict} for a known device among `all_new`, and for one that is registered
 *   meanwhile; the transaction has to be rolled back then
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
    // After a look-up, this could only be a device registered and retired since.
    if (expectation !== 'mixed' && (await haveRetired(db, context, added))) throw new Conflict();
  }
  const known = lines.filter((line) => isKnown(line) || retired.get(line.pushToken) === 'taken_back');
  const merged = known.length === 0 ? [] : await mergeKnown(db, context, known, now);
  const outcomes = new Map(known.map((line, index) => [line, merged[index] ?? 'conflict']));
  return lines.map((line) => {
    const outcome = outcomes.get(line);
    const taken = retired.get(line.pushToken);
    if (taken === 'taken_back') return outcome === 'unchanged' ? 'updated' : (outcome ?? 'conflict');
    return outcome ?? taken ?? 'imported';
  });
}

/** Copies in the order of push tokens, so that two imports of the same devices do not deadlock. */
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

/** The push tokens of the lines that the app has. */
async function findTokens(
  db: Kysely<Database>,
  appId: string,
  lines: readonly DeviceLine[],
): Promise<ReadonlySet<string>> {
  const tokens = lines.map(({ pushToken }) => pushToken);
  // One index look-up per token, with the app as a column: of a constant app the planner assumes that it has a 200th of
  // all devices, and reads every device of the app instead of the index on tokens.
  const { rows } = await sql<{ token: string }>`
    select token from (select ${appId}::uuid as app_id, unnest(${tokens}::text[]) as token offset 0) as line
    where (
      select true from devices where devices.app_id = line.app_id and devices.push_token = line.token
    )`.execute(db);
  return new Set(rows.map((row) => row.token));
}

/**
 * Updates the planner's statistics. Autovacuum would do so within minutes; until then a prepared statement keeps a plan
 * made when all devices fitted into a page or two, and scans a million of them for one. Only the ids are analyzed: the
 * size of the table is what matters, and all columns take longer.
 */
export async function analyzeDevices(db: Kysely<Database>): Promise<void> {
  await sql`analyze (skip_locked) devices (id)`.execute(db);
}
