/** `kill -9` at the two moments at which a channel or a broadcast could be lost or left behind. */
import { describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { collectChannels } from '../../src/channels/collect.ts';
import { observeNothing } from '../../src/observe.ts';
import { openConfiguredChannels } from '../../src/bulk/configured-gateways.ts';
import { readConfig } from '../../src/process/config.ts';
import { useAlone } from '../processes/alone.ts';
import { gatewaySettings } from '../support/simulated-app.ts';

const timeout = 120_000;
/** Some minutes later, when an interrupted creation is certainly over. */
const clock = (): Date => new Date(Date.now() + 6 * 60_000);

const channelSchema = z.object({ channel: z.object({ id: z.string(), apns_channel_id: z.string() }) });
const detailSchema = z.object({ broadcasts: z.array(z.object({ state: z.string(), attempts: z.number() })) });

describe('a server that is killed', { timeout }, () => {
  const alone = useAlone();

  test('a server killed before it sends a broadcast sends it after its start, and only the newest', async () => {
    const { simulator } = alone;
    const { app } = await alone.makeApp(0);
    const server = alone.start();
    const backend = await alone.backend(server, app);
    const created = await backend.call('POST', '/v6/channels', { channel: { key: 'match-1' } });
    const { id, apns_channel_id: atApple } = channelSchema.parse(created.body).channel;
    simulator.orderFault({
      kind: 'answer',
      gateway: 'apns',
      token: atApple,
      status: 503,
      reason: 'Shutdown',
    });
    const send = async (home: number): Promise<void> => {
      const body = { broadcast: { event: 'update', content_state: { home } } };
      expect((await backend.call('POST', `/v6/channels/${id}/broadcasts`, body)).status).toBe(202);
    };
    await send(1);
    await send(2);
    server.signal('SIGKILL');
    await server.exited;
    expect(simulator.apple.broadcasts()).toEqual([]);

    simulator.clearFaults();
    const next = await alone.backend(alone.start(), app);
    await vi.waitFor(
      async () => {
        const { body } = await next.call('GET', `/v6/channels/${id}`);
        expect(detailSchema.parse(body).broadcasts.map(({ state }) => state)).toEqual(['sent', 'replaced']);
      },
      { timeout: 30_000, interval: 100 },
    );
    expect(simulator.apple.broadcasts()).toMatchObject([
      { channelId: atApple, payload: { aps: { 'content-state': { home: 2 } } } },
    ]);
  });

  test('a server killed between Apple’s creation of a channel and its own commit leaves no channel at Apple', async () => {
    const { simulator } = alone;
    const { app } = await alone.makeApp(0);
    const server = alone.start();
    const backend = await alone.backend(server, app);
    const kept = await backend.call('POST', '/v6/channels', { channel: { key: 'kept' } });
    const { apns_channel_id: keptId } = channelSchema.parse(kept.body).channel;
    // Apple creates it, and its answer never comes.
    simulator.orderFault({
      kind: 'stall',
      what: 'stream',
      received: true,
      gateway: 'apns_channels',
      times: 1,
    });
    const cutOff = backend
      .call('POST', '/v6/channels', { channel: { key: 'match-1' } })
      .catch(() => undefined);
    await vi.waitFor(() => expect(simulator.apple.channels()).toHaveLength(2), { timeout: 30_000 });
    server.signal('SIGKILL');
    await Promise.all([server.exited, cutOff]);

    const next = await alone.backend(alone.start(), app);
    const again = await next.call('POST', '/v6/channels', { channel: { key: 'match-1' } });
    expect(again.status).toBe(201);
    const { apns_channel_id: newId } = channelSchema.parse(again.body).channel;
    expect(simulator.apple.channels()).toHaveLength(3);
    // The job of a worker, some minutes later.
    await alone.onDatabase(async ({ db, secret }) => {
      const config = readConfig({ ...gatewaySettings(simulator), DATA_DIR: alone.dataDir });
      const gateways = openConfiguredChannels(config, {
        db,
        secret,
        clock: () => new Date(),
        observe: observeNothing,
      });
      const limits = { keepEndedHours: 12, keepUnusedDays: 90, pauseMs: 0 };
      await collectChannels(
        { db, gateways, clock, observe: observeNothing, ...limits },
        AbortSignal.timeout(60_000),
      );
      await gateways.close();
    });
    expect(simulator.apple.channels().map(({ id }) => id)).toEqual([keptId, newId]);
  });
});
