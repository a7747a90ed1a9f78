/** The sections of docs/api.md about sending, and the hours and caps that an app sets. */
import type { BatchItem, Carillon } from '@carillon/client';
import { show } from './show.ts';

/** @returns the ids of the first notification and of its audience */
export async function sendNotifications(carillon: Carillon): Promise<{ id: string; audienceId: string }> {
  const sent = await carillon.createNotification(
    {
      notification: {
        to: [{ name: 'user_id', criteria: ['user-17'] }],
        payload: { title: 'Order 4711', alert: 'It is on its way.', order_id: 4711 },
        time_to_live: 3600,
        priority: 'high',
      },
    },
    { idempotencyKey: 'order-4711-shipped' }, // without it, the client makes a key
  );
  show('Send a notification', sent);

  const draft = { to: '*', payload: { title: 'Order 4711', alert: 'It is on its way.' }, time_to_live: 3600 };
  const preview = await carillon.previewNotification({ notification: draft });
  show('Send a notification > Preview it', preview);
  show('Send a notification > Count its devices', await carillon.countNotification({ to: '*' }));

  const many: BatchItem[] = [
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
  const entries = await carillon.createNotifications(many);
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
  const goodMorning = { to: '*', payload: { alert: 'Good morning' } };
  await carillon.createNotification({
    notification: {
      ...goodMorning,
      deliver_at_local: { time, no_time_zone: 'Europe/Berlin' },
      spread_over: 'PT15M',
    },
  });
  const waves = await carillon.planNotificationWaves({
    notification: { ...goodMorning, deliver_at_local: { time, no_time_zone: 'skip' } },
  });
  show('Send a notification > At local time', waves);

  const hours = { from: '22:00', to: '08:00', no_time_zone: 'Europe/Berlin', action: 'hold' };
  await carillon.call('PUT', '/v6/app/quiet-hours', { body: { quiet_hours: hours } });
  const none = await carillon.call('PUT', '/v6/app/quiet-hours', { body: { quiet_hours: null } });
  show('Send a notification > Quiet hours', none);

  const { device } = await carillon.updateDevice(deviceId, {
    device: {
      quiet_hours: {
        from: '22:00',
        to: '07:00',
        days: ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday'],
      },
    },
  });
  show('Send a notification > Quiet hours > Quiet hours of a device', device.quiet_hours);
  await carillon.updateDevice(deviceId, { device: { quiet_hours: null } });

  const limits = [
    { at_most: 2, per: 'P1D' },
    { at_most: 5, per: 'P7D' },
  ];
  const body = { frequency_caps: [{ group: 'marketing', by: 'user', limits }] };
  show(
    'Send a notification > Frequency caps',
    await carillon.call('PUT', '/v6/app/frequency-caps', { body }),
  );
}
