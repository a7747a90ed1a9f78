/** Receipts, from the push that asks for them to the funnel, with a server that is killed in between. */
import { expect, test, vi } from 'vitest';
import { z } from 'zod';
import type { Backend } from '../support/simulated-app.ts';
import { useAlone } from './alone.ts';

const timeout = 120_000;
const DEVICES = 1_500;
const COUNTED_WITHIN_MS = 40_000;

const payloadSchema = z.object({
  _nid: z.string(),
  _rcpt: z.union([z.number(), z.string().transform(Number)]),
});
const funnelSchema = z.object({
  funnel: z.object({
    sample: z.number().nullable(),
    accepted: z.number(),
    asked: z.number(),
    received: z.object({ reported: z.number(), low: z.number(), high: z.number() }).nullable(),
    shown: z.object({ reported: z.number() }).nullable(),
    opened: z.number(),
  }),
});

async function readFunnel(backend: Backend, id: string): Promise<z.infer<typeof funnelSchema>['funnel']> {
  const { body } = await backend.call('GET', `/v6/notifications/${id}/report`);
  return funnelSchema.parse(body).funnel;
}

/** The number in the last digits of an id. */
function end(id: string): number {
  return Number.parseInt(id.slice(-8), 16);
}

const alone = useAlone();

test(
  'receipts that were answered are counted after kill -9, and the phones named by the push are asked',
  { timeout },
  async () => {
    const { app, devices } = await alone.makeApp(DEVICES);
    const first = alone.start();
    const backend = await alone.backend(first, app);
    const { id } = await backend.notify('*', { receipts: { sample: 0.4 } });
    const { accepted } = await backend.untilEnded(id, 30_000);
    expect(accepted).toBe(DEVICES);

    const pushes = alone.simulator.received({ nid: id });
    const limits = pushes.map((push) => {
      const content = 'message' in push ? push.message['data'] : 'payload' in push && push.payload;
      return payloadSchema.parse(content)['_rcpt'];
    });
    expect(new Set(limits)).toEqual(new Set([Math.round(0.4 * 2 ** 32)]));
    const limit = limits[0] ?? 0;
    const asked = devices.filter((device) => (end(device.id) ^ end(id)) >>> 0 < limit);
    expect(asked.length / DEVICES).toBeGreaterThan(0.3);
    expect(asked.length / DEVICES).toBeLessThan(0.5);

    const silent = 100;
    const receipts = asked
      .slice(silent)
      .map((device) => ({ notification: id, device: device.id, shown: true }));
    for (let from = 0; from < receipts.length; from += 200) {
      const some = receipts.slice(from, from + 200);
      const reply = await backend.call('POST', '/v6/receipts', some);
      expect(reply).toEqual({ status: 202, body: { accepted: some.length, rejected: [] } });
    }
    first.signal('SIGKILL');
    await first.exited;

    const again = await alone.backend(alone.start(), app);
    const reported = asked.length - silent;
    const funnel = await vi.waitFor(
      async () => {
        const found = await readFunnel(again, id);
        expect(found.received?.reported).toBe(reported);
        return found;
      },
      { timeout: COUNTED_WITHIN_MS, interval: 200 },
    );
    expect(funnel).toMatchObject({
      sample: 0.4,
      accepted: DEVICES,
      asked: asked.length,
      shown: { reported },
    });
    expect(funnel.received?.low).toBeLessThan(reported / asked.length);
    expect(funnel.received?.high).toBeGreaterThan(reported / asked.length);
  },
);

test('a push to a development device keeps the id by which Apple knows it', { timeout }, async () => {
  const { app, devices } = await alone.makeApp(20);
  const backend = await alone.backend(alone.start(), app);
  const uniqueIdOf = async (id: string, deviceId: string, call = ''): Promise<unknown> => {
    const { body } = await backend.call('GET', `/v6/notifications/${id}/deliveries/${deviceId}${call}`);
    return z.object({ apns_unique_id: z.string().nullable() }).parse(body).apns_unique_id;
  };
  const phones = devices.filter(({ platform }) => platform === 'iOS');
  const development = phones.find((device) => device.development);
  const production = phones.find((device) => !device.development);
  if (development === undefined || production === undefined) throw new Error('no such devices');

  const toOne = await backend.notify({ device_id: development.id });
  const toAll = await backend.notify('*');
  for (const { id } of [toOne, toAll]) {
    await backend.untilEnded(id, 30_000);
    const uniqueId = await uniqueIdOf(id, development.id);
    expect(uniqueId).toMatch(/^[0-9a-f-]{36}$/);
    expect(await uniqueIdOf(id, development.id, '/explanation')).toBe(uniqueId);
  }
  expect(await uniqueIdOf(toAll.id, production.id)).toBeNull();
});
