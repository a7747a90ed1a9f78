/** The sections of docs/api.md about sending, and the hours and caps that an app sets. */
import type { Carillon, Schemas } from '@carillon/client';
import { show } from './show.ts';

/** @returns the ids of the first notification and of its audience */
export async function sendNotifications(carillon: Carillon): Promise<{ id: string; audienceId: string }> {
  const sent = await carillon.post('/v6/notifications', {
    // Without this header, the client makes a key.
    params: { header: { 'Idempotency-Key': 'order-4711-shipped' } },
    body: {
      notification: {
        to: [{ name: 'user_id', criteria: ['user-17'] }],
        payload: { title: 'Order 4711', alert: 'It is on its way.', order_id: 4711 },
        time_to_live: 3600,
        priority: 'high',
      },
    },
  });
  show('Send a notification', sent);

  const preview = await carillon.post('/v6/notifications/preview', {
    body: {
      notification: {
        to: '*',
        payload: { title: 'Order 4711', alert: 'It is on its way.' },
        time_to_live: 3600,
      },
    },
  });
  show('Send a notification > Preview it', preview);

  const count = await carillon.post('/v6/notifications/count', { body: { to: '*' } });
  show('Send a notification > Count its devices', count);

  const many: Schemas['BatchItem'][] = [
    {
      notification: { to: { user_id: 'user-17' }, payload: { alert: 'Hello Anna' } },
      idempotency_key: 'hello-17',
    },
    {
      notification: {
        to: { audience: 'b7a1f6de-2f6b-4a53-8a36-1b1f7c1f8a11' },
        payload: { alert: 'Hello' },
      },
    },
  ];
  const entries = await carillon.post('/v6/notifications/batch', { body: many });
  show('Send a notification > Send up to 1,000 in one call', entries);
  // Any number of them, in batches:
  for await (const { line, status } of carillon.sendMany(many)) {
    if (status !== 201 && line !== 2) throw new Error(`item ${line} was refused: ${status}`);
  }
  return { id: sent.id, audienceId: sent.to.id };
}

export async function setMoments(carillon: Carillon, deviceId: string): Promise<void> {
  const day = new Date(Date.now() + 3 * 86_400_000).toISOString().slice(0, 10);
  const time = `${day}T09:00:00`;
  await carillon.post('/v6/notifications', {
    body: {
      notification: {
        to: '*',
        payload: { alert: 'Good morning' },
        deliver_at_local: { time, no_time_zone: 'Europe/Berlin' },
        spread_over: 'PT15M',
      },
    },
  });
  const waves = await carillon.post('/v6/notifications/waves', {
    body: {
      notification: {
        to: '*',
        payload: { alert: 'Good morning' },
        deliver_at_local: { time, no_time_zone: 'skip' },
      },
    },
  });
  show('Send a notification > At local time', waves);

  await carillon.put('/v6/app/quiet-hours', {
    body: {
      quiet_hours: {
        from: '22:00',
        to: '08:00',
        no_time_zone: 'Europe/Berlin',
        action: 'hold',
        release_over: 'PT15M',
      },
    },
  });
  show(
    'Send a notification > Quiet hours',
    await carillon.put('/v6/app/quiet-hours', { body: { quiet_hours: null } }),
  );

  const params = { path: { device_id: deviceId } };
  const { device } = await carillon.put('/v6/devices/{device_id}', {
    params,
    body: {
      device: {
        quiet_hours: {
          from: '22:00',
          to: '07:00',
          days: ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday'],
        },
      },
    },
  });
  show('Send a notification > Quiet hours > Quiet hours of a device', device.quiet_hours);
  await carillon.put('/v6/devices/{device_id}', { params, body: { device: { quiet_hours: null } } });

  const caps = await carillon.put('/v6/app/frequency-caps', {
    body: {
      frequency_caps: [
        {
          group: 'marketing',
          by: 'user',
          limits: [
            { at_most: 2, per: 'P1D' },
            { at_most: 5, per: 'P7D' },
          ],
        },
      ],
    },
  });
  show('Send a notification > Frequency caps', caps);
}
