/** The named schemas of bodies and replies, and their conversion to JSON Schema. */
import { z } from 'zod';
import { frequencyCapsBody } from '../../apps/frequency-caps.ts';
import { quietHours } from '../../apps/quiet-hours.ts';
import {
  apnsCredentialsBody,
  fcmCredentialsBody,
  storedCredentialsReply,
} from '../../apps/store-credentials.ts';
import { credentialsReply } from '../../apps/stored-credentials.ts';
import { auditEntryReply, auditListReply } from '../../audit/list.ts';
import { broadcastBody } from '../../channels/broadcast-body.ts';
import { broadcastReply } from '../../channels/broadcast.ts';
import { channelBody, channelReply } from '../../channels/channel.ts';
import { comparisonReply } from '../../channels/compare.ts';
import { channelDetailReply, channelListReply } from '../../channels/list.ts';
import { historyReply, pastOutcome } from '../../delivery/outcomes/device-history.ts';
import {
  appUsersReply,
  changeUserBody,
  invitedUserReply,
  inviteUserBody,
  newInviteReply,
  oneUserReply,
  userSessionsReply,
} from '../../console/accounts/app-users.ts';
import { type DeviceDelivery } from '../../delivery/outcomes/device-outcome.ts';
import { outcomeKinds } from '../../delivery/outcomes/packed.ts';
import { apnsUniqueId } from '../../delivery/outcomes/unique-ids.ts';
import { progressReply } from '../../delivery/report/progress.ts';
import { reportReply } from '../../delivery/report/report.ts';
import { readinessOfAppReply } from '../../delivery/routes/readiness.ts';
import { customAttribute, customAttributes, customChange } from '../../devices/custom-attributes.ts';
import { deviceReply } from '../../devices/device.ts';
import { place, registration, registrationBody, updateBody } from '../../devices/device-schema.ts';
import { eventsBody } from '../../devices/events/record-events.ts';
import { deviceQuietHours } from '../../devices/quiet-hours.ts';
import { lookUpBody, lookUpReply } from '../../devices/look-up/look-up.ts';
import { importReply } from '../../devices/import/report.ts';
import { namedTokenBody, namedTokensReply } from '../../devices/tokens/named-tokens.ts';
import { tokenStateReply } from '../../devices/tokens/token-state.ts';
import { userBody, userReply } from '../../devices/users.ts';
import { BATCH_MAX } from '../../notifications/create-batch.ts';
import { idempotencyKey } from '../../notifications/idempotency.ts';
import { listReply, newerReply } from '../../notifications/look-up/list.ts';
import { variantSchema } from '../../notifications/content/variants.ts';
import { changesSchema, payloadSchema } from '../../notifications/payload.ts';
import { compiledPreview } from '../../notifications/preview/preview.ts';
import { warningsReply } from '../../notifications/preview/warnings.ts';
import { deliverAtLocal } from '../../notifications/moment/parse-moment.ts';
import { createdReply, notificationReply } from '../../notifications/look-up/notification-reply.ts';
import { statsReply } from '../../notifications/look-up/stats.ts';
import { deviceTarget, storedTarget, userTarget } from '../../notifications/target.ts';
import { overviewReply } from '../../overview/overview.ts';
import { idText, timeText } from '../../reply.ts';
import { webhookDeliveryReply } from '../../webhooks/deliveries.ts';
import { newWebhookReply, webhookBody, webhookReply } from '../../webhooks/webhooks.ts';
import { countBody, explainBody, namedAudienceBody } from '../calls/audiences/body.ts';
import { deviceMapReply } from '../calls/audiences/device-map.ts';
import {
  audienceDevicesReply,
  audienceListReply,
  audienceReply,
  audienceUsesReply,
  countReply,
  deviceSampleReply,
  explanationReply,
  filterCountsReply,
} from '../calls/audiences/reply.ts';
import { deliveryExplanationReply } from '../calls/devices/explanation-reply.ts';
import { redactedDeviceReply } from '../calls/devices/reply.ts';
import { batchEntry, refusedEntry, storedEntry } from '../calls/notifications/batch-reply.ts';
import { localesBody } from '../calls/notifications/locales.ts';
import { audienceLocalesReply } from '../../notifications/content/audience-locales.ts';
import { targetBody } from '../calls/notifications/count.ts';
import { receiptBody, RECEIPTS_MAX, receiptsReply } from '../calls/notifications/receipts.ts';
import { plannedWavesReply } from '../calls/notifications/waves.ts';
import { quietHoursForm } from '../calls/admin/quiet-hours.ts';
import { keyReply, newKeyBody, newKeyReply } from '../calls/admin/keys.ts';
import { foundDelivery, searchReply } from '../../delivery/search/search.ts';
import { errorReply, faultReply } from '../error-reply.ts';
import { target, notificationRequest } from './notification-request.ts';
import { filterShapes, filtersShape } from './filter-shape.ts';

/** The part of JSON Schema 2020-12 that zod generates. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

const batchItem = z.strictObject({
  notification: notificationRequest,
  idempotency_key: idempotencyKey.optional(),
});

const [iosRegistration, androidRegistration] = registration.options;

const newAudience = namedAudienceBody.shape.audience.extend({ filters: filtersShape });

export const openBody = z.strictObject({ device_id: z.string('must be the id of a device') });

const requestSchemas = {
  CreateNotification: z.strictObject({ notification: notificationRequest }),
  PreviewNotification: z.strictObject({
    notification: notificationRequest,
    device_id: idText.describe('A device for which it is previewed as well.').exactOptional(),
    variant: z
      .string()
      .describe('The variant, or `hold_out`, that the device is to be shown with. Needs `device_id`.')
      .exactOptional(),
  }),
  CreateNotifications: z.array(batchItem).min(1).max(BATCH_MAX),
  BatchItem: batchItem,
  NotificationRequest: notificationRequest,
  DeliverAtLocal: deliverAtLocal,
  QuietHoursRule: quietHours,
  Variant: variantSchema,
  NotificationTarget: target,
  StoredTarget: storedTarget,
  DeviceTarget: deviceTarget,
  UserTarget: userTarget,
  CountNotification: targetBody.extend({ to: target }),
  CountNotificationLocales: localesBody.extend({ to: target }),
  Payload: payloadSchema,
  ReportOpen: openBody,
  ReportReceipts: z.array(receiptBody).min(1).max(RECEIPTS_MAX),
  Receipt: receiptBody,
  PayloadChanges: changesSchema,
  ...filterShapes,
  CreateAudience: namedAudienceBody.extend({ audience: newAudience }),
  NewAudience: newAudience,
  CountAudience: countBody.extend({ filters: filtersShape }),
  ExplainFilters: explainBody.extend({ filters: filtersShape }),
  RegisterDevice: registrationBody,
  DeviceRegistration: registration,
  IosRegistration: iosRegistration,
  AndroidRegistration: androidRegistration,
  DeviceQuietHours: deviceQuietHours,
  Place: place,
  UpdateDevice: updateBody,
  RegisterDeviceToken: namedTokenBody,
  DeviceUpdate: updateBody.shape.device,
  LookUpDevices: lookUpBody,
  CustomAttributes: customChange,
  CustomAttribute: customAttribute,
  StringAttribute: customAttributes.string,
  IntegerAttribute: customAttributes.integer,
  FloatAttribute: customAttributes.float,
  DateAttribute: customAttributes.date,
  BooleanAttribute: customAttributes.boolean,
  ReportEvents: eventsBody,
  DeviceEvent: eventsBody.shape.events.element,
  UpdateUser: userBody,
  SetQuietHours: quietHoursForm,
  CreateChannel: channelBody,
  CreateBroadcast: broadcastBody,
  CreateWebhook: webhookBody,
  NewWebhook: webhookBody.shape.webhook,
  SetFrequencyCaps: frequencyCapsBody,
  InviteConsoleUser: inviteUserBody,
  ChangeConsoleUser: changeUserBody,
  CreateKey: newKeyBody,
  ApnsCredentials: apnsCredentialsBody,
  FcmCredentials: fcmCredentialsBody,
};

const deliveryReply: z.ZodType<DeviceDelivery> = z.strictObject({
  notification_id: idText,
  device_id: idText,
  outcome: z.enum([...outcomeKinds, 'pending', 'not_targeted']),
  reason: z.string().nullable().describe('The code or text with which the gateway refused the push.'),
  variant: z
    .string()
    .nullable()
    .describe(
      'The variant of the device, or `hold_out`; null without an outcome, or if the notification is no A/B test.',
    ),
  at: timeText.nullable().describe('Null until there is an outcome.'),
  apns_unique_id: apnsUniqueId,
});

const previewReply = z.strictObject({
  refusal: errorReply
    .extend({ status: z.int().min(400).max(499) })
    .meta({ id: 'PreviewRefusal' })
    .nullable()
    .describe('The reply with which creation would refuse the notification; null if it would accept it.'),
  compiled: compiledPreview
    .nullable()
    .describe('Null if a fault of the payload or of its options prevents compiling.'),
  warnings: warningsReply,
});

const upOrDown = z.enum(['up', 'down']);

const readinessReply = z.strictObject({
  status: upOrDown.describe('`up` if calls are accepted and pushes delivered.'),
  database: upOrDown,
  queue: upOrDown,
  reason: z.string().optional().describe('One sentence for a person, if something is down.'),
});

const replySchemas = {
  CreatedNotification: createdReply,
  CreatedNotifications: z.array(batchEntry),
  BatchEntry: batchEntry,
  StoredBatchEntry: storedEntry,
  RefusedBatchEntry: refusedEntry,
  NotificationPreview: previewReply,
  QuietHours: quietHoursForm,
  PlannedWaves: plannedWavesReply,
  Notification: notificationReply,
  NotificationList: listReply,
  NewerNotifications: newerReply,
  NotificationReport: reportReply,
  AudienceLocales: audienceLocalesReply,
  NotificationProgress: progressReply,
  ReportedReceipts: receiptsReply,
  Delivery: deliveryReply,
  DeliveryList: searchReply,
  FoundDelivery: foundDelivery,
  DeliveryExplanation: deliveryExplanationReply,
  NotificationStats: statsReply,
  OneAudience: audienceReply,
  AudienceList: audienceListReply,
  ListedAudience: audienceListReply.shape.audiences.element,
  AudienceDevices: audienceDevicesReply,
  AudienceUses: audienceUsesReply,
  Explanation: explanationReply,
  DeviceCount: countReply,
  FilterCounts: filterCountsReply,
  DeviceSample: deviceSampleReply,
  DeviceMap: deviceMapReply,
  Device: deviceReply,
  RegisteredDevice: redactedDeviceReply,
  OneDevice: z.strictObject({ device: deviceReply }),
  FoundDevices: lookUpReply,
  PushTokenState: tokenStateReply,
  DeviceTokens: namedTokensReply,
  DeviceOutcomes: historyReply,
  DeviceOutcome: pastOutcome,
  ImportResult: importReply,
  UserDevices: userReply,
  OneChannel: z.strictObject({ channel: channelReply }),
  ChannelList: channelListReply,
  ChannelDetail: channelDetailReply,
  ChannelComparison: comparisonReply,
  ChannelBroadcast: z.strictObject({ broadcast: broadcastReply }),
  OneWebhook: z.strictObject({ webhook: webhookReply }),
  CreatedWebhook: z.strictObject({ webhook: newWebhookReply }),
  WebhookList: z.strictObject({ webhooks: z.array(webhookReply) }),
  WebhookDeliveryList: z.strictObject({ deliveries: z.array(webhookDeliveryReply) }),
  ConsoleUserList: appUsersReply,
  ConsoleUser: oneUserReply,
  InvitedConsoleUser: invitedUserReply,
  ConsoleInvite: newInviteReply,
  ConsoleSessionList: userSessionsReply,
  WebhookTest: z.strictObject({ id: idText.describe('The id of the event in the list of deliveries.') }),
  AuditList: auditListReply,
  AuditEntry: auditEntryReply,
  App: readinessOfAppReply,
  Overview: overviewReply,
  FrequencyCaps: frequencyCapsBody,
  KeyList: z.strictObject({ keys: z.array(keyReply) }),
  CreatedKey: z.strictObject({ key: newKeyReply }),
  Credentials: credentialsReply,
  StoredCredentials: storedCredentialsReply,
  ResumedRoute: z.strictObject({ was_paused: z.boolean() }),
  Liveness: z.strictObject({ status: z.literal('up') }),
  Readiness: readinessReply,
  Nothing: z.strictObject({}),
  ApiDocument: z.looseObject({ openapi: z.string() }).describe('OpenAPI 3.1'),
  Error: errorReply,
  Fault: faultReply,
};

export type RequestName = keyof typeof requestSchemas;
export type ReplyName = keyof typeof replySchemas;

const PREFIX = '#/components/schemas/';
/** A schema of the document has neither. */
const dialectKeys: ReadonlySet<string> = new Set(['$schema', '$id']);

/** The reference to a schema in the document. */
export function refTo(name: RequestName | ReplyName): string {
  return `${PREFIX}${name}`;
}

/** Every named schema; they refer to each other by name. @throws {Error} if two have one name */
export function namedSchemas(): Record<string, JsonSchema> {
  const inRequests = convert(requestSchemas, 'input');
  const inReplies = convert(replySchemas, 'output');
  for (const [name, schema] of Object.entries(inReplies)) {
    const other = inRequests[name];
    if (other !== undefined && JSON.stringify(other) !== JSON.stringify(schema)) {
      throw new Error(`the schema ${name} is not the same in requests and in replies`);
    }
  }
  return { ...inRequests, ...inReplies };
}

/** The JSON Schema of the value to which the text of a parameter is parsed. */
export function parameterSchema(schema: z.core.$ZodType): JsonSchema {
  const { $schema: _dialect, ...converted } = z.toJSONSchema(schema, {
    io: 'output',
    unrepresentable: 'any', // a transform has no JSON Schema; `meta` gives the type of its result
  });
  return converted;
}

function convert(
  named: Readonly<Record<string, z.ZodType>>,
  io: 'input' | 'output',
): Record<string, JsonSchema> {
  const registry = z.registry<{ id: string }>();
  for (const [id, schema] of Object.entries(named)) registry.add(schema, { id });
  const { schemas } = z.toJSONSchema(registry, { io, uri: (id) => `${PREFIX}${id}`, override });
  // Schemas with an id of their own (`meta({ id })`) come as `__shared`.
  const { __shared: shared, ...own } = schemas;
  const all = { ...own, ...shared?.$defs };
  const text = JSON.stringify(all, (key, value: unknown) => (dialectKeys.has(key) ? undefined : value));
  const converted: Record<string, JsonSchema> = JSON.parse(
    text.replaceAll(`${PREFIX}__shared#/$defs/`, PREFIX),
  );
  return converted;
}

/** Drops limits that restrict nothing, calls a whole number by that name, and shortens `anyOf` with null to a list of types. */
function override({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.minLength === 0) delete jsonSchema.minLength;
  if (Number.isInteger(jsonSchema.const)) jsonSchema.type = 'integer';
  const [value, orNull, ...others] = jsonSchema.anyOf ?? [];
  if (orNull?.type !== 'null' || others.length > 0 || value?.type === undefined) return;
  if (value.type === 'object' || value.type === 'array') return; // easier to read as `anyOf`
  if (value.enum !== undefined || value.const !== undefined) return; // these would exclude null
  delete jsonSchema.anyOf;
  Object.assign(jsonSchema, { ...value, ...jsonSchema, type: [value.type, 'null'] });
}
