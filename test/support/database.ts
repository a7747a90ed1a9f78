import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { Client } from 'pg';
import { inject } from 'vitest';
import { connectDatabase } from '../../src/db/connect.ts';
import type { Database } from '../../src/db/tables.ts';
import { type Observation, observeNothing } from '../../src/observe.ts';
import { useOpened } from './opened.ts';

export interface TestDatabase {
  db: Kysely<Database>;
  url: string;
  close(): Promise<void>;
}

/** Creates an empty, migrated database. The caller closes it; `useTestDatabase` does both. */
export async function openTestDatabase(): Promise<TestDatabase> {
  const name = `test_${randomUUID().replaceAll('-', '')}`;
  const url = new URL(inject('postgresUrl'));
  // In memory, copying files takes 13 ms of processor time, and the default, copying through the write-ahead log, 31 ms.
  await asAdmin(`create database ${name} template ${inject('postgresTemplate')} strategy file_copy`);
  url.pathname = `/${name}`;
  const patient = new URL(url);
  patient.searchParams.set('connect_timeout', '60'); // this process may be busy with thousands of pushes
  const db = connectDatabase({ connectionString: patient.href, observe: observeNothing });
  return {
    db,
    url: url.href,
    close: async () => {
      await db.destroy();
      await asAdmin(`drop database ${name} with (force)`);
    },
  };
}

/** A database for the tests of a file (or of a `describe`): created before them, dropped after. */
export function useTestDatabase(): Pick<TestDatabase, 'db' | 'url'> {
  return useOpened(async (closing) => closing.keep(await openTestDatabase()));
}

/** Inserts an app, for tests of other rooms. */
export async function insertApp(
  db: Kysely<Database>,
  bundleId = `app.${randomUUID()}`,
): Promise<{ id: string; bundleId: string }> {
  const id = randomUUID();
  await db
    .insertInto('apps')
    .values({ id, bundle_id: bundleId, name: 'Test app', created_at: new Date() })
    .execute();
  return { id, bundleId };
}

/** Collects observations. */
export function collectObservations(): {
  observe: (observation: Observation) => void;
  seen: Observation[];
} {
  const seen: Observation[] = [];
  return { observe: (observation) => seen.push(observation), seen };
}

async function asAdmin(statement: string): Promise<void> {
  const client = new Client({ connectionString: inject('postgresUrl') });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
