/**
 * Baseline: the usual libraries, at their best. @parse/node-apn gets 1,000 tokens per call (one large send fails),
 * firebase-admin 500 messages per call (its maximum); both run at the same time in this process.
 */
import { randomUUID } from 'node:crypto';
import { Notification, Provider } from '@parse/node-apn';
import { openFirebase } from './firebase.ts';
import { type Send, runSenders, type SenderInput } from './sending.ts';

const APNS_TOKENS_MAX = 1_000;
const FCM_TOKENS_MAX = 500;

await runSenders(async (input) => {
  const nid = randomUUID();
  const apple = openApple(input, nid);
  const google = await openGoogle(input, nid);
  return {
    iOS: apple.send,
    Android: google.send,
    close: async () => {
      await apple.close();
      await google.close();
    },
  };
});

function openApple({ apnsUrl, ca, apns, bundleId }: SenderInput, nid: string) {
  const { hostname, port } = new URL(apnsUrl);
  const provider = new Provider({
    token: { key: apns.privateKey, keyId: apns.keyId, teamId: apns.teamId },
    production: true,
    address: hostname,
    port: Number(port),
    ca: [ca],
  });
  const notification = new Notification({ topic: bundleId, pushType: 'alert', priority: 10, expiry: 0 });
  notification.collapseId = nid;
  notification.rawPayload = { order_id: 4711, aps: { alert: 'Hello' }, _nid: nid };
  const send: Send = async (tokens) => {
    let accepted = 0;
    for (const page of pagesOf(tokens, APNS_TOKENS_MAX)) {
      accepted += (await provider.send(notification, page)).sent.length;
    }
    return accepted;
  };
  return { send, close: async () => provider.shutdown() };
}

async function openGoogle({ fcmUrl, ca, projectId, accessToken }: SenderInput, nid: string) {
  const { messaging, close } = await openFirebase({ fcmUrl, ca, projectId, accessToken });
  const data = { alert: 'Hello', order_id: '4711', _nid: nid };
  const android = { priority: 'high', ttl: 0 } as const;
  const send: Send = async (tokens) => {
    let accepted = 0;
    for (const page of pagesOf(tokens, FCM_TOKENS_MAX)) {
      const messages = page.map((token) => ({ token, data, android }));
      accepted += (await messaging.sendEach(messages)).successCount;
    }
    return accepted;
  };
  return { send, close };
}

function* pagesOf(tokens: readonly string[], size: number): Generator<string[]> {
  for (let start = 0; start < tokens.length; start += size) yield tokens.slice(start, start + size);
}
