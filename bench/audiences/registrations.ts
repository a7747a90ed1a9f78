/** Measures registrations per second, with and without the triggers that counting needs. */
import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { createApp } from '../../src/apps/apps.ts';
import { systemClock } from '../../src/clock.ts';
import type { Database } from '../../src/db/tables.ts';
import { parseRegistration } from '../../src/devices/device-schema.ts';
import { importDevices } from '../../src/devices/import/import.ts';
import { registerDevice } from '../../src/devices/register.ts';
import type { BenchDatabase } from '../support/postgres.ts';
import { indexAllDeferred } from '../support/index-all-deferred.ts';
import { randomDevice } from './random-device.ts';
import { median } from '../support/statistics.ts';
import { tokenKeys } from '../../test/support/token-keys.ts';

/** Per second: lines of an import, single calls for new devices, the same calls again. */
export interface RegistrationRates {
  imported: number;
  fresh: number;
  again: number;
}

const ROUNDS = 5;
const IMPORTED = 20_000;
const CALLS = 1_000;
const AT_ONCE = 8;
const CHUNK_LINES = 60;

/**
 * Alternates between runs with and without the triggers on `devices`, in a separate app in the loaded database. The app is
 * emptied at the end.
 */
export async function measureRegistrations({
  db,
  sql,
}: BenchDatabase): Promise<{ kept: RegistrationRates; without: RegistrationRates }> {
  const { id: appId } = await createApp(
    db,
    { bundleId: `app.${randomUUID()}`, name: 'Registrations' },
    systemClock,
  );
  const rates = { enable: samples(), disable: samples() };
  for (let round = 0; round < ROUNDS; round++) {
    for (const triggers of ['enable', 'disable'] as const) {
      await sql.query(`alter table devices ${triggers} trigger user`);
      const measured = await measureOnce(db, appId);
      rates[triggers].imported.push(measured.imported);
      rates[triggers].fresh.push(measured.fresh);
      rates[triggers].again.push(measured.again);
    }
  }
  await sql.query('alter table devices enable trigger user');
  await sql.query('delete from devices where app_id = $1', [appId]);
  await indexAllDeferred(db); // so that the next run finds no unindexed rows
  return { kept: mediansOf(rates.enable), without: mediansOf(rates.disable) };
}

async function measureOnce(db: Kysely<Database>, appId: string): Promise<RegistrationRates> {
  const chunks = Array.from({ length: IMPORTED / CHUNK_LINES }, () =>
    Buffer.from(Array.from({ length: CHUNK_LINES }, () => `${JSON.stringify(randomDevice())}\n`).join('')),
  );
  const imported = await perSecond(chunks.length * CHUNK_LINES, async () => {
    await importDevices(db, tokenKeys, appId, streamOf(chunks), systemClock);
  });
  const registrations = Array.from({ length: CALLS }, () => parseRegistration(randomDevice()));
  const callAll = async (): Promise<void> => {
    const waiting = [...registrations];
    const callInTurn = async (): Promise<void> => {
      for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
        await registerDevice(db, tokenKeys, appId, next, systemClock);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, callInTurn));
  };
  return { imported, fresh: await perSecond(CALLS, callAll), again: await perSecond(CALLS, callAll) };
}

async function* streamOf(chunks: readonly Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function perSecond(times: number, work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return (times * 1_000) / (performance.now() - startedMs);
}

function samples(): Record<keyof RegistrationRates, number[]> {
  return { imported: [], fresh: [], again: [] };
}

function mediansOf({ imported, fresh, again }: ReturnType<typeof samples>): RegistrationRates {
  return { imported: median(imported), fresh: median(fresh), again: median(again) };
}
