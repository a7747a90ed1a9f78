/** What needs attention: the troubles of now, and what went wrong within the last day. */
import { z } from 'zod';
import { routes } from '../../route.ts';
import { idText } from '../../api/reply.ts';
import { type Trouble, troubleCodes } from '../../status/trouble.ts';
import type { Counted } from './hours-store.ts';

const codes = [...troubleCodes, 'pushes_rejected', 'tokens_dead'] as const;

export const attentionReply = z.strictObject({
  code: z
    .enum(codes)
    .describe('The code of a trouble (`GET /v6/status`), `pushes_rejected` or `tokens_dead`.'),
  message: z.string().describe('The problem in sentences, with its numbers.'),
  route: z.enum(routes).nullable().describe('The route concerned, if it is one.'),
  webhook_id: idText.nullable().describe('The webhook concerned, for `webhook_failing`.'),
});
type Attention = z.output<typeof attentionReply>;

/** A few rejected pushes are normal, and so is a high share of very few pushes. */
const REJECTED = { share: 0.05, least: 10 };
/** Apps are uninstalled all the time; after a new release or a reset of phones, many tokens die at once. */
const DEAD = { share: 0.1, least: 100 };

/** The counts are those of the last 24 hours. */
export function attentionTo(
  troubles: readonly Trouble[],
  { accepted, rejected, unregistered }: Pick<Counted, 'accepted' | 'rejected' | 'unregistered'>,
): Attention[] {
  const found = troubles.map(({ code, what, effect, remedy, route, webhook_id }): Attention => ({
    code,
    message: `${what} ${effect} ${remedy}`,
    route,
    webhook_id,
  }));
  const all = accepted + rejected + unregistered;
  const isMuch = (count: number, { share, least }: typeof REJECTED): boolean =>
    count >= least && count >= share * all;
  const about = { route: null, webhook_id: null };
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
