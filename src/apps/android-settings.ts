/** How Android shows the pushes of an app, as its operator has set it. */
import type { Kysely, Selectable } from 'kysely';
import type { AppsTable, Database } from '../db/tables.ts';

export const androidPresentations = ['data', 'system'] as const;

export interface AndroidSettings {
  /** `data` leaves it to the app, `system` has Android draw it by itself. A notification may say otherwise. */
  presentation: (typeof androidPresentations)[number];
  /** The name of a drawable of the app; null is the one that its manifest names. */
  icon: string | null;
  /** `#rrggbb`; null is the one that its manifest names. */
  color: string | null;
}

/** What an app has whose operator has set nothing. */
export const leftToTheApp: AndroidSettings = { presentation: 'data', icon: null, color: null };

/** The columns of `apps` that hold them. */
export const androidColumns = [
  'apps.android_presentation',
  'apps.android_icon',
  'apps.android_color',
] as const;

export function androidSettingsOf(
  row: Pick<Selectable<AppsTable>, 'android_presentation' | 'android_icon' | 'android_color'>,
): AndroidSettings {
  return { presentation: row.android_presentation, icon: row.android_icon, color: row.android_color };
}

/** As Android names resources. */
const ICON = /^[a-z][a-z0-9_]{0,254}$/;
/** As FCM takes it. */
const COLOR = /^#[0-9a-fA-F]{6}$/;

/**
 * Changes what is named; the rest stays. Pushes follow that leave from now on.
 * @throws {Error} where the icon or the color breaks a rule
 */
export async function setAndroid(
  db: Kysely<Database>,
  appId: string,
  { presentation, icon, color }: Partial<AndroidSettings>,
): Promise<void> {
  if (icon && !ICON.test(icon)) {
    throw new Error('an icon is the name of a drawable: small letters, digits and underscores');
  }
  if (color && !COLOR.test(color)) throw new Error('a color has the form #rrggbb, such as #aa0000');
  await db
    .updateTable('apps')
    .set({ android_presentation: presentation, android_icon: icon, android_color: color })
    .where('id', '=', appId)
    .execute();
}
