/** One cause why a device did not get a notification, or did not show it. */
import { z } from 'zod';
import { timeText } from '../../api/reply.ts';

/**
 * In the order in which a notification meets them: its own state, the audience, the token, the route, the gateway, the
 * phone.
 */
export const causeCodes = [
  'opened',
  'scheduled',
  'dry_run',
  'canceled',
  'failed',
  'waits_for_wave',
  'held',
  'sending',
  'outcome_not_kept',
  'device_erased',
  'device_unknown',
  'device_younger',
  'not_in_audience',
  'changed_since',
  'no_token',
  'no_named_token',
  'token_set_aside',
  'token_retired',
  'token_moved',
  'token_is_back',
  'no_credentials',
  'credentials_refused',
  'route_paused',
  'expired',
  'left_out',
  'capped',
  'refused',
  'token_refused',
  'not_answered',
  'accepted',
  'notifications_disabled',
  'nothing_to_show',
  'time_to_live',
  'low_priority',
  'replaced',
  'app_draws',
  'fallback_text',
] as const;

export type CauseCode = (typeof causeCodes)[number];

export const causeReply = z
  .strictObject({
    code: z.enum(causeCodes),
    sentence: z.string().describe('The cause in a sentence for people. It may change.'),
    at: timeText.nullable().describe('The time that the sentence is about, if there is one.'),
  })
  .meta({ id: 'DeliveryCause' });

export type Cause = z.output<typeof causeReply>;

export function cause(code: CauseCode, sentence: string, at?: Date | string | null): Cause {
  return { code, sentence, at: at instanceof Date ? at.toISOString() : (at ?? null) };
}
