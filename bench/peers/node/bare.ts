/** node:http2 alone, as in the other scenarios: one connection, and a loop for each push in flight. */
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { appleRequests, send } from '../../processes/bare-http2.ts';
import { alertFor, inFlight, serve } from './serve.ts';

await serve(({ host, port, ca, keyFile, keyId, teamId, topic, notificationId, tokens, ...settings }) => {
  const apnsUrl = `https://${host}:${port}`;
  const apns = { keyId, teamId, privateKey: readFileSync(keyFile, 'utf8') };
  const requestTo = appleRequests({ apnsUrl, caFile: '', bundleId: topic, apns }, notificationId);
  const session = connect(apnsUrl, { ca });
  return (run) =>
    inFlight(run, settings.inFlight, async (number) => {
      const request = requestTo(tokens[number] ?? '');
      if (!run.different) return (await send(session, request)) === 200;
      const aps = { alert: alertFor(number, run) };
      const body = JSON.stringify({ aps, order_id: 4711, _nid: notificationId });
      return (await send(session, { ...request, body })) === 200;
    });
});
