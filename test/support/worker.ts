/** A worker in this process that pushes to a simulator, with gateways and a queue of its own. */
import type { Kysely } from 'kysely';
import type { TokenKeys } from '../../src/apps/token-keys.ts';
import type { SecretKey } from '../../src/apps/seal.ts';
import { type Clock, systemClock } from '../../src/clock.ts';
import type { Database } from '../../src/db/tables.ts';
import { openGateways } from '../../src/delivery/send/open-gateways.ts';
import { sliceDeliverer, startDeliveryWorker } from '../../src/delivery/worker.ts';
import { openApns } from '../../src/gateways/apns/apns.ts';
import { openFcm } from '../../src/gateways/fcm/fcm.ts';
import { openEncryption } from '../../src/gateways/web-push/encrypt.ts';
import type { WebPushHosts } from '../../src/gateways/web-push/hosts.ts';
import { openWebPush } from '../../src/gateways/web-push/web-push.ts';
import { resolveBySystem } from '../../src/proxy/public-addresses.ts';
import { UnsavedOutcomes } from '../../src/delivery/outcomes/unsaved-outcomes.ts';
import { type Observation, observeNothing } from '../../src/observe.ts';
import { openPresence } from '../../src/db/outages/presence.ts';
import { openPulse } from '../../src/status/pulse.ts';
import { openInProcessQueue } from '../../src/queue/in-process.ts';
import { startPeriodicJobs } from '../../src/queue/periodic-jobs.ts';
import type { Queue } from '../../src/queue/queue.ts';
import type { Simulator } from '@carillon/simulator';
import { tokenKeys as tokenKeysOfTests } from './token-keys.ts';

/** The push service of the simulator is the only one that is called. */
export function hostsOf({ urls }: Pick<Simulator, 'urls'>): WebPushHosts {
  return { names: [new URL(urls.web).host], any: false };
}

export interface TestWorker {
  queue: Queue;
  /** The outcomes of its bulk notifications that are not saved yet. */
  unsaved: UnsavedOutcomes;
  close(): Promise<void>;
}

export function startTestWorker(options: {
  db: Kysely<Database>;
  secret: SecretKey;
  simulator: Simulator;
  clock?: Clock;
  observe?: (observation: Observation) => void;
  /** Those of a server, if it must find the tokens that the worker retires. */
  tokenKeys?: TokenKeys;
}): TestWorker {
  const { db, secret, simulator, clock = systemClock, observe = observeNothing } = options;
  const { tokenKeys = tokenKeysOfTests } = options;
  const { urls, caPem: ca } = simulator;
  const unsaved = new UnsavedOutcomes();
  const encryption = openEncryption({ now: () => clock().getTime() });
  const gateways = openGateways({
    db,
    secret,
    clock,
    observe,
    fcmPushesPerMinute: 6_000_000,
    open: {
      apns: (onApns, observeHere) =>
        openApns({
          ...onApns,
          url: onApns.route === 'apns_production' ? urls.apnsProduction : urls.apnsSandbox,
          ca,
          reserved: unsaved,
          clock,
          observe: observeHere,
        }),
      fcm: (credentials, observeHere) =>
        openFcm({
          credentials,
          fcmUrl: urls.fcm,
          oauthUrl: urls.oauth,
          ca,
          reserved: unsaved,
          clock,
          observe: observeHere,
        }),
      webPush: (credentials, observeHere) =>
        openWebPush({
          credentials,
          encryption,
          hosts: hostsOf(simulator),
          resolve: resolveBySystem,
          ca,
          reserved: unsaved,
          clock,
          observe: observeHere,
        }),
    },
  });
  const queue = openInProcessQueue({ observe });
  const resources = { db, gateways, tokenKeys, unsaved, clock, observe, random: Math.random };
  const worker = startDeliveryWorker({ ...resources, queue, bulk: { deliver: sliceDeliverer(resources) } });
  const sweeping = startPeriodicJobs([worker.sweep], observe);
  const pulse = openPulse(db, () => gateways.troubles());
  const presence = openPresence({ ask: async () => pulse.beat(), clock });
  return {
    queue,
    unsaved,
    async close() {
      presence.close();
      await pulse.stop();
      await sweeping.close();
      await worker.close();
      await queue.close();
      await gateways.close();
    },
  };
}
