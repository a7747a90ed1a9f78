/** The apps that this server sends for. Every other table refers to an app. */
import { randomUUID } from 'node:crypto';
import type { Kysely, Selectable } from 'kysely';
import { z } from 'zod';
import { judge } from '../api/parse.ts';
import type { Author } from '../audit/author.ts';
import { inTransaction, recordChange } from '../audit/record.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { unstorableText } from '../json/lossless.ts';
import { isUuid } from '../uuid.ts';
import { type AndroidSettings, androidSettingsOf } from './android-settings.ts';

export interface App {
  id: string;
  /** Apple's bundle identifier or Google's package name; also the user name of an API call. */
  bundleId: string;
  name: string;
  createdAt: Date;
  android: AndroidSettings;
}

/**
 * All characters that Apple and Google allow; no colon, because that would end the user name in Basic authorization.
 */
const BUNDLE_ID = /^[A-Za-z0-9._-]{1,255}$/;
const BUNDLE_ID_RULE = 'must be 1 to 255 letters, digits, dots, hyphens and underscores';
const NAME_CHARACTERS_MAX = 255;
const NAME_RULE = `must be 1 to ${NAME_CHARACTERS_MAX} characters of text`;

/** The rules for a new app. */
export const newApp = z.strictObject({
  bundle_id: z.string(BUNDLE_ID_RULE).regex(BUNDLE_ID, BUNDLE_ID_RULE),
  name: z
    .string(NAME_RULE)
    .max(NAME_CHARACTERS_MAX, NAME_RULE)
    .refine((name) => name.trim() !== '' && unstorableText(name) === undefined, NAME_RULE),
});

interface NewApp {
  bundleId: string;
  name: string;
}

/**
 * @param author for the audit log; undefined: no entry
 * @throws {Error} with a list of the broken rules, or because the bundle id is taken
 */
export async function createApp(
  db: Kysely<Database>,
  app: NewApp,
  clock: Clock,
  author?: Author,
): Promise<App> {
  const faults = judge(newApp, { bundle_id: app.bundleId, name: app.name }).error?.issues ?? [];
  if (faults.length > 0) {
    throw new Error(
      faults.map(({ path, message }) => `the ${path.join(' ').replace('_', ' ')} ${message}`).join('; '),
    );
  }
  const created = await createUntakenApp(db, app, clock, author);
  if (created === undefined) throw new Error(`there is already an app with the bundle id ${app.bundleId}`);
  return created;
}

/**
 * @param app as `newApp` has parsed it
 * @returns undefined if the bundle id is taken
 */
export async function createUntakenApp(
  db: Kysely<Database>,
  { bundleId, name }: NewApp,
  clock: Clock,
  author?: Author,
): Promise<App | undefined> {
  const row = await inTransaction(db, async (transaction) => {
    const created = await transaction
      .insertInto('apps')
      .values({ id: randomUUID(), bundle_id: bundleId, name, created_at: clock() })
      .onConflict((conflict) => conflict.column('bundle_id').doNothing())
      .returningAll()
      .executeTakeFirst();
    if (created === undefined) return undefined;
    const { id } = created;
    const change = {
      appId: id,
      action: 'app.created',
      objectId: id,
      after: { bundle_id: bundleId, name },
    } as const;
    await recordChange(transaction, author, change, clock);
    return created;
  });
  return row && appFrom(row);
}

/** Whether the server has an app. */
export async function hasApps(db: Kysely<Database>): Promise<boolean> {
  return (await db.selectFrom('apps').select('id').limit(1).executeTakeFirst()) !== undefined;
}

/** All apps, sorted by bundle id. */
export async function listApps(db: Kysely<Database>): Promise<App[]> {
  const rows = await db.selectFrom('apps').selectAll().orderBy('bundle_id').execute();
  return rows.map(appFrom);
}

/** The app with this id, otherwise the app with this bundle id. */
export async function findApp(db: Kysely<Database>, idOrBundleId: string): Promise<App | undefined> {
  const apps = db.selectFrom('apps').selectAll();
  const byId = isUuid(idOrBundleId)
    ? await apps.where('id', '=', idOrBundleId).executeTakeFirst()
    : undefined;
  if (byId !== undefined) return appFrom(byId);
  if (!BUNDLE_ID.test(idOrBundleId)) return undefined;
  const byBundleId = await apps.where('bundle_id', '=', idOrBundleId).executeTakeFirst();
  return byBundleId === undefined ? undefined : appFrom(byBundleId);
}

function appFrom(row: Selectable<Database['apps']>): App {
  return {
    id: row.id,
    bundleId: row.bundle_id,
    name: row.name,
    createdAt: row.created_at,
    android: androidSettingsOf(row),
  };
}
