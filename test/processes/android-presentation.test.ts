/** `android_presentation`, set for an app by the command line or by a notification, applies in each lane. */
import { beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Backend, SimulatedApp, StoredDevice } from '../support/simulated-app.ts';
import { useAlone } from './alone.ts';

const timeout = 60_000;
/** A push to one device goes through the direct lane, a push to all of these through the bulk lane. */
const MANY = 300;

const messageSchema = z.object({
  data: z.record(z.string(), z.string()),
  android: z.object({ notification: z.record(z.string(), z.string()).optional() }),
});

const alone = useAlone();
let app: SimulatedApp;
let devices: StoredDevice[];
beforeAll(async () => {
  ({ app, devices } = await alone.makeApp(MANY));
  const look = ['--android-icon', 'ic_push', '--android-color', '#aa0000'];
  await set('--android-presentation', 'system', ...look);
});

async function set(...options: string[]): Promise<void> {
  expect(await alone.run(['apps', 'set', '--app', app.bundleId, ...options])).toMatchObject({ code: 0 });
}

/** The `notification` of each push, which Android draws; the app draws from `data`. */
async function drawn(backend: Backend, to: unknown, options: object): Promise<unknown[]> {
  const { id } = await backend.notify(to, { ...options });
  await backend.untilEnded(id, 20_000);
  const pushes = alone.simulator.received({ nid: id, gateway: 'fcm' });
  return pushes.map((push) => {
    const { data, android } = messageSchema.parse('message' in push ? push.message : undefined);
    expect(data).toMatchObject({ alert: 'Hi', _nid: id });
    return android.notification;
  });
}

test(
  'a push to Android is drawn as the notification says, or else as the app is set',
  { timeout },
  async () => {
    const backend = await alone.backend(alone.start(), app);
    const one = devices.find(({ platform }) => platform === 'Android');
    const toOne = [{ name: 'device_id', criteria: [one?.id] }];
    const payload = { alert: 'Hi', title: 'T', collapse_key: 'k', _channel_id: 'news' };
    const system = {
      title: 'T',
      body: 'Hi',
      icon: 'ic_push',
      color: '#aa0000',
      tag: 'k',
      channel_id: 'news',
    };

    expect(await drawn(backend, toOne, { payload })).toEqual([system]);
    const toAll = await drawn(backend, '*', { payload });
    expect(toAll).toHaveLength(MANY / 2);
    expect(new Set(toAll.map((notification) => JSON.stringify(notification)))).toEqual(
      new Set([JSON.stringify(system)]),
    );
    expect(await drawn(backend, toOne, { payload, android_presentation: 'data' })).toEqual([undefined]);

    await set('--android-presentation', 'data', '--android-icon', '', '--android-color', '');
    expect(await drawn(backend, toOne, { payload })).toEqual([undefined]);
    expect(await drawn(backend, toOne, { payload, android_presentation: 'system' })).toEqual([
      { title: 'T', body: 'Hi', tag: 'k', channel_id: 'news' },
    ]);
  },
);
