/** A new app for each test of a file, and its devices. */
import { sql } from 'kysely';
import { beforeEach } from 'vitest';
import { parseRegistration, parseUpdateBody } from '../../src/devices/device-schema.ts';
import type { Device } from '../../src/devices/device.ts';
import { eraseDevice } from '../../src/devices/erase.ts';
import { recordDeviceEvents } from '../../src/devices/events/record-events.ts';
import { importDevices } from '../../src/devices/import/import.ts';
import type { ImportReport } from '../../src/devices/import/report.ts';
import { readDevice } from '../../src/devices/read.ts';
import { type Registered, registerDevice } from '../../src/devices/register-device.ts';
import { updateDevice } from '../../src/devices/update.ts';
import { insertApp, useTestDatabase } from '../support/database.ts';
import { newToken } from '../support/push-token.ts';
import { retireTokens } from '../support/retire-tokens.ts';
import { tokenKeys } from '../support/token-keys.ts';
import { chunksOf } from './import/lines.ts';

export const noon = new Date('2026-11-21T12:00:00.000Z');
export const later = new Date('2026-11-21T13:00:00.000Z');
export const nowhere = '00000000-0000-4000-8000-000000000000';

/** Values are of the app of the current test, unless another one is named. */
export function useDevices() {
  const database = useTestDatabase();
  const app = { id: '' };
  beforeEach(async () => {
    app.id = (await insertApp(database.db)).id;
  });

  const rows = async () =>
    database.db.selectFrom('devices').selectAll().where('app_id', '=', app.id).execute();
  return {
    database,
    app,
    /** By default an iPhone, with a new token. */
    register: async (device: object = {}, at = noon, appId = app.id): Promise<Registered> => {
      const registration = parseRegistration({ platform: 'iOS', push_token: newToken(), ...device });
      return registerDevice(database.db, tokenKeys, appId, registration, () => at);
    },
    update: async (id: string, device: object, at = later): Promise<Device> =>
      updateDevice(database.db, tokenKeys, app.id, id, parseUpdateBody({ device }), () => at),
    read: async (id: string): Promise<Device> => readDevice(database.db, app.id, id),
    erase: async (id: string, at = later): Promise<void> => eraseDevice(database.db, app.id, id, () => at),
    /** Records events of the SDK. */
    record: async (id: string, ...names: string[]): Promise<void> => {
      const events = names.map((name) => ({ name }));
      await recordDeviceEvents(database.db, app.id, id, events, { defaultSource: null }, () => noon);
    },
    /** Reports a token dead, as a gateway does. @returns how many devices lost it */
    retire: async (
      deviceId: string,
      pushToken: string,
      { reason = 'Unregistered', at = later, deadSince = null as Date | null, db = database.db } = {},
    ): Promise<number> =>
      retireTokens(db, tokenKeys, [{ appId: app.id, deviceId, pushToken, deadSince, reason }], at),
    importText: async (
      text: string | Uint8Array,
      at = noon,
      { chunkBytes, appId = app.id }: { chunkBytes?: number; appId?: string } = {},
    ): Promise<ImportReport> =>
      importDevices(database.db, tokenKeys, appId, chunksOf(text, chunkBytes), () => at),
    /** The stored devices by push token. */
    stored: async () => new Map((await rows()).map((row) => [row.push_token, row])),
    storedOne: async (pushToken: string) => {
      const row = (await rows()).find((one) => one.push_token === pushToken);
      if (row === undefined) throw new Error('the device is not stored');
      return row;
    },
    /** How many rows of the app a table has. */
    count: async (table: 'devices' | 'retired_tokens' = 'devices'): Promise<number> => {
      const { rows: found } = await sql`select from ${sql.table(table)} where app_id = ${app.id}`.execute(
        database.db,
      );
      return found.length;
    },
  };
}
