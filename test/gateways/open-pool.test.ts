import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { atTurnEnd } from '../../src/scheduling/flush-order.ts';
import { UnsavedOutcomes } from '../../src/delivery/outcomes/unsaved-outcomes.ts';
import { describeWithoutTokens, openGatewayPool } from '../../src/gateways/open-pool.ts';
import type { Http2Pool } from '@carillon/http2-client';
import type { Observation } from '../../src/observe.ts';
import { makeCertificate, openPeer, respond, type Peer } from '../../packages/http2-client/test/peer.ts';

let peer: Peer;
let pool: Http2Pool;
let seen: string[];
let observations: Observation[];

beforeEach(async () => {
  seen = [];
  observations = [];
  const certificate = await makeCertificate();
  // One stream at a time, so that each request waits for the answer to the one before it.
  const settings = { maxConcurrentStreams: 1 };
  peer = await openPeer(
    certificate,
    (stream, headers) => {
      seen.push(String(headers[':path']));
      respond(stream);
    },
    { settings },
  );
  pool = openGatewayPool({
    gateway: 'fcm',
    origin: peer.origin,
    ca: certificate.cert,
    reserved: new UnsavedOutcomes(),
    sessionsMax: 1, // a busy machine would open a second one after 50 ms
    observe: (observation) => observations.push(observation),
  });
});

afterEach(async () => {
  await pool.close();
  await peer.close();
});

async function send(path: string): Promise<void> {
  const headers = [':method', 'POST', ':scheme', 'https', ':authority', 'localhost'];
  expect(await pool.request({ path, headers, ownHeaders: [], body: '' }, () => true)).toMatchObject({
    kind: 'answered',
  });
}

test('a push leaves only after the outcome of the push before it could be saved', async () => {
  const saved: string[] = [];
  const paths = Array.from({ length: 20 }, (_, n) => `/${n}`);
  await Promise.all(
    paths.map(async (path) => {
      await send(path);
      atTurnEnd('record', () => saved.push(`${path}: ${seen.length}`));
    }),
  );
  await send('/last');
  expect(saved).toEqual(paths.map((path, n) => `${path}: ${n + 1}`));
});

test('sessions and requests of the pool are observed under the name of the gateway', async () => {
  await send('/');
  await pool.close();
  expect(observations).toEqual([
    { kind: 'session_opened', gateway: 'fcm', origin: peer.origin },
    { kind: 'push_request_sent', gateway: 'fcm' },
    { kind: 'push_request_ended', gateway: 'fcm', answer: 'answered', durationMs: expect.any(Number) },
    {
      kind: 'session_closed',
      gateway: 'fcm',
      origin: peer.origin,
      reason: 'the client closed the session',
      wasOpen: true,
    },
  ]);
});

describe('the description of a failure', () => {
  test.each([
    ['a reason of Apple', { reason: 'goaway', detail: 'NO_ERROR, {"reason":"Shutdown"}' }],
    ['a long code of OpenSSL', { reason: 'connection_failed', detail: 'UNABLE_TO_GET_ISSUER_CERT_LOCALLY' }],
  ] as const)('the description of a failure keeps %s', (_name, failure) => {
    expect(describeWithoutTokens(failure)).toMatch(failure.detail);
  });

  test.each([
    ['an APNs token', 'ab'.repeat(32)],
    ['a registration token of FCM', `${'d1-_'.repeat(5)}:${'APA91b'.repeat(22)}`],
  ])('the description of a failure leaves out %s', (_name, token) => {
    expect(describeWithoutTokens({ reason: 'goaway', detail: `NO_ERROR, device ${token} is gone` })).toBe(
      'the peer ended the session with GOAWAY: NO_ERROR, device … is gone',
    );
  });
});
