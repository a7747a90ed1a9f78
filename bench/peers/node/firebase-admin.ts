/** firebase-admin: 500 messages per call, its maximum. */
import { openFirebase } from '../../processes/firebase.ts';
import { alertFor, inPages, serve } from './serve.ts';

const MESSAGES_MAX = 500;

await serve(async ({ host, port, ca, notificationId, tokens, ...settings }) => {
  const fcmUrl = `https://${host}:${port}`;
  const { messaging } = await openFirebase({
    fcmUrl,
    ca,
    projectId: 'carillon-bench',
    accessToken: 'token',
  });
  const android = { priority: 'high', ttl: 0 } as const;
  const pages = Math.max(1, Math.floor(settings.inFlight / MESSAGES_MAX));
  return (run) =>
    inPages(run, { pages, page: MESSAGES_MAX }, async (numbers) => {
      const messages = numbers.map((number) => ({
        token: tokens[number] ?? '',
        data: { alert: alertFor(number, run), order_id: '4711', _nid: notificationId },
        android,
      }));
      return (await messaging.sendEach(messages)).successCount;
    });
});
