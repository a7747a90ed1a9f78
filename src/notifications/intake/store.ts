/** Stores notifications, one or many, together with the audiences that are new. */
import { randomUUIDv7 } from 'node:crypto';
import { CompiledQuery, type Kysely } from 'kysely';
import type { SendingApp } from '../../apps/sending-app.ts';
import { everyone, nameOf, onTheFly, type Specification } from '../../audiences/find-or-create.ts';
import { usedBefore } from '../../audiences/last-used.ts';
import type { Database } from '../../db/tables.ts';
import {
  type DeviceKey,
  deviceKeyOf,
  devicesOf,
  keyOfDevice,
  keyOfUser,
} from '../../targeting/devices-by-key.ts';
import type { MatchingDevice } from '../../targeting/matching-devices.ts';
import { isUuid } from '../../uuid.ts';
import type { Idempotency } from '../idempotency.ts';
import { type NotificationContent, sendingRulesFrom } from '../message.ts';
import { namedTokenOf } from '../apns/named-token.ts';
import { filtersJson, type Target } from '../target.ts';
import type { ActivityPush } from './activity-push.ts';
import { intakeStatement } from './statement.ts';

export interface NewNotification {
  app_id: string;
  id: string;
  /** JSON without line breaks. */
  body: string;
  created_at: Date;
  due_at: Date;
  request_id: string;
  traceparent: string | null;
  /** The id of an API key or of a user; null if neither made it. */
  made_by: string | null;
  /** JSON of a `Moment`, if its devices are due at different moments. */
  moment?: string;
}

/** A notification to be stored, with all that its row refers to. */
export interface Line {
  row: NewNotification;
  selection: Selection;
  idempotency: Idempotency | undefined;
  /** Set if it may be claimed in the statement that stores it. */
  claim?: ClaimWish | undefined;
  /** Set if it replaces older updates of a Live Activity. */
  activity?: ActivityPush | undefined;
}

/** The devices of a notification to one device or one user that is to be sent at once. */
export interface ClaimWish extends DeviceKey {
  /** The most devices that it may have; with more of them it is not claimed. */
  devicesMax: number;
  content: NotificationContent;
}

/** @returns undefined if a worker must plan it */
export function claimWishOf(target: Target, content: NotificationContent): ClaimWish | undefined {
  const { dryRun, maxRecipients, group } = sendingRulesFrom(content);
  // Claims are sent to the push tokens of the devices for alerts.
  const isPlanned = dryRun || group !== null || namedTokenOf(content) !== undefined;
  const key = isPlanned ? undefined : keyOf(target);
  return key && { ...key, devicesMax: maxRecipients ?? Number.POSITIVE_INFINITY, content };
}

function keyOf(target: Target): DeviceKey | undefined {
  switch (target.kind) {
    case 'device_id':
      return keyOfDevice(target.id);
    case 'user_id':
      return keyOfUser(target.id);
    case 'on_the_fly':
      return deviceKeyOf(target.filters);
    case 'everyone':
    case 'stored':
      return undefined;
  }
}

/** A notification that was stored. */
export interface StoredRow {
  /** Null if the notification has filters of its own. */
  audienceId: string | null;
  /** The devices of a notification that was claimed, sorted by id. Undefined: it was not claimed. */
  devices: readonly MatchingDevice[] | undefined;
}

export interface StoredLines {
  /** By the id of the notification. */
  rows: ReadonlyMap<string, StoredRow>;
  /** The apps of the claimed notifications, by id. */
  apps: ReadonlyMap<string, SendingApp>;
}

/** The devices of a notification: an audience that is found or made, a stored one, or filters of its own (JSON). */
type Selection =
  | { kind: 'specified'; specification: Specification }
  | { kind: 'stored'; audienceId: string }
  | { kind: 'own'; filters: string }
  | { kind: 'unknown' };

export function selectionOf(target: Target): Selection {
  switch (target.kind) {
    case 'everyone':
      return { kind: 'specified', specification: everyone };
    case 'on_the_fly':
      return { kind: 'specified', specification: onTheFly(target.filters) };
    case 'stored': {
      const { audienceId } = target;
      return isUuid(audienceId)
        ? { kind: 'stored', audienceId: audienceId.toLowerCase() }
        : { kind: 'unknown' };
    }
    case 'device_id':
    case 'user_id':
      return { kind: 'own', filters: filtersJson(target) };
  }
}

/**
 * Stores the lines by one statement: all of them with their audiences or, if it throws, nothing. It leaves out lines whose
 * idempotency key is used, and lines whose stored audience the app does not have. An existing audience is locked until the
 * end of the transaction, so that it cannot be deleted (`audiences/delete.ts`).
 * @param lines with different idempotency keys
 * @param claimedAt identifies the claims
 * @throws {DatabaseError} also if another transaction uses the same key, or makes the same audience, at the same time
 */
export async function storeLines(
  db: Kysely<Database>,
  lines: readonly Line[],
  claimedAt: Date,
): Promise<StoredLines> {
  const wanted = wantedAudiences(lines);
  const hasKeys = lines.some(({ idempotency }) => idempotency !== undefined);
  const hasAudiences = wanted.size > 0;
  const hasMoments = lines.some(({ row }) => row.moment !== undefined);
  const hasClaims = lines.some(({ claim }) => claim !== undefined);
  const hasActivities = lines.some(({ activity }) => activity !== undefined);
  const sorted = hasKeys ? [...lines].sort(byKey) : lines;
  const values = rowValues(sorted);
  if (hasKeys) {
    values.push(
      sorted.map(({ idempotency }) => idempotency?.key ?? null),
      sorted.map(({ idempotency }) => idempotency?.bodyHash ?? null),
    );
  }
  if (hasMoments) values.push(joined(sorted.map(({ row }) => row.moment)));
  if (hasClaims) {
    values.push(
      plainArray(sorted.map(({ claim }) => claim && String(claim.devicesMax))),
      plainArray(sorted.map(({ claim }) => claim?.deviceId ?? undefined)),
      sorted.map(({ claim }) => claim?.userId ?? null),
    );
  }
  if (hasActivities) {
    values.push(
      sorted.map(({ activity }) => activity?.activityId ?? null),
      plainArray(sorted.map(({ activity }) => activity?.event)),
      plainArray(sorted.map(({ activity }) => activity?.deviceId ?? undefined)),
    );
  }
  if (hasAudiences) {
    const names = [...wanted.keys()].sort();
    const positions = new Map(names.map((name, index) => [name, String(index + 1)]));
    values.push(plainArray(sorted.map((line) => positions.get(audienceName(line) ?? ''))));
    values.push(...audienceValues(names.flatMap((name) => wanted.get(name) ?? [])));
    const now = new Date(Math.max(...lines.map(({ row }) => row.created_at.getTime())));
    values.push(now, usedBefore(now));
  }
  if (hasClaims) values.push(claimedAt);
  const { rows } = await db.executeQuery<ReadyRow>(
    CompiledQuery.raw(
      intakeStatement({ hasKeys, hasAudiences, hasMoments, hasClaims, hasActivities }),
      values,
    ),
  );
  const stored = new Map<string, StoredRow>();
  const apps = new Map<string, SendingApp>();
  for (const { id, audience_id: audienceId, devices, app } of rows) {
    if (app === null)
      stored.set(id, { audienceId, devices: devices === null ? undefined : devicesOf(devices) });
    else apps.set(id, app);
  }
  return { rows: stored, apps };
}

/** A notification, or the app of some of them. */
interface ReadyRow {
  id: string;
  audience_id: string | null;
  /** JSON; null if it was not claimed. */
  devices: string | null;
  /** Null if the row is a notification. */
  app: SendingApp | null;
}

/** The audiences that the lines refer to, each once: by name, with a line that refers to it. */
function wantedAudiences(lines: readonly Line[]): Map<string, Line> {
  const wanted = new Map<string, Line>();
  for (const line of lines) {
    const name = audienceName(line);
    if (name !== undefined && !wanted.has(name)) wanted.set(name, line);
  }
  return wanted;
}

/** The same text for lines with the same audience; undefined if it has none. */
function audienceName({ row, selection }: Line): string | undefined {
  if (selection.kind === 'specified') return `${row.app_id}/${selection.specification.fingerprint}`;
  return selection.kind === 'stored' ? `${row.app_id}/${selection.audienceId}` : undefined;
}

function rowValues(lines: readonly Line[]): unknown[] {
  return [
    plainArray(lines.map(({ row }) => row.app_id)),
    plainArray(lines.map(({ row }) => row.id)),
    joined(lines.map(({ row }) => row.body)),
    plainArray(lines.map(({ row }) => row.created_at.toISOString())),
    plainArray(lines.map(({ row }) => row.due_at.toISOString())),
    lines.map(({ row }) => row.request_id),
    lines.map(({ row }) => row.traceparent),
    plainArray(lines.map(({ row }) => row.made_by ?? undefined)),
    joined(lines.map(({ selection }) => (selection.kind === 'own' ? selection.filters : undefined))),
  ];
}

/** @param lines one for each audience */
function audienceValues(lines: readonly Line[]): unknown[] {
  const wanted = lines.map(({ row, selection }) => {
    if (selection.kind !== 'specified') return undefined;
    const { specification } = selection;
    const id = randomUUIDv7();
    return { ...specification, id, name: nameOf(specification, id), createdAt: row.created_at.toISOString() };
  });
  return [
    plainArray(lines.map(({ row }) => row.app_id)),
    plainArray(
      lines.map(({ selection }) => (selection.kind === 'stored' ? selection.audienceId : undefined)),
    ),
    plainArray(wanted.map((one) => one?.id)),
    plainArray(wanted.map((one) => one && `\\\\x${one.fingerprint}`)),
    plainArray(wanted.map((one) => one?.kind)),
    wanted.map((one) => one?.name),
    joined(wanted.map((one) => one?.filters)),
    plainArray(wanted.map((one) => one?.createdAt)),
  ];
}

function byKey(left: Line, right: Line): number {
  const [a, b] = [left, right].map(({ row, idempotency }) => `${row.app_id} ${idempotency?.key ?? ''}`);
  if (a === b) return 0;
  return (a ?? '') < (b ?? '') ? -1 : 1;
}

/** An array of values that need no quotes, as Postgres reads it. The driver would quote each. */
function plainArray(values: readonly (string | undefined)[]): string {
  return `{${values.map((value) => value ?? 'NULL').join(',')}}`;
}

/** @param texts JSON without line breaks; undefined becomes null */
function joined(texts: readonly (string | undefined)[]): string {
  return texts.map((text) => text ?? '').join('\n');
}
