/**
 * The cost of distance: the same bulk notification with a round trip of 50 ms between Carillon and the gateways, and with none.
 * Also through the same proxy without a delay, to show the cost of the proxy.
 */
import { z } from 'zod';
import { openBenchApp } from '../support/app.ts';
import { ALONE, sendBulk, startCarillon } from '../support/carillon.ts';
import { type BenchContext, keepOpen } from '../support/context.ts';
import { readAnswer, startScript } from '../support/programs.ts';
import type { GatewayAddresses } from '../sinks/sink.ts';

const PROXY = new URL('../processes/delay-proxy.ts', import.meta.url);
const ROUND_TRIP_MS = 50;
const START_TIMEOUT_MS = 10_000;

export async function roundTrip(context: BenchContext): Promise<void> {
  const { database, app } = await openBenchApp(context, 'both');
  const ways = [
    { name: 'straight', gateways: context.sink, against: [] },
    { name: 'proxy, 0 ms', gateways: await openWay(context, 0), against: ['straight'] },
    {
      name: `proxy, ${ROUND_TRIP_MS} ms`,
      gateways: await openWay(context, ROUND_TRIP_MS),
      against: ['straight', 'proxy, 0 ms'],
    },
  ];
  for (let round = 1; round <= context.runs; round++) {
    context.say(`round ${round} of ${context.runs}`);
    for (const { name, gateways, against } of ways) {
      const carillon = await startCarillon(context, { database, deployment: ALONE, gateways });
      await carillon.warmUp(app);
      const everybody = { to: '*', devices: app.devices };
      const { pushesPerSecond } = await sendBulk(context, carillon.backEnd(app), everybody);
      await carillon.stop();
      context.figures.add(name, pushesPerSecond, 'pushes/s', against);
    }
  }
}

/** Places the gateways half of `roundTripMs` away in each direction. */
async function openWay(context: BenchContext, roundTripMs: number): Promise<GatewayAddresses> {
  const { apnsUrl, fcmUrl, oauthUrl } = context.sink;
  const targets = [apnsUrl, fcmUrl].map((url) => ({ host: '127.0.0.1', port: Number(new URL(url).port) }));
  const proxy = keepOpen(context, startScript(PROXY, { delayMs: roundTripMs / 2, targets }));
  const { ports } = await readAnswer(proxy, z.object({ ports: z.array(z.number()) }), START_TIMEOUT_MS);
  const [apnsPort = 0, fcmPort = 0] = ports;
  return { apnsUrl: `https://127.0.0.1:${apnsPort}`, fcmUrl: `https://127.0.0.1:${fcmPort}`, oauthUrl };
}
