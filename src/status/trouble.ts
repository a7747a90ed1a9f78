/** The codes of troubles, and the form in which they are served. `in-words.ts` has a sentence for each. */
import { z } from 'zod';
import { idText, timeText } from '../api/reply.ts';
import { routes } from '../route.ts';

/** In the order of the list: what stops everything comes first. */
export const troubleCodes = [
  'database_away',
  'disk_full',
  'database_locked',
  'database_read_only',
  'database_busy',
  'database_unusable',
  'no_worker',
  'queue_away',
  'outcomes_unsaved',
  'leases_not_renewed',
  'descriptors_used_up',
  'connections_full',
  'clock_apart',
  'replica_away',
  'gateway_silent',
  'gateway_errors',
  'credentials_refused',
  'route_paused',
  'quota_used_up',
  'credentials_missing',
  'notifications_troubled',
  'notifications_waiting',
  'webhook_failing',
] as const;
export type TroubleCode = (typeof troubleCodes)[number];

export const serverTroubleReply = z.strictObject({
  code: z.enum(troubleCodes),
  since: timeText,
  what: z.string().describe('What happens, in one sentence.'),
  effect: z.string().describe('What it means for pushes.'),
  remedy: z.string().describe('What to do first.'),
});

export const troubleReply = serverTroubleReply
  .extend({
    link: z
      .string()
      .nullable()
      .describe('The screen of the console that helps, below the screens of the app; null if none does.'),
    app: z.string().nullable().describe('The bundle id of the app concerned; null: the whole server.'),
    route: z.enum(routes).nullable(),
    notification_id: idText.nullable().describe('The last of the notifications concerned.'),
    webhook_id: idText.nullable(),
  })
  .meta({ id: 'Trouble' });

export type ServerTrouble = z.output<typeof serverTroubleReply>;
export type TroubleReply = z.output<typeof troubleReply>;

export interface Trouble extends TroubleReply {
  /** Null: it concerns the whole server. */
  appId: string | null;
}

export function withoutApp({ code, since, what, effect, remedy }: Trouble): ServerTrouble {
  return { code, since, what, effect, remedy };
}

export function toReply({ appId: _appId, ...reply }: Trouble): TroubleReply {
  return reply;
}

/** Whether what is due waits while it lasts: nothing, or nothing on its route, is sent. */
const HOLDING: ReadonlySet<TroubleCode> = new Set([
  'database_away',
  'disk_full',
  'database_locked',
  'database_read_only',
  'database_unusable',
  'no_worker',
  'gateway_silent',
  'gateway_errors',
  'credentials_refused',
  'route_paused',
  'quota_used_up',
]);

export function holdsPushes({ code }: Pick<Trouble, 'code'>): boolean {
  return HOLDING.has(code);
}
