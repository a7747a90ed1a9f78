/** Shared by the baseline senders: their input, and the measurement of a run. */
import { readFileSync } from 'node:fs';
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { systemClock } from '../../src/clock.ts';
import { openAccessToken } from '../../src/gateways/fcm/access-token.ts';
import { parseServiceAccount } from '../../src/gateways/fcm/service-account.ts';
import { readTokens } from '../support/app.ts';

/** The data that a baseline needs for pushes to Apple. */
export const appleInput = z.object({
  apnsUrl: z.string(),
  caFile: z.string(),
  bundleId: z.string(),
  apns: z.object({ keyId: z.string(), teamId: z.string(), privateKey: z.string() }),
});

const inputSchema = appleInput.extend({
  fcmUrl: z.string(),
  oauthUrl: z.string(),
  tokenFiles: z.object({ iOS: z.string(), Android: z.string() }),
  serviceAccount: z.string(),
});

export type SenderInput = z.infer<typeof inputSchema> & {
  /** The certificate of the authority, as PEM. */
  ca: string;
  projectId: string;
  /** The access token for Google. */
  accessToken: string;
};

/** Pushes to tokens of one platform. @returns the number of accepted pushes */
export type Send = (tokens: readonly string[]) => Promise<number>;

export interface Senders {
  iOS: Send;
  Android: Send;
  close(): Promise<void>;
}

/** Sent before the measurement, so that connections are open and the code is compiled, as in a running server. */
const WARM_UP_TOKENS = 2_500;

export async function runSenders(open: (input: SenderInput) => Promise<Senders>): Promise<void> {
  const given = inputSchema.parse(JSON.parse(await text(process.stdin)));
  const ca = readFileSync(given.caFile, 'utf8');
  const credentials = parseServiceAccount(given.serviceAccount);
  const tokens = {
    iOS: await readTokens(given.tokenFiles.iOS),
    Android: await readTokens(given.tokenFiles.Android),
  };
  const grant = openAccessToken({
    credentials,
    fcmUrl: given.fcmUrl,
    oauthUrl: given.oauthUrl,
    ca,
    clock: systemClock,
  });
  const granted = await grant.get();
  grant.close();
  if (granted.kind !== 'granted') throw new Error(granted.reason);

  const senders = await open({ ...given, ca, projectId: credentials.project_id, accessToken: granted.token });
  const sendAll = async (first: number): Promise<number> => {
    const sent = (['iOS', 'Android'] as const).map(async (platform) => {
      const some = tokens[platform].slice(0, first);
      return some.length === 0 ? 0 : senders[platform](some);
    });
    return (await Promise.all(sent)).reduce((sum, accepted) => sum + accepted, 0);
  };
  await sendAll(WARM_UP_TOKENS);
  const startedMs = performance.now();
  const accepted = await sendAll(Number.POSITIVE_INFINITY);
  const durationMs = performance.now() - startedMs;
  await senders.close();
  const failed = tokens.iOS.length + tokens.Android.length - accepted;
  console.log(JSON.stringify({ accepted, failed, durationMs }));
}
