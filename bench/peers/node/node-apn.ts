/** @parse/node-apn: one provider; a notification for many tokens at once, or one for each. */
import { Notification, Provider } from '@parse/node-apn';
import { alertFor, inFlight, inPages, serve } from './serve.ts';

/** A send to many more tokens at once fails. */
const PAGES = { pages: 2, page: 500 };

await serve(({ host, port, ca, keyFile, keyId, teamId, topic, notificationId, tokens }) => {
  const provider = new Provider({
    token: { key: keyFile, keyId, teamId },
    production: true,
    address: host,
    port,
    ca: [ca],
  });
  const notificationOf = (alert: string): Notification => {
    const notification = new Notification({ topic, pushType: 'alert', priority: 10, expiry: 0 });
    notification.collapseId = notificationId;
    notification.alert = alert;
    notification.payload = { order_id: 4711, _nid: notificationId };
    return notification;
  };
  const send = async (alert: string, to: string[]): Promise<number> =>
    (await provider.send(notificationOf(alert), to)).sent.length;
  return (run) =>
    run.different
      ? inFlight(run, PAGES.pages * PAGES.page, async (number) => {
          return (await send(alertFor(number, run), [tokens[number] ?? ''])) === 1;
        })
      : inPages(run, PAGES, async (numbers) =>
          send(
            'Hello',
            numbers.map((number) => tokens[number] ?? ''),
          ),
        );
});
