/** Reads all that is stored about a device and a notification. */
import type { Kysely } from 'kysely';
import { androidSettingsOf } from '../../apps/android-settings.ts';
import { capOfGroup, readFrequencyCaps } from '../../apps/frequency-caps.ts';
import { credentialsByRoute, listCredentialVersions } from '../../apps/credentials/store.ts';
import type { Pause } from '../../apps/route-states.ts';
import { filtersOfAudience } from '../../audiences/audience-store.ts';
import type { Database, NotificationsTable } from '../../db/tables.ts';
import { type DeviceRow, readDeviceRows, readErasure } from '../../devices/store.ts';
import { isTokenRegistered } from '../../devices/tokens/named-tokens.ts';
import { readTokenState, type TokenState } from '../../devices/tokens/token-state.ts';
import type { NamedToken } from '../../gateways/apns/push-types.ts';
import type { PushMessage } from '../../gateways/gateway.ts';
import { encryptedTextFor, type EncryptedTextState } from '../../notifications/content/encrypted-texts.ts';
import { groupsOf, variantContents } from '../../notifications/content/variants.ts';
import { messageFrom, parseContent } from '../../notifications/message.ts';
import { momentSchema } from '../../notifications/moment/moment.ts';
import { noSuchNotification } from '../../notifications/look-up/read.ts';
import { explainDevice, type FilterExplanation } from '../../targeting/explain-device.ts';
import { type HoursOfPush, isHeld, quietHoursOf } from '../../delivery/waves/quiet-hours-of-push.ts';
import { waveOfDevice } from '../../delivery/waves/wave-of-device.ts';
import { type ExplainedVariant, explainVariant } from './explain-variant.ts';
import { type CapUse, readUses } from '../../delivery/caps/cap-store.ts';
import { type DeliveryKey, findDelivery, type FoundDelivery } from '../history/device-outcome-store.ts';

export interface DeviceFacts extends DeviceRow {
  token: TokenState;
  /**
   * Whether it has the named token that the notification is sent to; undefined if the notification is sent to tokens
   * for alerts.
   */
  hasNamedToken: boolean | undefined;
  hasCredentials: boolean;
  pause: Pause | null;
}

export interface Facts {
  state: NotificationsTable['state'];
  dueAt: Date;
  /** Routes that refused the credentials for this notification, with the gateway's reason. */
  refused: Readonly<Record<string, string>>;
  /** The message with the payload of its variant. */
  message: PushMessage;
  /** Undefined if the notification is no A/B test, or nothing is known about the device. */
  variant: ExplainedVariant | undefined;
  /** Whether the device as it is now has an encrypted text; undefined if the notification has none. */
  encryptedText: EncryptedTextState | undefined;
  delivery: FoundDelivery;
  openedAt: Date | undefined;
  /**
   * The notifications that used up the frequency cap for the device, oldest first; undefined if no cap left it out, or
   * the app no longer has that cap.
   */
  capUses: readonly CapUse[] | undefined;
  /** When the wave of the device is due, if that is in the future. */
  waitsUntil: Date | undefined;
  /** Whether quiet hours have moved that wave. */
  isHeld: boolean;
  quietHours: HoursOfPush | undefined;
  /** Undefined if the app does not have the device. */
  device: DeviceFacts | undefined;
  erasedAt: Date | undefined;
  /** How the filters of the audience treat the device as it is now; undefined without the device. */
  filters: FilterExplanation[] | undefined;
}

/** @throws {ApiError} `not_found` if the app has no such notification */
export async function readFacts(db: Kysely<Database>, key: DeliveryKey): Promise<Facts> {
  const [notification, delivery] = await Promise.all([readNotification(db, key), findDelivery(db, key)]);
  if (notification === undefined || delivery === undefined) throw noSuchNotification();
  const { appId, deviceId } = key;
  const [[row], erasedAt, filters, inWave] = await Promise.all([
    readDeviceRows(db, appId, [deviceId]),
    readErasure(db, appId, deviceId),
    explainFilters(db, key, delivery),
    waveOfDevice(db, key, deviceId),
  ]);
  const { opened_at: openedAt, ...stored } = notification;
  const content = parseContent(stored.body);
  const groups = groupsOf(content);
  const variant =
    groups &&
    explainVariant(
      groups,
      content.experiment ?? stored.id,
      delivery.outcome?.variant,
      row && { deviceId, userId: row.user_id === '' ? null : row.user_id },
    );
  const received = variantContents(content).find(({ name }) => name === variant?.name)?.content ?? content;
  const message = messageFrom(stored, received, androidSettingsOf(stored));
  const moment = stored.moment === null ? null : momentSchema.parse(stored.moment);
  const waiting = inWave !== undefined && inWave.dueAt > key.now ? inWave : undefined;
  const timeZone = row?.time_zone ?? null;
  const ofWave = { moment, createdAt: stored.created_at, dueAt: stored.due_at, timeZone };
  return {
    state: delivery.state,
    dueAt: stored.due_at,
    refused: textsIn(stored.refused),
    message,
    encryptedText:
      content.encrypted_texts && row && encryptedTextFor(content.encrypted_texts, row.encryption_key).state,
    variant,
    delivery,
    openedAt: openedAt ?? undefined,
    capUses: delivery.outcome?.kind === 'capped' ? await readUsesOf(db, key, content.group) : undefined,
    waitsUntil: waiting?.dueAt,
    isHeld: waiting !== undefined && (await isHeld(db, waiting.wave, ofWave)),
    quietHours: quietHoursOf(row?.quiet_hours ?? null, moment, content),
    device: row === undefined ? undefined : await readDeviceFacts(db, row, message.token),
    erasedAt,
    filters,
  };
}

async function readUsesOf(
  db: Kysely<Database>,
  { appId, deviceId }: DeliveryKey,
  group: string | undefined,
): Promise<CapUse[] | undefined> {
  const cap = capOfGroup(await readFrequencyCaps(db, appId), group);
  return cap && readUses(db, { appId, cap, deviceId });
}

function readNotification(db: Kysely<Database>, { appId, notificationId, deviceId }: DeliveryKey) {
  return db
    .selectFrom('notifications as n')
    .innerJoin('apps as a', 'a.id', 'n.app_id')
    .leftJoin('opens as o', (join) =>
      join
        .onRef('o.app_id', '=', 'n.app_id')
        .onRef('o.notification_id', '=', 'n.id')
        .on('o.device_id', '=', deviceId),
    )
    .select(['n.id', 'n.state', 'n.body', 'n.created_at', 'n.due_at', 'n.refused', 'n.moment'])
    .select(['a.android_presentation', 'a.android_icon', 'a.android_color', 'o.opened_at'])
    .where('n.app_id', '=', appId)
    .where('n.id', '=', notificationId)
    .executeTakeFirst();
}

async function explainFilters(
  db: Kysely<Database>,
  { appId, deviceId, now }: DeliveryKey,
  delivery: FoundDelivery,
): Promise<FilterExplanation[] | undefined> {
  const filters = filtersOfAudience(delivery.filters);
  // Relative dates are evaluated at the start of the notification, as they were for sending it.
  return explainDevice(db, { appId, filters, now: delivery.startedAt ?? now, deviceId });
}

async function readDeviceFacts(
  db: Kysely<Database>,
  row: DeviceRow,
  named: NamedToken | undefined,
): Promise<DeviceFacts> {
  const [token, credentials, hasNamedToken] = await Promise.all([
    readTokenState(db, row.app_id, row.id),
    listCredentialVersions(db, row.app_id),
    named && isTokenRegistered(db, { appId: row.app_id, deviceId: row.id }, named),
  ]);
  const used = credentialsByRoute(credentials)[token.route];
  return {
    ...row,
    token,
    hasNamedToken,
    hasCredentials: used !== undefined,
    pause: used?.routes.find(({ route }) => route === token.route)?.pause ?? null,
  };
}

function textsIn(value: unknown): Record<string, string> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(Object.entries(value).map(([name, text]) => [name, String(text)]));
}
