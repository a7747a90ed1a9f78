/** The adapter of Parse Server: it gets installations in batches of 100, as Parse Server gives them to it. */
import { ParsePushAdapter } from '@parse/push-adapter';
import { alertFor, inFlight, inPages, serve } from '../node/serve.ts';

const PAGES = { pages: 10, page: 100 };

await serve(({ host, port, ca, keyFile, keyId, teamId, topic, notificationId, tokens }) => {
  const token = { key: keyFile, keyId, teamId };
  const ios = { token, topic, production: true, address: host, port, ca: [ca] };
  const adapter = new ParsePushAdapter({ ios });
  const send = async (alert, numbers) => {
    const data = { alert, order_id: 4711, _nid: notificationId };
    const installations = numbers.map((number) => ({
      deviceType: 'ios',
      deviceToken: tokens[number],
      appIdentifier: topic,
    }));
    const headers = { collapse_id: notificationId, push_type: 'alert', priority: 10 };
    const results = await adapter.send({ ...headers, data }, installations);
    return results.filter(({ transmitted }) => transmitted).length;
  };
  return (run) =>
    run.different
      ? inFlight(run, PAGES.pages * PAGES.page, async (number) => {
          return (await send(alertFor(number, run), [number])) === 1;
        })
      : inPages(run, PAGES, async (numbers) => send('Hello', numbers));
});
