/** An app with devices in time zones, and workers that run by hand at any time. */
import type { Kysely } from 'kysely';
import { expect } from 'vitest';
import type { QuietHours } from '../../../src/apps/quiet-hours-of-app.ts';
import type { Database } from '../../../src/db/tables.ts';
import { deliverNextSlice } from '../../../src/delivery/send/deliver.ts';
import { claimDue, type ClaimResults } from '../../../src/delivery/start/direct.ts';
import type { DueNotification } from '../../../src/delivery/start/direct-store.ts';
import { openDrain } from '../../../src/delivery/start/drain.ts';
import { planNotification } from '../../../src/delivery/start/plan.ts';
import { sweep } from '../../../src/delivery/upkeep/sweep.ts';
import { createNotification } from '../../../src/notifications/create.ts';
import { readNotification } from '../../../src/notifications/look-up/read.ts';
import { explainDelivery } from '../../../src/results/explain/explain.ts';
import { readDelivery } from '../../../src/results/history/device-outcome.ts';
import { observeNothing } from '../../../src/observe.ts';
import type { Job } from '../../../src/queue/job.ts';
import { Slots } from '../../../src/queue/slots.ts';
import { giveCredentials } from '../../support/credentials.ts';
import { insertApp } from '../../support/database.ts';
import { fakeGateway } from '../../support/gateways.ts';
import { insertPhones, openTestDelivery, type Rows } from '../in-process.ts';

export interface SentPush {
  deviceId: string;
  at: Date;
}

export type WaveApp = Awaited<ReturnType<typeof openWaveApp>>;

export async function openWaveApp(db: Kysely<Database>, start: Date) {
  const { id: appId } = await insertApp(db);
  let now = start;
  let failure: Error | undefined;
  let onSent: (() => void | Promise<void>) | undefined;
  const sent: SentPush[] = [];
  const refused = new Set<string>();
  const clock = (): Date => now;
  const gateway = fakeGateway('fcm', async ({ deviceId }) => {
    sent.push({ deviceId, at: now });
    await onSent?.();
    return refused.has(deviceId) ? { kind: 'rejected', reason: 'INVALID' } : { kind: 'accepted' };
  });
  const openWorker = () => ({
    ...openTestDelivery({
      db,
      clock,
      wait: async () => undefined,
      gateways: () => {
        if (failure !== undefined) throw failure;
        return { fcm: gateway };
      },
    }),
    queue: { add: async (_jobs: readonly Job[]) => undefined },
  });
  let context = openWorker();
  const inApp = (): Rows => ({ db, appId, at: now });
  await giveCredentials(inApp(), 'fcm');

  return {
    appId,
    sent,
    clock,
    /** Delivers one slice, as `work` does with all of them. */
    async deliverSlice(notificationId: string, stop = new AbortController().signal): Promise<void> {
      await deliverNextSlice(context, { appId, notificationId }, stop);
    },
    async claimDue(notifications: readonly DueNotification[]): Promise<ClaimResults> {
      return claimDue(context, notifications);
    },
    /** From now on each attempt ends with this error before it has sent anything. */
    failBy(error: Error): void {
      failure = error;
    },
    /** From now on the gateway refuses pushes to these devices. */
    refuse(deviceIds: readonly string[]): void {
      for (const id of deviceIds) refused.add(id);
    },
    /** The route is paused, and its probe is due. */
    pauseRoute(): void {
      const pause = {
        cause: 'credentials' as const,
        reason: 'refused',
        sinceMs: 0,
        probeAtMs: Date.now() - 1,
      };
      gateway.state.learn({ route: 'fcm', isProven: true, pause, unguardedUntilMs: 0 }, performance.now());
    },
    /** From now on this is called after each push, before it is answered. */
    onSent(react: () => void | Promise<void>): void {
      onSent = react;
    },
    /** From now on another worker works, which has read nothing yet. */
    changeWorker(): void {
      context = openWorker();
    },
    setTime(time: string | Date): void {
      now = new Date(time);
    },
    /** @returns the ids, in the order of the zones */
    async addDevices(zones: readonly (string | null)[]): Promise<string[]> {
      return insertPhones(inApp(), zones.length, (number) => ({
        platform: 'Android',
        time_zone: zones[number] ?? null,
      }));
    },
    async move(deviceId: string, time_zone: string | null): Promise<void> {
      await db
        .updateTable('devices')
        .set({ time_zone, registered_at: now })
        .where('app_id', '=', appId)
        .where('id', '=', deviceId)
        .execute();
    },
    /** @param quietHours of the app */
    async create(keys: Record<string, unknown>, quietHours?: QuietHours): Promise<string> {
      const body = { notification: { to: '*', payload: { alert: 'Hi' }, ...keys } };
      const request = { appId, body, requestId: 'request-1', quietHours: quietHours ?? null };
      const deps = { clock, queue: context.queue, observe: observeNothing };
      return (await createNotification(db, request, deps)).id;
    },
    async plan(notificationId: string): Promise<void> {
      await planNotification(context, { appId, notificationId });
    },
    /** What the workers do at this time: a sweep, and all slices that may be delivered. */
    async work(notificationId: string): Promise<void> {
      const drain = openDrain(context, new Slots(64));
      await sweep({ ...context, drain });
      await drain.close();
      await sweep({ ...context, drain: { run: async () => 'done', resume: () => undefined } });
      const key = { appId, notificationId };
      while (await deliverNextSlice(context, key, new AbortController().signal));
    },
    async workAt(time: string | Date, notificationId: string): Promise<void> {
      now = new Date(time);
      await this.work(notificationId);
    },
    /** Creates a notification, and works. */
    async send(...request: [keys: Record<string, unknown>, quietHours?: QuietHours]): Promise<string> {
      const id = await this.create(...request);
      await this.work(id);
      return id;
    },
    keyOf: (notificationId: string) => ({ appId, notificationId }),
    outcomeOf: async (notificationId: string, deviceId = '') =>
      readDelivery(db, { appId, notificationId, deviceId, now }),
    explain: async (notificationId: string, deviceId = '') =>
      explainDelivery(db, { appId, notificationId, deviceId, now }),
    /** When each of the devices got a push, in the order of the pushes. */
    sentTo: (ids: readonly (string | undefined)[]): [device: number, at: string][] =>
      sent.map(({ deviceId, at }) => [ids.indexOf(deviceId), at.toISOString()]),
    /** Reads the notification, whose counters must add up. */
    async read(id: string) {
      const found = await readNotification(db, appId, id, clock);
      const { accepted, rejected, unregistered, no_token, ambiguous, dropped, expired, left_out, pending } =
        found;
      const ended = accepted + rejected + unregistered + no_token + ambiguous + dropped + expired + left_out;
      expect(ended + pending).toBe(found.devices);
      expect(found.held).toBeLessThanOrEqual(pending);
      return found;
    },
    /** Lets time pass until all waves have been due, and works at the moment of each. */
    async workThrough(id: string, from: string | Date = now): Promise<void> {
      now = new Date(from);
      await this.work(id);
      const { waves = [] } = await this.read(id);
      for (const { due_at: dueAt, spread_seconds: seconds } of waves) {
        const due = new Date(dueAt);
        if (due > now) {
          now = due;
          await this.work(id);
        }
        if (seconds === 0) continue;
        now = new Date(due.getTime() + seconds * 1_000);
        await this.work(id);
      }
    },
  };
}
