/** An app that the simulator's gateways let in, its devices, and its back end's calls over real HTTP. */
import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';
import { vi } from 'vitest';
import { z } from 'zod';
import { createApiKey } from '../../src/apps/api-keys.ts';
import { createApp } from '../../src/apps/apps.ts';
import { putApnsCredentials, putFcmCredentials } from '../../src/apps/credentials/store.ts';
import type { SecretKey } from '../../src/apps/seal.ts';
import { gatewaySettings as settingsOfSimulator } from '../../src/cli/commands/simulator.ts';
import { systemClock } from '../../src/clock.ts';
import type { Database } from '../../src/db/tables.ts';
import type { Simulator } from '@carillon/simulator';

export interface SimulatedApp {
  id: string;
  bundleId: string;
  /** An API key with every permission. */
  key: string;
}

/** The settings of a process that pushes to the simulator, which must have been given a `certificateDir`. */
export function gatewaySettings(simulator: Simulator): Record<string, string> {
  return settingsOfSimulator(simulator, String(simulator.caFile));
}

let madeKey: { publicKey: string; privateKey: string } | undefined;

/**
 * A service account that the simulator knows, as Google's file has it. All accounts of a worker of the tests have the same
 * key: to make one takes 60 ms of processor time or more.
 */
export function newServiceAccount(simulator: Simulator, projectId: string): Record<string, string> {
  madeKey ??= generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const clientEmail = `carillon-${randomUUID()}@${projectId}.iam.gserviceaccount.com`;
  const { publicKey: publicKeyPem, privateKey } = madeKey;
  simulator.google.registerServiceAccount({ projectId, clientEmail, publicKeyPem });
  return {
    type: 'service_account',
    project_id: projectId,
    private_key: privateKey,
    client_email: clientEmail,
    token_uri: simulator.urls.oauth,
  };
}

/** Of a key or of a team: ten capital letters and digits. */
export function newAppleId(): string {
  return randomUUID().replaceAll('-', '').slice(0, 10).toUpperCase();
}

export async function createSimulatedApp(
  db: Kysely<Database>,
  secret: SecretKey,
  simulator: Simulator,
): Promise<SimulatedApp> {
  const { id, bundleId } = await createApp(
    db,
    { bundleId: `app.${randomUUID()}`, name: 'Simulated app' },
    systemClock,
  );
  const owner = { teamId: newAppleId(), keyId: newAppleId(), bundleId };
  const { keyId, teamId, privateKeyPem: privateKey } = simulator.apple.createKey(owner);
  await putApnsCredentials(db, secret, { appId: id, keyId, teamId, privateKey }, systemClock);
  const serviceAccount = JSON.stringify(newServiceAccount(simulator, 'simulated'));
  await putFcmCredentials(db, secret, { appId: id, serviceAccount }, systemClock);
  const scopes = ['read', 'write', 'register', 'admin'] as const;
  const { key } = await createApiKey(db, { appId: id, scopes }, systemClock);
  return { id, bundleId, key };
}

export interface StoredDevice {
  id: string;
  token: string;
  platform: 'iOS' | 'Android';
  development: boolean;
  tags: string[];
  /** Its `user_id`, which no other device has. */
  user: string;
}

/**
 * Inserts devices, every other one an iPhone. Every tenth is a development device, every twentieth of those
 * that are not has the tag `vip`.
 */
export async function insertDevices(
  db: Kysely<Database>,
  appId: string,
  count: number,
): Promise<StoredDevice[]> {
  const { rows } = await sql<StoredDevice>`
    insert into devices
      (app_id, id, platform, push_token, token_registered_at, created_at, registered_at, development, tags, user_id)
    select ${appId}::uuid, gen_random_uuid(),
      case when n % 2 = 0 then 'iOS' else 'Android' end,
      case when n % 2 = 0 then '' else 'android:' end
        || encode(sha256(convert_to(${appId}::text || n, 'UTF8')), 'hex'),
      now(), now(), now(), n % 10 < 2, case when n % 20 in (4, 5) then array['vip'] else '{}' end, 'user ' || n
    from generate_series(1, ${count}::integer) as n
    returning id, push_token as token, platform, development, tags, user_id as "user"`.execute(db);
  return rows;
}

const createdSchema = z.object({ id: z.string(), to: z.object({ id: z.string() }) });
export const recordSchema = z.object({
  state: z.string(),
  reason: z.string().nullable(),
  due_at: z.string(),
  devices: z.number(),
  accepted: z.number(),
  rejected: z.number(),
  unregistered: z.number(),
  no_token: z.number(),
  ambiguous: z.number(),
  // Not in the replies of releases before this one.
  dropped: z.number().default(0),
  expired: z.number().default(0),
  capped: z.number().default(0),
  left_out: z.number().default(0),
  pending: z.number(),
  held: z.number().default(0),
});
export type NotificationRecord = z.infer<typeof recordSchema>;

export interface Backend {
  call(
    method: string,
    address: string,
    body?: unknown,
    headers?: Readonly<Record<string, string>>,
  ): Promise<{ status: number; body: unknown }>;
  /**
   * Creates a notification.
   * @param options optional keys of the request's `notification`, such as `deliver_at`
   * @returns its id, and the id of its audience
   */
  notify(to: unknown, options?: Readonly<Record<string, unknown>>): Promise<z.infer<typeof createdSchema>>;
  readNotification(id: string): Promise<NotificationRecord>;
  /** Reads the notification until it has ended. */
  untilEnded(id: string, timeoutMs: number): Promise<NotificationRecord>;
  /** Creates a notification, and reads it until it has ended. */
  deliver(
    to: unknown,
    options?: Readonly<Record<string, unknown>>,
  ): Promise<NotificationRecord & { id: string }>;
  /** Creates anything. @returns its id */
  create(address: string, body: unknown): Promise<string>;
}

const CALL_TIMEOUT_MS = 15_000;
const DELIVERED_WITHIN_MS = 60_000;

/** Calls a server as an app's back end does. */
export function openBackend(url: string, key: string): Backend {
  const authorization = `Basic ${Buffer.from(`:${key}`).toString('base64')}`;
  const call: Backend['call'] = async (method, address, body, headers) => {
    const response = await fetch(url + address, {
      method,
      headers: {
        authorization,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      signal: AbortSignal.timeout(CALL_TIMEOUT_MS),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json() };
  };
  const expectStatus = async (status: number, ...request: Parameters<typeof call>): Promise<unknown> => {
    const reply = await call(...request);
    if (reply.status !== status) throw new Error(`${request[1]} answered ${JSON.stringify(reply)}`);
    return reply.body;
  };
  const readNotification: Backend['readNotification'] = async (id) =>
    recordSchema.parse(await expectStatus(200, 'GET', `/v6/notifications/${id}`));
  const notify: Backend['notify'] = async (to, options) => {
    const notification = { to, payload: { alert: 'Hello', order_id: 4711 }, ...options };
    return createdSchema.parse(await expectStatus(201, 'POST', '/v6/notifications', { notification }));
  };
  const untilEnded: Backend['untilEnded'] = async (id, timeout) =>
    vi.waitFor(
      async () => {
        const record = await readNotification(id);
        if (['scheduled', 'sending'].includes(record.state)) {
          throw new Error(`not ended yet: ${JSON.stringify(record)}`);
        }
        return record;
      },
      { timeout, interval: 100 },
    );
  return {
    call,
    notify,
    readNotification,
    untilEnded,
    deliver: async (to, options) => {
      const { id } = await notify(to, options);
      return { id, ...(await untilEnded(id, DELIVERED_WITHIN_MS)) };
    },
    create: async (address, body) => {
      const [, id = ''] =
        /"id":"([^"]+)"/.exec(JSON.stringify(await expectStatus(201, 'POST', address, body))) ?? [];
      return id;
    },
  };
}
