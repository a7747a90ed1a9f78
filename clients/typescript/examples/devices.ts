/** The sections of docs/api.md about devices, users and events, after the first push of README.md. */
import type { Carillon } from '@carillon/client';
import { show } from './show.ts';

export async function firstPush(carillon: Carillon): Promise<void> {
  const device = {
    platform: 'iOS',
    push_token: '00fc13adff785122b4ad28809a3420982341241421348097878e577c991de8f0',
    locale: 'fr_FR',
    app_version: '2.1',
    tags: ['beta'],
    custom: { plan: { type: 'string', value: 'gold' } },
  } as const;
  await carillon.post('/v6/devices', { body: { device: { ...device, tags: [...device.tags] } } });
  await carillon.post('/v6/notifications', {
    body: {
      notification: {
        to: [
          { name: 'locale', criteria: ['fr_FR', 'fr_CA'] },
          { name: 'app_version', criteria: [{ gte: '2.0' }] },
          { name: 'custom.string.plan', criteria: ['free'], not_filter: true },
        ],
        payload: { alert: 'Bonjour !', sound: 'bell.caf', order_id: 4711 },
      },
    },
  });
}

/** @returns the id of the device */
export async function registerDevices(carillon: Carillon): Promise<string> {
  const registered = await carillon.post('/v6/devices', {
    body: {
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
    },
  });
  show('Devices > Register a device', registered);
  const params = { path: { device_id: registered.device.id } };

  const { device } = await carillon.get('/v6/devices/{device_id}', { params });
  show('Devices > Read a device', device.tags);

  const found = await carillon.post('/v6/devices/lookup', { body: { query: 'user-17' } });
  show(
    'Devices > Look a device up',
    found.devices.map(({ match }) => match),
  );

  show(
    'Devices > Read the state of its push token',
    await carillon.get('/v6/devices/{device_id}/push-token', { params }),
  );
  show(
    'Devices > List its last outcomes',
    await carillon.get('/v6/devices/{device_id}/outcomes', { params }),
  );

  const update = {
    app_version: '2.11',
    tags: ['news'],
    custom: { visits: { type: 'integer' as const, value: 42 } },
  };
  show(
    'Devices > Update a device',
    await carillon.put('/v6/devices/{device_id}', { params, body: { device: update } }),
  );

  const old = { platform: 'Android', push_token: 'an-old-token' } as const;
  const { device: unused } = await carillon.post('/v6/devices', { body: { device: old } });
  const erased = await carillon.delete('/v6/devices/{device_id}', {
    params: { path: { device_id: unused.id } },
  });
  show('Devices > Erase a device', erased);

  show(
    'Devices > Import devices',
    await carillon.importDevices([
      { platform: 'Android', push_token: 'imported-1', locale: 'de_DE', tags: ['news'] },
      { platform: 'Android', push_token: 'imported-2', locale: 'Deutsch' },
      { platform: 'Android', push_token: 'null' },
    ]),
  );

  const map = await carillon.get('/v6/devices/map', {
    params: { query: { south: 48, west: -5, north: 56, east: 5 } },
  });
  show('Devices > Map devices', map.cells);
  return registered.device.id;
}

export async function reportEvents(carillon: Carillon, deviceId: string): Promise<void> {
  await carillon.post('/v6/devices/{device_id}/events', {
    params: { path: { device_id: deviceId } },
    body: {
      events: [
        { name: 'purchase' },
        { name: 'purchase', date: '2026-11-20T18:30:00Z' },
        { name: 'viewed_offer', source: 'Mixpanel' },
      ],
    },
  });
  const params = { path: { user_id: 'user-17' } };
  const reported = await carillon.post('/v6/users/{user_id}/events', {
    params,
    body: { events: [{ name: 'renewed' }] },
  });
  show('Users and events > Report events', reported);

  const custom = { plan: { type: 'string' as const, value: 'gold' } };
  show(
    'Users and events > Set custom attributes of a user',
    await carillon.put('/v6/users/{user_id}', { params, body: { user: { custom } } }),
  );
}
