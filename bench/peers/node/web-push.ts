/** web-push, with an agent that keeps connections. */
import { readFileSync } from 'node:fs';
import { openWebPushLibrary, vapidSchema } from '../../processes/web-push-library.ts';
import { alertFor, inFlight, serve } from './serve.ts';

const CREATED = 201;

await serve(({ host, port, ca, vapidFile, notificationId, tokens, ...settings }) => {
  const vapid = vapidSchema.parse(JSON.parse(readFileSync(vapidFile, 'utf8')));
  const library = openWebPushLibrary({ ca, vapid, inFlight: settings.inFlight });
  return (run) =>
    inFlight(run, settings.inFlight, async (number) => {
      const [address = '', keys = ''] = tokens[number]?.split(' ') ?? [];
      const endpoint = `https://${host}:${port}${address}`;
      const text = JSON.stringify({ title: alertFor(number, run), order_id: 4711, _nid: notificationId });
      return (await library.send(endpoint, keys, text)) === CREATED;
    });
});
