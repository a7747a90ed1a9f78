/** The sections of docs/api.md about following a notification. */
import { type Carillon, pages } from '@carillon/client';
import { show } from './show.ts';

export async function followNotification(carillon: Carillon, id: string, deviceId: string): Promise<void> {
  let last: unknown;
  for await (const progress of carillon.watchNotification(id)) last = progress;
  show('Follow a notification > Watch it', last);
  show('Follow a notification > Read it', await carillon.readNotification(id));

  const ids: string[] = [];
  for await (const { notifications } of pages((at) => carillon.listNotifications({ per: 1, ...at }))) {
    ids.push(...notifications.map((notification) => notification.id));
  }
  show('Follow a notification > List them', ids);

  const { meta } = await carillon.listNotifications({ per: 1 });
  const newer = await carillon.countNewerNotifications({ than: meta.newest ?? '' });
  show('Follow a notification > Count newer ones', newer);
  show('Follow a notification > Ask why devices did not get it', await carillon.readNotificationReport(id));
  show('Follow a notification > Ask what became of one device', await carillon.readDelivery(id, deviceId));
  show(
    'Follow a notification > Ask why a device did not get it',
    await carillon.explainDelivery(id, deviceId),
  );
  const found = await carillon.searchDeliveries(id, { outcome: 'accepted', per: 1 });
  show('Follow a notification > Find devices by outcome', found);
  for await (const { device_id: accepted } of carillon.exportDeliveries(id, { outcome: 'accepted' })) {
    if (accepted !== deviceId) throw new Error('there is one device');
  }

  await carillon.reportOpen(id, { device_id: deviceId });
  show('Follow a notification > Report that it was opened', {});
  const received = await carillon.reportReceipts([
    { notification: id, device: deviceId, shown: true },
    { notification: "last week's", device: deviceId },
  ]);
  show('Follow a notification > Report that it was received', received);
  show('Follow a notification > Read its numbers', await carillon.readNotificationStats(id));

  const soon = new Date(Date.now() + 3_600_000).toISOString();
  const later = await carillon.createNotification({
    notification: { to: '*', deliver_at: soon, payload: { alert: 'Soon' } },
  });
  show('Follow a notification > Cancel it', await carillon.cancelNotification(later.id));
}
