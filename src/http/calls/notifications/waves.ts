/** The call that lists when a notification would be sent, and to how many devices. */
import { z } from 'zod';
import { planWaves } from '../../../delivery/waves/plan-waves.ts';
import type { Wave } from '../../../delivery/waves/wave.ts';
import { plannedWave, plannedWaveFrom } from '../../../notifications/moment/wave-reply.ts';
import { sendingRulesFrom, timeToLiveOf } from '../../../notifications/message.ts';
import { parseRequest } from '../../../notifications/request.ts';
import { count } from '../../../api/reply.ts';
import { createNotificationBody } from '../../openapi/notification-request.ts';
import { callsWithKey, jsonReply } from '../../call.ts';
import { abortOnDisconnect } from '../../connection.ts';
import { filtersOfTarget } from '../audiences/counting.ts';
import { notificationRequest } from '../samples.ts';

const plannedWaves = {
  devices: 1,
  waves: [
    {
      due_at: '2026-12-24T09:00:00.000Z',
      action: 'send',
      reason: null,
      spread_seconds: 0,
      time_zones: ['Europe/London'],
      devices: 1,
      without_time_zone: 0,
      by_own_quiet_hours: 0,
    },
  ],
};

const plannedWavesReply = z
  .strictObject({
    devices: count.describe('The devices of all waves.'),
    waves: z.array(plannedWave).describe('Sorted by time.'),
  })
  .meta({ id: 'PlannedWaves' });

export const planWavesCall = callsWithKey('Notifications')({
  id: 'planNotificationWaves',
  address: 'POST /v6/notifications/waves',
  repeat: 'reads',
  readsReplica: true,
  summary: 'Preview the waves of a notification: when it would be sent, and to how many devices',
  description:
    'Takes the body of a create request, counts its devices by the moment at which each would be due (`deliver_at_local`, `quiet_hours`), and ' +
    'stores nothing. A notification without such a key has one wave.',
  scopes: ['read'],
  body: {
    schema: createNotificationBody,
    example: {
      notification: {
        ...notificationRequest.notification,
        deliver_at_local: { time: '2026-12-24T09:00:00', no_time_zone: 'Europe/Berlin' },
      },
    },
  },
  replies: [jsonReply(200, 'The waves that planning would make now.', plannedWavesReply, plannedWaves)],
  errors: ['not_found'],
  parse: (body) => body,
  handle: async (deps, { caller: { appId, quietHours }, body, reply }) => {
    const { db, clock, countLimiter } = deps;
    const now = clock();
    const { target, deliverAt, moment, content } = parseRequest(body, now, quietHours);
    const filters = await filtersOfTarget(deps, appId, target);
    const dueAt = deliverAt !== null && deliverAt > now ? deliverAt : now;
    const signal = abortOnDisconnect(reply);
    const { waves } = await countLimiter.run(
      async () =>
        planWaves(db, {
          appId,
          filters,
          moment: moment ?? { dueAt: null, spreadMs: 0 },
          timeToLiveSeconds: timeToLiveOf(content),
          ignoresOwnHours: sendingRulesFrom(content).ignoresOwnHours,
          createdAt: now,
          dueAt,
          now,
          signal,
        }),
      signal,
    );
    return {
      devices: waves.reduce((sum, { devices }) => sum + devices, 0),
      waves: waves.map((wave) =>
        plannedWaveFrom({
          due_at: wave.dueAt,
          action: wave.action,
          reason: wave.reason,
          spread_ms: wave.spreadMs,
          zones: zonesOf(wave),
          devices: wave.devices,
          without_zone: wave.withoutZone,
          by_own_hours: wave.byOwnHours,
        }),
      ),
    };
  },
});

function zonesOf({ zones, ownHours }: Pick<Wave, 'zones' | 'ownHours'>): string[] {
  const own = ownHours.map((key) => key.slice(0, key.indexOf(' '))).filter((zone) => zone !== '');
  return [...new Set([...zones, ...own])];
}
