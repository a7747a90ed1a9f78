/** Frequency caps of an app: how many notifications of a group one user or device gets within a period, at most. */
import type { Kysely } from 'kysely';
import { z } from 'zod';
import type { Author } from '../audit/author.ts';
import type { Clock } from '../clock.ts';
import type { Database } from '../db/tables.ts';
import { DURATION_RULE, durationMs, durationShape } from '../time/duration.ts';
import { text } from '../api/parse.ts';
import { changeApp } from './change-app.ts';

const GROUPS_MAX = 50;
const LIMITS_MAX = 5;
/** Each use of a cap is kept for the period, so a row grows with this number. */
const AT_MOST_MAX = 100;
const PERIOD_MS_MIN = 60_000;
/** The longest period of a limit. */
export const PERIOD_MS_MAX = 30 * 86_400_000;

const atMostRule = `must be a whole number from 1 to ${AT_MOST_MAX}`;
const periodRule = `${DURATION_RULE}, from PT1M to P30D`;

/** The name of a group, which notifications name in `group`. */
export const capGroup = text(64, 1);

const limit = z
  .strictObject({
    at_most: z
      .int(atMostRule)
      .min(1, atMostRule)
      .max(AT_MOST_MAX, atMostRule)
      .describe('The number of notifications of the group.'),
    per: z
      .string(periodRule)
      .refine((period) => isWithinPeriods(durationMs(period)), periodRule)
      .meta({
        ...durationShape,
        description:
          'The period, an ISO 8601 duration from `PT1M` to `P30D`: a sliding window that ends at the time of each push.',
      }),
  })
  .meta({ id: 'FrequencyLimit' });

export const frequencyCap = z
  .strictObject({
    group: capGroup.describe('Notifications with this `group` are counted together.'),
    by: z
      .enum(['user', 'device'], 'must be "user" or "device"')
      .describe(
        'What is counted. With `user`, all devices of a user get the same notifications, and each counts once; a device without a ' +
          '`user_id` counts by itself.',
      ),
    limits: z
      .array(limit)
      .min(1, `must have 1 to ${LIMITS_MAX} limits`)
      .max(LIMITS_MAX, `must have 1 to ${LIMITS_MAX} limits`)
      .describe('A push must keep within all of them.'),
  })
  .meta({ id: 'FrequencyCap' });

export type FrequencyCap = z.output<typeof frequencyCap>;

export const frequencyCapsBody = z
  .strictObject({
    frequency_caps: z
      .array(frequencyCap)
      .max(GROUPS_MAX, `must have at most ${GROUPS_MAX} groups`)
      .superRefine((caps, context) => {
        const groups = new Set<string>();
        for (const [index, { group }] of caps.entries()) {
          if (groups.has(group)) {
            context.addIssue({ code: 'custom', path: [index, 'group'], message: 'is used twice' });
          }
          groups.add(group);
        }
      }),
  })
  .meta({ id: 'FrequencyCaps' });

function isWithinPeriods(ms: number | undefined): boolean {
  return ms !== undefined && ms >= PERIOD_MS_MIN && ms <= PERIOD_MS_MAX;
}

/** Parses the stored column `apps.frequency_caps`. */
export function frequencyCapsOf(stored: unknown): FrequencyCap[] {
  return frequencyCapsBody.shape.frequency_caps.parse(stored);
}

/** @returns the cap of a group; undefined if the app has none for it, or the group is undefined */
export function capOfGroup(
  caps: readonly FrequencyCap[],
  group: string | null | undefined,
): FrequencyCap | undefined {
  return caps.find((cap) => cap.group === group);
}

/** @returns the caps of the app, in the order in which they were set */
export async function readFrequencyCaps(db: Kysely<Database>, appId: string): Promise<FrequencyCap[]> {
  const row = await db
    .selectFrom('apps')
    .select('frequency_caps')
    .where('id', '=', appId)
    .executeTakeFirstOrThrow();
  return frequencyCapsOf(row.frequency_caps);
}

/**
 * Replaces all caps of the app. The new caps apply to notifications that start afterwards. An earlier notification counts
 * if its group had a cap when it was sent.
 * @param author for the audit log; undefined: no entry
 */
export async function setFrequencyCaps(
  db: Kysely<Database>,
  appId: string,
  caps: readonly FrequencyCap[],
  clock: Clock,
  author?: Author,
): Promise<void> {
  const set = { frequency_caps: JSON.stringify(caps) };
  const change = { action: 'app.frequency_caps_set', columns: ['frequency_caps'], set } as const;
  await changeApp(db, appId, change, clock, author);
}
