/** An app whose notifications are created and sent as a server does it, to gateways that answer as the test says, at any time. */
import { randomUUID } from 'node:crypto';
import { type Insertable, type Kysely, sql } from 'kysely';
import type { QuietHours } from '../../../src/apps/quiet-hours-of-app.ts';
import type { Database, DevicesTable } from '../../../src/db/tables.ts';
import { UnsavedOutcomes } from '../../../src/delivery/outcomes/unsaved-outcomes.ts';
import { deliverNextSlice, openDelivery } from '../../../src/delivery/send/deliver.ts';
import { openDrain } from '../../../src/delivery/start/drain.ts';
import { planNotification } from '../../../src/delivery/start/plan.ts';
import { sweep } from '../../../src/delivery/upkeep/sweep.ts';
import type { Recipient, Verdict } from '../../../src/gateways/gateway.ts';
import { createNotification } from '../../../src/notifications/create.ts';
import { openIntake } from '../../../src/notifications/intake/intake.ts';
import { observeNothing } from '../../../src/observe.ts';
import type { Job } from '../../../src/queue/job.ts';
import { Slots } from '../../../src/queue/slots.ts';
import { giveCredentials } from '../../support/credentials.ts';
import { insertApp } from '../../support/database.ts';
import { fakeGateway } from '../../support/gateways.ts';
import { tokenKeys } from '../../support/token-keys.ts';

export type PushApp = Awaited<ReturnType<typeof openPushApp>>;

const accepting = (_recipient: Recipient): Verdict => ({ kind: 'accepted' });

export async function openPushApp(db: Kysely<Database>, start: string) {
  const { id: appId } = await insertApp(db);
  let now = new Date(start);
  let answer = accepting;
  const clock = (): Date => now;
  const queue = { add: async (_jobs: readonly Job[]) => undefined };
  const [apns, fcm] = (['apns_production', 'fcm'] as const).map((route) =>
    fakeGateway(route, (recipient) => answer(recipient), { credentialsAccepted: true }),
  );
  const context = {
    ...openDelivery({
      db,
      clock,
      observe: observeNothing,
      random: () => 0,
      wait: async () => undefined,
      gateways: {
        forApp: async () => ({ ...(apns && { apns_production: apns }), ...(fcm && { fcm }) }),
        close: async () => undefined,
      },
      tokenKeys,
      unsaved: new UnsavedOutcomes(),
    }),
    queue,
  };
  const intake = openIntake({ db, clock, observe: observeNothing, queue });
  await giveCredentials({ db, appId, at: now }, 'apns', 'fcm');

  async function create(
    to: unknown,
    keys: Readonly<Record<string, unknown>> = {},
    quietHours: QuietHours | null = null,
  ): Promise<string> {
    const body = { notification: { to, payload: { title: 'Order 4711', alert: 'On its way' }, ...keys } };
    const request = { appId, body, requestId: 'request-1', quietHours };
    return (await createNotification(db, request, { clock, queue, observe: observeNothing, intake })).id;
  }

  /** What the workers do at this time. */
  async function work(): Promise<void> {
    const drain = openDrain(context, new Slots(64));
    await sweep({ ...context, drain });
    await drain.close();
    await sweep({ ...context, drain: { run: async () => 'done', resume: () => undefined } });
    const { rows } = await sql<{ id: string }>`
      select id from notifications where app_id = ${appId} and state = 'sending'`.execute(db);
    for (const { id } of rows) {
      while (await deliverNextSlice(context, { appId, notificationId: id }, new AbortController().signal));
    }
  }

  return {
    appId,
    clock,
    create,
    work,
    setTime(time: string | Date): void {
      now = new Date(time);
    },
    /** @param verdict of the gateways from now on */
    answer(verdict: Verdict): void {
      answer = () => verdict;
    },
    async addDevice(columns: Partial<Insertable<DevicesTable>> = {}): Promise<string> {
      const id = randomUUID();
      const at = { token_registered_at: now, created_at: now, registered_at: now };
      const row = {
        app_id: appId,
        id,
        platform: 'Android' as const,
        push_token: `token-${id}`,
        ...at,
        ...columns,
      };
      await db.insertInto('devices').values(row).execute();
      return id;
    },
    async update(deviceId: string, columns: Partial<Insertable<DevicesTable>>): Promise<void> {
      await db.updateTable('devices').set(columns).where('id', '=', deviceId).execute();
    },
    /** Creates a notification and sends it. @returns its id */
    async send(...request: Parameters<typeof create>): Promise<string> {
      const id = await create(...request);
      await work();
      return id;
    },
    /** Plans a notification and sends nothing of it. */
    async plan(notificationId: string): Promise<void> {
      await planNotification(context, { appId, notificationId });
    },
    /** Pushes to single users, many at a time. */
    async createOthers(count: number): Promise<void> {
      for (let first = 0; first < count; first += 1_000) {
        const size = Math.min(1_000, count - first);
        await Promise.all(
          Array.from({ length: size }, async (_, index) => create({ user_id: `other-${first + index}` })),
        );
      }
    },
  };
}
