/** An app on the simulator with a worker and a server, and an A/B test whose groups the tests compute themselves. */
import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { z } from 'zod';
import { systemClock } from '../../../src/clock.ts';
import { groupAt, HOLD_OUT, positionOf } from '../../../src/notifications/content/assign-variant.ts';
import { useApiApp } from '../api-app.ts';
import { newToken } from '../../support/push-token.ts';

export const payload = { title: 'Sale', alert: 'Everything must go' };
export const variants = [
  { name: 'A', weight: 1 },
  { name: 'B', weight: 2, payload: { title: 'Half price' } },
];
const groups = { variants, holdOut: 0.2 };

/** The titles that a device of the group receives, with the payload and the variants above. */
export const TITLES: Readonly<Record<string, string[]>> = { A: ['Sale'], B: ['Half price'], [HOLD_OUT]: [] };

export interface TestDevice {
  id: string;
  token: string;
  userId: string | null;
}

/** @returns the group of the device in a test with the variants above, a fifth of whose devices are held out */
export function groupOf(seed: string, { id, userId }: TestDevice): string {
  return groupAt(positionOf(seed, { deviceId: id, userId }), groups);
}

export const twoDaysLater = (): Date => new Date(systemClock().getTime() + 2 * 86_400_000);

const shown = z.object({ aps: z.object({ alert: z.object({ title: z.string() }) }) });

const report = z.object({
  reasons: z.array(z.looseObject({ reason: z.string().nullable(), devices: z.int() })),
  uncounted: z.int(),
  variants: z.object({
    groups: z.array(
      z.looseObject({
        name: z.string(),
        devices: z.int(),
        opened: z.object({ devices: z.int(), of: z.int() }).nullable(),
      }),
    ),
    comparisons: z.array(
      z.looseObject({ rate: z.string(), may_be_chance: z.boolean(), sentence: z.string() }),
    ),
  }),
});

/** Open while the tests of a file run. */
export function useTestApp() {
  const app = useApiApp();
  return Object.assign(app, {
    /**
     * Inserts devices with a tag of their own: every user has two, and every fifth device has no user; every other one is French.
     * @returns the devices, and the filters that find them
     */
    async insertDevices(count: number): Promise<{ devices: TestDevice[]; to: object[]; tag: string }> {
      const tag = randomUUID();
      const devices = Array.from({ length: count }, (_, index) => ({
        id: randomUUID(),
        token: newToken(),
        userId: index % 5 === 0 ? null : `${tag}-${index >> 1}`,
      }));
      const column = (name: keyof TestDevice) => devices.map((device) => device[name]);
      await sql`
        insert into devices (app_id, id, platform, push_token, token_registered_at, created_at, registered_at, tags, user_id, locale)
        select ${app.app.id}, id, 'iOS', token, now(), now(), now(), array[${tag}], user_id, case when n % 2 = 0 then 'fr_FR' end
        from unnest(${column('id')}::uuid[], ${column('token')}::text[], ${column('userId')}::text[])
          with ordinality as new (id, token, user_id, n)`.execute(app.db);
      return { devices, to: [{ name: 'tags', criteria: [tag] }], tag };
    },
    /** Sends an A/B test with the variants above. @returns its id, once it has ended */
    async test(notification: object): Promise<string> {
      const nid = await app.send({ payload, variants, hold_out: 0.2, ...notification });
      await app.ended(nid);
      return nid;
    },
    /** @returns the titles that the device received */
    titlesOf: (nid: string, { token }: TestDevice): string[] =>
      app.simulator.received({ nid, token }).map(({ body }) => shown.parse(JSON.parse(body)).aps.alert.title),
    reportOf: async (nid: string) => report.parse(await app.call(`GET /v6/notifications/${nid}/report`)),
    outcomeOf: async (nid: string, { id }: TestDevice) =>
      app.call(`GET /v6/notifications/${nid}/deliveries/${id}`),
  });
}
