/** Reads the devices of a slice: those of the audience, and of the slice's wave, within its range of ids. */
import { type Kysely, type RawBuilder, sql } from 'kysely';
import type { Database } from '../db/tables.ts';
import { readDevicesWithToken } from '../targeting/devices-with-token.ts';
import { type MatchingDevice, readMatchingDevices } from '../targeting/matching-devices.ts';
import { noSpan, type Span, within } from '../tracing/span.ts';
import type { ActiveNotification } from './send/active-notification-store.ts';
import type { LeasedSlice } from './slice-store.ts';
import type { CutWave } from './waves/wave.ts';
import { inWave } from './waves/in-wave.ts';

export interface SliceToRead {
  slice: LeasedSlice;
  notification: ActiveNotification;
  /** The wave of the slice; undefined if the notification has none. */
  wave: CutWave | undefined;
}

/**
 * Devices read per statement. This is nearly always the whole slice, and limits memory if the audience has grown since.
 */
const PAGE_DEVICES = 1_250;

/** The wave that the slice belongs to; undefined if the notification has none. */
export function waveOf(
  { waves }: Pick<ActiveNotification, 'waves'>,
  { number }: Pick<LeasedSlice, 'number'>,
): CutWave | undefined {
  return waves.find(({ firstSlice, slices }) => number >= firstSlice && number < firstSlice + slices);
}

export async function* readSliceDevices(
  db: Kysely<Database>,
  { slice, notification, wave }: SliceToRead,
  span: Span = noSpan,
): AsyncGenerator<MatchingDevice[]> {
  const { token } = notification.message;
  const only = whoIsIn(slice, notification, wave);
  let afterId: string | undefined;
  for (;;) {
    const wanted = {
      appId: slice.appId,
      filters: notification.filters,
      now: notification.startedAt,
      firstId: slice.firstId,
      lastId: slice.lastId,
      afterId,
      limit: PAGE_DEVICES,
      isBroad: notification.isBroad,
      facts: notification.perDevice?.facts,
      only,
    };
    const page = await within(span.begin('read devices'), async () =>
      token === undefined
        ? readMatchingDevices(db, wanted)
        : readDevicesWithToken(db, { ...wanted, token, leftOut: notification.leftOut }),
    );
    if (page.length > 0) yield page;
    if (page.length < PAGE_DEVICES) return;
    afterId = page.at(-1)?.id;
  }
}

/**
 * SQL condition on the device `d`: it was registered before the notification was planned, and is in the wave.
 * @returns undefined if every device is
 */
function whoIsIn(
  slice: LeasedSlice,
  { plannedIn, waves, newestDevice }: ActiveNotification,
  wave: CutWave | undefined,
): RawBuilder<boolean> | undefined {
  const ofWave =
    wave === undefined || plannedIn === null ? undefined : inWave({ ...slice, wave, waves, plannedIn });
  if (newestDevice === null) return ofWave;
  const isKnown = sql<boolean>`d.created_at <= ${newestDevice}::timestamptz`;
  return ofWave === undefined ? isKnown : sql<boolean>`(${isKnown} and ${ofWave})`;
}
