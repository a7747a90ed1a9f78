/** Gateways that hang up, refuse, fall silent, ask for time, or are slow. */
import type { FaultOrder } from '@carillon/simulator';
import { faultsOf, lasts } from '../fault.ts';
import { GATEWAY_DELAY_MS, type Stage } from '../stage.ts';

const SECONDS = 5;

function gateways(name: string, orders: readonly FaultOrder[], leavesDoubt = false) {
  return {
    name,
    leavesDoubt,
    strike: async ({ simulator }: Stage) => {
      for (const order of orders) simulator.orderFault(order);
      await lasts(SECONDS);
      simulator.clearFaults();
      simulator.orderFault({ kind: 'delay', delayMs: GATEWAY_DELAY_MS });
    },
  };
}

/** What servers and the proxies before them send: seconds, a date, a fraction, nothing that is a number. An hour is waited for, too. */
const RETRY_AFTER = ['1', '0', '0.5', '-1', 'soon', '', 'Wed, 21 Oct 2015 07:28:00 GMT'];
const busy = RETRY_AFTER.map((value, seed): FaultOrder => {
  const headers = { 'retry-after': value };
  return { kind: 'answer', status: 503, headers, probability: 0.1, seed };
});

/** A stream that was taken and not answered is sent once more, and then left. */
const LEAVES_DOUBT = true;

export const gatewayFaults = faultsOf('gateways', [
  gateways('GOAWAY with every tenth request', [{ kind: 'goaway', every: 10 }]),
  gateways('half of the streams refused', [{ kind: 'refuse', probability: 0.5 }]),
  gateways('503 with every form of Retry-After', busy),
  gateways('429 for a whole project, and for a tenth of the devices', [
    {
      kind: 'answer',
      gateway: 'fcm',
      status: 429,
      reason: 'QUOTA_EXCEEDED',
      headers: { 'retry-after': '3' },
      times: 50,
    },
    { kind: 'answer', gateway: 'apns', status: 429, reason: 'TooManyRequests', probability: 0.1 },
  ]),
  gateways('500 for a third', [{ kind: 'answer', status: 500, probability: 0.3 }]),
  gateways('slower by 50 ms', [{ kind: 'delay', delayMs: 50 }]),
  gateways('slower by 200 ms', [{ kind: 'delay', delayMs: 200 }]),
  gateways('a third of the streams reset', [{ kind: 'reset', probability: 0.3 }], LEAVES_DOUBT),
  gateways('connections dropped', [{ kind: 'drop', probability: 0.02 }], LEAVES_DOUBT),
  gateways(
    'connections fall silent',
    [{ kind: 'stall', what: 'connection', probability: 0.01 }],
    LEAVES_DOUBT,
  ),
  gateways(
    'pushes taken and not answered',
    [{ kind: 'stall', what: 'stream', received: true, times: 20 }],
    LEAVES_DOUBT,
  ),
  gateways(
    'the first push of each new connection taken and not answered',
    [
      { kind: 'goaway', times: 20 },
      { kind: 'stall', what: 'stream', received: true, request: 1 },
    ],
    LEAVES_DOUBT,
  ),
]);
