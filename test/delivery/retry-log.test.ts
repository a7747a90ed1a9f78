import { expect, test } from 'vitest';
import { openRetryLog } from '../../src/delivery/upkeep/retry-log.ts';
import { collectObservations } from '../support/database.ts';

test('retries are reported at once, and then summed up once a minute for each gateway, by reason', () => {
  let nowMs = Date.parse('2026-11-21T12:00:00.000Z');
  const { seen, observe } = collectObservations();
  const retries = openRetryLog({ observe, clock: () => new Date(nowMs) });
  const retried = (gateway: 'apns' | 'fcm', reason: string, times = 1): void => {
    for (let time = 0; time < times; time++) {
      retries({ kind: 'push_retried', notificationId: 'n', requestId: 'r', gateway, reason, attempt: 1 });
    }
  };
  retried('fcm', 'UNAVAILABLE', 500);
  retried('fcm', 'QUOTA_EXCEEDED', 20);
  retried('apns', 'Shutdown');
  nowMs += 60_000;
  retried('fcm', 'UNAVAILABLE');
  retried('fcm', 'UNAVAILABLE');
  nowMs -= 3_600_000; // the clock is set back
  retried('fcm', 'UNAVAILABLE');
  nowMs += 60_000;
  for (let word = 0; word < 50; word++) retried('apns', `Word${word}`);
  nowMs += 60_000;
  retried('apns', 'Word0');
  expect(seen).toEqual([
    { kind: 'pushes_retried', gateway: 'fcm', pushes: 1, reasons: { UNAVAILABLE: 1 } },
    { kind: 'pushes_retried', gateway: 'apns', pushes: 1, reasons: { Shutdown: 1 } },
    {
      kind: 'pushes_retried',
      gateway: 'fcm',
      pushes: 520,
      reasons: { UNAVAILABLE: 500, QUOTA_EXCEEDED: 20 },
    },
    { kind: 'pushes_retried', gateway: 'fcm', pushes: 2, reasons: { UNAVAILABLE: 2 } },
    { kind: 'pushes_retried', gateway: 'apns', pushes: 1, reasons: { Word0: 1 } },
    {
      kind: 'pushes_retried',
      gateway: 'apns',
      pushes: 50,
      reasons: {
        Word1: 1,
        Word2: 1,
        Word3: 1,
        Word4: 1,
        Word5: 1,
        Word6: 1,
        Word7: 1,
        Word8: 1,
        Word9: 1,
        Word10: 1,
        other: 40,
      },
    },
  ]);
});
