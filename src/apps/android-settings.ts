/** Settings, made by an operator, for how Android shows the pushes of an app. */
import type { Kysely, Selectable } from 'kysely';
import type { Author } from '../audit/author.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { changeApp } from './change-app.ts';

export const androidPresentations = ['data', 'system'] as const;

export interface AndroidSettings {
  /** `data`: the app draws the push; `system`: Android does. A notification may override it. */
  presentation: (typeof androidPresentations)[number];
  /** The name of a drawable of the app; null: the one in its manifest. */
  icon: string | null;
  /** `#rrggbb`; null: the one in its manifest. */
  color: string | null;
}

/** The settings of a new app. */
export const leftToTheApp: AndroidSettings = { presentation: 'data', icon: null, color: null };

/** The columns of `apps` that hold these settings. */
export const androidColumns = [
  'apps.android_presentation',
  'apps.android_icon',
  'apps.android_color',
] as const;

export function androidSettingsOf(
  row: Pick<Selectable<Database['apps']>, 'android_presentation' | 'android_icon' | 'android_color'>,
): AndroidSettings {
  return { presentation: row.android_presentation, icon: row.android_icon, color: row.android_color };
}

/** Android's rule for names of resources. */
const ICON = /^[a-z][a-z0-9_]{0,254}$/;
/** FCM's format. */
const COLOR = /^#[0-9a-fA-F]{6}$/;

/**
 * Changes the given settings and keeps the others. Pushes sent from then on follow them.
 * @param author for the audit log; undefined: no entry
 * @throws {Error} if the icon or the color breaks a rule
 */
export async function setAndroid(
  db: Kysely<Database>,
  appId: string,
  { presentation, icon, color }: Partial<AndroidSettings>,
  clock: Clock,
  author?: Author,
): Promise<void> {
  if (icon && !ICON.test(icon)) {
    throw new Error('an icon is the name of a drawable: lower-case letters, digits and underscores');
  }
  if (color && !COLOR.test(color)) throw new Error('a color has the form #rrggbb, such as #aa0000');
  const columns = ['android_presentation', 'android_icon', 'android_color'] as const;
  const set = { android_presentation: presentation, android_icon: icon, android_color: color };
  await changeApp(db, appId, { action: 'app.android_set', columns, set }, clock, author);
}
