/** The call that counts the devices of a notification's target. */
import { z } from 'zod';
import { invalidRequest } from '../../../api/errors.ts';
import { filtersOf, parseTarget, type Target } from '../../../notifications/target.ts';
import { faultsOf, isJsonObject, judge } from '../../../api/parse.ts';
import { notificationTarget } from '../../openapi/notification-request.ts';
import { callsWithKey, jsonReply } from '../../call.ts';
import { abortOnDisconnect } from '../../connection.ts';
import { count, countedAudience } from '../audiences/counting.ts';
import { countJson, countReply } from '../audiences/reply.ts';
import { filters } from '../samples.ts';

const targetBody = z.strictObject({ to: z.unknown().optional() }, 'must be an object: {"to"}');
const countNotificationBody = targetBody.extend({ to: notificationTarget }).meta({ id: 'CountNotification' });

export const countNotificationCall = callsWithKey('Notifications')({
  id: 'countNotification',
  method: 'POST',
  path: '/v6/notifications/count',
  repeat: 'reads',
  readsReplica: true,
  summary: 'Count the devices that a notification would go to',
  description: 'Takes every form of `to`. Stores nothing.',
  scopes: ['read'],
  body: { schema: countNotificationBody, example: { to: filters } },
  replies: [jsonReply(200, 'The count at this moment.', countReply, { device_count: 1, reachable_count: 1 })],
  errors: ['not_found'],
  parse: parseBody,
  handle: async (deps, { caller: { appId }, body: target, reply }) => {
    if (target.kind === 'stored') {
      return countJson((await countedAudience(deps, appId, target.audienceId.toLowerCase())).count);
    }
    const selecting = filtersOf(target);
    const counted = await count(deps, appId, selecting, { signal: abortOnDisconnect(reply) });
    return countJson(counted.count);
  },
});

/** Parses `{"to": …}`. @throws {ApiError} `invalid_request` with every fault */
function parseBody(body: unknown): Target {
  const wrapper = judge(targetBody, body);
  const target = isJsonObject(body) ? parseTarget(body['to'], 'to') : undefined;
  if (wrapper.success && target?.value !== undefined) return target.value;
  throw invalidRequest([
    ...(wrapper.error === undefined ? [] : faultsOf(wrapper.error, '')),
    ...(target?.faults ?? []),
  ]);
}
