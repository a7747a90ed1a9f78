/** The named schemas of bodies and replies, and their conversion to JSON Schema. */
import { z } from 'zod';
import { type DeviceDelivery } from '../../delivery/outcomes/device-outcome.ts';
import { outcomeKinds } from '../../delivery/outcomes/packed.ts';
import { customChange } from '../../devices/custom-attributes.ts';
import { deviceReply } from '../../devices/device.ts';
import { registration, registrationBody, updateBody } from '../../devices/device-schema.ts';
import { eventsBody } from '../../devices/events/record-events.ts';
import { importReply } from '../../devices/import/report.ts';
import { instant } from '../../instant.ts';
import { userBody, userReply } from '../../devices/users.ts';
import { BATCH_MAX } from '../../notifications/create-batch.ts';
import { idempotencyKey } from '../../notifications/idempotency.ts';
import { listReply } from '../../notifications/list.ts';
import { payloadSchema } from '../../notifications/payload.ts';
import { createdReply, notificationReply } from '../../notifications/notification-reply.ts';
import { notificationKeys } from '../../notifications/request.ts';
import { statsReply } from '../../notifications/stats.ts';
import { deviceTarget, storedTarget, userTarget } from '../../notifications/target.ts';
import { idText, timeText } from '../../reply.ts';
import { webhookDeliveryReply } from '../../webhooks/deliveries.ts';
import { newWebhookReply, webhookBody, webhookReply } from '../../webhooks/webhooks.ts';
import { countBody, namedAudienceBody } from '../calls/audience-body.ts';
import {
  audienceDevicesReply,
  audienceListReply,
  audienceReply,
  countReply,
  explanationReply,
} from '../calls/audience-reply.ts';
import { redactedDeviceReply } from '../calls/device-reply.ts';
import { batchEntry } from '../calls/notification-batch-reply.ts';
import { errorReply } from '../error-reply.ts';
import { criterionShape, filterShape, filtersShape } from './filter-shape.ts';

/** The part of JSON Schema 2020-12 that zod generates. */
export type JsonSchema = z.core.JSONSchema.BaseSchema;

const target = z
  .union([
    z.literal('*').describe('Every device of the app.'),
    z.string().describe('The id of a stored audience.'),
    storedTarget,
    deviceTarget,
    userTarget,
    filtersShape,
  ])
  .describe('The devices that the notification is for.');

const notificationRequest = notificationKeys.extend({
  to: target,
  payload: payloadSchema,
  deliver_at: instant
    .describe(
      'ISO 8601, at most 30 days ahead. Without it, or with a time in the past, the notification is sent at once.',
    )
    .optional(),
});

const batchItem = z.strictObject({
  notification: notificationRequest,
  idempotency_key: idempotencyKey.optional(),
});

export const openBody = z.strictObject({ device_id: z.string('must be the id of a device') });

const requestSchemas = {
  CreateNotification: z.strictObject({ notification: notificationRequest }),
  CreateNotifications: z.array(batchItem).min(1).max(BATCH_MAX),
  BatchItem: batchItem,
  NotificationRequest: notificationRequest,
  Payload: payloadSchema,
  ReportOpen: openBody,
  Filter: filterShape,
  Criterion: criterionShape,
  CreateAudience: namedAudienceBody.extend({
    audience: namedAudienceBody.shape.audience.extend({ filters: filtersShape }),
  }),
  CountAudience: countBody.extend({ filters: filtersShape }),
  RegisterDevice: registrationBody,
  DeviceRegistration: registration,
  UpdateDevice: updateBody,
  CustomAttributes: customChange,
  ReportEvents: eventsBody,
  UpdateUser: userBody,
  CreateWebhook: webhookBody,
};

const deliveryReply: z.ZodType<DeviceDelivery> = z.strictObject({
  notification_id: idText,
  device_id: idText,
  outcome: z.enum([...outcomeKinds, 'pending', 'not_targeted']),
  reason: z.string().nullable().describe('The code or text with which the gateway refused the push.'),
  at: timeText.nullable().describe('Null until there is an outcome.'),
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
  Notification: notificationReply,
  NotificationList: listReply,
  Delivery: deliveryReply,
  NotificationStats: statsReply,
  Audience: audienceReply,
  AudienceList: audienceListReply,
  AudienceDevices: audienceDevicesReply,
  Explanation: explanationReply,
  DeviceCount: countReply,
  Device: deviceReply,
  RegisteredDevice: redactedDeviceReply,
  OneDevice: z.strictObject({ device: deviceReply }),
  ImportResult: importReply,
  UserDevices: userReply,
  Webhook: z.strictObject({ webhook: webhookReply }),
  CreatedWebhook: z.strictObject({ webhook: newWebhookReply }),
  WebhookList: z.strictObject({ webhooks: z.array(webhookReply) }),
  WebhookDeliveryList: z.strictObject({ deliveries: z.array(webhookDeliveryReply) }),
  WebhookTest: z.strictObject({ id: idText.describe('The id of the event in the list of deliveries.') }),
  Liveness: z.strictObject({ status: z.literal('up') }),
  Readiness: readinessReply,
  Nothing: z.strictObject({}),
  ApiDocument: z.looseObject({ openapi: z.string() }).describe('OpenAPI 3.1'),
  Error: errorReply,
};

export type RequestName = keyof typeof requestSchemas;
export type ReplyName = keyof typeof replySchemas;

/** The reference to a schema in the document. */
export function refTo(name: RequestName | ReplyName): string {
  return `#/components/schemas/${name}`;
}

/** Every named schema; they refer to each other by name. */
export function namedSchemas(): Record<string, JsonSchema> {
  return { ...convert(requestSchemas, 'input'), ...convert(replySchemas, 'output') };
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
  const { schemas } = z.toJSONSchema(registry, { io, uri: (id) => `#/components/schemas/${id}`, override });
  return Object.fromEntries(
    Object.entries(schemas).map(([id, { $schema: _dialect, $id: _id, ...schema }]) => [id, schema]),
  );
}

/** Drops limits that restrict nothing, and shortens `anyOf` with null to a list of types. */
function override({ jsonSchema }: { jsonSchema: JsonSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
  if (jsonSchema.minLength === 0) delete jsonSchema.minLength;
  const [value, orNull, ...others] = jsonSchema.anyOf ?? [];
  if (orNull?.type !== 'null' || others.length > 0 || value?.type === undefined) return;
  if (value.type === 'object' || value.type === 'array') return; // easier to read as `anyOf`
  if (value.enum !== undefined || value.const !== undefined) return; // these would exclude null
  delete jsonSchema.anyOf;
  Object.assign(jsonSchema, { ...value, ...jsonSchema, type: [value.type, 'null'] });
}
