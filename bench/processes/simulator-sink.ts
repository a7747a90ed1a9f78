/** The simulator as a sink: keeps no pushes, counts them all, and allows all streams from the start. */
import { text } from 'node:stream/consumers';
import { z } from 'zod';
import { startSimulator } from '@carillon/simulator';
import { BUNDLE_IDS } from '../support/credentials.ts';

const inputSchema = z.object({
  dir: z.string(),
  credentials: z.object({
    apns: z.object({ keyId: z.string(), teamId: z.string() }),
    applePublicKey: z.string(),
    projectId: z.string(),
    clientEmail: z.string(),
    googlePublicKey: z.string(),
  }),
});

const { dir, credentials } = inputSchema.parse(JSON.parse(await text(process.stdin)));
// With Apple's single stream at the start, @parse/node-apn loses pushes, and could not serve as a baseline.
const simulator = await startSimulator({ certificateDir: dir, keep: 'counts', initialStreams: 1_000 });
const { projectId, clientEmail } = credentials;
for (const bundleId of Object.values(BUNDLE_IDS)) {
  simulator.apple.registerKey({ ...credentials.apns, bundleId }, credentials.applePublicKey);
}
simulator.google.registerServiceAccount({
  projectId,
  clientEmail,
  publicKeyPem: credentials.googlePublicKey,
});
console.log(JSON.stringify({ urls: simulator.urls, caFile: simulator.caFile }));
process.once('SIGTERM', () => void simulator.close());
