/** web-push, with an agent that keeps connections, as its README advises. */
import { readFileSync } from 'node:fs';
import { Agent } from 'node:https';
import webPush from 'web-push';
import { vapidSchema } from './vapid.ts';
import { alertFor, inFlight, serve } from './serve.ts';

const CREATED = 201;

await serve(({ host, port, ca, vapidFile, notificationId, tokens, ...settings }) => {
  const { subject, publicKey, privateKey } = vapidSchema.parse(JSON.parse(readFileSync(vapidFile, 'utf8')));
  const agent = new Agent({ ca, keepAlive: true, maxSockets: settings.inFlight });
  const options = {
    vapidDetails: { subject, publicKey, privateKey },
    TTL: 0,
    urgency: 'high',
    agent,
  } as const;
  return (run) =>
    inFlight(run, settings.inFlight, async (number) => {
      const [address = '', keys = ''] = tokens[number]?.split(' ') ?? [];
      const [p256dh = '', auth = ''] = keys.split('.');
      const endpoint = `https://${host}:${port}${address}`;
      const text = JSON.stringify({ title: alertFor(number, run), order_id: 4711, _nid: notificationId });
      const sent = webPush.sendNotification({ endpoint, keys: { p256dh, auth } }, text, options);
      return sent.then(
        ({ statusCode }) => statusCode === CREATED,
        () => false,
      );
    });
});
