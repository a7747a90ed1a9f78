/** The sections of docs/api.md about following a notification. */
import { type Carillon, pages } from '@carillon/client';
import { show } from './show.ts';

export async function followNotification(carillon: Carillon, id: string, deviceId: string): Promise<void> {
  const params = { path: { notification_id: id } };
  const ofDevice = { path: { notification_id: id, device_id: deviceId } };

  let last: unknown;
  for await (const progress of carillon.watch(id)) last = progress;
  show('Follow a notification > Watch it', last);
  show(
    'Follow a notification > Read it',
    await carillon.get('/v6/notifications/{notification_id}', { params }),
  );

  const list = await carillon.get('/v6/notifications', { params: { query: { per: 1 } } });
  const ids: string[] = [];
  for await (const { notifications } of pages((at) =>
    carillon.get('/v6/notifications', { params: { query: { per: 1, ...at } } }),
  )) {
    ids.push(...notifications.map((notification) => notification.id));
  }
  show('Follow a notification > List them', ids);

  const than = list.meta.newest ?? '';
  show(
    'Follow a notification > Count newer ones',
    await carillon.get('/v6/notifications/newer', { params: { query: { than } } }),
  );
  show(
    'Follow a notification > Ask why devices did not get it',
    await carillon.get('/v6/notifications/{notification_id}/report', { params }),
  );
  show(
    'Follow a notification > Ask what became of one device',
    await carillon.get('/v6/notifications/{notification_id}/deliveries/{device_id}', { params: ofDevice }),
  );
  show(
    'Follow a notification > Ask why a device did not get it',
    await carillon.get('/v6/notifications/{notification_id}/deliveries/{device_id}/explanation', {
      params: ofDevice,
    }),
  );
  show(
    'Follow a notification > Find devices by outcome',
    await carillon.get('/v6/notifications/{notification_id}/deliveries', {
      params: { ...params, query: { outcome: 'accepted', per: 1 } },
    }),
  );
  for await (const { device_id: accepted } of carillon.exportDeliveries(id, { outcome: 'accepted' })) {
    if (accepted !== deviceId) throw new Error('there is one device');
  }
  show(
    'Follow a notification > Report that it was opened',
    await carillon.post('/v6/notifications/{notification_id}/opens', {
      params,
      body: { device_id: deviceId },
    }),
  );
  show(
    'Follow a notification > Report that it was received',
    await carillon.post('/v6/receipts', {
      body: [
        { notification: id, device: deviceId, shown: true },
        { notification: "last week's", device: deviceId },
      ],
    }),
  );
  show(
    'Follow a notification > Read its numbers',
    await carillon.get('/v6/stats/notifications/{notification_id}/events', { params }),
  );

  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const later = await carillon.post('/v6/notifications', {
    body: { notification: { to: '*', deliver_at: soon, payload: { alert: 'Soon' } } },
  });
  show(
    'Follow a notification > Cancel it',
    await carillon.post('/v6/notifications/{notification_id}/cancel', {
      params: { path: { notification_id: later.id } },
    }),
  );
}
