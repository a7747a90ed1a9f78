/** Creates, lists and removes the webhooks of an app. A webhook's secret is shown once. */
import { randomUUID } from 'node:crypto';
import { type Kysely, type Selectable, sql } from 'kysely';
import { z } from 'zod';
import { seal, type SealContext, type SecretKey, unseal } from '../apps/seal.ts';
import type { Author } from '../audit/author.ts';
import { inTransaction, recordChange } from '../audit/record.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { ApiError, invalidRequest } from '../api/errors.ts';
import { parseBy, text } from '../api/parse.ts';
import { idText, timeText } from '../api/reply.ts';
import { isUuid } from '../uuid.ts';
import { endpointFault } from './endpoint.ts';
import { makeSecret } from './sign.ts';

const eventTypes = ['notification.sent', 'notification.failed', 'device.unregistered'] as const;
const EVENTS_RULE = `must be a list of one or more of ${eventTypes.join(', ')}`;
const URL_CHARACTERS_MAX = 2_048;
const WEBHOOKS_PER_APP = 10;

export const webhookBody = z
  .strictObject({
    webhook: z
      .strictObject({
        url: text(URL_CHARACTERS_MAX, 1).meta({
          pattern: '^[Hh][Tt][Tt][Pp][Ss]?://', // `http` where private addresses are allowed
          description: 'The URL that events are sent to: `https`, with a public address.',
        }),
        events: z.array(z.enum(eventTypes, EVENTS_RULE), EVENTS_RULE).min(1, EVENTS_RULE),
      })
      .meta({ id: 'NewWebhook' }),
  })
  .meta({ id: 'CreateWebhook' });

const WAITING_COUNTED_MAX = 1_000;

export const webhookReply = z
  .strictObject({
    id: idText,
    url: z.string(),
    events: z.array(z.enum(eventTypes)),
    created_at: timeText,
    failing_since: timeText
      .nullable()
      .describe('When its receiver refused an event or did not answer; null once it has accepted one.'),
    last_failure: z.string().nullable().describe('Such as `status 500` or `timeout`; null as above.'),
    waiting_events: z
      .int()
      .describe(`The events that are still to be sent to it, counted up to ${WAITING_COUNTED_MAX}.`),
  })
  .meta({ id: 'Webhook' });

export const newWebhookReply = webhookReply
  .extend({
    secret: z
      .string()
      .describe('The key that signs the events. Only this reply contains it; it cannot be read again.'),
  })
  .meta({ id: 'WebhookWithSecret' });

type WebhookJson = z.output<typeof webhookReply>;

/** `{"webhook": {"url", "events"}}`. @throws {ApiError} `invalid_request` */
export function parseWebhookBody(body: unknown, allowPrivate: boolean): { url: string; events: string[] } {
  const { url, events } = parseBy(webhookBody, body).webhook;
  const fault = endpointFault(url, allowPrivate);
  if (fault !== undefined) throw invalidRequest([{ path: 'webhook.url', message: fault }]);
  return { url, events: eventTypes.filter((type) => events.includes(type)) };
}

/** The context of a sealed webhook secret: it can be decrypted only for the same app and webhook. */
export function sealContext(appId: string, webhookId: string): SealContext {
  return { appId, kind: `webhook ${webhookId}` };
}

/** @throws {ApiError} `invalid_request` if the app has the maximum number of webhooks */
export async function createWebhook(
  db: Kysely<Database>,
  sealingKey: SecretKey,
  { appId, url, events }: { appId: string; url: string; events: string[] },
  clock: Clock,
  author?: Author,
): Promise<z.output<typeof newWebhookReply>> {
  const row = { id: randomUUID(), url, events, created_at: clock() };
  const secret = makeSecret();
  await db.transaction().execute(async (transaction) => {
    // Serialises concurrent calls, so that together they do not exceed the maximum.
    await transaction.selectFrom('apps').select('id').where('id', '=', appId).forNoKeyUpdate().execute();
    const present = await transaction
      .selectFrom('webhooks')
      .select('id')
      .where('app_id', '=', appId)
      .limit(WEBHOOKS_PER_APP)
      .execute();
    if (present.length === WEBHOOKS_PER_APP) {
      const message = `is one too many: an app can have at most ${WEBHOOKS_PER_APP}; remove one first`;
      throw invalidRequest([{ path: 'webhook', message }]);
    }
    const sealed = seal(sealingKey, secret, sealContext(appId, row.id));
    await transaction
      .insertInto('webhooks')
      .values({ ...row, app_id: appId, sealed_secret: sealed })
      .execute();
    const after = { url: hostOf(url), events };
    const change = { appId, action: 'webhook.created', objectId: row.id, after } as const;
    await recordChange(transaction, author, change, clock);
  });
  return { ...webhookJson({ ...row, failing_since: null, last_failure: null, waiting_events: 0 }), secret };
}

/** The oldest first. */
export async function listWebhooks(db: Kysely<Database>, appId: string): Promise<WebhookJson[]> {
  const rows = await webhooksOf(db, appId).orderBy('created_at').orderBy('id').execute();
  return rows.map(webhookJson);
}

/** @throws {ApiError} `not_found` */
export async function readWebhook(db: Kysely<Database>, appId: string, id: string): Promise<WebhookJson> {
  if (!isUuid(id)) throw noSuchWebhook();
  const row = await webhooksOf(db, appId).where('id', '=', id).executeTakeFirst();
  if (row === undefined) throw noSuchWebhook();
  return webhookJson(row);
}

function webhooksOf(db: Kysely<Database>, appId: string) {
  return db
    .selectFrom('webhooks')
    .select(['id', 'url', 'events', 'created_at', 'failing_since', 'last_failure'])
    .select(
      sql<string>`(select count(*) from (
        select from webhook_deliveries as waiting
        where waiting.app_id = webhooks.app_id and waiting.webhook_id = webhooks.id and waiting.state = 'waiting'
        limit ${WAITING_COUNTED_MAX}) as counted)`.as('waiting_events'),
    )
    .where('app_id', '=', appId);
}

/** Removes a webhook and all its deliveries, even waiting ones. @throws {ApiError} `not_found` */
export async function removeWebhook(
  db: Kysely<Database>,
  appId: string,
  id: string,
  clock: Clock,
  author?: Author,
): Promise<void> {
  if (!isUuid(id)) throw noSuchWebhook();
  await inTransaction(db, async (transaction) => {
    const removed = await transaction
      .deleteFrom('webhooks')
      .where('app_id', '=', appId)
      .where('id', '=', id)
      .returning(['url', 'events'])
      .executeTakeFirst();
    if (removed === undefined) throw noSuchWebhook();
    const before = { url: hostOf(removed.url), events: removed.events };
    const change = { appId, action: 'webhook.removed', objectId: id, before } as const;
    await recordChange(transaction, author, change, clock);
  });
}

/** The address without its path and query, which may hold a secret of the receiver. */
function hostOf(url: string): string {
  return new URL(url).origin;
}

/**
 * Encrypts all webhook secrets with the current key after SECRET_KEY was replaced. Run it in a transaction.
 * @returns the number of secrets
 * @throws {Error} if a secret can be decrypted with neither the current nor the previous key
 */
export async function resealWebhookSecrets(db: Kysely<Database>, sealingKey: SecretKey): Promise<number> {
  const rows = await db
    .selectFrom('webhooks')
    .select(['app_id', 'id', 'sealed_secret'])
    .orderBy('app_id')
    .orderBy('id')
    .forUpdate()
    .execute();
  for (const { app_id: appId, id, sealed_secret: sealed } of rows) {
    const context = sealContext(appId, id);
    await db
      .updateTable('webhooks')
      .set({ sealed_secret: seal(sealingKey, unseal(sealingKey, sealed, context), context) })
      .where('app_id', '=', appId)
      .where('id', '=', id)
      .execute();
  }
  return rows.length;
}

function noSuchWebhook(): ApiError {
  return new ApiError('not_found', { message: 'There is no such webhook.' });
}

type WebhookRow = Omit<Selectable<Database['webhooks']>, 'app_id' | 'sealed_secret'> & {
  waiting_events: string | number;
};

function webhookJson(row: WebhookRow): WebhookJson {
  return {
    ...row,
    events: eventTypes.filter((type) => row.events.includes(type)),
    created_at: row.created_at.toISOString(),
    failing_since: row.failing_since?.toISOString() ?? null,
    waiting_events: Number(row.waiting_events),
  };
}
