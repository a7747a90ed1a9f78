import { z } from 'zod';
import { makeCredentials } from '../support/credentials.ts';
import { readAnswer, startScript } from '../support/programs.ts';
import type { Sink } from './sink.ts';

const PROGRAM = new URL('../processes/simulator-sink.ts', import.meta.url);
const START_TIMEOUT_MS = 20_000;
const CONTROL_TIMEOUT_MS = 10_000;

const startedSchema = z.object({
  urls: z.object({ apnsProduction: z.string(), fcm: z.string(), oauth: z.string(), control: z.string() }),
  caFile: z.string(),
});
const gatewayCounts = z.object({ accepted: z.number(), duplicates: z.number() });
const countsSchema = z.object({ apns: gatewayCounts, fcm: gatewayCounts });

export async function openSimulatorSink(dir: string): Promise<Sink> {
  const credentials = makeCredentials();
  const simulator = startScript(PROGRAM, { dir, credentials });
  const { urls, caFile } = await readAnswer(simulator, startedSchema, START_TIMEOUT_MS);
  const ask = async (method: 'GET' | 'POST', address: string): Promise<unknown> => {
    const signal = AbortSignal.timeout(CONTROL_TIMEOUT_MS);
    const response = await fetch(urls.control + address, { method, signal });
    return response.json();
  };
  return {
    name: 'simulator',
    pid: simulator.pid,
    apnsUrl: urls.apnsProduction,
    fcmUrl: urls.fcm,
    oauthUrl: urls.oauth,
    caFile,
    credentials,
    reset: async () => {
      await ask('POST', '/reset');
    },
    count: async () => {
      const { apns, fcm } = countsSchema.parse(await ask('GET', '/counts'));
      return {
        received: apns.accepted + fcm.accepted,
        repeated: apns.duplicates + fcm.duplicates,
        shownTwice: null,
      };
    },
    stop: async () => simulator.stop(),
  };
}
