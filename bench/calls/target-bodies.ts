/** Bodies of create calls, for pushes to one device each. */
import { z } from 'zod';
import type { BenchApp } from '../support/app.ts';
import { notificationTo } from '../support/client.ts';
import type { BenchDatabase } from '../support/postgres.ts';
import { type Bodies, writeBodies } from './caller.ts';

const DEVICE_IDS_MAX = 200_000;

/** The forms of a target of one device. */
export const FORM_NAMES = ['by a filter', 'by device_id'] as const;
export type Form = (typeof FORM_NAMES)[number];

const targets: Readonly<Record<Form, (deviceId: string) => unknown>> = {
  'by a filter': (deviceId) => [{ name: 'device_id', criteria: [deviceId] }],
  'by device_id': (deviceId) => ({ device_id: deviceId }),
};

/** A body for each iPhone of the app. */
export async function writeSingles(
  dir: string,
  database: BenchDatabase,
  app: BenchApp,
  form: Form,
): Promise<Bodies> {
  const iPhones = await database.read(
    z.object({ id: z.string() }),
    `select id from devices where app_id = $1 and platform = 'iOS' limit $2`,
    [app.id, DEVICE_IDS_MAX],
  );
  return writeBodies(
    dir,
    form,
    iPhones.map(({ id }) => JSON.stringify(notificationTo(targets[form](id)))),
  );
}
