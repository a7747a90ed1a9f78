/** Carillon's gateways as a library, without a server and a database; `Apple`, `Google` or `browsers` is the first argument. */
import { readFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { setImmediate as turn, setTimeout as wait } from 'node:timers/promises';
import { systemClock as clock } from '../../../src/clock.ts';
import { openApns } from '../../../src/gateways/apns/apns.ts';
import { openProviderToken } from '../../../src/gateways/apns/provider-token.ts';
import { openFcm } from '../../../src/gateways/fcm/fcm.ts';
import { parseServiceAccount } from '../../../src/gateways/fcm/service-account.ts';
import type { Gateway, Recipient } from '../../../src/gateways/gateway.ts';
import type { Payload } from '../../../src/gateways/payload.ts';
import { openEncryption } from '../../../src/gateways/web-push/encrypt.ts';
import { openWebPush } from '../../../src/gateways/web-push/web-push.ts';
import { observeNothing as observe } from '../../../src/observe.ts';
import { resolveBySystem } from '../../../src/proxy/public-addresses.ts';
import { vapidSchema } from '../../processes/web-push-library.ts';
import { alertFor, type Opened, serve } from './serve.ts';

/** As many pushes begin in a turn of the event loop as in the server. */
const BEGIN_AT_ONCE = 50;
/** As many threads derive keys for browsers as in the server. */
const KEY_THREADS_MAX = 3;
const TAKEN_LATER_MS = 50;

type Send = ReturnType<Gateway['compile']>;

await serve((settings) => {
  const { notificationId, tokens } = settings;
  const gateway = openGateway(process.argv[2] ?? '', settings);
  const recipients = tokens.map((token) => recipientOf(gateway, settings, token));
  return async (run) => {
    const send = gateway.compile(
      {
        notificationId,
        payload: payloadOf('Hello'),
        priority: 'high',
        timeToLiveSeconds: 0,
        dueAt: clock(),
      },
      () => true,
    );
    const sent: Promise<boolean>[] = [];
    for (let number = run.first; number < run.first + run.count; number++) {
      const recipient = recipients[number];
      if (recipient === undefined) throw new Error(`there is no token ${number}`);
      const own = run.different ? payloadOf(alertFor(number, run)) : undefined;
      sent.push(untilTaken(send, recipient, own));
      if (number % BEGIN_AT_ONCE !== 0) continue;
      await turn();
      const ready = gateway.whenReady();
      if (ready !== undefined) await ready;
    }
    return (await Promise.all(sent)).filter(Boolean).length;
  };
});

/** Sends again what a push service cannot take yet, as the server does. @returns whether it was accepted */
function untilTaken(send: Send, recipient: Recipient, own: Payload | undefined): Promise<boolean> {
  return send(recipient, own).then((verdict) => {
    const isTooEarly = verdict.kind === 'retry' && verdict.unsent === true;
    if (!isTooEarly) return verdict.kind === 'accepted';
    return wait(TAKEN_LATER_MS).then(() => untilTaken(send, recipient, own));
  });
}

function openGateway(name: string, settings: Opened): Gateway {
  const { host, port, ca, keyFile, keyId, teamId, topic, serviceAccountFile, vapidFile } = settings;
  const url = `https://${host}:${port}`;
  const shared = { ca, clock, observe };
  switch (name) {
    case 'Apple': {
      const token = openProviderToken({ keyId, teamId, privateKey: readFileSync(keyFile, 'utf8') }, clock);
      return openApns({ ...shared, route: 'apns_production', bundleId: topic, token, url });
    }
    case 'Google': {
      const credentials = parseServiceAccount(readFileSync(serviceAccountFile, 'utf8'));
      return openFcm({ ...shared, credentials, fcmUrl: url, oauthUrl: url });
    }
    case 'browsers': {
      const credentials = vapidSchema.parse(JSON.parse(readFileSync(vapidFile, 'utf8')));
      const threads = Math.min(availableParallelism() - 1, KEY_THREADS_MAX);
      const encryption = openEncryption({ now: Date.now, threads });
      const hosts = { names: [new URL(url).host], any: false };
      return openWebPush({ ...shared, credentials, encryption, hosts, resolve: resolveBySystem });
    }
    default:
      throw new Error(`there is no gateway ${name}`);
  }
}

function recipientOf({ route }: Gateway, { host, port }: Opened, token: string): Recipient {
  const deviceId = crypto.randomUUID();
  if (route !== 'web_push') return { deviceId, pushToken: token, pushTokenType: 'token' };
  const [address = '', subscriptionKeys = ''] = token.split(' ');
  const pushToken = `https://${host}:${port}${address}`;
  return { deviceId, pushToken, pushTokenType: 'subscription', subscriptionKeys };
}

function payloadOf(alert: string) {
  return { alert, order_id: 4711 };
}
