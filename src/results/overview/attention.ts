/** Finds what needs attention, in data that is kept anyway and at a cost that does not grow with the app. */
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Database } from '../../db/tables.ts';
import { readReadiness } from '../../delivery/routes/readiness.ts';
import { countTroubled, type Troubled, troubledInWords } from '../../db/state/troubled-notifications.ts';
import { type Route, routes } from '../../route.ts';
import { idText } from '../../api/reply.ts';
import { listFailingWebhooks } from '../../webhooks/failing.ts';
import type { Counted } from './hours-store.ts';

const codes = [
  'credentials_missing',
  'route_paused',
  'pushes_rejected',
  'tokens_dead',
  'webhook_failing',
  'notifications_troubled',
] as const;

export const attentionReply = z.strictObject({
  code: z.enum(codes),
  message: z.string().describe('The problem in a sentence, with its numbers.'),
  route: z
    .enum(routes)
    .nullable()
    .describe('The route concerned, for `credentials_missing` and `route_paused`.'),
  webhook_id: idText.nullable().describe('The webhook concerned, for `webhook_failing`.'),
});
export type Attention = z.output<typeof attentionReply>;

const names: Readonly<Record<Route, string>> = {
  apns_production: 'Apple',
  apns_sandbox: 'Apple’s sandbox',
  fcm: 'Google',
};

/** A few rejected pushes are normal, and so is a high share of very few pushes. */
const REJECTED = { share: 0.05, least: 10 };
/** Apps are uninstalled all the time; after a new release or a reset of phones, many tokens die at once. */
const DEAD = { share: 0.1, least: 100 };

/** @param day what happened within the last 24 hours */
export async function findAttention(
  db: Kysely<Database>,
  appId: string,
  day: Pick<Counted, 'accepted' | 'rejected' | 'unregistered'>,
): Promise<Attention[]> {
  const [{ app }, webhooks, troubled] = await Promise.all([
    readReadiness(db, appId),
    listFailingWebhooks(db, appId),
    countTroubled(db, appId),
  ]);
  const ofRoutes = app.routes.flatMap(({ route, has_devices, has_credentials, pause }): Attention[] => {
    const about = { route, webhook_id: null };
    if (has_devices && !has_credentials) {
      const message = `There are devices for ${names[route]}, but no credentials: they get no pushes.`;
      return [{ code: 'credentials_missing', message, ...about }];
    }
    if (pause === null) return [];
    return [
      { code: 'route_paused', message: `Sending to ${names[route]} is paused: ${pause.reason}`, ...about },
    ];
  });
  const ofWebhooks = webhooks.map(({ id, url, lastStatus, lastError }): Attention => {
    const answer = lastStatus === null ? (lastError ?? 'no response') : `status ${lastStatus}`;
    return {
      code: 'webhook_failing',
      message: `The webhook at ${new URL(url).host} does not accept its events: ${answer}.`,
      route: null,
      webhook_id: id,
    };
  });
  return [...ofTroubled(troubled), ...ofRoutes, ...ofPushes(day), ...ofWebhooks];
}

function ofTroubled(troubled: Troubled): Attention[] {
  if (troubled.count === 0) return [];
  const message = `${troubledInWords(troubled)}.`;
  return [{ code: 'notifications_troubled', message, route: null, webhook_id: null }];
}

function ofPushes({
  accepted,
  rejected,
  unregistered,
}: Pick<Counted, 'accepted' | 'rejected' | 'unregistered'>): Attention[] {
  const all = accepted + rejected + unregistered;
  const isMuch = (count: number, { share, least }: typeof REJECTED): boolean =>
    count >= least && count >= share * all;
  const about = { route: null, webhook_id: null };
  const found: Attention[] = [];
  if (isMuch(rejected, REJECTED)) {
    const message = `Within 24 hours, ${rejected} of ${all} pushes were rejected.`;
    found.push({ code: 'pushes_rejected', message, ...about });
  }
  if (isMuch(unregistered, DEAD)) {
    const message = `Within 24 hours, ${unregistered} of ${all} pushes were for dead push tokens, which were retired.`;
    found.push({ code: 'tokens_dead', message, ...about });
  }
  return found;
}
