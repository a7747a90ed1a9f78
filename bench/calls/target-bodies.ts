/** Bodies of create calls, for pushes to one device each. */
import { type BenchApp, readIphoneIds } from '../support/app.ts';
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
  const bodies = (await notifications(database, app, form)).map((notification) =>
    JSON.stringify(notification),
  );
  return writeBodies(dir, form, bodies);
}

/** Batches of `size` pushes, each to an iPhone of the app. */
export async function writeBatches(
  dir: string,
  database: BenchDatabase,
  app: BenchApp,
  { form, size }: { form: Form; size: number },
): Promise<Bodies> {
  const all = await notifications(database, app, form);
  const batches = Array.from({ length: Math.floor(all.length / size) }, (_, index) =>
    JSON.stringify(all.slice(index * size, (index + 1) * size)),
  );
  return writeBodies(dir, `${form}, batches`, batches);
}

async function notifications(database: BenchDatabase, app: BenchApp, form: Form): Promise<unknown[]> {
  const ids = await readIphoneIds(database, app, DEVICE_IDS_MAX);
  return ids.map((id) => notificationTo(targets[form](id)));
}
