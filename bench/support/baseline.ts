/** Senders without a database, for comparison at the same sink. Each run is a separate process. */
import { z } from 'zod';
import type { BenchApp, TokenFiles } from './app.ts';
import { type BenchContext, keepOpen } from './context.ts';
import { bulkTimeoutMs } from './client.ts';
import { readAnswer, startScript } from './programs.ts';

/** `bare-sender`: node:http2 alone. `sdk-senders`: @parse/node-apn and firebase-admin. */
export type Baseline = 'bare-sender' | 'sdk-senders';

/** Their names in figures. */
export const BASELINES: Readonly<Record<Baseline, string>> = {
  'bare-sender': 'bare node:http2',
  'sdk-senders': 'vendor libraries',
};

/** The name of the figure that `measureBareSender` adds. */
export const BARE_SENDER_IOS = `${BASELINES['bare-sender']}, iOS`;

const PROGRAMS: Readonly<Record<Baseline, URL>> = {
  'bare-sender': new URL('../processes/bare-sender.ts', import.meta.url),
  'sdk-senders': new URL('../processes/sdk-senders.ts', import.meta.url),
};

const answerSchema = z.object({ accepted: z.number(), failed: z.number(), durationMs: z.number() });

/** Sends one push to each token. @returns accepted pushes per second, and the number of others */
export async function runBaseline(
  context: BenchContext,
  name: Baseline,
  { bundleId, tokenFiles, devices }: { bundleId: string; tokenFiles: TokenFiles; devices: number },
): Promise<{ pushesPerSecond: number; failed: number }> {
  const { apnsUrl, fcmUrl, oauthUrl, caFile, credentials } = context.sink;
  const { apns, serviceAccount } = credentials;
  const input = { apnsUrl, fcmUrl, oauthUrl, caFile, bundleId, tokenFiles, apns, serviceAccount };
  const script = keepOpen(context, startScript(PROGRAMS[name], input));
  const { accepted, failed, durationMs } = await readAnswer(script, answerSchema, bulkTimeoutMs(devices));
  await script.stop();
  if (accepted + failed !== devices)
    throw new Error(`${name} sent ${accepted + failed} of ${devices} pushes`);
  return { pushesPerSecond: accepted / (durationMs / 1_000), failed };
}

/** Adds how fast `bare-sender` sends to the app's iPhones: a measure of the machine, which no code of Carillon changes. */
export async function measureBareSender(
  context: BenchContext,
  app: BenchApp & { tokenFiles: TokenFiles },
): Promise<void> {
  const { pushesPerSecond } = await runBaseline(context, 'bare-sender', app);
  context.figures.add(BARE_SENDER_IOS, pushesPerSecond, 'pushes/s');
}
