/** The sections of docs/api.md about devices, users and events, after the first push of README.md. */
import type { Carillon } from '@carillon/client';
import { show } from './show.ts';

export async function firstPush(carillon: Carillon): Promise<void> {
  await carillon.registerDevice({
    device: {
      platform: 'iOS',
      push_token: '00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0',
      locale: 'fr_FR',
      app_version: '2.1',
      tags: ['beta'],
      custom: { plan: { type: 'string', value: 'gold' } },
    },
  });
  await carillon.createNotification({
    notification: {
      to: [
        { name: 'locale', criteria: ['fr_FR', 'fr_CA'] },
        { name: 'app_version', criteria: [{ gte: '2.0' }] },
        { name: 'custom.string.plan', criteria: ['free'], not_filter: true },
      ],
      payload: { alert: 'Bonjour !', sound: 'bell.caf', order_id: 4711 },
    },
  });
}

/** @returns the id of the device */
export async function registerDevices(carillon: Carillon): Promise<string> {
  const registered = await carillon.registerDevice({
    device: {
      platform: 'Android',
      push_token: 'fGhJ7kQ2:APA91bF-sample',
      locale: 'en_GB',
      time_zone: 'Europe/London',
      os_name: 'Android',
      os_version: '16',
      app_version: '2.10.1',
      marketing_name: 'Pixel 10',
      user_id: 'user-17',
      notifications_allowed: 'Enabled',
      tags: ['beta', 'news'],
      location: { latitude: 51.5072, longitude: -0.1276 },
      custom: {
        visits: { type: 'integer', value: 41 },
        teams: { type: 'string', value: ['reds', 'blues'] },
      },
    },
  });
  show('Devices > Register a device', registered);
  const { id } = registered.device;

  const { device } = await carillon.readDevice(id);
  show('Devices > Read a device', device.tags);

  const found = await carillon.lookUpDevices({ query: 'user-17' });
  show(
    'Devices > Look a device up',
    found.devices.map(({ match }) => match),
  );
  show('Devices > Read the state of its push token', await carillon.readPushToken(id));
  show('Devices > List its pushes', await carillon.listDevicePushes(id));

  const updated = await carillon.updateDevice(id, {
    device: { app_version: '2.11', tags: ['news'], custom: { visits: { type: 'integer', value: 42 } } },
  });
  show('Devices > Update a device', updated);

  const unused = await carillon.registerDevice({
    device: { platform: 'Android', push_token: 'an-old-token' },
  });
  show('Devices > Erase a device', await carillon.eraseDevice(unused.device.id));

  show(
    'Devices > Import devices',
    await carillon.importDevices([
      { platform: 'Android', push_token: 'imported-1', locale: 'de_DE', tags: ['news'] },
      { platform: 'Android', push_token: 'imported-2', locale: 'Deutsch' },
      { platform: 'Android', push_token: 'null' },
    ]),
  );

  return id;
}

export async function reportEvents(carillon: Carillon, deviceId: string): Promise<void> {
  await carillon.reportDeviceEvents(deviceId, {
    events: [
      { name: 'purchase' },
      { name: 'purchase', date: '2026-11-20T18:30:00Z' },
      { name: 'viewed_offer', source: 'Mixpanel' },
    ],
  });
  await carillon.reportUserEvents('user-17', { events: [{ name: 'renewed' }] });
  show('Users and events > Report events', {});

  const custom = { plan: { type: 'string', value: 'gold' } } as const;
  show(
    'Users and events > Set custom attributes of a user',
    await carillon.updateUser('user-17', { user: { custom } }),
  );
  show('Users and events > List the pushes of a user', await carillon.listUserPushes('user-17'));
}
