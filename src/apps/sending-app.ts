/**
 * Data about an app that delivery needs. It is read with the app's notifications, so that changed credentials count at
 * once.
 */
import { type Kysely, sql } from 'kysely';
import { listParameter, preparedAs } from '../db/prepared.ts';
import type { Database } from '../db/tables.ts';
import type { AndroidSettings } from './android-settings.ts';
import type { CredentialVersion } from './credentials/store.ts';
import { routeStatesJson } from './route-states.ts';

export interface SendingApp {
  bundleId: string;
  android: AndroidSettings;
  /** The versions of its credentials. */
  credentials: CredentialVersion[];
}

/** SQL: a row of `apps` as JSON of a `SendingApp`. */
export const SENDING_APP_AS_JSON = `json_build_object(
  'bundleId', apps.bundle_id,
  'android', json_build_object(
    'presentation', apps.android_presentation, 'icon', apps.android_icon, 'color', apps.android_color),
  'credentials', coalesce((
    select json_agg(json_build_object(
      'gateway', c.gateway, 'environment', c.environment, 'version', c.version, 'routes', ${routeStatesJson('c')}))
    from gateway_credentials as c where c.app_id = apps.id), '[]'))`;

/** @returns the apps by id */
export async function readSendingApps(
  db: Kysely<Database>,
  appIds: readonly string[],
): Promise<Map<string, SendingApp>> {
  const { rows } = await sql<{ id: string; app: SendingApp }>`${preparedAs('read_sending_apps')}
    select apps.id, ${sql.raw(SENDING_APP_AS_JSON)} as app
    from apps where apps.id = any(${listParameter(appIds, 'uuid')})`.execute(db);
  return new Map(rows.map(({ id, app }) => [id, app]));
}
