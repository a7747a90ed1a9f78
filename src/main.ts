/** One server process: resources → roles → drain. It can be the API, a worker, or both. */
import { buildServer } from './http/server.ts';
import { systemClock } from './clock.ts';
import type { Config } from './config.ts';
import { type GatewayOpeners, openGateways } from './delivery/open-gateways.ts';
import { startDeliveryWorker } from './delivery/worker.ts';
import { openApns } from './gateways/apns/apns.ts';
import { openFcm } from './gateways/fcm/fcm.ts';
import type { Observe } from './observe.ts';
import { openBullmqQueue } from './queue/bullmq.ts';
import { openInProcessQueue } from './queue/in-process.ts';
import type { Queue } from './queue/queue.ts';
import { openResources, type Resources } from './resources.ts';

export interface Server {
  /** Where the API listens; undefined for a process that is only a worker. */
  url: string | undefined;
  resources: Resources;
  /** Answers no new request, finishes those in flight, hands unfinished slices on, closes everything. */
  close(): Promise<void>;
}

/** A second server on a `DATA_DIR` that one holds already. */
export class DirectoryInUse extends Error {
  override readonly name = 'DirectoryInUse';
}

/**
 * Starts the roles that the settings name.
 * @throws {DirectoryInUse} where another server runs on the same embedded database
 */
export async function startServer(config: Config, observe: Observe): Promise<Server> {
  // Closed in the reverse of the order in which they were opened.
  const opened: (() => Promise<void>)[] = [];
  const close = async (): Promise<void> => {
    while (opened.length > 0) await opened.pop()?.();
    observe({ kind: 'stopped' });
  };
  try {
    const resources = await openResources(config, observe);
    opened.push(async () => resources.close());
    if (!(await resources.claimForServer())) {
      throw new DirectoryInUse(
        `another server is running on ${config.dataDir}; stop it, or set DATA_DIR to another directory`,
      );
    }
    const queue = openQueue(config, observe);
    opened.push(async () => queue.close());
    if (config.role !== 'api') opened.push(startWorker(config, resources, queue, observe));
    const url =
      config.role === 'worker' ? undefined : await listen(config, resources, queue, observe, opened);
    return { url, resources, close };
  } catch (error) {
    await close();
    throw error;
  }
}

function openQueue(config: Config, observe: Observe): Queue {
  return config.redisUrl === undefined
    ? openInProcessQueue({ observe })
    : openBullmqQueue({ redisUrl: config.redisUrl, observe });
}

function startWorker(
  config: Config,
  { db, secret }: Resources,
  queue: Queue,
  observe: Observe,
): () => Promise<void> {
  const clock = systemClock;
  const { gatewayCa: ca } = config;
  const open: GatewayOpeners = {
    apns: (bundleId, credentials) =>
      openApns({
        bundleId,
        credentials,
        productionUrl: config.apnsProductionUrl,
        sandboxUrl: config.apnsSandboxUrl,
        ca,
        clock,
        observe,
      }),
    fcm: (credentials) =>
      openFcm({ credentials, fcmUrl: config.fcmUrl, oauthUrl: config.googleOauthUrl, ca, clock, observe }),
  };
  const { fcmPushesPerMinute } = config;
  const gateways = openGateways({ db, secret, open, clock, fcmPushesPerMinute });
  const worker = startDeliveryWorker({ db, queue, gateways, clock, observe, random: Math.random });
  return async () => {
    await worker.close();
    await gateways.close();
  };
}

async function listen(
  config: Config,
  { db }: Resources,
  queue: Queue,
  observe: Observe,
  opened: (() => Promise<void>)[],
): Promise<string> {
  const server = buildServer({ db, queue, clock: systemClock, observe });
  opened.push(async () => server.close());
  const url = await server.listen({ host: config.host, port: config.port });
  observe({ kind: 'server_listening', url });
  return url;
}
